"""The rehearsal author's English."""

from bookwright.agents.backends.rehearsal.lexicons.lexicon import FactForms, Lexicon, words
from bookwright.models.text.language import Language

_SLOTS = {
    "when": words("""By noon | Before the bells | After the rain | That evening | Toward dawn | On the third day
        | Once the tide had turned | While the kettle boiled | At the turn of the hour | Long after supper
        | When the lamps went out | In the first cold week | Between two trains | Under a thin moon
        | As the shutters closed | Halfway through the count | On market day | Late in the quarter
        | With the door still open | Before anyone could object | At closing time | In the quiet afterwards"""),
    "other": words("""the clerk | the ferryman | her brother | the old judge | a neighbour | the baker's son
        | the surveyor | his aunt | the night porter | the widow | the glazier | nobody from the harbour
        | the tallest of the children | the harbour master | a man in grey | the apothecary"""),
    "did": words("""carried | counted | hid | mended | sold | weighed | buried | borrowed | repainted | refused
        | traded | unwrapped | kept | followed | measured | dropped | polished | burned | stole | returned | opened
        | broke | labelled | pawned | guarded | cleaned | sketched | inherited | misplaced | lifted | traced
        | numbered | sealed | emptied | turned over | paid for | looked past | asked about | reached for
        | gave away"""),
    "do": words("""carry | count | hide | mend | sell | weigh | bury | borrow | refuse | trade | keep | follow
        | measure | drop | burn | steal | return | open | break | pawn | guard | clean | sketch | lift | trace
        | number | seal"""),
    "was": words("""smelled of rain | had begun to lean | cost a week's wages | would not close | was older than most
        | stood untouched | had been moved | gave no echo | belonged elsewhere | was still warm | had lost its number
        | showed fresh scratches | weighed less | bore a name | felt colder | hung loose | kept its own time
        | was counted twice | shook | was missing | had split | rang once | wore a crust of salt | faced north
        | had no owner | looked new | turned by itself | would not burn | came apart | stayed shut | had grown
        | leaked | was gone by morning | held | seemed smaller | cast two shadows | had been cleaned"""),
    "how": words("""rusted | narrow | borrowed | blue | unlit | crooked | heavy | varnished | nameless | cracked | wet
        | hollow | folded | bitter | sealed | pale | second | wooden | iron | salt-white | crowded | patched | unpaid
        | painted | silent | broken | small | locked | yellow | foreign | careful | bent | fireproof | empty | late
        | woollen | brass | tilted | common | lost | smoked | deep | familiar | slow | copper"""),
    "it": words("""ledger | lantern | stair | bell | letter | boat | key | coat | clock | bridge | drawer | map
        | window | shawl | scale | rope | ticket | well | mirror | wheel | knife | bottle | chair | gate | portrait
        | coin | ladder | stove | pane | oar | cup | barrel | thread | chimney | basket | seal | receipt | saddle
        | shutter | trunk | bench | net | candle | prism | hinge | blanket | compass | flask | handle | register
        | shovel | step | tray | valve | whistle | yoke | anchor | brooch | cradle | dial | engine | flag | glove
        | harness"""),
    "at": words("""under | behind | beside | above | across from | near | inside | past | below | against | outside
        | along | over"""),
    "ing": words("""setting down | wiping | not looking at | turning | leaning on | pushing aside | tapping
        | holding up | shutting | reaching past | weighing | unfolding | pocketing | stepping around"""),
    "why": words("for | because | although | while | until | before | so that | unless | as if"),
    "said": words("said | answered | whispered | repeated | told the room | said at last | wrote on the slate"),
}

LEXICON = Lexicon(
    language=Language.EN,
    marker="This is a rehearsal; no model wrote it.",
    slots=_SLOTS,
    told=(
        "{when}, {who} {did} the {how} {it} {at} the {it}.",
        "{who} {did} the {it} and {did} one {how} {it}.",
        "the {how} {it} {at} the {it} {was}.",
        "{who} {did} that {it}, {why} the {how} {it} {was}.",
        "{when} the {it} {was}, and {other} {did} the {how} {it}.",
        "nobody {did} the {how} {it} {where}.",
        "{other} {did} the {it} {where}, {ing} the {how} {it}.",
        "{where}, the {it} {was}.",
        "it was {who} who {did} the {it} {at} the {how} {it}.",
        "{who} could {do} the {it}, but the {how} {it} {was}.",
        "{ing} the {it}, {who} {did} what was left of the {how} {it}.",
        "there was a {it} {at} the {it}; the {it} {was}.",
        "{when} {other} {did} the {how} {it} again.",
        "{who} did not {do} the {it}, {why} {other} {did} the {it}.",
        "two nights running the {how} {it} {was}.",
        "{other} {did} it for the {it} {at} the {how} {it}.",
    ),
    spoken=(
        "“Who {did} the {how} {it}?” {who} asked, {ing} the {it}.",
        "“The {it} {was},” {who} {said}.",
        "“You {did} my {it},” {who} {said}, {ing} the {how} {it}.",
        "“We {do} the {it} {at} the {it}, or we {do} nothing.” {who} {did} the {it}.",
        "“Not the {how} {it}.” {other} {did} the {it} instead.",
        "“Then {do} it,” {who} {said}, “{why} the {it} {was}.”",
        "“Ask {other},” {who} {said}. “I never {did} a {how} {it}.”",
        "“Is it {how}?” “It {was}.” {who} {did} the {it}.",
    ),
    noted=(
        "{who} wants the {how} {it} and pays with the {it}.",
        "the {it} {was}, which {who} learns {where}.",
        "what {other} {did} costs {who} the {how} {it}.",
        "{who} must {do} the {it} before {other} can {do} the {how} {it}.",
        "readers learn of the {how} {it} when the {it} {was}.",
        "the rule of the {it}: whoever {did} it keeps the {how} {it}.",
        "{where} the {it} and the {how} {it} change hands.",
        "between {who} and {other} stands the {how} {it}.",
        "the turn comes when {who} {did} the {it} {at} the {it}.",
        "{other} knows that the {how} {it} {was}; {who} does not.",
    ),
    asked=(
        "What does {who} know of the {how} {it}?",
        "Why did {who} {do} the {it} {where}?",
        "Who {did} the {how} {it} before {who} came?",
        "What has {who} lost with the {it}?",
    ),
    aims=(
        "Settle why {who} {did} the {how} {it} {where}.",
        "Decide what the {how} {it} costs {who}.",
        "Show how {who} and {other} come to {do} the {how} {it}.",
        "Bring {who} from the {it} to the {how} {it} at the price of the {it}.",
        "Make the {how} {it} matter to {who} {where}.",
    ),
    titles=("The {how} {it}", "{it} and {it}", "A {it} {where}", "What the {it} cost", "Two {how} nights"),
    headings=("Direction", "People", "What holds", "Price", "Turn", "What readers know", "Still open", "Order"),
    people=words("""Mara Quill | Teodor Hask | Ines Varga | Oluf Brand | Sabine Roake | Pell Anders | Juno Strake
        | Edda Lorne | Kasimir Dow | Wen Halloran | Tomas Iver | Rhea Montclair | Bram Osei | Lotte Finch"""),
    places=words("""beneath the salt stair | in the tide house | behind the copper mill | at the ferry office
        | under the north arch | in the archive cellar | on the glass pier | by the drowned orchard
        | above the chandlery | at the toll gate | in the bell loft | beside the dry dock"""),
    things=words("""copper bells | silver buttons | black keys | glass seeds | iron tokens | wax seals | bone dice
        | blue stamps | brass rings | clay whistles | pearl pins | lead weights"""),
    counts=words("""three | four | five | six | seven | eight | nine | eleven | twelve | thirteen | fourteen
        | nineteen"""),
    fact=FactForms(
        told="Fact {n}: {who} hid {count} {thing} {place}.",
        answer="{count} {thing}",
        asked="What did {who} hide {place} (fact {n})?",
        plants="Plants fact {n}",
        needs="Rests on an earlier page: ",
        recalled="{who} had not forgotten fact {n}.",
    ),
    length_text="about {n} words",
)
