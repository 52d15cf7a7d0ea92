"""English verbs: auxiliaries, irregular past forms, and the base form of a past form."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["AUXILIARIES", "IRREGULAR_PARTICIPLES", "IRREGULAR_PASTS", "base_form"]

AUXILIARIES = (
    "is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could", "should", "must", "may", "might",
    "do", "does", "did",
)  # fmt: skip


def _pairs(text: str) -> dict[str, str]:
    return dict(pair.split(":") for pair in text.split())


#: Past forms that make a sentence of a subject, and their base forms; none that is a base form or mostly a noun too.
IRREGULAR_PASTS = _pairs(
    "arose:arise ate:eat became:become began:begin bent:bend blew:blow bought:buy bred:breed broke:break "
    "brought:bring built:build burnt:burn came:come caught:catch chose:choose clung:cling crept:creep dealt:deal "
    "drank:drink drew:draw drove:drive dug:dig fed:feed fell:fall felt:feel fled:flee flew:fly forbade:forbid "
    "forgot:forget fought:fight found:find froze:freeze gave:give got:get grew:grow heard:hear held:hold hid:hide "
    "hung:hang kept:keep knew:know laid:lay led:lead left:leave lent:lend lit:light lost:lose made:make meant:mean "
    "met:meet paid:pay ran:run rang:ring rebuilt:rebuild rode:ride rose:rise said:say sang:sing sank:sink sat:sit "
    "saw:see sent:send shook:shake shot:shoot shrank:shrink slept:sleep slid:slide sold:sell sought:seek spent:spend "
    "spoke:speak sprang:spring stole:steal stood:stand struck:strike stuck:stick swam:swim swept:sweep swore:swear "
    "swung:swing taught:teach thought:think threw:throw told:tell took:take tore:tear understood:understand went:go "
    "wept:weep withdrew:withdraw woke:wake won:win wore:wear wove:weave wrote:write"
)
#: Participles that are no past form, and their base forms.
IRREGULAR_PARTICIPLES = _pairs(
    "begun:begin blown:blow broken:break chosen:choose drawn:draw driven:drive eaten:eat fallen:fall flown:fly "
    "forbidden:forbid forgotten:forget frozen:freeze given:give gone:go grown:grow hidden:hide known:know risen:rise "
    "seen:see shaken:shake shown:show spoken:speak stolen:steal sung:sing sunk:sink sworn:swear taken:take "
    "thrown:throw torn:tear withdrawn:withdraw worn:wear written:write"
)
_IRREGULAR = IRREGULAR_PASTS | IRREGULAR_PARTICIPLES


@lru_cache(maxsize=20_000)
def base_form(word: str) -> str:
    """The base form of a past form, as far as its ending shows it; other words are only put in small letters.

    Examples
    --------
    >>> [base_form(w) for w in ("planned", "carried", "Bought", "will")]
    ['plan', 'carry', 'buy', 'will']
    """
    low = word.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low.endswith("ied"):
        return f"{low[:-3]}y"
    if not low.endswith("ed"):
        return low
    stem = low[:-2]
    return stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "sl" else stem
