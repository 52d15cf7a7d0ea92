"""Tells lines of notices and minutes as sentences: "Next meeting: 11 June", "Present: Ann Lee", "Action: Lee to go"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from fallax.core.texts.broader import is_broader, parts_of
from fallax.core.texts.verbs import states

__all__ = ["told_edits", "told_lines"]

#: What is put in the place of some characters: half-open offsets, and the new words.
_Edits: TypeAlias = tuple[tuple[int, int, str], ...]
_NAMED = re.compile(
    r"(?P<name>[A-Z][a-z]{1,20}(?: [a-z]{1,20}){0,3}):[ \t]{1,4}(?P<value>(?:[A-Z0-9]|[£$€]\d)[^\r\n?:“”\"]{0,119})"
)
#: What somebody says is no value.
_SAID = re.compile(r"\b(?:I|we|you|me|us|my|our|your|yes|no|never|please|thanks?|sorry)\b", re.IGNORECASE)
_MOST_WORDS = 12
#: Names of somebody, with a title or without.
_NAMES = re.compile(r"(?:[A-Z][\w.'’-]* ){1,4}[A-Z][\w'’-]*[.,;]?(?: |\Z)")
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|June?|July?|Aug|Sept?|Oct|Nov|Dec)[a-z]*\.?"
#: A day, and a month, that something is on or in.
_DAY = re.compile(
    rf"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH}|{_MONTH} \d{{1,2}}\b)"
)
_IN_MONTH = re.compile(rf"{_MONTH}(?: \d{{4}})?\W*\Z")
#: Who came to a meeting and who did not, as the first lines of minutes say it.
_CAME = re.compile(
    r"(?:(?:(?:Board|Council|Committee) )?(?:Members|members|Councillors|councillors) )?(?:[Pp]resent|In [Aa]ttendance)"
    r"|Attendees|Attending"
)
_SORRY = re.compile(r"Apologies(?: for absence)?(?: received)?(?: from)?|Regrets")
_AWAY = re.compile(r"Absent|Not present")
_HEAD = re.compile(r"(?P<head>[A-Z][A-Za-z ]{2,40}):(?:[ \t]{1,4}(?P<who>\S[^\r\n:]{1,600}))?")
#: One of them: a name, with an office or initials in parentheses.
_SOMEBODY = re.compile(
    r"(?P<name>(?:[A-Z][\w.'’-]{0,30} ){0,5}[A-Z][\w'’-]{0,30}"
    r"|(?:\d{1,4}|an?|no|one|two|three|four|five|six|seven|eight|nine|ten|several|some)(?: [a-z]{1,20}){1,6})"
    r"(?P<office> \([^()]{1,40}\))?"
)
_BETWEEN = re.compile(r"\s*[,;]\s*(?:and\s)?\s*|\s(?:and|&)\s")
_CHAIR = re.compile(r" \((?:in the )?chair(?:man|woman|person|ing)?\)", re.IGNORECASE)
#: So many have a sentence each, in which the judge finds them; more are told in one, which is shorter.
_MOST_NAMES = 12
#: Who is to do what, as minutes and headlines say it.
_TO_DO = re.compile(
    r"(?P<head>(?:Actions?|Decisions?|Resolved|Agreed|Next steps?|To do):[ \t]{1,4})?"
    r"(?P<who>[A-Z][\w.'’-]{0,30}(?: [\w.'’-]{1,30}){0,5}?) to (?P<verb>[a-z]{2,20})\b"
)
_INITIALS = re.compile(r"[A-Z]{2,3}")
#: What no such line begins with, and what stands behind it where somebody or something is only described: "a man to
#: trust", "people to call when it rains".
_NOBODY = re.compile(
    r"(?:An?|Wh\w+|How|[A-Z]\w*(?:ing|ed)|(?:Owing|Due|Prior|Thanks|Contrary|Guide|Companion)\Z)(?: |\Z)"
)
_DESCRIBED = re.compile(r"\W*(?:\Z|(?:when|whenever|if|while|and|or)\b)")


def told_edits(text: str) -> _Edits:
    """What to write in the place of which characters so that a line of a notice or of minutes is a sentence.

    Such lines name something and give its value ("Next meeting: 11 June"), say who came to a meeting and who did not
    ("Present: Ann Lee (chair), Tom Cox", "Apologies: Eva Roy"), or who is to do what ("Action: Tom Cox to write to the
    council", "Council to close library").

    Parameters
    ----------
    text : a sentence or line of a document.

    Returns
    -------
    tuple
        (start, end, words) of each part, in order: half-open offsets into the text. Empty for any other line, such as
        what a speaker says.

    Examples
    --------
    >>> told_edits("Next meeting: 11 June."), told_edits("Opening hours: 9 to 5")
    (((0, 14, 'The next meeting is on '),), ((0, 15, 'The opening hours are '),))
    >>> told_edits("Action: Ann Lee to ask the council.")
    ((0, 8, ''), (15, 16, ' is '))
    >>> told_edits("Lopez: No comment."), told_edits("Note: Tickets are sold at the door.")
    ((), ())
    """
    return _who_came(text) or _to_do(text) or _value(text)


def told_lines(texts: Sequence[str], apart: Sequence[bool] | None = None) -> tuple[str, ...]:
    r"""The same texts with each such line as a sentence, unless its name stands before several: then they are turns.

    White space is folded. Names in the lines behind a line "Present:" are told in the same way, up to a blank line.

    Parameters
    ----------
    texts : the sentences or lines of a document, in order.
    apart : of each, whether a blank line stands before it; by default none.

    Examples
    --------
    >>> told_lines(["Next meeting: 11 June.", "Client: Good Morning.", "Client: Sounds Fine.", "It rained."])
    ('The next meeting is on 11 June.', 'Client: Good Morning.', 'Client: Sounds Fine.', 'It rained.')
    >>> told_lines(["Present:", "Ann Lee (chair)", "Tom Cox", "Roofs. Tom Cox to ask for offers."])[1:3]
    ('Ann Lee chaired the meeting. Ann Lee was present at this meeting.', 'Tom Cox was present at this meeting.')
    >>> told_lines(["Present:\nAnn Lee\nTom Cox", "Matters Arising"], [False, True])
    ('Ann Lee was present at this meeting. Tom Cox was present at this meeting.', 'Matters Arising')
    """
    begins = Counter(text.partition(":")[0] for text in texts if ":" in text)
    found, head, begun = [], "", False
    for i, text in enumerate(texts):
        rows = [" ".join(row.split()) for row in text.splitlines() if row.strip()]
        flat, (line, is_whole) = " ".join(rows), _in_one_line(rows)
        alone = _HEAD.fullmatch(flat)
        below = head and len(rows) == 1 and not (begun and apart is not None and apart[i])
        listed = f"{head}: {flat}" if below and _SOMEBODY.fullmatch(flat.rstrip(".,;")) else ""
        head, begun = alone["head"] if alone and not alone["who"] else head if listed else "", bool(listed)
        line = listed if listed and _who_came(listed) else line
        turn = begins[line.partition(":")[0]] > 1
        edits = (_who_came(line) if is_whole else ()) or _to_do(line) or (() if turn else _value(line))
        found.append(_edited(line, edits) if edits else flat)
    return tuple(found)


def _in_one_line(rows: Sequence[str]) -> tuple[str, bool]:
    """Lines as one, with commas between names in lines of their own; and whether its names are whole in their lines."""
    head = _HEAD.fullmatch(rows[0]) if rows[1:] else None
    if head is None:
        return " ".join(rows), True
    names = rows if head["who"] else rows[1:]
    if not head["who"] and all(_SOMEBODY.fullmatch(row.rstrip(".,;")) for row in names):
        return f"{rows[0]} {', '.join(row.rstrip('.,;') for row in names)}", True
    return " ".join(rows), all(a.endswith((",", ";", "&", " and")) or b.startswith("and ") for a, b in pairwise(names))


def _edited(text: str, edits: _Edits) -> str:
    at, said = 0, []
    for start, end, words in edits:
        said += [text[at:start], words]
        at = end
    return "".join(said) + text[at:]


def _who_came(text: str) -> _Edits:
    line = _HEAD.fullmatch(text)
    if line is None or line["who"] is None:
        return ()
    people = [_SOMEBODY.fullmatch(name) for name in _BETWEEN.split(line["who"].strip().rstrip(".,; "))]
    if not all(people):
        return ()
    names = [p["name"] + ("" if _CHAIR.fullmatch(p["office"] or "") else p["office"] or "") for p in people if p]
    chairs = [p["name"] for p in people if p and _CHAIR.fullmatch(p["office"] or "")]
    if _CAME.fullmatch(line["head"]):
        said, did = [f"{chair} chaired the meeting." for chair in chairs], "{was} present at this meeting"
    elif _SORRY.fullmatch(line["head"]):
        said, did = [], "sent apologies and {was} not present at this meeting"
    elif _AWAY.fullmatch(line["head"]):
        said, did = [], "{was} absent from this meeting"
    else:
        return ()
    for who in [[name] for name in names] if len(names) <= _MOST_NAMES else [names]:
        counted = not who[0][0].isupper() and who[0].split()[0] not in ("a", "an", "one")  # "two members of the public"
        told = f"{', '.join(who[:-1])}{' and ' if who[1:] else ''}{who[-1]}"
        said.append(f"{told[0].upper()}{told[1:]} {did.format(was='were' if who[1:] or counted else 'was')}.")
    return ((0, len(text), " ".join(said)),)


def _to_do(text: str) -> _Edits:
    found = _TO_DO.match(text)
    if found is None or _NOBODY.match(found["who"]) or not (found["verb"] == "be" or "v" in parts_of(found["verb"])):
        return ()
    head, who = found["head"] or "", found["who"]
    *before, last = who.split()
    doing = bool(before) and before[-1][0].isupper() and last.islower() and "v" in parts_of(last)  # "Ann Lee wants"
    if states(who) or doing:
        return ()
    behind = text[found.end() :]
    rest = " ".join(behind.split()[1:]) if found["verb"] == "be" else behind  # "to be paid"
    if not head and (not _acts(who) or states(f"{last} {rest}") or _DESCRIBED.match(behind)):
        return ()
    several = " and " in who or who.lower() == "all" or _is_plural(last.lower())
    beginning = ((0, len(head), ""),) if head else ()
    return (*beginning, (found.end("who"), found.end("who") + 1, " are " if several else " is "))


def _acts(who: str) -> bool:
    """Whether words are a name of somebody, initials, or one noun for somebody or a group.

    In running text more words mostly hide a verb: "Rule 14 obliges a branch to wait".
    """
    words = who.split()
    if words[0].lower() == "the" and len(words) == 2:
        words = words[1:]
    if len(words) > 1:
        return all(w[0].isupper() for w in words) and not parts_of(words[0]) & {"v", "r", "a"}
    if _INITIALS.fullmatch(words[0]):
        return True
    return any(is_broader(broad, words[0].lower(), parts="n") for broad in ("person", "organization"))


def _is_plural(noun: str) -> bool:
    return noun.endswith(("men", "children", "people")) or (
        noun.endswith("s") and not noun.endswith(("ss", "us", "is"))
    )


def _value(text: str) -> _Edits:
    """A line that names something and gives its value.

    The name is a noun in small letters but for the first, with up to three words before it; the value begins with a
    capital letter, a digit or a sum, has at most twelve words and no verb.
    """
    found = _NAMED.fullmatch(text)
    if found is None:
        return ()
    name, value = found["name"], found["value"]
    noun = name.rpartition(" ")[2].lower()
    if " " not in name and is_broader("person", noun) and not _NAMES.match(value):
        return ()  # "Client: Speaking."
    if "n" not in parts_of(noun) or len(value.split()) > _MOST_WORDS or states(value) or _SAID.search(value):
        return ()
    when = "on " if _DAY.match(value) else "in " if _IN_MONTH.match(value) else ""
    be = "are" if _is_plural(noun) else "is"
    return ((0, found.start("value"), f"The {name[0].lower()}{name[1:]} {be} {when}"),)
