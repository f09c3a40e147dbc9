"""How four languages write times and the numbers in them, as patterns over folded text for `reading.py`."""

import re

from bookwright.models.story_time.times import Span
from bookwright.models.text.language import lazy_pattern

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
"""Words from 0 on."""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
"""From 20 on."""
_WORDS = {word: value for value, word in enumerate(ONES)} | {word: 10 * value for value, word in enumerate(TENS, 2)}
_WORDS |= {"a": 1, "an": 1, "hundred": 100, "thousand": 1000}
_WORDS |= {f"{word}th": value for word, value in _WORDS.items()} | {f"{w[:-1]}ieth": _WORDS[w] for w in TENS}
_WORDS |= {"first": 1, "second": 2, "third": 3, "fifth": 5, "eighth": 8, "ninth": 9, "twelfth": 12}
_HAN = {sign: value for value, sign in enumerate("〇一二三四五六七八九")}
_HAN |= {"零": 0, "两": 2, "兩": 2, "両": 2, "元": 1}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_SINO = str.maketrans("영공일이삼사오육칠팔구십백천", "零零一二三四五六七八九十百千")
_NATIVE = {
    "하나": 1, "한": 1, "첫": 1, "둘": 2, "두": 2, "셋": 3, "세": 3, "넷": 4, "네": 4, "다섯": 5, "여섯": 6, "일곱": 7,
    "여덟": 8, "아홉": 9, "열": 10, "스물": 20, "스무": 20, "서른": 30, "마흔": 40, "쉰": 50, "예순": 60,
    "일흔": 70, "여든": 80, "아흔": 90,
}  # fmt: skip
_NATIVE_WORD = "|".join(sorted(_NATIVE, key=len, reverse=True))

ENGLISH = rf"(?:\d+(?:st|nd|rd|th)?\b|(?:(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))}|and)\b[ -]?)+)"
ORDINAL = (
    rf"(?:\d+(?:st|nd|rd|th)|(?:(?:{'|'.join(TENS)})[ -])?"
    rf"(?:{'|'.join(word for word in _WORDS if word.endswith('th') or word in ('first', 'second', 'third'))}))"
)
HAN = r"(?:\d+|[〇零一二三四五六七八九十百千两兩両]+)"
HANGUL = rf"(?:\d+|(?:{_NATIVE_WORD})+|[영공일이삼사오육칠팔구십백천]+)"


def number_in(text: str) -> int | None:
    """Return the number that a text is, in figures or words of any of the languages; None for what is none."""
    text = text.strip().casefold()
    if digits := re.fullmatch(r"(\d{1,6})(?:st|nd|rd|th)?", text):
        return int(digits.group(1))
    if re.fullmatch(rf"(?:{_NATIVE_WORD})+", text):
        return sum(_NATIVE[word] for word in re.findall(_NATIVE_WORD, text))
    return _english(text) if text.isascii() else _han(text.translate(_SINO))


def _english(text: str) -> int | None:
    total = 0
    for word in (word for word in re.split(r"[\s-]+", text) if word and word != "and"):
        value = _WORDS.get(word)
        if value is None:
            return None
        total = max(total, 1) * value if value >= 100 else total + value
    return total or None


def _han(text: str) -> int | None:
    if not text or not all(sign in _HAN or sign in _UNITS for sign in text):
        return None
    if all(sign in _HAN for sign in text):
        return int("".join(str(_HAN[sign]) for sign in text))
    total = pending = 0
    for sign in text:
        total, pending = (total + (pending or 1) * _UNITS[sign], 0) if sign in _UNITS else (total, _HAN[sign])
    return total + pending


MONTHS = "january february march april may june july august september october november december".split()
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" for name in MONTHS)
_HAN_MONTH = r"(?P<month>\d{1,2}|[一二三四五六七八九十]{1,2})"
_HAN_DAY = r"(?P<day>\d{1,2}|[一二三四五六七八九十]{1,3})"
_NOT_AGO = r"(?! ?(?:前|后|後|之|以|间|間|来|來|目|代|대|ぶり|まえ|あと|のち|이?전|이?후|뒤|동안|만에|째|차|간))"
_CJK_DAY = rf"{_HAN_MONTH} ?[月월](?: ?{_HAN_DAY} ?[日号號일]{_NOT_AGO})?"

NUMBERED_DAY = lazy_pattern(
    rf"\bday (?P<en>{ENGLISH})|\b(?P<th>{ORDINAL}) day\b"
    rf"|第 ?(?P<zh>{HAN}) ?[天日]|(?P<ja>{HAN}) ?日目|(?P<ko>{HANGUL}) ?일 ?[째차]|(?P<nal>{HANGUL})(?:째|번째) ?날"
    rf"|제 ?(?P<je>{HANGUL}) ?일"
)
"""`"day 3"`, `"the third day"`, `"第三天"`, `"三日目"`, `"3일째"`, `"셋째 날"`."""

ERAS = {"明治": 1867, "大正": 1911, "昭和": 1925, "平成": 1988, "令和": 2018, "民国": 1911, "民國": 1911}
"""What is added to a year that is counted from the beginning of an era."""
CJK_DATE = lazy_pattern(rf"(?P<year>\d{{1,5}}|[〇零一二三四五六七八九十百千元]+) ?[年년]{_NOT_AGO}(?: ?{_CJK_DAY})?")
DATES = tuple(
    lazy_pattern(pattern)
    for pattern in (
        r"(?<![\d.])(?P<year>-?\d{1,4})[-/](?P<month>\d{1,2})(?:[-/](?P<day>\d{1,2}))?(?![\d.])",
        rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th)? (?:of )?(?P<month>{_MONTH})\b\.?,?(?: (?:of )?(?P<year>\d{{3,5}})\b)?",
        rf"\b(?P<month>{_MONTH})\b\.? (?P<day>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (?P<year>\d{{3,5}})\b)?",
        rf"\b(?P<month>{_MONTH})\b\.?,? (?:of )?(?P<year>\d{{3,5}})\b",
        rf"(?<![年년\d]){_HAN_MONTH} ?[月월] ?{_HAN_DAY} ?[日号號일]{_NOT_AGO}",
        r"\byear (?P<year>\d{1,5})\b",
        r"(?<![\d:.])(?P<year>\d{3,4})(?![\d:.])(?! ?[a-z가-힣])(?! ?[年天日])|\b(?P<bc>\d{1,4}) b\.?c",
    )
)
"""Other dates, the fullest first; a bare number of three or four figures is a year."""
BEFORE_CHRIST = lazy_pattern(r"\bb\.?c\.?(?:e\.?)?(?!\w)|公元前|紀元前|기원전")

_PARTS: dict[str, Span] = {
    "midnight|子夜|午夜|真夜中|자정": (0.99, 1.03),
    "small hours|凌晨|未明": (0.0, 0.17),
    "dawn|daybreak|sunrise|first light|清晨|黎明|拂晓|拂曉|破晓|明け方|夜明け|早朝|새벽|동틀": (0.17, 0.27),
    "afternoon|下午|午后|午後|오후": (0.54, 0.7),
    "noon|midday|中午|正午|昼|정오|한낮": (0.48, 0.54),
    "morning|breakfast|早上|早晨|上午|翌朝|朝|午前|아침|오전": (0.27, 0.48),
    "evening|dusk|sunset|nightfall|傍晚|黄昏|黃昏|晚上|当晚|當晚|夕方|夕暮れ|晩|저녁|해 ?질": (0.7, 0.85),
    "night|半夜|深夜|夜|밤": (0.85, 1.17),
}
PARTS = tuple((lazy_pattern(rf"(?<![a-z])(?:{words})"), span) for words, span in _PARTS.items())
"""Parts of the day, as shares of it; a night ends in the next day. The first that is found counts."""
HOUR = lazy_pattern(r"(?<![\d:])(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?![\d:])")

WEEKDAYS = tuple(
    lazy_pattern(words)
    for words in (
        "monday|星期一|周一|週一|礼拜一|月曜|월요일", "tuesday|星期二|周二|週二|礼拜二|火曜|화요일",
        "wednesday|星期三|周三|週三|礼拜三|水曜|수요일", "thursday|星期四|周四|週四|礼拜四|木曜|목요일",
        "friday|星期五|周五|週五|礼拜五|金曜|금요일", "saturday|星期六|周六|週六|礼拜六|土曜|토요일",
        "sunday|星期[日天]|周日|週日|礼拜[日天]|日曜|일요일",
    )
)  # fmt: skip
"""From Monday."""

UNITS: dict[str, Span] = {
    "minutes?|分钟|分鐘|分間|分|분": (1 / 1440, 0.0),
    "hours?|小时|小時|钟头|時間|시간": (1 / 24, 0.0),
    "weeks?|星期|礼拜|周|週間|週|주일|주": (7.0, 3.0),
    "months?|个月|個月|か月|ヶ月|カ月|ヵ月|개월|달": (30.44, 15.0),
    "decades?": (3652.4, 1826.0),
    "centur(?:y|ies)": (36524.0, 18262.0),
    "years?|年|년|해": (365.2425, 183.0),
    "days?|nights?|天|日|夜|晚|일|날|밤": (1.0, 0.0),
}
"""Stretches of time in days, and by how much one of them may be off."""
KOREAN_DAYS = {
    "하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "엿새": 6, "이레": 7, "여드레": 8, "아흐레": 9,
    "열흘": 10, "보름": 15,
}  # fmt: skip
_UNIT = "|".join(UNITS)
_EN_UNIT = "minutes?|hours?|days?|nights?|weeks?|months?|years?|decades?|century|centuries"
FEW = r"(?:a )?few|several|some|many|a couple of|[几幾数數多]十?|몇|수|여러"
HALF = r"half an?|半个?|半|반"

ANCHOR = lazy_pattern(
    rf"(?<![\d.])(?P<label>1(?:\.[1-9]\d{{0,5}})+)(?![\d.])|\bchapter (?P<en>{ENGLISH})|第 ?(?P<zh>{HAN}) ?[章回话話]"
    rf"|제? ?(?P<ko>{HANGUL}) ?[장화]"
)
"""A unit or a chapter that a time is counted from."""
BEGINNING = lazy_pattern(
    r"\bthe (?:story|book|tale)(?: begins| opens| starts)?\b|\bthe beginning\b"
    r"|故事开[始头]|故事開始|物語の始まり|이야기의? ?시작"
)

_ENDS = r"(?= ?(?:$|[,.;:()—–]))"
_CJK_WAY = "之前|以前|前|まえ|之后|之後|以后|以後|过后|過後|后|後|のち|あと"
_CJK_MANY = rf"(?P<many>半个?|[几幾数數多]十?|{HAN}) ?[多余餘]?(?P<unit>{_UNIT})"
AMOUNTS = tuple(
    lazy_pattern(pattern)
    for pattern in (
        rf"\b(?:(?P<many>{HALF}|{FEW}|{ENGLISH}) ?)?\b(?P<unit>{_EN_UNIT}) "
        rf"(?P<way>earlier|ago|previously|before|later|after(?:wards?)?|on){_ENDS}",
        rf"\b(?:(?P<many>{HALF}|{FEW}|{ENGLISH}) ?)?\b(?P<unit>{_EN_UNIT}) "
        r"(?P<way>before|prior to|earlier than|after|later than|since|from) ?@",
        rf"@ ?(?P<way>{_CJK_WAY})的?{_CJK_MANY}",
        rf"(?:比 ?@ ?)?(?P<way>早|晚){_CJK_MANY}",
        rf"{_CJK_MANY} ?(?P<way>{_CJK_WAY})",
        rf"(?P<many>몇|수|반|여러|{HANGUL})? ?(?P<unit>{_UNIT}|{'|'.join(KOREAN_DAYS)}) ?(?P<way>이?전|이?후|뒤)",
    )
)
"""So much time before or after; `@` stands for the unit that it is counted from."""
BACK = lazy_pattern(r"earlier|ago|previously|before|prior|前|まえ|전|早")

_OF = r"(?= ?(?:$|[,.;:()—–]|(?:as |of )?@))"
_TIMES = "day|morning|afternoon|evening|night"
NEARBY = tuple(
    (lazy_pattern(pattern), days)
    for pattern, days in (
        (rf"\b(?:the )?(?:next|following) (?:{_TIMES}){_OF}|\bthe (?:{_TIMES}) after{_OF}", 1),
        (r"次日|翌日|翌朝|翌晩|隔天|次の日|あくる日|다음 ?날|이튿날", 1),
        (rf"\b(?:the )?previous (?:{_TIMES}){_OF}|\bthe (?:{_TIMES}) before{_OF}", -1),
        (r"前一天|前一日|前一晚|前日|前の日|前夜|전날", -1),
        (
            rf"\b(?:the )?same (?:time|hour|moment|{_TIMES}){_OF}|\b(?:later )?that (?:{_TIMES}){_OF}|\bmeanwhile{_OF}",
            0,
        ),
        (r"同日|同一天|当天|當天|当晚|當晚|同时|同時|同じ[日頃夜]|その[日夜]|같은 ?[날때]|그날|동시에", 0),
    )
)
"""Times that are counted from another by their word alone, in days."""
LOOSE = (
    lazy_pattern(r"\b(?P<way>before|after|earlier than|later than|since) ?@"),
    lazy_pattern(rf"@ ?(?:[的のに]|보다)? ?(?P<way>{_CJK_WAY}|이?전|이?후|뒤)"),
    lazy_pattern(r"^(?:(?:some time|much|long|shortly|soon) )?(?P<way>earlier|later|before|after(?:wards)?)$"),
)
"""Before or after, and nobody says by how much."""
SAME = lazy_pattern(
    r"(?:(?:during|in|at|while|from|since|with|parallel to|(?:at )?the (?:same )?time (?:of|as)|the same as) )?@"
    r" ?(?:の頃|のころ|时|時|그때|때|から|부터|起)?"
)
"""At the time of something, or from there on."""
BARE = lazy_pattern(
    r"(?:.*(?:[ ,，、。.;；:：(（]|@ ?(?:[的のに의]|보다)?|比 ?@|约|大约|大約|約|およそ|大概|差不多|그로부터|약))?",
    re.DOTALL,
)
"""What may stand before a stretch of time in Chinese, Japanese or Korean; anything else is what it is counted from."""
