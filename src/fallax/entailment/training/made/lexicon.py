"""The words of made examples: names, places, verbs with synonyms and converses, things."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = [
    "ADJECTIVES", "ANIMATE_KINDS", "BAD_THINGS", "CAUSES", "CONVERSE", "DEEDS", "EVENTS", "FEMALE", "GROUPS", "HYPERNYMS",
    "MALE", "MANNERS", "MONTHS", "OPINIONS", "ORGS", "PERSON_VERBS", "PLACES", "PROFESSIONS", "QUANTITIES", "STATEMENTS",
    "SURNAMES", "TIMES", "UNITS", "WEEKDAYS", "Deed", "Verb", "words_of",
]  # fmt: skip


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("\n") if line.strip()]


def words_of(text: str) -> list[str]:
    """The words of a text, split at white space."""
    return text.split()


def rows_of(text: str) -> list[tuple[str, ...]]:
    r"""The parts between "|" of each line that is not empty, without the spaces around them.

    Examples
    --------
    >>> rows_of(" older|younger \n\n taller | shorter")
    [('older', 'younger'), ('taller', 'shorter')]
    """
    return [tuple(part.strip() for part in line.split("|")) for line in _lines(text)]


FEMALE = words_of(
    "Anna Maria Elena Fatima Ingrid Chloe Priya Sofia Hannah Olga Amara Lucia Nadia Ruth Yuki Grace Leila Marta Joan Carmen"
    " Alice Beatriz Helen Ivy Karen Linda Mary Naomi Petra Rosa Sarah Teresa Ursula Vera Wendy Zoe Aisha Diane Emma"
)
MALE = words_of(
    "Peter Omar Viktor Samuel Diego Kenji Lars Thomas Ahmed Daniel Ivan Paul Rajesh Marco Henry Felix Jonas Luis Kwame Brian"
    " Arthur Carl David Edward Frank George Hugo James Kevin Leon Martin Nils Oscar Robert Simon Tariq Walter Yusuf Adam Ben"
)
SURNAMES = words_of(
    "Reyes Tan Okafor Lindqvist Meyer Novak Silva Haddad Kowalski Brennan Fischer Moreau Tanaka Singh Ortega Petrov Lund"
    " Adeyemi Castro Dubois Ekström Farrow Gupta Hargreaves Iversen Jansen Kaplan Larsen Mbeki Nakamura Oduya Pereira Quinn"
    " Rossi Sato Torres Ueda Vargas Whitfield Yilmaz Zhou Abbott Bauer Chen Doyle Evans Flores Grant Hughes Ibrahim Jones"
    " Khan Lopez Moss Nash Owens Price Reed Shaw Turner Vance Walsh Young Berg Cole Dahl Egan Frost Gale Holt"
)
PLACES = words_of(
    "Lund Oslo Porto Ghent Leeds Kyoto Lagos Quito Riga Turin Dakar Perth Malmö Basel Cork Denver Tampa Nairobi Hanoi Lima"
    " Split Graz Bergen Tallinn Utrecht Bilbao Salem Dover Halifax Pune Accra Izmir Gdansk Trieste Ashford Milton Brookfield"
    " Westport Easton Northgate Harwich Kilburn Radford Selby Thornton Wexford Ashby Marlow Corby Fenwick"
)
ORGS = _lines(
    """
Northwind Energy|Harbor Foods|the Ellis Group|Vanto|Brightwater Bank|Kestrel Airways|the Mill Lane Trust|Oakridge Hospital
the transport ministry|the school board|the planning committee|the port authority|the city council|the teachers' union
the fishing association|the water company|Redfern Motors|Solace Software|the Halden Institute|Crown Textiles|the rail operator
the museum|the finance department|Delmar Chemicals|the housing office|the parish council|the state university|Arden Press
the health agency|Polar Shipping|Tessera Labs|the residents' group|the appeals court|the football club|the film studio
""".replace("|", "\n")
)
PROFESSIONS = words_of(
    "chemist nurse lawyer farmer teacher engineer painter baker surgeon journalist plumber architect librarian pilot tailor"
    " geologist dentist carpenter translator accountant gardener photographer electrician judge butcher biologist mechanic"
)
MONTHS = words_of("January February March April May June July August September October November December")
WEEKDAYS = words_of("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb with a person or organisation as subject and as object.

    Parameters
    ----------
    base, past, participle : its forms, with particles ("looked up to").
    tail : words after the object ("of fraud").
    same : synonyms, each (base, past, participle).
    opposite : a verb that contradicts it, or None.
    one_way : whether the sentence becomes false when subject and object are exchanged.
    """

    base: str
    past: str
    participle: str
    tail: str = ""
    same: tuple[tuple[str, str, str], ...] = ()
    opposite: tuple[str, str, str] | None = None
    one_way: bool = False


def _form(text: str) -> tuple[str, str, str]:
    parts = text.split("/")
    if len(parts) == 1:
        base = parts[0]
        head, _, rest = base.partition(" ")
        rest = " " + rest if rest else ""
        if head.endswith("e"):
            past = head + "d"
        elif head.endswith("y") and head[-2] not in "aeiou":
            past = head[:-1] + "ied"
        else:
            past = head + "ed"
        return base, past + rest, past + rest
    tail = parts[-1].partition(" ")[2]
    parts = [p if " " in p or not tail else f"{p} {tail}" for p in parts]
    return parts[0], parts[1], parts[-1]


def _verbs(text: str) -> list[Verb]:
    """base[/past/participle] | same, same | opposite | tail | 1 if one way."""
    found = []
    for row in rows_of(text):
        parts = [*row, *[""] * 5]
        same = tuple(_form(s.strip()) for s in parts[1].split(",") if s.strip())
        opposite = _form(parts[2]) if parts[2] else None
        found.append(Verb(*_form(parts[0]), parts[3], same, opposite, parts[4] == "1"))
    return found


PERSON_VERBS = _verbs("""
accuse | | clear | of fraud
accuse | | | of lying
blame | hold/held responsible_ | | for the delay
praise | commend, applaud | criticise
criticise | fault, find/found fault with | praise
criticise | attack | defend | over the report
defeat | beat/beat/beaten | lose/lost to | in the final | 1
defeat | beat/beat/beaten | lose/lost to | in the vote | 1
warn | alert, caution | | about the storm
warn | caution | | about the costs
invite | ask | | to the ceremony
sue | take/took/taken to court_ | | over the contract
support | back | oppose
back | support | oppose | in the dispute
oppose | | support | in the dispute
hire | employ, take/took/taken on_ | dismiss |  | 1
dismiss | fire, sack | hire | last spring | 1
replace | take/took/taken over from | | as chair | 1
succeed | follow, take/took/taken over from | | as director | 1
teach/taught | instruct | | to swim | 1
train | coach, instruct | | for two years | 1
interview | question | | about the accident | 1
question | interview | | about the money | 1
visit | call on | | in the hospital
help | assist, aid | hinder | with the move
rescue | save | abandon | from the flood | 1
hit/hit | strike/struck | miss | with a ball
follow | tail | lead/led | through the market | 1
thank | express/expressed thanks to | | for the donation
threaten | | reassure |
deceive | mislead/misled, trick | |
trust | have/had confidence in | distrust |
ignore | pay/paid no attention to | listen to | at the meeting
recommend | put/put forward_ | | for the prize
nominate | put/put forward_ | | for the post
phone | call, ring/rang/rung | | on Sunday night
contact | get/got in touch with | | after the hearing
pay/paid | give/gave/given money to | | for the repairs
admire | look up to, think/thought highly of | despise
insult | offend | compliment | in front of the staff
interrupt | cut/cut off_ | | during the debate
forgive/forgave/forgiven | pardon | blame | for the mistake
promote | advance | demote | to team leader | 1
outbid/outbid | bid/bid more than | | at the auction | 1
overtake/overtook/overtaken | pass | fall/fell/fallen behind | on the last lap | 1
arrest | detain, take/took/taken into custody_ | release | on Friday | 1
acquit/acquitted | clear, find/found not guilty_ | convict | of theft | 1
persuade | convince, talk/talked into it_ | | to stay
convince | persuade | | to sign the petition
advise | counsel | | on the purchase | 1
introduce | present | | to the mayor
represent | act for, speak/spoke/spoken for | | at the hearing | 1
supervise | oversee/oversaw/overseen | | during the project | 1
treat | look after, care for | | for a broken arm | 1
outlive | survive, live longer than | | | 1
photograph | take/took/taken pictures of | | at the opening
quote | cite | | in the speech
copy | imitate | |
cheat | swindle, defraud | | in the sale
""")
_ACTIVE = {"have", "express", "pay", "give", "get", "bid", "live", "find", "think"}  # their passives sound odd
# forms with a particle after the object are left out
PERSON_VERBS = [
    Verb(v.base, v.past, v.participle, v.tail, tuple(s for s in v.same if not s[1].endswith("_") and s[0].split()[0] not in _ACTIVE),
         v.opposite, v.one_way)
    for v in PERSON_VERBS
]  # fmt: skip

#: (what A does to B, what B thereby does to A), each base/past; false when A and B are exchanged.
CONVERSE = [
    tuple(_form(side) for side in row)
    for row in rows_of("""
    sell/sold the mill to | buy/bought the mill from
    sell/sold the orchard to | buy/bought the orchard from
    sell/sold the painting to | acquire the painting from
    lend/lent the boat to | borrow the boat from
    lend/lent money to | borrow money from
    give/gave the keys to | receive the keys from
    give/gave the letter to | get/got the letter from
    hand the files to | receive the files from
    send/sent a warning to | receive a warning from
    teach/taught chess to | learn chess from
    inherit the farm from | leave/left the farm to
    export grain to | import grain from
    write/wrote a letter to | get/got a letter from
    explain the plan to | hear/heard the plan from
    supply steel to | get/got steel from
    pass the ball to | receive the ball from
    donate the land to | accept the land from
    win/won the case against | lose/lost the case against
    pay/paid a fine to | collect a fine from
    """)
]


@dataclass(frozen=True, slots=True)
class Deed:
    """A verb with a thing as object.

    Parameters
    ----------
    base, past, participle : forms of the verb.
    thing : the object ("the fees").
    plural : whether the object is plural.
    same : synonyms for this object, each (base, past, participle).
    opposite : verbs that contradict it and entail "did not".
    """

    base: str
    past: str
    participle: str
    thing: str
    plural: bool
    same: tuple[tuple[str, str, str], ...]
    opposite: tuple[tuple[str, str, str], ...]


def _deeds(text: str) -> list[Deed]:
    found = []
    for row in rows_of(text):
        verb, things, same, opposite = [*row, "", "", ""][:4]
        for thing in things.split(","):
            thing = thing.strip()
            found.append(
                Deed(
                    *_form(verb),
                    thing.removesuffix("*"),
                    thing.endswith("*"),
                    tuple(_form(s.strip()) for s in same.split(",") if s.strip()),
                    tuple(_form(s.strip()) for s in opposite.split(",") if s.strip()),
                )
            )
    return found


DEEDS = _deeds("""
raise | the fees*, the rent, ticket prices*, the speed limit, wages* | increase, put/put up | lower, cut/cut, reduce, freeze/froze/frozen
lower | the fees*, the tax, interest rates*, the price | reduce, cut/cut, bring/brought down | raise, increase, put/put up
approve | the plan, the budget, the merger, the permit, the new rules* | pass, sign/signed off on | reject, turn down, vote down, block
reject | the offer, the appeal, the proposal, the bill | turn down, refuse, dismiss | accept, approve
accept | the offer, the invitation, the job, the award | take/took/taken up | reject, turn down, refuse, decline
close | the bridge, the school, the factory, the road, the clinic | shut/shut, shut/shut down | reopen, keep/kept open
open | the gates*, the library, the new line, the exhibition | | close, shut/shut, keep/kept closed
repair | the roof, the pump, the fence, the engine | fix, mend | break/broke/broken, neglect
cancel | the concert, the flight, the strike, the order | call off, scrap | hold/held, go/went/gone ahead with
postpone | the vote, the match, the hearing, the launch | delay, put/put off, defer | bring/brought forward
publish | the report, the results*, the minutes*, the letters* | release, make/made public | withhold/withheld, suppress
delete | the files*, the recording, the photos* | erase, remove | keep/kept, save
win/won | the prize, the contract, the election, the trophy | secure, claim | lose/lost
lose/lost | the case, the match, the seat, the contract | | win/won
keep/kept | the receipts*, the dog, the old name, the documents* | hold/held on to, retain | throw/threw/thrown away, give/gave/given up
sell/sold | the farm, the shares*, the ship, the tower | dispose of | keep/kept, hold/held on to
buy/bought | the land, the shares*, the vineyard, the patent | purchase, acquire | sell/sold
build/built | the dam, the tunnel, a school, the wall | construct, put/put up, erect | demolish, tear/tore/torn down
demolish | the tower, the old mill, the station | tear/tore/torn down, knock down, pull down | preserve, restore
allow | the protest, dogs*, the sale, overtime | permit/permitted, authorise | ban/banned, forbid/forbade/forbidden, prohibit
ban/banned | the book, fireworks*, the pesticide, cars* | forbid/forbade/forbidden, prohibit, outlaw | allow, permit/permitted
find/found | the wallet, the error, the missing boat, the keys* | discover, locate | lose/lost, overlook
sign | the contract, the treaty, the petition, the lease | put/put a signature to |
finish | the bridge, the survey, the novel, the repairs* | complete | abandon, give/gave/given up on
start | the inquiry, the work, the trial, the campaign | begin/began/begun, launch | end, stop/stopped
stop/stopped | the work, the trial, the payments*, production | halt, end | continue, start
support | the strike, the ban, the reform, the candidate | back, endorse | oppose, reject
oppose | the ban, the tunnel, the reform, the deal | object to, resist | support, back
expand | the airport, the programme, the warehouse | enlarge, extend | shrink/shrank/shrunk, reduce
confirm | the rumour, the date, the figures*, the diagnosis | verify | deny, dispute
deny | the charge, the rumour, the claim | dispute, contest | admit/admitted, confirm
admit/admitted | the mistake, the error, the leak | acknowledge, own up to | deny, conceal
hide/hid/hidden | the letter, the losses*, the evidence | conceal, cover up | reveal, disclose
reveal | the price, the names*, the source, the plan | disclose, make/made known | hide/hid/hidden, conceal
win/won back | the title, public trust | regain, recover | lose/lost
break/broke/broken | the rules*, the promise, the record, the agreement | | keep/kept, respect
obey | the order, the rules*, the court | follow, comply with | defy, ignore, disobey
remember | the appointment, the password, the promise | | forget/forgot/forgotten
attend | the meeting, the funeral, the conference, the class | go/went/gone to, take/took/taken part in | miss, stay away from, skip/skipped
pass | the test, the inspection, the exam | | fail
inspect | the dam, the kitchen, the brakes*, the site | examine, check, look over |
test | the vaccine, the water, the software, the brakes* | try/tried out |
paint | the hall, the fence, the ceiling | |
translate | the poem, the manual, the speech | |
fund | the clinic, the study, the festival | pay/paid for, finance |
lead/led | the team, the inquiry, the orchestra | head, be/was in charge of |
write/wrote/written | the report, the song, the review | author, compose |
design | the logo, the bridge, the garden | draw/drew/drawn up the plans for |
steal/stole/stolen | the car, the painting, the data | take/took/taken illegally | return, give/gave/given back
return | the deposit, the books*, the bike | give/gave/given back, hand back | keep/kept
clean | the beach, the tanks*, the windows* | | dirty
save | the letters*, the forest, the company | rescue, preserve | destroy
destroy | the bridge, the crops*, the records* | ruin, wreck | save, preserve
""")

DEEDS = [
    Deed(d.base, d.past, d.participle, d.thing, d.plural,
         tuple(s for s in d.same if s[0].split()[0] != "be"), d.opposite)
    for d in DEEDS
]  # fmt: skip

#: For each measure: (more, most, less, least, equal).
ADJECTIVES = rows_of("""
    taller|tallest|shorter|shortest|tall
    older|oldest|younger|youngest|old
    heavier|heaviest|lighter|lightest|heavy
    faster|fastest|slower|slowest|fast
    longer|longest|shorter|shortest|long
    more expensive|most expensive|cheaper|cheapest|expensive
    bigger|biggest|smaller|smallest|big
    warmer|warmest|colder|coldest|warm
    richer|richest|poorer|poorest|rich
    deeper|deepest|shallower|shallowest|deep
    wider|widest|narrower|narrowest|wide
    stronger|strongest|weaker|weakest|strong
    louder|loudest|quieter|quietest|loud
    more reliable|most reliable|less reliable|least reliable|reliable
    more popular|most popular|less popular|least popular|popular
    more dangerous|most dangerous|safer|safest|dangerous
""")
ANIMATE_KINDS = {"taller", "older", "richer", "faster", "stronger", "heavier", "more popular"}

#: Verb (past and base) and counted noun: "employed 240 people".
QUANTITIES = rows_of("""
    employed|employ|people
    sold|sell|tickets
    collected|collect|signatures
    planted|plant|trees
    received|receive|complaints
    lost|lose|jobs
    built|build|homes
    served|serve|meals
    counted|count|birds
    delivered|deliver|parcels
    treated|treat|patients
    inspected|inspect|restaurants
    repaired|repair|bicycles
    hired|hire|drivers
    closed|close|branches
    donated|donate|books
    sent|send|letters
    recorded|record|accidents
    caught|catch|fish
    printed|print|copies
    scored|score|points
    rented out|rent out|rooms
    trained|train|teachers
    borrowed|borrow|euros
    paid|pay|dollars
    raised|raise|pounds
""")
UNITS = rows_of("""
    kilometres|metres|1000
    hours|minutes|60
    tonnes|kilograms|1000
    metres|centimetres|100
    days|hours|24
    weeks|days|7
    years|months|12
    litres|millilitres|1000
    dozen|pieces|12
    minutes|seconds|60
    decades|years|10
""")
EVENTS = _lines(
    """
the fire|the strike|the trial|the concert|the flood|the merger|the election|the opening of the bridge|the storm
the wedding|the vote|the harvest|the accident|the exhibition|the first frost|the conference|the power cut|the landslide
the audit|the exams|the festival|the recall|the hearing|the launch|the move to the new office|the protest|the eclipse
the renovation|the marathon|the blackout|the drought|the inspection|the siege|the treaty|the coronation|the retirement party
""".replace("|", "\n")
)
GROUPS = rows_of("""
    member|members|voted for the motion
    pupil|pupils|passed the exam
    passenger|passengers|left the train
    worker|workers|joined the strike
    driver|drivers|wore a helmet
    visitor|visitors|paid the entrance fee
    farmer|farmers|lost part of the crop
    patient|patients|recovered
    resident|residents|signed the petition
    volunteer|volunteers|stayed until midnight
    sample|samples|contained lead
    shop|shops|opened on Sunday
    player|players|attended the training
    house|houses|had a cellar
    ship|ships|reached the harbour
    student|students|handed in the essay
    bottle|bottles|broke
    tree|trees|survived the winter
    witness|witnesses|recognised the man
    candidate|candidates|answered the letter
    tenant|tenants|moved out
    employee|employees|received a bonus
    dog|dogs|barked at night
    window|windows|faced the street
    engine|engines|passed the test
""")
#: (narrower, wider): every instance of the narrower term is one of the wider.
HYPERNYMS = rows_of("""
    a violin|a musical instrument
    a poodle|a dog
    a sparrow|a bird
    an apple|a piece of fruit
    a cottage|a house
    a red car|a car
    a silk scarf|a scarf
    a wooden chair|a chair
    a rose|a flower
    a novel|a book
    a trumpet|an instrument
    a hammer|a tool
    a ferry|a boat
    a trout|a fish
    a sandwich with ham|a sandwich
    a diamond ring|a piece of jewellery
    a leather jacket|a jacket
    a mountain bike|a bike
    a kitten|an animal
    a tall oak|a tree
    a cup of green tea|a cup of tea
    a small oil painting|a painting
    a bottle of French wine|a bottle of wine
    a new laptop|a computer
    a winter coat|a coat
    a carrot|a vegetable
    a truck|a vehicle
    a Danish film|a film
    an electric guitar|a guitar
    a history teacher|a teacher
""")
MANNERS = _lines(
    """
in the rain|for the third time|without warning|at the last minute|with two colleagues|in front of the press|behind closed doors
by telephone|in writing|at night|with great care|for a fee|in a hurry|under protest|before breakfast|on foot|against advice
during the holidays|in a single day|from a rented office|with borrowed money|after a long argument|free of charge
""".replace("|", "\n")
)
TIMES = _lines(
    """
on Monday|last week|in March|in 2019|two years ago|yesterday|in the autumn|on 14 May|at noon|this summer|in early June|on Friday
""".replace("|", "\n")
)
#: Effect as a past clause and as a noun phrase, cause as a past clause and as a noun phrase.
CAUSES = rows_of("""
    the valley flooded|the flooding of the valley|the dam broke|the failure of the dam
    the train was late|the delay of the train|a tree fell on the line|a fallen tree
    prices rose|the rise in prices|the harvest failed|the failed harvest
    the school closed|the closure of the school|the boiler broke down|the broken boiler
    the fish died|the death of the fish|the factory leaked acid|an acid leak at the factory
    the match was cancelled|the cancellation of the match|the pitch froze|the frozen pitch
    the company lost money|the company's losses|two large customers left|the loss of two large customers
    the lights went out|the blackout|a cable was cut|a severed cable
    the crop grew well|the good growth of the crop|it rained in May|the rain in May
    the bridge was closed|the closing of the bridge|inspectors found cracks|the discovery of cracks
    the road became slippery|the slippery road|a lorry spilled oil|an oil spill from a lorry
    the patients fell ill|the illness of the patients|the kitchen served spoiled fish|spoiled fish from the kitchen
    the vote was postponed|the postponement of the vote|too few members came|the low attendance
    the river turned brown|the brown colour of the river|workers dug up the bank|digging on the bank
    the shop went bankrupt|the bankruptcy of the shop|a supermarket opened next door|a new supermarket next door
    the flight was diverted|the diversion of the flight|a passenger had a heart attack|a passenger's heart attack
    the forest burned|the forest fire|campers left a fire unattended|an unattended campfire
    the cellar flooded|the flooded cellar|a water main burst|a burst water main
    the bees disappeared|the loss of the bees|farmers sprayed a pesticide|the spraying of a pesticide
    the town grew|the growth of the town|a railway was built|the new railway
    the engine overheated|the overheating of the engine|the coolant leaked|a coolant leak
    the trial collapsed|the collapse of the trial|a key witness withdrew|the withdrawal of a key witness
    the ice melted early|the early melting of the ice|the winter was mild|a mild winter
    the wall cracked|the cracks in the wall|the ground sank|the sinking of the ground
    sales doubled|the doubling of sales|the firm lowered its prices|lower prices
    the team lost its captain|the loss of the captain|the club cut wages|the wage cuts
    the server crashed|the crash of the server|the disk was full|a full disk
    the cattle escaped|the escape of the cattle|someone left the gate open|an open gate
    the harbour silted up|the silting of the harbour|dredging stopped|the end of dredging
    the museum extended its hours|the longer opening hours|visitors complained|complaints from visitors
""")
BAD_THINGS = _lines("a strike|heavy snow|a shortage of staff|an earthquake|a computer error|theft|a sudden frost|high fuel costs"
                    "|a change in the law|a public holiday".replace("|", "\n"))  # fmt: skip
#: A statement and its negation.
STATEMENTS = rows_of("""
    the bridge was safe|the bridge was not safe
    the money was missing|the money was not missing
    the factory would close|the factory would not close
    the water was clean|the water was not clean
    the deal was legal|the deal was not legal
    the ship had sunk|the ship had not sunk
    the painting was genuine|the painting was not genuine
    the report was complete|the report was not complete
    the tenants had paid|the tenants had not paid
    the medicine worked|the medicine did not work
    the roof was leaking|the roof was not leaking
    the minister knew about the letter|the minister did not know about the letter
    the costs had doubled|the costs had not doubled
    the driver was asleep|the driver was not asleep
    the species was extinct|the species was not extinct
    the contract had expired|the contract had not expired
    the results were wrong|the results were not wrong
    the strike was over|the strike was not over
    the mine was empty|the mine was not empty
    the signature was forged|the signature was not forged
""")
OPINIONS = words_of("said stated announced claimed argued told reporters insisted wrote declared")
