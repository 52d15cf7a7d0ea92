"""Cue phrases that often accompany a fallacy: the rules of the system ``keywords``.

Written by hand from the definitions of the labels, tuned on nothing. They stand for what can be had without reading: a
system that does not beat them has not understood much.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["CUES", "find_cues"]

#: label of MAFALDA -> regular expressions over a sentence, without regard to case.
CUES: dict[str, tuple[str, ...]] = {
    "ad hominem": (
        r"\b(?:he|she|they|you|who|what)\b.{0,30}\b(?:idiots?|fools?|liars?|hypocrites?|clowns?|crooks?|morons?)\b",
        r"\bcoming from (?:a|some|someone)\b",
        r"\bwhat (?:would|could|does|do) (?:he|she|they|you) know\b",
    ),
    "ad populum": (
        r"\b(?:everyone|everybody|most people|millions of (?:people|users)|the majority|nobody)\b"
        r".{0,30}\b(?:knows?|agrees?|thinks?|believes?|says?|does|uses?|buys?|supports?)\b",
        r"\bas (?:everyone|everybody) knows\b",
        r"\bjoin (?:the )?millions\b",
    ),
    "appeal to (false) authority": (
        r"\b(?:experts?|scientists?|doctors?|celebrit\w+|professors?|my (?:uncle|father|mother|teacher))\b"
        r".{0,30}\b(?:says?|said|agrees?|believes?|recommends?|told|swears?)\b",
        r"\baccording to (?:a|an|the|some|one) (?:expert|celebrity|professor|doctor|blogger)\b",
    ),
    "appeal to anger": (r"\b(?:outrage(?:ous)?|disgusting|how dare|furious|makes (?:me|my|your|our) blood boil)\b",),
    "appeal to fear": (
        r"\b(?:or else|you will regret|be afraid|destroy (?:us|our|everything)|nobody will be safe)\b",
        r"\bend of (?:the|our)\b",
    ),
    "appeal to nature": (
        r"\b(?:all[- ]natural|unnatural|the way nature intended|nature(?:'s|’s) way|not natural)\b",
        r"\bnatural\b.{0,40}\b(?:so|therefore|must|good|safe|healthy|better)\b",
    ),
    "appeal to pity": (
        r"\b(?:have (?:some )?(?:pity|mercy|a heart)|poor (?:man|woman|child\w*|thing)|suffered (?:so|enough)|"
        r"how hard (?:i|he|she|they) (?:have|has|had)?)\b",
    ),
    "appeal to positive emotion": (r"\b(?:imagine how (?:happy|proud)|make you (?:happy|proud|feel)|you deserve)\b",),
    "appeal to ridicule": (
        r"\b(?:ridiculous|laughable|absurd|what a joke|next (?:you|they)(?:'ll| will) (?:say|tell|want))\b",
    ),
    "appeal to tradition": (
        r"\b(?:always (?:been|done)|for (?:centuries|generations)|tradition(?:s|al(?:ly)?)?|our (?:fore)?fathers|"
        r"since (?:the beginning|time immemorial))\b",
    ),
    "appeal to worse problems": (
        r"\b(?:there are (?:far |much )?(?:worse|bigger|more important)|children (?:are )?starving|"
        r"worse (?:things|problems)|bigger problems)\b",
    ),
    "causal oversimplification": (
        r"\b(?:the (?:only|sole|one|real) (?:reason|cause)|it is all because|simply because of)\b",
    ),
    "circular reasoning": (
        r"\bbecause (?:it|he|she|that|this|they) (?:just )?(?:is|are)\b",
        r"\b(?:by definition|it says so|is true because)\b",
    ),
    "equivocation": (r"\b(?:in (?:one|a|another) sense|the word \W?\w+\W? (?:means|also))\b",),
    "fallacy of division": (
        r"\b(?:so|therefore) (?:each|every|all)\b.{0,40}\b(?:member|part|player|one of (?:them|its))\b",
    ),
    "false analogy": (
        r"\b(?:is|are|it(?:'s|’s)) (?:just |no different )?(?:like|from|as|the same as) (?:saying|asking|an?)\b",
    ),
    "false causality": (
        r"\b(?:ever since|right after|as soon as|shortly after)\b.{0,60}\b(?:caused?|because|started|went|so|must)\b",
        r"\b(?:thanks to|caused by)\b",
    ),
    "false dilemma": (
        r"\beither\b.{1,80}\bor\b",
        r"\b(?:you(?:'re| are)|if you(?:'re| are) not) (?:with|for) us\b",
        r"\b(?:only two|no other) (?:choices?|options?|ways?)\b",
    ),
    "guilt by association": (
        r"\b(?:just like|same as|also supported by|friends? (?:with|of)|so did|associated with)\b"
        r".{0,30}\b(?:hitler|nazis?|stalin|communists?|terrorists?|criminals?|dictators?)\b",
        r"\b(?:hitler|stalin)\b",
    ),
    "hasty generalization": (
        r"\b(?:all|every|always|never|no) (?:of them|of those|these|those|people|men|women|\w+s)"
        r" (?:are|is|do|have|lie|will)\b",
        r"\b(?:i (?:know|met|saw|had) (?:a|one|two|someone)).{0,80}\b(?:so|therefore|all|every|must)\b",
    ),
    "slippery slope": (
        r"\b(?:slippery slope|where (?:does|will) it (?:end|stop)|next thing you know|before you know it)\b",
        r"\bsoon (?:we|they|you|everyone)\b",
        r"\bif (?:we|you|they) (?:allow|let|start|permit|ban)\b.{0,80}\b(?:will|then|next|soon|end up)\b",
    ),
    "straw man": (
        r"\b(?:so (?:you(?:'re| are) saying|you (?:want|think|believe))|wants? us all to|in other words,? you)\b",
    ),
    "tu quoque": (
        r"\b(?:you (?:did|do) (?:it|the same|that) too|what about (?:you|your|when you)|you(?:'re| are) one to talk|"
        r"says the (?:man|woman|one|guy)|practi[cs]e what you preach)\b",
    ),
}
_RULES = [(label, re.compile("|".join(patterns), re.IGNORECASE | re.DOTALL)) for label, patterns in CUES.items()]


def find_cues(sentence: str) -> Iterator[str]:
    """The labels whose phrases occur in a sentence, in order of the phrases.

    Examples
    --------
    >>> list(find_cues("Either we ban cars or we choke, and everybody knows it."))
    ['false dilemma', 'ad populum']
    """
    found = [(match.start(), label) for label, rule in _RULES if (match := rule.search(sentence))]
    return (label for _, label in sorted(found))
