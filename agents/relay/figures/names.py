"""Names beside the codex: spellings that nearly are a known name, and names that nobody has put on record.

A name is told by where it stands in four languages: capitals, titles, honorifics, particles, and what only people do.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bookwright.agents.relay.figures.text import excerpt
from bookwright.models.text.figures import NameDoubt
from bookwright.models.text.language import Language, lazy_pattern


@dataclass(frozen=True)
class NameForm:
    """A spelling where a name may stand."""

    name: str
    start: int
    end: int
    is_named: bool


_OFTEN = 3
"""From here on a name that nobody knows is worth a line."""
_DOUBTS = 20
_OLD_FORMS = str.maketrans(
    "齋齊斉澤邊邉髙﨑嶋濱櫻廣龍國惠眞瀨黑條壽榮會", "斎斎斎沢辺辺高崎島浜桜広竜国恵真瀬黒条寿栄会"
)
_LONG = 8
"""A spelt name this long may differ by two letters and still be a slip."""

_CAPITAL = lazy_pattern(r"(?<![\w'’])([A-Z][a-zà-öø-ÿ]+(?:[-'’][A-Z]?[a-zà-öø-ÿ]+)*)")
_SENTENCE_START = lazy_pattern(r"(?:^|[.!?…:\n“”\"‘«»—–(\[*]|[.!?]['’])\s*$")
_TITLE = lazy_pattern(r"(?:Mr|Mrs|Ms|Miss|Dr|Lady|Lord|Sir|Captain|Aunt|Uncle|Father|Sister|Brother|Professor)\.?\s+$")
_POSSESSIVE = lazy_pattern(r"['’]s?$")
_NO_NAMES = frozenset(
    "Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June July August "
    "September October November December English French German Spanish Italian Latin Greek Chinese Japanese Korean "
    "American British European God Lord Lady Sir Mr Mrs Ms Miss Dr Captain Aunt Uncle Father Mother Sister Brother "
    "Professor King Queen Prince Princess Christmas Easter Bible Heaven Hell Mum Mom Dad Grandma Grandpa Chapter "
    "Part Oh Ah Yes No Well The And But".split()
)

_SURNAMES = (
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章云苏潘葛奚范彭郎鲁韦昌马苗凤方"
    "俞任袁柳酆鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安傅皮卞齐康伍余元卜顾孟黄穆萧尹姚邵湛汪祁毛禹狄米贝臧"
    "戴谈宋茅庞熊纪舒屈祝董梁杜阮蓝闵席季麻强贾路娄危江童颜郭梅盛林刁钟徐邱骆高夏蔡田樊胡凌霍虞柯昝管卢莫"
    "白叶楚龙裴陆池乔温聂晏程"
)
_ZH_DOES = (
    "(?:说道|说|道|问|笑|答|喊|叫|想|听|看|望|点头|摇头|抬头|转身|站|走|坐|叹|沉默|皱|愣|怔"
    "|忽然|却|没有|也|将|把|的声音)"
)
_ZH_TITLE = "(?:先生|小姐|女士|太太|师兄|师姐|师弟|师妹|公子|姑娘|大人|将军|老师|医生|队长|大哥|前辈|掌柜)"
_ZH_PLACE = lazy_pattern(rf"(?<=[\n。！？，、；：“”「」…\s])([\u4e00-\u9fff]{{2,3}}?)(?:{_ZH_DOES}|{_ZH_TITLE})")

_JA_HONORIFIC = "(?:さん|くん|君|ちゃん|様|さま|先生|殿|氏|先輩|博士|隊長)"
_JA_TITLED = lazy_pattern(rf"([\u4e00-\u9fff々]{{1,4}}|[ァ-ヶー]{{2,10}}|[ぁ-ん]{{2,4}}){_JA_HONORIFIC}")
_JA_KATAKANA = lazy_pattern(r"(?<![ァ-ヶー])([ァ-ヶー]{3,12})(?![ァ-ヶー])")
_JA_KANJI = lazy_pattern(r"(?<![\u4e00-\u9fff々])([\u4e00-\u9fff々]{2,5})(?=[はがのをにともへ、])")
_JA_NO_NAMES = frozenset(
    "皆 父 母 兄 姉 弟 妹 奥 旦那 客 神 王 王女 姫 医者 叔父 叔母 お父 お母 子 貴 諸 何 爺 婆 和 主".split()
)

_KO_TITLED = lazy_pattern(
    r"(?<![가-힣])([가-힣]{2,4}?)\s?(?:씨|님|선생님|선생|군|양|교수|박사|형사|대장|선배|아저씨|아주머니)"
    r"(?=[은는이가을를의에와과도만께였라,.!?\s\"”’]|$)"
)
_KO_WORD = lazy_pattern(
    r"(?<![가-힣])([가-힣]{2,4}?)(?:이가|이는|이를|이의|에게|은|는|이|가|을|를|의|와|과|도|만|아|야|한테)(?![가-힣])"
)
_KO_NO_NAMES = frozenset(
    "선생 손 부모 형 누 아버 어머 할머 할아버 사장 손님 주인 고객 하나 부인 도련 아 이 그 저".split()
)


def name_doubts(text: str, known: Iterable[str], language: Language) -> tuple[NameDoubt, ...]:
    """Return the names of a text that are not among the known ones: near misses first, then unknown ones.

    `known` holds names and aliases; a part of a name, and a name in another romanisation that is spelt alike
    but for marks and hyphens, are known too. An unknown name is told from its third mention on.
    """
    names = {_plain_form(part): name for name in known for part in _parts_of(name, language) if part}
    finders = {Language.EN: _in_english, Language.JA: _in_japanese, Language.KO: _in_korean}
    seen: dict[str, list[NameForm]] = {}
    for found in _in_chinese(text, names) if language is Language.ZH else finders[language](text):
        if _plain_form(found.name) not in names:
            seen.setdefault(found.name, []).append(found)
    doubts = [doubt for forms in seen.values() if (doubt := _doubt(forms, names, text, language))]
    return tuple(sorted(doubts, key=lambda doubt: (not doubt.like, -doubt.count, doubt.name))[:_DOUBTS])


def _doubt(forms: Sequence[NameForm], names: dict[str, str], text: str, language: Language) -> NameDoubt | None:
    """What is doubtful about a spelling that stands at some places."""
    name = forms[0].name
    like = next((whole for part, whole in names.items() if _is_near(_plain_form(name), part, language)), "")
    if not like and not (len(forms) >= _OFTEN and any(form.is_named for form in forms)):
        return None
    return NameDoubt(name=name, count=len(forms), like=like, quote=excerpt(text, forms[0].start, forms[0].end))


def _parts_of(name: str, language: Language) -> list[str]:
    """Return a name and what people are called by of it: "Elara Voss" is Elara and Voss, 林默然 is 默然."""
    parts = [name, *(part for part in re.split(r"[\s·・＝=,，]+", name) if len(part) > 1)]
    if len(name) == 3 and (language is Language.KO or (language is Language.ZH and name[0] in _SURNAMES)):
        parts.append(name[1:])
    if language is Language.JA and len(name) == 4 and not name[0].isascii() and " " not in name:
        parts += [name[:2], name[2:]]
    return list(dict.fromkeys(parts))


def _plain_form(name: str) -> str:
    """Return a spelling without case, accents, hyphens and long-vowel marks: Shōtarō and Shotaro are one name."""
    if not any(letter.isascii() or "LATIN" in unicodedata.name(letter, "") for letter in name):
        return re.sub(r"[\s·・]", "", name)
    bare = "".join(letter for letter in unicodedata.normalize("NFD", name) if not unicodedata.combining(letter))
    return re.sub(r"[\s\-'’.]", "", bare).casefold()


def _in_english(text: str) -> Iterator[NameForm]:
    """Yield capitalised words; those that begin a sentence count only as near misses of known names."""
    in_small_letters = frozenset(re.findall(r"(?<![\w'’])[a-zà-öø-ÿ]+", text))
    for match in _CAPITAL.finditer(text):
        word = _POSSESSIVE.sub("", match.group(1))
        if word in _NO_NAMES or len(word) < 3:
            continue
        before = text[max(0, match.start() - 24) : match.start()]
        is_named = bool(_TITLE.search(before)) or not _SENTENCE_START.search(before)
        if is_named or word.lower() not in in_small_letters:
            yield NameForm(word, match.start(1), match.start(1) + len(word), is_named)


def _in_chinese(text: str, known: Iterable[str]) -> Iterator[NameForm]:
    """Yield what stands where a name does, and any wording that has all but one character of a longer known name."""
    for match in _ZH_PLACE.finditer(f"\n{text}"):
        if match.group(1)[0] in _SURNAMES:
            yield NameForm(match.group(1), match.start(1) - 1, match.end(1) - 1, is_named=True)
    for name in known:
        if len(name) >= 3:
            yield from _near_in_han(text, name)


def _near_in_han(text: str, name: str) -> Iterator[NameForm]:
    for gap in range(len(name)):
        pattern = f"{re.escape(name[:gap])}[\u4e00-\u9fff]{re.escape(name[gap + 1 :])}"
        for match in re.finditer(pattern, text):
            if match.group() != name:
                yield NameForm(match.group(), match.start(), match.end(), is_named=False)


def _in_japanese(text: str) -> Iterator[NameForm]:
    for match in _JA_TITLED.finditer(text):
        if match.group(1) not in _JA_NO_NAMES:
            yield NameForm(match.group(1), match.start(1), match.end(1), is_named=True)
    for pattern in (_JA_KATAKANA, _JA_KANJI):
        for match in pattern.finditer(text):
            if not re.match(_JA_HONORIFIC, text[match.end() :][:3]):
                yield NameForm(match.group(1), match.start(1), match.end(1), is_named=False)


def _in_korean(text: str) -> Iterator[NameForm]:
    for match in _KO_TITLED.finditer(text):
        if match.group(1) not in _KO_NO_NAMES:
            yield NameForm(match.group(1), match.start(1), match.end(1), is_named=True)
    for match in _KO_WORD.finditer(text):
        yield NameForm(match.group(1), match.start(1), match.end(1), is_named=False)


def _is_near(name: str, known: str, language: Language) -> bool:
    """Tell whether a spelling is a slip for a known name."""
    if language is Language.EN or known.isascii():
        return len(known) >= 4 and differs_by(name, known) <= (2 if min(len(name), len(known)) >= _LONG else 1)
    if language is Language.KO:
        return _is_near_in_hangul(name, known)
    if _is_kana(known):
        return len(known) >= 3 and _is_kana(name) and differs_by(name, known) == 1
    if language is Language.JA and len(known) < 3:  # 佐藤 and 斎藤 are two families, 斎藤 and 斉藤 may be one
        return name.translate(_OLD_FORMS) == known.translate(_OLD_FORMS)
    return len(name) == len(known) >= 2 and sum(a != b for a, b in zip(name, known, strict=True)) == 1


def _is_near_in_hangul(name: str, known: str) -> bool:
    """Tell two names apart by one sound, or names of three syllables by one of them."""
    if len(name) != len(known):
        return False
    if len(known) >= 3:
        return sum(a != b for a, b in zip(name, known, strict=True)) == 1
    return differs_by(unicodedata.normalize("NFD", name), unicodedata.normalize("NFD", known)) == 1


def _is_kana(name: str) -> bool:
    return all("\u3040" <= letter <= "\u30ff" for letter in name)


def differs_by(one: str, other: str) -> int:
    """Count the letters to change, add, drop or swap with a neighbour to come from one word to the other, 3 at most.

    Source: optimal string alignment (Damerau 1964).
    """
    from rapidfuzz.distance import OSA

    return OSA.distance(one, other, score_cutoff=2)
