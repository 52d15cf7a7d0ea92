"""Finds what a document only reports, and what a later sentence of it takes back or doubts, by its form."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fallax.core.texts import content_words

__all__ = ["reported_in", "taken_back_in"]

_STATEMENT = (
    r"(?:claim|statement|figure|number|report|account|story|accusation|allegation|announcement|assertion|estimate|remark|"
    r"comment|article|result|finding|paper|study|news|rumou?r|version|testimony|confession|information|assumption|theory|"
    r"belief|suspicion|diagnosis|identification|total|warning|verdict|forecast|charge)s?"
)
_NAMED = rf"(?:(?:the|this|that|these|those|its|his|her|their|both)(?: [\w'-]+)? {_STATEMENT}\b)"
_FALSE = (
    r"(?:wrong|false|untrue|incorrect|inaccurate|mistaken|misleading|unfounded|baseless|groundless|invented|made up|"
    r"fabricated|an? (?:mistake|error|misunderstanding|lie|hoax|rumou?r|false alarm|exaggeration|misprint|typo|joke)|"
    r"exaggerated|nonsense|absurd|not (?:true|so|the case|correct|right|confirmed))"
)
_END = r"(?=\W*$|[,;.]| (?:and|but|on|in|at|later|when|after|as)\b)"
_BARE = rf"(?:it|this|that|these){_END}"
_WHAT = rf"(?:{_NAMED}|{_BARE})"
_TIMES = r"(?:had|has|have|was|were|is|be|been|being|later|since|then|soon|now|also)"
#: Words that take back or doubt a statement.
_TAKES_BACK = re.compile(
    rf"\b(?:(?:retract|recant)(?:s|ed|ing)?|(?:took|taken|takes) back) {_WHAT}"
    rf"|\b(?:withdr[ea]wn?|corrected|revised|disavowed|rejected|questioned|later put) {_NAMED}"
    rf"|(?<!not )\b(?:denie[sd]|deny|disputed?s?|refuted|debunked|disproved|contradict(?:s|ed)|discredited) {_WHAT}"
    rf"|(?<!not )\b(?:doubts?|doubted|casts? doubt on) {_WHAT}"
    rf"|\b(?:it|this|that|these|which|{_NAMED}) "
    rf"(?:(?:{_TIMES}|in fact|turned out|proved|proven|found|shown|to|all|quite|simply|completely|entirely|largely) )+"
    rf"{_FALSE}(?! (?:to|of|for)\b)"
    rf"|\b{_NAMED} (?:{_TIMES} )+(?:retracted|withdrawn|taken back|recanted|debunked|disproved|refuted|discredited|"
    r"corrected|revised|disputed|contradicted|called into question)"
    r"|\b(?:says?|said|proved?|shows?|showed|suggests?|thinks?) otherwise\b"
    rf"|\b(?:did|do|does|could|can|would) ?not (?:confirm|bear out|support|verify|back up|substantiate) {_WHAT}"
    rf"|\bcalled (?:it|this|{_NAMED}) {_FALSE}",
    re.IGNORECASE,
)
#: Words that do so if what stands behind them is the matter of the statement.
_TURNS = re.compile(
    r"\bnow (?:says?|believes?|thinks?|puts?|estimates?|den(?:y|ies)|accepts?|admits?)\b"
    r"|\b(?:has|have|had) since (?:shown|found|said|proved|established|admitted|denied|put|concluded)\b"
    r"|\b(?:found|finds|saw|there (?:is|was)) no (?:\w+ )?(?:sign|evidence|trace|proof|indication|basis)s? "
    r"(?:of|for|that)\b",
    re.IGNORECASE,
)
_IN_FACT = re.compile(r"^\W*(?:but )?(?:in fact|in reality|in truth)\b", re.IGNORECASE)
_SOURCE = re.compile(
    r"\b(?:according to|sa(?:id|ys?)|told|tells?|report(?:s|ed)?|announce[sd]?|wr(?:ote|ites?)|claim(?:s|ed)?|"
    r"th(?:ought|inks?)|believe[sd]?|state[sd]?|argue[sd]?|estimate[sd]?|testif(?:y|ies|ied)|confessed|alleged|suspected|"
    r"heard|rumou?r\w*|suggest(?:s|ed)?|assumed|accus\w+|den(?:y|ies|ied)|retract\w*|withdr\w+|took back|doubt\w*|"
    r"false|fear\w*|imagin\w+|dream\w*|dreamt|pretend\w*|suppos\w+|reportedly|promis\w+)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|nobody|none|nothing|neither)\b|n['’]t\b", re.IGNORECASE)
#: Between the parts of a sentence.
_PART = re.compile(r"[;,:–—]\s|\s(?=(?:but|and|which|though|although|yet)\s)")
#: Before words that take back: nobody does.
_NOBODY_DOES = re.compile(
    r"(?:\b(?:not|never|nobody|no one|refus\w+ to|declin\w+ to)|n['’]t)(?: \w+)?\W*$", re.IGNORECASE
)
_OPEN = re.compile(r"\b(?:(?-i:may)|might|could|would|should|if|whether|perhaps)\b", re.IGNORECASE)
_OPINION = (
    r"(?:claim|allege|believe|suspect|fear|hope|imagine|pretend|assume|suppose|guess|speculate|dream|insist|"
    r"predict|promise|joke|wrongly \w+)(?:s|d|ed)?|thought|dreamt|denie[sd]|deny|denying"
)
_WHO = r"(?P<who>[^,;]{0,60}?)"
#: Behind these stands what somebody only says, thinks or makes up.
_THAT = re.compile(
    _WHO + rf"\b(?P<how>(?:{_OPINION})(?: that|(?= (?:the|a|an|he|she|it|they|his|her|their|there|[A-Z]\w+)\b))"
    r"|(?:is|are|was|were) (?:rumou?red|alleged|believed|thought|suspected|feared) that"
    r"|(?:[Ii]t is|[Ii]t's|[Ii]t was) (?:not true|untrue|false|a myth) that|[Ii]magine(?: that)?|[Ww]hether)"
    r"\s(?P<what>[^;]+)"
)
#: And behind these, but its subject stands before them.
_TO = re.compile(
    _WHO + r"\b(?P<how>(?:is|are|was|were) (?:rumou?red|alleged|believed|said|thought|suspected|accused)(?: to\b| of\b)"
    r"|accus(?:es|ed) (?:[\w'’.-]+ ){1,4}?of|pretend(?:s|ed) to|(?i:allegedly|reportedly|supposedly))\s(?P<what>[^;]+)"
)


#: Who speaks for a side.
_SIDES = re.compile(
    r"\b(?:accused|defendants?|suspects?|lawyers?|compan(?:y|ies)|firms?|owners?|sellers?|makers?|manufacturers?|"
    r"spokes(?:man|woman|person|people)|landlords?|tenants?|witness(?:es)?|residents?|neighbou?rs?|critics|opponents?|supporters|"
    r"union|activists?|campaigners?|rivals?|candidates?|victims?|agents?|father|mother|wife|husband|son|daughter|brother|sister|"
    r"friends?|advert\w*)\b",
    re.IGNORECASE,
)
_SAID = r"(?:said|says|insist(?:s|ed)|maintain(?:s|ed)|told [\w .'’-]{1,40})"
#: What only somebody's word stands behind: before and after what is said.
_BY_WORD = (
    re.compile(r"^\W*(?P<how>according to (?P<who>[^,;]{1,60}?)),\s(?P<what>[^;]+)", re.IGNORECASE),
    re.compile(r"^(?P<what>[^;]+?),? (?P<how>according to (?P<who>[^,;]{1,60}?))\W*$", re.IGNORECASE),
    re.compile(rf"^(?P<what>[^;]+?),[\"'”’]? (?P<how>(?P<who>[\w][\w .'’-]{{0,40}}?) {_SAID})\W*$"),
    re.compile(r"^(?P<what>[^;]+?),[\"'”’]? (?P<how>(?:said|says|insisted|added) (?P<who>[\w][\w .'’-]{0,40}?))\W*$"),
    re.compile(rf"^(?P<how>(?P<who>[\w][\w .'’-]{{0,60}}?) {_SAID} that)\s(?P<what>[^;]+)"),
)


def _by_word_of(wanted: set[str], sentence: str) -> str:
    """The words that say on the word of which side alone a sentence has all of a claim's words; empty for none."""
    for form in _BY_WORD:
        found = form.match(sentence)
        if found and _SIDES.search(found["who"]) and wanted <= set(content_words(found["what"])):
            return found["how"].strip()
    return ""


def reported_in(claim: str, sentence: str) -> str:
    """The words by which a sentence only reports, supposes or denies what a claim asserts; empty without any.

    "Said" and "according to" count where somebody speaks for a side, such as the accused; the word of all others is
    taken for what happened.

    Examples
    --------
    >>> reported_in("The owner cut the gas.", "The tenants claim that the owner cut the gas.")
    'The tenants claim that'
    >>> reported_in("The gun was a toy.", "According to the accused, the gun was a toy.")
    'According to the accused'
    >>> reported_in("Weiss hid the money.", "Weiss hid the money, and claims that it is his.")
    ''
    """
    if _SOURCE.search(claim) or _OPEN.search(claim):
        return ""
    wanted = set(content_words(claim))
    for found in _THAT.finditer(sentence):
        surprised = re.search(r"(?:can(?:no|['’])t|couldn['’]t|could not) $", found["who"])
        if not surprised and wanted <= set(content_words(found["what"])):
            return (found["who"] + found["how"]).strip()
    for found in _TO.finditer(sentence):
        behind = wanted & set(content_words(found["what"]))
        if 2 * len(behind) >= len(wanted) > 0 and wanted <= set(content_words(found.group())):
            return (found["who"] + found["how"]).strip()
    return _by_word_of(wanted, sentence)


def taken_back_in(claim: str, sentence: str, following: Sequence[str]) -> str:
    """The later words or sentence that take back or doubt what a sentence says; empty if there are none.

    Parameters
    ----------
    claim : one statement. If it names a source itself, or denies something, nothing is found.
    sentence : the sentence of the document that bears most on it.
    following : the sentences after that one, in order; the next two are looked at.

    Examples
    --------
    >>> taken_back_in("The mine killed 40.", "A paper wrote that the mine killed 40; it then retracted that.", ())
    'it then retracted that.'
    >>> taken_back_in("The mine killed 40 people.", "The mine killed 40 people.", ["The paper retracted the figure."])
    'The paper retracted the figure.'
    >>> taken_back_in("The mine killed 40 people.", "The mine killed 40 people.", ["The owners retracted nothing."])
    ''
    """
    if _SOURCE.search(claim) or _DENIED.search(claim):
        return ""
    wanted = set(content_words(claim))
    for back in _taking_back(sentence):
        if wanted <= set(content_words(sentence[:back])):
            return sentence[back:].strip()
    for i, later in enumerate(following[:2]):
        turns = _TURNS.search(later)
        behind = later[turns.end() :] if turns else ""
        if turns and (wanted & set(content_words(behind)) or (i == 0 and re.search(r"\bthat it\b", behind))):
            return later
        # a sentence that gives a statement of its own takes that back
        backs = [b for b in _taking_back(later) if not _SOURCE.search(later[:b])]
        if backs and (i == 0 or wanted & set(content_words(later))):
            return later
    if following and _SOURCE.search(sentence) and _IN_FACT.search(following[0]):
        return following[0]
    return ""


def _taking_back(sentence: str) -> list[int]:
    """Where parts of a sentence begin that take something back."""
    return [
        max((part.end() for part in _PART.finditer(sentence, 0, m.start())), default=0)
        for m in _TAKES_BACK.finditer(sentence)
        if not _NOBODY_DOES.search(sentence[: m.start()])
    ]
