"""Guesses the language of a text from its most frequent words or its script."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

__all__ = ["LANGUAGES", "language_of"]

#: ISO 639-1 code -> name; "und" (ISO 639-2) is probably a language that is none of the others.
LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "sv": "Swedish", "da": "Danish or Norwegian", "pl": "Polish", "cs": "Czech", "tr": "Turkish",
    "ro": "Romanian", "ru": "Russian or another language in Cyrillic script", "el": "Greek", "ar": "Arabic",
    "he": "Hebrew", "hi": "Hindi or another language in Devanagari", "zh": "Chinese", "ja": "Japanese",
    "ko": "Korean", "th": "Thai", "und": "a language other than English",
}  # fmt: skip

_COMMON = {
    "en": "the of and to in is that it for was on you with as are be this have not at but they he she we i from or by"
    " what all so if an do just can will would there their my your me no who which has had been more about like don't"
    " it's i'm how why people because over when then than them his her our up out get now only know think good",
    "de": "der die das und ist nicht ich zu den mit sich des auf für ein eine dem von es auch als wir sie er so dass"
    " aber wie haben hat wird sind bei noch nach nur um am im aus wenn über kann was man mehr durch oder schon vor zum"
    " zur einen einem einer kein keine war werden ihr mir mich",
    "fr": "le la les de des et est un une que qui dans en du pour pas ne sur au avec il elle ce se sont plus par nous"
    " vous on mais ou je cette ces sa son ses aux comme leur tout être fait c'est n'est qu'il d'un d'une j'ai très si"
    " y même été",
    "es": "el la los las de que y en un una es no por con para se lo del al como más pero sus su le ya o este sí porque"
    " esta entre cuando muy sin sobre también me hasta hay donde quien desde todo nos eso ese esa son fue ha qué"
    " si yo está",
    "it": "il lo la gli le di che e è un una in non per con si del della dei delle al da sono come più ma anche ha nel"
    " nella questo questa se ci io mi cosa quando perché alla dal ai su o tutti essere c'è l'ha ho",
    "pt": "o a os as de que e do da em um uma para não com por se na no mais dos das como mas foi ao ele ela seu sua ou"
    " quando muito nos já eu também só pelo pela até isso são está você é esse essa",
    "nl": "de het een en van in is dat niet te op zijn met voor die er aan ook als maar om dan bij nog naar door we ik"
    " je hij ze wij worden wordt heeft hebben kan geen of uit wat meer over deze dit was moet",
    "sv": "och att det i en som är på för av med den inte till har de om ett han men var jag sig så vi kan från när"
    " nu eller också mycket ska skulle bara",
    "da": "og at det i en som er på for af av med den ikke til har de om et han men var jeg seg sig så vi kan fra når"
    " nu eller også meget skal skulle bare",
    "pl": "i w nie na się z że do jest to o jak ale po co tak za od ja jego przez czy dla tylko już są by był jej może"
    " ze być który która które",
    "cs": "a je se v na že to s z do o jsem ale jako za by si tak po pro jeho jsou nebo který která které není být už"
    " jen",
    "tr": "ve bir bu da de için çok ne o ile gibi daha ama en kadar değil mi olarak var sonra ben sen her ki olan diye",
    "ro": "și în de la cu o un nu este pe că să se din care mai pentru sunt au fost dar ca sau am ce",
}
_SETS = {code: frozenset(words.split()) for code, words in _COMMON.items()}
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_SCRIPTS = {
    "CYRILLIC": "ru", "GREEK": "el", "ARABIC": "ar", "HEBREW": "he", "DEVANAGARI": "hi", "CJK": "zh",
    "HIRAGANA": "ja", "KATAKANA": "ja", "HANGUL": "ko", "THAI": "th",
}  # fmt: skip
#: Addresses have no words of a language.
_ADDRESS = re.compile(r"(?:\b[a-z]{1,9}://|\bwww\.)\S+|(?<!\S)[^\s@]{1,60}@\S+", re.IGNORECASE)
#: Least number of different frequent words of the winner; fewer are enough without an English one, if they are this
#: share of all words.
_LEAST, _LEAST_ALONE, _SHARE_ALONE = 3, 2, 0.3
#: A text in capitals with no more words than this may be a name.
_MOST_IN_NAME = 4
#: Least number of words, and least share of words with letters that English does not use, for "und".
_MANY, _SHARE_OF_MARKED = 12, 0.1
#: Only the beginning of a long text is examined.
_MOST_CHARACTERS = 20_000


def language_of(text: str) -> str:
    """The language code of a text, from :data:`LANGUAGES`; "" if it cannot be determined.

    A script that only some languages use decides at once. Otherwise the language with most frequent words wins, if at
    least three different ones occur and 1.5 times as many as of the next language; two are enough in a short text
    without English ones, unless all others are names. A text of at least twelve words without a winner is "und" if one
    word in ten has a letter that English does not use and no more words are frequent in English. Names, numbers,
    headlines, very short texts, and languages in plain Latin letters (Indonesian, Swahili) mostly give "". Addresses
    of pages and mails are not read.

    Examples
    --------
    >>> language_of("Das ist nicht wahr, und wir haben es schon oft gesagt.")
    'de'
    >>> language_of("That is not true, and we have said it often.")
    'en'
    >>> language_of("Ok")
    ''
    >>> language_of("Kaikki meidän kadullamme vastustavat sitä, joten sen täytyy olla väärin, sanoi ministeri eilen.")
    'und'
    >>> language_of("Crooked senator caught lying again, voters furious, leaders silent, everybody knows why, polls.")
    ''
    """
    text = _ADDRESS.sub(" ", text[:_MOST_CHARACTERS])
    letters = Counter(unicodedata.name(c, "").split(" ")[0] for c in text[:2000] if c.isalpha())
    if not letters:
        return ""
    script, n = letters.most_common(1)[0]
    if script in _SCRIPTS and 2 * n > letters.total():
        kana = letters["HIRAGANA"] + letters["KATAKANA"]
        return "ja" if script == "CJK" and 10 * kana > n else _SCRIPTS[script]
    written = [w.replace("’", "'") for w in _WORD.findall(text)]
    words = [w.casefold() for w in written]
    counts = sorted(((sum(w in known for w in words), code) for code, known in _SETS.items()), reverse=True)
    (most, code), (second, _) = counts[0], counts[1]
    if len(_SETS[code].intersection(words)) >= _LEAST and 2 * most >= 3 * second:
        return code
    in_capitals = len(words) > _MOST_IN_NAME and all(w.isupper() for w in written)
    if not in_capitals and not any(w[0].islower() and w not in _SETS[code] for w in written):
        return ""  # names: "Los Angeles, La Jolla"
    english = sum(w in _SETS["en"] for w in words)
    if not english and most >= _LEAST_ALONE and most >= _SHARE_ALONE * len(words):
        return code
    marked = sum(not w.isascii() and any(c.isalpha() and not c.isascii() for c in w) for w in words)
    foreign = english <= marked and marked >= _SHARE_OF_MARKED * len(words)
    return "und" if len(words) >= _MANY and foreign else ""
