"""What code reads out of a premise: whom it is about, which things are in it, how a story opens with it and divides.

A premise tells in the present tense, as a rule; a story that opens with it is put into the past. A division that a weak
model left with too few events, or with the same one again, is mended by a fixed arc.
"""

import re
from collections.abc import Sequence

from bookwright.models.text.language import Language
from bookwright.models.text.prose import cut_to, paragraphs, sentences
from bookwright.models.tree.plan import PlanNode, TaskType
from bookwright.models.tree.task import TaskNode
from bookwright.storage.index.ranking import names, terms

_OPENING = {Language.EN: 60, Language.ZH: 110, Language.JA: 130, Language.KO: 110}
"""Most that a unit opens with of the premise, in the language's unit of length."""

_MAX_NAMES, _MAX_THINGS = 12, 12
_ORDER = re.compile(r"^(?:please )?(?:write|tell)(?: me)? (?=an? )", re.IGNORECASE)
_BOOK = r"^(?:(?:this is )?(?:an?|the) )?(?:\w+ ){0,2}(?:story|tale|novel|book) "
_ABOUT = re.compile(_BOOK + "(?:about|of) ", re.IGNORECASE)
_IN_WHICH = re.compile(_BOOK + "(?:in which|where) ", re.IGNORECASE)
_I = re.compile(r"\bI\b(?=[’' ])")
_SHE = re.compile(r"\b(?:she|her|hers|herself)\b", re.IGNORECASE)
_HE = re.compile(r"\b(?:he|him|his|himself)\b", re.IGNORECASE)
_FULL_NAME = re.compile(r"\b[A-Z][\w’'-]*[a-z](?: [A-Z][\w’'-]*[a-z])+")
_NO_THINGS = frozenset(
    """alone always never ever since until while when once again still already soon late later early back away down up
    more most less last first next new old own other another same long short good bad only just even very too than much
    many few several true false real night day morning evening year years time times week month two three four five six
    seven eight nine ten thing things one ones there here where him its behind below above under inside outside near
    isn doesn didn wasn won don can nobody somebody someone everyone story tale novel book""".split()
)

_ALIKE = 0.6
_LEAST_TERMS = 3
_ARC = {
    Language.EN: ("How it begins", "How it gets worse", "How it ends"),
    Language.ZH: ("开端", "事情变糟", "结局"),
    Language.JA: ("始まり", "深まる苦境", "結末"),
    Language.KO: ("시작", "나빠지는 사정", "결말"),
}


def names_in(premise: str) -> tuple[str, ...]:
    """Return the names of persons and places in a premise, full names first, each once.

    A capital at a sentence's start alone makes no name: something beside it must say so.
    """
    full = [name for name in _FULL_NAME.findall(premise) if name.split()[0].lower() not in _NO_THINGS]
    firsts = [name.split()[0] for name in full]
    openers = [sentence.split()[0].strip("\"“‘'’,.") for part in paragraphs(premise) for sentence in sentences(part)]
    singles = [
        name
        for name in names(premise)
        if not any(name in whole.split() for whole in full)
        and (name not in openers or _is_name(name, premise, openers.count(name)))
    ]
    small = set(re.findall(r"\b[a-z]+", premise))
    found = [*full, *(name for name in (*firsts, *singles) if name.lower() not in small)]
    return tuple(dict.fromkeys(found))[:_MAX_NAMES]


def things_in(premise: str, language: Language = Language.EN) -> tuple[str, ...]:
    """Return the words for what is in a premise, in the order of mention; no names, no known verbs.

    For zh, ja and ko pairs of neighbouring characters stand for words.
    """
    named = {term for name in names_in(premise) for term in terms(name)}
    words = [word for word in dict.fromkeys(terms(premise)) if word not in named]
    if language is Language.EN:
        words = [word for word in words if len(word) > 2 and word not in _NO_THINGS and not _is_verb(word)]
    return tuple(words[: _MAX_THINGS if language is Language.EN else 4 * _MAX_THINGS])


def pronoun_of(premise: str) -> str:
    """Return `"She"`, `"He"` or `"I"` for the person an English premise is about; empty if it does not say.

    The first of them decides: what is told of a person follows close upon the name.
    """
    if _I.search(premise):
        return "I"
    she, he = _SHE.search(premise), _HE.search(premise)
    if she and (he is None or she.start() < he.start()):
        return "She"
    return "He" if he else ""


def opening_of(premise: str, index: int, count: int, language: Language) -> str:
    """Return the sentences of a premise that the unit at `index` of `count` opens with; may be empty.

    They are told as the story's own: the first sentences open the first unit, the last one, which
    holds a premise's turn more often than not, opens the last.
    Source: facts/local-models-chroma.md section E, "Best shape found".
    """
    told = _as_told(premise, language)
    last = max(len(told) - 1, 1)
    chosen = [sentence for place, sentence in enumerate(told) if place * (count - 1) // last == index]
    joint = " " if language.is_spaced else ""
    return cut_to(joint.join(chosen), _OPENING[language], language)


def closing_of(ending: str, language: Language) -> str:
    """Return the first sentence of an author's ending as the story's last one; empty if there is none."""
    told = _as_told(ending, language)
    return told[0] if told else ""


def _as_told(text: str, language: Language) -> list[str]:
    """The sentences of a text as a narrator would say them."""
    if language is Language.EN:
        text = in_past_tense(_without_frame(text.strip()))
    return [sentence for part in paragraphs(text) for sentence in sentences(part)]


def _without_frame(text: str) -> str:
    """Take away "a story about", which names a book and tells nothing."""
    text = _ORDER.sub("", text)
    if _ABOUT.match(text):
        subject = _ABOUT.sub("", text)
        return f"There {'was' if re.match('an? |the |one ', subject) else 'were'} once {subject}"
    plain = _IN_WHICH.sub("", text)
    return plain[:1].upper() + plain[1:]


def _is_name(word: str, premise: str, times_at_start: int) -> bool:
    """True if a word that opens a sentence also stands elsewhere, or a verb or a possessive follows it."""
    if len(re.findall(rf"\b{re.escape(word)}\b", premise)) > times_at_start or " " in word:
        return True
    after = re.search(rf"\b{re.escape(word)}(['’]s)?\s+([a-z']+)", premise)
    return after is not None and (bool(after.group(1)) or _is_verb(after.group(2)) or after.group(2) == "and")


def _is_verb(word: str) -> bool:
    return past_of(word) is not None or word in _PASTS or (word.endswith("ed") and past_of(word[:-2] + "s") is not None)


_PASTS = frozenset(
    """was were had did kept found took gave gone got came went saw knew told said made left lost held stood taken
    seen known been being has have having done hung locked opened dropped died began begun ran set sent brought
    bought caught sold lit wore wrote fell felt hid heard paid read rose sang sat slept spoke stole swore taught
    thought threw woke won keep find take give get come go see know tell make leave lose hold stand""".split()
)


_IRREGULAR = dict(
    pair.split(":")
    for pair in """
    is:was are:were isn't:wasn't aren't:weren't has:had hasn't:hadn't does:did doesn't:didn't don't:didn't can:could
    cannot:could_not can't:couldn't will:would won't:wouldn't must:had_to may:might becomes:became begins:began
    bends:bent bets:bet binds:bound bites:bit bleeds:bled blows:blew breaks:broke breeds:bred brings:brought
    builds:built burns:burned buys:bought catches:caught chooses:chose clings:clung comes:came costs:cost creeps:crept
    cuts:cut deals:dealt digs:dug draws:drew dreams:dreamed drinks:drank drives:drove dwells:dwelt eats:ate falls:fell
    feeds:fed feels:felt fights:fought finds:found flees:fled flies:flew forbids:forbade forgets:forgot
    forgives:forgave freezes:froze gets:got gives:gave goes:went grows:grew hangs:hung hears:heard hides:hid hits:hit
    holds:held hurts:hurt keeps:kept kneels:knelt knows:knew lays:laid leads:led leans:leaned leaps:leapt learns:learned
    leaves:left lends:lent lets:let lies:lay lights:lit loses:lost makes:made means:meant meets:met overhears:overheard
    pays:paid puts:put reads:read rides:rode rings:rang rises:rose runs:ran says:said sees:saw seeks:sought sells:sold
    sends:sent sets:set sews:sewed shakes:shook shines:shone shoots:shot shows:showed shuts:shut sings:sang sinks:sank
    sits:sat sleeps:slept slides:slid speaks:spoke spends:spent spins:spun splits:split spreads:spread springs:sprang
    stands:stood steals:stole sticks:stuck stings:stung strikes:struck swears:swore sweeps:swept swims:swam
    swings:swung takes:took teaches:taught tears:tore tells:told thinks:thought throws:threw understands:understood
    wakes:woke wears:wore weaves:wove weeps:wept wins:won winds:wound writes:wrote
    """.split()
)
_REGULAR = frozenset(
    """accept admit agree allow answer appear arrive ask attack awake bar beg believe belong betray blame borrow bury
    call carry change chase claim clean climb close collect confess cook count cover cross cry dance dare decide demand
    deny destroy die disappear discover doubt drag dress drift drop dry earn end enter escape expect explain fail fear
    fill finish fish fix follow force gather grab guard guess guide happen hate haul haunt help hire hope hunt hurry
    inherit intend invite join jump kill kiss knock land last laugh learn lift like listen live lock long look love
    manage mark marry measure mend miss move murder name need notice obey offer open order owe own pack paint pass plan
    plant play plot point pour pray prepare press pretend promise protect prove pull push question race rain reach
    realise realize receive recognise recognize refuse remain remember remove repair repeat reply rescue rest return
    reveal risk rob row rule sail save search seem serve share shout sign smell smile smoke smuggle sneak snow stare
    start starve stay stop struggle study suffer suspect talk taste tend threaten tie touch trade train travel treat
    trick trust try turn uncover use vanish visit vow wait walk wander want warn wash waste watch wave wish witness
    wonder work worry wreck yield""".split()
)
_DOUBLED = frozenset("admit bar beg drag drop grab plan plot rob stop".split())
_BEFORE_NOUN = frozenset(
    """a an the this that these those her his its their my our your some any no every each all both many few of in on at
    to from with for by into over under two three four five six seven eight nine ten several old new little""".split()
)
"""After these a word in -s is taken for a noun."""
_AFTER_THESE_STAYS = frozenset("to would could should will might must may can cannot didn't doesn't did not".split())
_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")
_QUOTED = re.compile(r'("[^"]*"|“[^”]*”)')


def past_of(word: str) -> str | None:
    """Return the past tense of a third-person verb form such as `"keeps"`; None for what is no known one."""
    plain = word.replace("’", "'").lower()
    if plain in _IRREGULAR:
        return _IRREGULAR[plain].replace("_", " ")
    base = next((base for base in _bases(plain) if base in _REGULAR), None)
    if base is None:
        return None
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + (base[-1] if base in _DOUBLED else "") + "ed"


def in_past_tense(text: str) -> str:
    """Put English narration into the past tense. Quoted speech, and what no list knows, stays as it is."""
    parts = _QUOTED.split(text)  # every second one is a quotation
    return "".join(part if place % 2 else _in_past(part) for place, part in enumerate(parts))


def _in_past(text: str) -> str:
    previous = ""

    def replaced(match: re.Match[str]) -> str:
        nonlocal previous
        word, before = match.group(), previous
        previous = word.lower()
        if before in _AFTER_THESE_STAYS or (before in _BEFORE_NOUN and word.lower() not in _ALWAYS_VERBS):
            return word
        past = past_of(word)
        if past is None:
            return word
        return past.capitalize() if word[0].isupper() else past

    return _WORD.sub(replaced, text)


_ALWAYS_VERBS = frozenset("is are has isn't aren't hasn't does doesn't".split())


def _bases(word: str) -> list[str]:
    if not word.endswith("s"):
        return []
    return [word[:-3] + "y"] * word.endswith("ies") + [word[:-2]] * word.endswith("es") + [word[:-1]]


def distinct_events(units: Sequence[PlanNode], count: int, parent: TaskNode, language: Language) -> list[PlanNode]:
    """Return `count` children that tell different things.

    The model's own where enough of them differ; otherwise a fixed arc (begins, gets worse, ends)
    over the parent's goal. Source: facts/local-models-chroma.md section E, "Plans and JSON".
    """
    distinct: list[PlanNode] = []
    for unit in units:
        is_more_than_a_title = len(set(terms(unit.goal))) >= _LEAST_TERMS
        if is_more_than_a_title and not any(_are_alike(unit.goal, other.goal) for other in distinct):
            distinct.append(unit)
    return distinct[:count] if len(distinct) >= count else _arc(parent, count, language)


def _arc(parent: TaskNode, count: int, language: Language) -> list[PlanNode]:
    begins, worsens, ends = _ARC[language]
    nodes = []
    for index in range(count):
        title = begins if index == 0 else ends if index == count - 1 else worsens
        numbered = f"{title} ({index})" if title == worsens and count > 3 else title
        event = opening_of(parent.goal, index, count, language)
        nodes.append(PlanNode(task_type=TaskType.WRITE, title=numbered, goal=f"{numbered}: {event}".rstrip(": ")))
    return nodes


def _are_alike(one: str, other: str) -> bool:
    """True if two goals share most of their words."""
    left, right = set(terms(one)), set(terms(other))
    return len(left & right) >= _ALIKE * min(len(left), len(right)) if left and right else one == other
