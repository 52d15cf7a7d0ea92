% The strict rule base, version 1. Predicates and sorts: strict.toml. Every rule stays inside one instance.
%
% Truth is stated: no negative condition is met by something that is merely absent. There are two vetoes, and adding
% a fact can only ever trigger them, never lift them by its absence:
%   - an argument whose conclusion the instance states as a fact is no argument (a fallacy's conclusion may be stated
%     false, for that is what makes it a mistake);
%   - a conclusion reached both by a fallacious and by a sound argument is left undecided.
:- facts([instance/2,
          demands/4, covers/4, excepted/5,
          pooled/6, shared_out/6, gives/6, adds_up/5,
          follows/4, causes/5, persists/6,
          has/4, bears_on/5,
          holds/4, licenses/5,
          part_of/4, carries_over/6,
          rests_on/4, grounded/4,
          says/4, taken_as/4, faithful/5, entails/4,
          implies/4, case/4,
          together/4, depends/5,
          means/4, true_of/4, falls_under/5,
          literal/4, figurative/4, meant/5,
          offered/4, ruled_out/4, exhaustive/5, third/6]).
:- discontiguous argument/7.

derive(Type, Kind, Name, I, C, Slots, Facts) :-
    instance(I, Type),
    argument(Type, Kind, Name, I, C, Slots, Facts),
    \+ vetoed(Kind, I, C),
    opposite(Kind, Other),
    \+ argument(Type, Other, _, I, C, _, _).

opposite(fallacy, sound).
opposite(sound, fallacy).

vetoed(_, I, C) :- stated(I, C, true).
vetoed(sound, I, C) :- stated(I, C, false).

stated(I, has(X, P), Truth) :- has(I, X, P, Truth).
stated(I, implies(A, B), true) :- implies(I, A, B, true).
stated(I, causes(A, B), Truth) :- causes(I, A, B, _, Truth).
stated(I, holds(G), Truth) :- holds(I, G, _, Truth).
stated(I, holds(G), false) :- ruled_out(I, G, _, true).
stated(I, gives(A, D, E, M), Truth) :- gives(I, A, D, E, M, Truth).
stated(I, gives(A, D, E, M), false) :- gives(I, A, D, Other, M, true), Other \== E.

% --- accident fallacy: a rule, a case its wording covers, and whether the case is an exception.

argue(accident_fallacy, fallacy, exception_ignored, I, has(C, P), [rule, R, demand, P, case, C, reason, W]) if
    demands(I, R, P, true), covers(I, R, C, true), excepted(I, R, C, W, true).
argue(accident_fallacy, sound, rule_applied, I, has(C, P), [rule, R, demand, P, case, C, reason, W]) if
    demands(I, R, P, true), covers(I, R, C, true), excepted(I, R, C, W, false).

% --- improper distribution or addition: doses pooled, or a total shared out; the effect is computed.

argue(improper_distribution_or_addition, fallacy, doses_pooled, I, gives(A, T, E, M),
      [action, A, dose, D, n, N, total, T, measure, M, effect, E0, reason, W]) if
    pooled(I, A, D, N, T, true), {product(D, N, T)}, gives(I, A, D, E0, M, true), adds_up(I, A, M, W, false),
    {product(E0, N, E)}.
argue(improper_distribution_or_addition, sound, doses_added, I, gives(A, T, E, M),
      [action, A, dose, D, n, N, total, T, measure, M, effect, E0, reason, W]) if
    pooled(I, A, D, N, T, true), {product(D, N, T)}, gives(I, A, D, E0, M, true), adds_up(I, A, M, W, true),
    {product(E0, N, E)}.
argue(improper_distribution_or_addition, fallacy, total_shared_out, I, gives(A, D, E, M),
      [action, A, dose, D, n, N, total, T, measure, M, effect, E0, reason, W]) if
    shared_out(I, A, T, N, D, true), {product(D, N, T)}, gives(I, A, T, E0, M, true), adds_up(I, A, M, W, false),
    {quotient(E0, N, E)}.
argue(improper_distribution_or_addition, sound, total_divided, I, gives(A, D, E, M),
      [action, A, dose, D, n, N, total, T, measure, M, effect, E0, reason, W]) if
    shared_out(I, A, T, N, D, true), {product(D, N, T)}, gives(I, A, T, E0, M, true), adds_up(I, A, M, W, true),
    {quotient(E0, N, E)}.

product(q(X, U), N, q(Y, U)) :- N >= 2, integer(N), Y0 is X * N, Y = Y0.
quotient(q(X, U), N, q(Y, U)) :- Y is X rdiv N.

% --- false cause: what follows, a known cause of it, and whether the link survives holding that cause fixed.

argue(false_cause, fallacy, third_event_ignored, I, causes(A, B), [earlier, A, later, B, fixed, C, mechanism, V, reason, W]) if
    follows(I, A, B, true), causes(I, C, B, V, true), persists(I, A, B, C, W, false).
argue(false_cause, sound, link_survives_control, I, causes(A, B), [earlier, A, later, B, fixed, C, mechanism, V, reason, W]) if
    follows(I, A, B, true), causes(I, C, B, V, true), persists(I, A, B, C, W, true).

% --- false analogy: two things, what they share, what one of them has besides, and whether the one bears on the other.

argue(false_analogy, fallacy, shared_property_irrelevant, I, has(Q, Y), [source, P, target, Q, shared, X, inferred, Y, reason, W]) if
    bears_on(I, X, Y, W, false), has(I, P, X, true), has(I, P, Y, true), has(I, Q, X, true).
argue(false_analogy, sound, shared_property_relevant, I, has(Q, Y), [source, P, target, Q, shared, X, inferred, Y, reason, W]) if
    bears_on(I, X, Y, W, true), has(I, P, X, true), has(I, P, Y, true), has(I, Q, X, true).

% --- false premise: a valid step from a true observation, and whether its premise is true.

argue(false_premise, fallacy, premise_false, I, holds(G), [premise, P, observation, O, conclusion, G, seen, V, reason, W]) if
    licenses(I, P, O, G, true), holds(I, O, V, true), holds(I, P, W, false).
argue(false_premise, sound, premise_true, I, holds(G), [premise, P, observation, O, conclusion, G, seen, V, reason, W]) if
    licenses(I, P, O, G, true), holds(I, O, V, true), holds(I, P, W, true).

% --- fallacy of composition: part, whole, the part's property, and whether it passes to the whole.

argue(fallacy_of_composition, fallacy, property_does_not_carry_over, I, has(O, P), [part, C, whole, O, property, P, reason, W]) if
    part_of(I, C, O, true), has(I, C, P, true), carries_over(I, P, C, O, W, false).
argue(fallacy_of_composition, sound, property_carries_over, I, has(O, P), [part, C, whole, O, property, P, reason, W]) if
    part_of(I, C, O, true), has(I, C, P, true), carries_over(I, P, C, O, W, true).

% --- begging the question: where the support of a claim comes to rest: on the claim itself, or on a ground of its own.

argue(begging_the_question, fallacy, support_rests_on_claim, I, holds(C), [claim, C, support, A]) if
    rests_on(I, C, A, true), via(circle(I, A, C, Used), Used).
argue(begging_the_question, sound, support_grounded, I, holds(C), [claim, C, support, A]) if
    rests_on(I, C, A, true), via(ground(I, A, C, Used), Used).

% circle(+I, +A, +C, -Used): the shortest way from A back to C through claims that are stated to have no ground.
circle(I, A, C, Used) :- grounded(I, A, W, false), walk(I, closes(C), [[grounded(I, A, W, false)]-A], [A, C], Used).

% ground(+I, +A, +C, -Used): the shortest way from A to a claim with a ground of its own that does not pass through C.
ground(I, A, C, Used) :- walk(I, ends, [[]-A], [A, C], Used).

% walk(+I, +Goal, +Queue, +Visited, -Used): breadth first; Used holds the facts of the way, in order.
% arrives/4 says when a way is at its end, step/6 where it can go on.
walk(I, Goal, [Back-A|Queue], Visited, Used) :-
    (   arrives(Goal, I, A, Last)
    ->  append(Last, Back, All), reverse(All, Used)
    ;   findall(Step, step(Goal, I, A, Back, Visited, Step), Steps),
        fresh(Steps, Visited, Visited1, New),
        append(Queue, New, Queue1),
        walk(I, Goal, Queue1, Visited1, Used)
    ).

arrives(closes(C), I, A, [rests_on(I, A, C, true)]) :- rests_on(I, A, C, true).
arrives(ends, I, A, [grounded(I, A, W, true)]) :- grounded(I, A, W, true).
arrives(leads(C), I, A, [implies(I, A, C, true)]) :- implies(I, A, C, true).

step(closes(_), I, A, Back, Visited, [grounded(I, B, W, false), rests_on(I, A, B, true)|Back]-B) :-
    rests_on(I, A, B, true), \+ memberchk(B, Visited), once(grounded(I, B, W, false)).
step(ends, I, A, Back, Visited, [rests_on(I, A, B, true)|Back]-B) :-
    rests_on(I, A, B, true), \+ memberchk(B, Visited).
step(leads(_), I, A, Back, Visited, [implies(I, A, B, true)|Back]-B) :-
    implies(I, A, B, true), \+ memberchk(B, Visited).

fresh([], Visited, Visited, []).
fresh([Way-B|Steps], Visited, Visited1, New) :-
    (   memberchk(B, Visited) -> New = More, Visited0 = Visited ; New = [Way-B|More], Visited0 = [B|Visited] ),
    fresh(Steps, Visited0, Visited1, More).

% --- contextomy: what a quote says in its context, what it is taken as, and whether that is faithful.

argue(contextomy, fallacy, quote_distorted, I, holds(G), [quote, Q, meaning, M, reading, D, conclusion, G, reason, W]) if
    says(I, Q, M, true), taken_as(I, Q, D, true), faithful(I, M, D, W, false), entails(I, D, G, true).
argue(contextomy, sound, quote_kept, I, holds(G), [quote, Q, meaning, M, reading, D, conclusion, G, reason, W]) if
    says(I, Q, M, true), taken_as(I, Q, D, true), faithful(I, M, D, W, true), entails(I, D, G, true).

% --- inverse error and improper transposition: proved. The premises are all the implications the instance states.
% In the named case the antecedent is false and the consequent true (stated, or implied by the rival). That the case is
% coherent means that it extends to a truth assignment which keeps every premise: a countermodel of the conclusion. The
% twin's conclusion has none: it is the contrapositive of a premise, or follows from a chain of them.

argue(inverse_error, fallacy, inverse, I, implies(not(A), not(B)), [antecedent, A, consequent, B, witness, W]) if
    implies(I, A, B, true), case(I, W, A, false), case(I, W, B, true), {coherent(I)}.
argue(inverse_error, sound, contrapositive, I, implies(not(B), not(A)), [antecedent, A, consequent, B]) if
    implies(I, A, B, true), {coherent(I)}.
argue(inverse_error, sound, equivalence, I, implies(not(A), not(B)), [antecedent, A, consequent, B]) if
    implies(I, A, B, true), via(converse(I, A, B, Used), Used), {coherent(I)}.
argue(improper_transposition, fallacy, converse, I, implies(B, A), [antecedent, A, consequent, B, rival, X, witness, W]) if
    implies(I, A, B, true), implies(I, X, B, true), case(I, W, A, false), case(I, W, X, true), {coherent(I)}.
argue(improper_transposition, sound, contrapositive, I, implies(not(B), not(A)), [antecedent, A, consequent, B]) if
    implies(I, A, B, true), {coherent(I)}.
argue(improper_transposition, sound, equivalence, I, implies(B, A), [antecedent, A, consequent, B]) if
    implies(I, A, B, true), via(converse(I, A, B, Used), Used), {coherent(I)}.

% converse(+I, +A, +B, -Used): the shortest chain of implications from B to A.
converse(I, A, B, Used) :- once(implies(I, B, _, true)), walk(I, leads(A), [[]-B], [B], Used).

% coherent(+I): every named case, and every implication stated false, is possible under the implications stated true.
% The answer for the last instance is kept: several conditions ask for it.
:- nb_setval(coherent, none).

coherent(I) :-
    (   nb_getval(coherent, I-Known) -> true ; ( incoherent(I) -> Known = no ; Known = yes ), nb_setval(coherent, I-Known) ),
    Known == yes.

incoherent(I) :-
    findall(W, case(I, W, _, _), Cases), sort(Cases, Witnesses), member(W, Witnesses),
    findall(P-V, case(I, W, P, V), Literals), \+ possible(I, Literals).
incoherent(I) :- implies(I, A, B, false), \+ possible(I, [A-true, B-false]).

% possible(+I, +Literals): some truth assignment agrees with Literals and keeps every implication stated true: the one
% in which, beside them, only what the implications force is true.
possible(I, Literals) :- close(Literals, I, []).

close([], _, _).
close([P-V|Rest], I, Seen) :-
    (   memberchk(P-Known, Seen)
    ->  Known == V, close(Rest, I, Seen)
    ;   V == true
    ->  findall(Q-true, implies(I, P, Q, true), More),
        append(More, Rest, Next), close(Next, I, [P-V|Seen])
    ;   close(Rest, I, [P-V|Seen])
    ).

% --- wrong direction: two events together, and which depends on which.

argue(wrong_direction, fallacy, direction_reversed, I, causes(A, B), [dependent, A, source, B, mechanism, V, reason, W]) if
    together(I, A, B, true), depends(I, A, B, V, true), depends(I, B, A, W, false).
argue(wrong_direction, sound, direction_kept, I, causes(B, A), [dependent, A, source, B, mechanism, V, reason, W]) if
    together(I, A, B, true), depends(I, A, B, V, true), depends(I, B, A, W, false).

% --- equivocation: a word with two senses, a property true of the one, a thing that falls under the other only.

argue(equivocation, fallacy, sense_shifted, I, has(X, P), [word, T, premise_sense, S1, thing_sense, S2, thing, X, property, P, reason, W]) if
    true_of(I, P, S1, true), means(I, T, S1, true), falls_under(I, X, S1, W, false),
    means(I, T, S2, true), falls_under(I, X, S2, _, true).
argue(equivocation, sound, sense_kept, I, has(X, P), [word, T, premise_sense, S1, thing_sense, S1, thing, X, property, P, reason, W]) if
    true_of(I, P, S1, true), means(I, T, S1, true), falls_under(I, X, S1, W, true).

% --- nominal fallacy: a figure of speech, its two readings, and which of them is meant.

argue(nominal_fallacy, fallacy, figure_taken_literally, I, holds(G),
      [figure, F, literal, L, figurative, M, conclusion, G, reason, W]) if
    literal(I, F, L, true), meant(I, F, L, W, false), figurative(I, F, M, true), meant(I, F, M, _, true),
    entails(I, L, G, true).
argue(nominal_fallacy, sound, figure_understood, I, holds(G),
      [figure, F, literal, L, figurative, M, conclusion, G, reason, W]) if
    literal(I, F, L, true), meant(I, F, L, _, false), figurative(I, F, M, true), meant(I, F, M, W, true),
    entails(I, M, G, true).

argue(nominal_fallacy, sound, words_meant_as_they_stand, I, holds(G), [figure, F, literal, L, conclusion, G, reason, W]) if
    literal(I, F, L, true), meant(I, F, L, W, true), entails(I, L, G, true).

% --- false dilemma: two options, one ruled out, and whether they are all there are.

argue(false_dilemma, fallacy, third_option_ignored, I, holds(B), [out, A, left, B, third, C, witness, V, reason, W]) if
    offered(I, A, B, true), ruled_out(I, A, _, true), exhaustive(I, A, B, W, false), third(I, A, B, C, V, true).
argue(false_dilemma, sound, disjunctive_syllogism, I, holds(B), [out, A, left, B, reason, W]) if
    offered(I, A, B, true), ruled_out(I, A, _, true), exhaustive(I, A, B, W, true), {\+ third(I, A, B, _, _, true)}.
