"""Puts the present tense of a premise into the past, so that it can open a story."""

import re

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
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”')


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
    told: list[str] = []
    at = 0
    for quoted in _QUOTED.finditer(text):
        told += [_in_past(text[at : quoted.start()]), quoted.group()]
        at = quoted.end()
    return "".join([*told, _in_past(text[at:])])


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
