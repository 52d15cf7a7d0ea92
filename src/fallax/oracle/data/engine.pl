% The engine: rules are ours and fixed; facts are data, read one by one from standard input, never consulted or called.
%
% A rule file is loaded after this one. It declares its facts with facts/1, writes rules as
%     argue(Type, Kind, Name, Instance, Conclusion, Slots) if Condition, ...
% and says with derive/7 when an argument counts. Conditions are
%     p(..)          a fact; it is listed in the derivation
%     {Goal}         a test; it is not listed
%     via(Goal, Fs)  a goal that hands back the list of facts it used
:- op(1150, xfx, if).
:- dynamic admissible/2.

facts(Indicators) :- forall(member(Name/Arity, Indicators),
                            ( dynamic(Name/Arity), assertz(admissible(Name, Arity)) )).

user:term_expansion((argue(Type, Kind, Name, I, C, Slots) if Conditions),
                    (argument(Type, Kind, Name, I, C, Slots, Facts) :- Body)) :-
    translate(Conditions, Body, Facts, []).

translate((A, B), (GoalA, GoalB), Facts, Rest) :- !, translate(A, GoalA, Facts, More), translate(B, GoalB, More, Rest).
translate({Goal}, Goal, Facts, Facts) :- !.
translate(via(Goal, Used), (Goal, append(Used, Rest, Facts)), Facts, Rest) :- !.
translate(Fact, Fact, [Fact|Rest], Rest).

% The first term on standard input asks, the others are facts up to the end:
%     query(Type, Limit, Inferences, Output)    Type may be `any`; Output is `derivations` or `count`.
main :-
    set_stream(user_input, encoding(utf8)), set_stream(user_output, encoding(utf8)), set_stream(user_error, encoding(utf8)),
    catch(run, Error, report(Error)),
    halt(0).

run :-
    read_fact(query(Type, Limit, Inferences, Output)),
    load_facts,
    statistics(inferences, I0), statistics(cputime, T0),
    nb_setval(found, 0),
    call_with_inference_limit(solve(Type, Limit, Output), Inferences, Result),
    statistics(cputime, T1), statistics(inferences, I1),
    nb_getval(found, Found), Milliseconds is (T1 - T0) * 1000, Steps is I1 - I0,
    ( Result == inference_limit_exceeded -> Status = inferences ; Status = done ),
    format("~w ~d ~3f ~d~n", [Status, Found, Milliseconds, Steps]).

read_fact(Term) :- read_term(user_input, Term, [syntax_errors(error), module(user)]).

load_facts :- repeat, read_fact(Term), ( Term == end_of_file -> ! ; load_fact(Term), fail ).

load_fact(Term) :-
    (   callable(Term), ground(Term), functor(Term, Name, Arity), admissible(Name, Arity),
        forall(arg(_, Term, Arg), plain(Arg))
    ->  assertz(Term)
    ;   throw(not_a_fact)
    ).

plain(Arg) :- atomic(Arg), !.
plain(q(Number, Unit)) :- rational(Number), atom(Unit).

solve(Type, Limit, Output) :-
    (   ( Type == any -> true ; Wanted = Type ),
        derive(Wanted, Kind, Name, I, Conclusion, Slots, Facts),
        nb_getval(found, N), N1 is N + 1, nb_setval(found, N1),
        ( Output == derivations -> show(d(Wanted, Kind, Name, I, Conclusion, Slots, Facts)) ; true ),
        N1 >= Limit
    ->  true
    ;   true
    ).

show(Term) :- write_term(Term, [quoted(true), ignore_ops(true)]), nl.

report(Error) :-
    (   Error = error(Formal, _) -> true ; Formal = Error ),
    (   Formal = resource_error(What) -> format("resource ~q~n", [What]) ; format("error ~q~n", [Formal]) ).
