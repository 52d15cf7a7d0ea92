% The eleven schemas R-AF to R-WD of Xu et al. 2025 (definitions 4 to 14), with their closed-world negation.
%
% Conditions are reordered where the printed order would join without a shared variable (R-IE); solutions are the same.
% IM_T, printed without protection against cycles, is computed as reachability.
% R-FS writes T @< E and explains it as "precedes". Prolog's @< compares spelling, and by spelling the paper's own
% example (lightbulb_switch before darkness_emission) has no solution. R-FS below follows the explanation: the events
% of a scene happen in the order in which they are stated. The spelling is the variant false_cause_alphabetical.
:- discontiguous argument/7.
:- facts([has_effect/3, valid_accumulate/3,
          established_fact/2, false_premise/2, plausible_observation/2, false_premise_lead_conclusion/3,
          has_rule/2, rule_unreasonable_interpretation/2, rule_reasonable_interpretation/2,
          has_property/2, is_part_of/2, lacks_property/2,
          claim_and_argument/2, explicit_meaning_of_argument/2, explicit_meaning_rely_on_claim/2,
          quote_context/2, quote_out_of_context/2, fact_related_out_of_context/2, improper_fact_quote_out_of_context/2,
          complement_cases/2, implies/2, cause/2, happen_at/2, real_cause/2]).


% A variant is looked for only when it is asked for by name.
derive(Type, Kind, Name, '', C, Slots, Facts) :- nonvar(Type), !, argument(Type, Kind, Name, '', C, Slots, Facts).
derive(Type, Kind, Name, '', C, Slots, Facts) :-
    argument(Type, Kind, Name, '', C, Slots, Facts), Type \== false_cause_alphabetical.

argue(accident_fallacy, fallacy, 'R-AF', '', accident_fallacy(O, R, I, K),
      [object, O, rule, R, reasonable, I, unreasonable, K]) if
    has_rule(O, R), rule_reasonable_interpretation(R, I), rule_unreasonable_interpretation(R, K), {I \== K}.

argue(improper_distribution_or_addition, fallacy, 'R-ID', '', improper_distribution_or_addition(A, T, E, F),
      [action, X, one, A, sum, T, effect, E, sum_effect, F, repetition, R]) if
    has_effect(X, A, E), has_effect(X, T, F), valid_accumulate(A, R, T), {\+ valid_accumulate(E, R, F)}.

argue(false_analogy, fallacy, 'R-FA', '', false_analogy(P, Q, X, Y), [source, P, target, Q, shared, X, inferred, Y]) if
    has_property(P, X), has_property(Q, X), {P \== Q}, has_property(P, Y), {\+ has_property(Q, Y)}.

argue(false_premise, fallacy, 'R-FP', '', false_premise(X, F, P, O, G),
      [condition, X, fact, F, premise, P, observation, O, conclusion, G]) if
    established_fact(X, F), false_premise(F, P), plausible_observation(O, P), false_premise_lead_conclusion(P, O, G).

argue(fallacy_of_composition, fallacy, 'R-FC', '', fallacy_of_composition(X, P, W), [part, X, property, P, whole, W]) if
    has_property(X, P), is_part_of(X, W), lacks_property(W, P).

argue(begging_the_question, fallacy, 'R-BQ', '', begging_the_question(C, A), [claim, C, argument, A, meaning, E]) if
    claim_and_argument(C, A), explicit_meaning_of_argument(A, E), explicit_meaning_rely_on_claim(E, C).

argue(contextomy, fallacy, 'R-CT', '', contextomy(Q, G), [quote, Q, meaning, M, misreading, D, fact, F, conclusion, G]) if
    quote_context(Q, M), quote_out_of_context(Q, D), fact_related_out_of_context(D, F),
    improper_fact_quote_out_of_context(F, G).

argue(inverse_error, fallacy, 'R-IE', '', inverse_error(D, E), [condition, A, result, B, other_condition, D, other_result, E]) if
    implies(A, B), {\+ implies(B, A)}, complement_cases(A, D), complement_cases(B, E).

argue(improper_transposition, fallacy, 'R-IT', '', improper_transposition(A, B), [condition, A, result, B, rival, X]) if
    implies(A, B), implies(X, B), {X \== A}, {\+ implies_transitively(A, X)}, {\+ implies_transitively(X, A)}.

% implies_transitively(+A, +B)
implies_transitively(A, B) :- implied([A], [], B).

implied([A|_], _, B) :- implies(A, B), !.
implied([A|Queue], Seen, B) :-
    findall(C, ( implies(A, C), \+ memberchk(C, Seen), \+ memberchk(C, Queue) ), Found),
    sort(Found, New), append(Queue, New, Next), implied(Next, [A|Seen], B).

argue(wrong_direction, fallacy, 'R-WD', '', wrong_direction(P, X), [cause, X, effect, P]) if
    cause(X, P), {only_cause(X, P)}, {\+ cause(P, X)}.

only_cause(X, P) :- \+ ( cause(Z, P), Z \== X ).

argue(false_cause, fallacy, 'R-FS', '', false_cause(T, E), [earlier, T, later, E, scene, S, real_cause, X]) if
    happen_at(S, T), happen_at(S, E), {stated_before(S, T, E)}, real_cause(X, E), {X \== T}.
argue(false_cause_alphabetical, fallacy, 'R-FS-alphabetical', '', false_cause(T, E),
      [earlier, T, later, E, scene, S, real_cause, X]) if
    happen_at(S, T), happen_at(S, E), {T @< E}, real_cause(X, E), {X \== T}.

stated_before(S, T, E) :- findall(X, happen_at(S, X), Events), append(_, [T|Later], Events), memberchk(E, Later), !.
