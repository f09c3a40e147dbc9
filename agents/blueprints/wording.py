"""What code says in a book's own language: faults, reports and the headings of pages.

Chinese stands here in traditional characters; `zh-hans` is made of it by code.
"""

from bookwright.agents.relay.figures.script import simplified
from bookwright.models.text.language import SIMPLIFIED, Language

EN, ZH, JA, KO = Language.EN, Language.ZH, Language.JA, Language.KO

_SAID: dict[str, dict[Language, str]] = {
    "clue_unseen": {
        EN: "Chapter {chapter} rests on the clue “{title}”, and no page before it shows that clue.",
        ZH: "第{chapter}章要用到線索「{title}」，前面卻沒有一頁讓讀者看到它。",
        JA: "第{chapter}章は手がかり「{title}」に頼るのに、それより前のどこにも示されていない。",
        KO: "{chapter}장이 단서 ‘{title}’에 기대는데, 그 앞 어디에도 그 단서가 나오지 않는다.",
    },
    "show": {
        EN: "Show in passing, with its innocent use: {seed} (words for it: {words}).",
        ZH: "順手寫到它，讓它有個平常的用處：{seed}（可用的說法：{words}）。",
        JA: "何気ない用途とともに、さりげなく見せる：{seed}（使える言い方：{words}）。",
        KO: "예사로운 쓰임과 함께 지나가듯 보여 준다: {seed} (쓸 수 있는 말: {words}).",
    },
    "trail_open": {
        EN: "The false trail “{title}” is laid and never answered.",
        ZH: "誤導「{title}」埋下之後一直沒有交代。",
        JA: "ミスリード「{title}」が仕掛けられたまま、種明かしがない。",
        KO: "거짓 단서 ‘{title}’이 놓인 채 끝내 풀리지 않는다.",
    },
    "answer": {
        EN: "Let somebody's act or words answer “{title}”: {meaning}.",
        ZH: "讓某個人的舉動或一句話交代「{title}」：{meaning}。",
        JA: "誰かの行いか言葉で「{title}」に答える：{meaning}。",
        KO: "누군가의 행동이나 말로 ‘{title}’에 답한다: {meaning}.",
    },
    "crowded": {
        EN: "Chapter {chapter} shows {count} critical clues for the first time; readers take in {most}.",
        ZH: "第{chapter}章頭一次擺出{count}條關鍵線索，讀者一章記得住{most}條。",
        JA: "第{chapter}章で初めて示される決定的な手がかりが{count}つある。一章に{most}つまで。",
        KO: "{chapter}장에 결정적 단서가 {count}개나 처음 나온다. 한 장에 {most}개까지다.",
    },
    "thin_out": {
        EN: "Take out of this chapter what shows: {titles}; another chapter shows it.",
        ZH: "這一章裡拿掉露出這些的地方：{titles}；由別的章來寫。",
        JA: "この章からは、次のものを見せる箇所を除く：{titles}。別の章で示す。",
        KO: "이 장에서는 다음을 보여 주는 대목을 뺀다: {titles}. 다른 장에서 보여 준다.",
    },
    "hook_open": {
        EN: "“{title}” was last fed in chapter {chapter}, and {within} chapters later nobody has come back to it.",
        ZH: "「{title}」最後一次在第{chapter}章提到，過了{within}章還沒有人接。",
        JA: "「{title}」は第{chapter}章を最後に、{within}章過ぎても触れられていない。",
        KO: "‘{title}’은 {chapter}장을 끝으로 {within}장이 지나도록 다시 나오지 않는다.",
    },
    "length": {
        EN: "It has {length:,} {unit}; it was to have {low:,} to {high:,}.",
        ZH: "現有{length:,}字，應爲{low:,}至{high:,}字。",
        JA: "{length:,}字ある。{low:,}字から{high:,}字のはずだった。",
        KO: "{length:,}자다. {low:,}자에서 {high:,}자 사이여야 했다.",
    },
    "references": {
        EN: "Its list of references has {count} entries; it is to have {least} to {most}.",
        ZH: "參考資料列了{count}條，應爲{least}至{most}條。",
        JA: "参考資料が{count}件ある。{least}件から{most}件のはずだった。",
        KO: "참고 자료가 {count}건이다. {least}건에서 {most}건 사이여야 한다.",
    },
    "references_order": {
        EN: "Keep in the list what the page really rests on, {least} to {most} entries as they were found.",
        ZH: "只列這一頁真正依據的資料，{least}至{most}條，照查到的寫。",
        JA: "ページが本当に拠っている資料だけを、見つけたままに{least}件から{most}件挙げる。",
        KO: "이 쪽이 실제로 기댄 자료만, 찾은 그대로 {least}건에서 {most}건 적는다.",
    },
    "no_references": {
        EN: "It rests on what was looked up and lists no references.",
        ZH: "用了查來的資料，卻沒有列參考資料。", JA: "調べたことに拠りながら、参考資料を挙げていない。",
        KO: "찾아본 것에 기대면서 참고 자료를 적지 않았다.",
    },
    "no_references_order": {
        EN: "End with a level-2 heading “References” and {least} to {most} entries as they were found, none invented.",
        ZH: "末尾加二級標題「參考資料」，照查到的列{least}至{most}條，不可編造。",
        JA: "末尾に見出し2の「参考資料」を置き、見つけたままに{least}件から{most}件を挙げる。作らない。",
        KO: "끝에 2단계 제목 ‘참고 자료’를 두고, 찾은 그대로 {least}건에서 {most}건 적는다. 지어내지 않는다.",
    },
    "few_links": {
        EN: "It names {count} other pages; it is to lean on {least}.", ZH: "只提到{count}頁別的條目，應有{least}頁。",
        JA: "他のページを{count}つしか挙げていない。{least}つは拠るはずだった。",
        KO: "다른 쪽을 {count}개만 든다. {least}개에는 기대야 한다.",
    },
    "few_links_order": {
        EN: "Where it leans on another page, name that page in double brackets.",
        ZH: "依據別的條目之處，用雙方括號寫出條目名。", JA: "他のページに拠る箇所で、その題を二重角括弧で挙げる。",
        KO: "다른 쪽에 기대는 대목에서 그 쪽의 제목을 겹대괄호로 적는다.",
    },
    "stray_link": {
        EN: "It names the page “{title}”, which is not there.", ZH: "提到條目「{title}」，並沒有這一頁。",
        JA: "「{title}」というページを挙げているが、存在しない。", KO: "‘{title}’이라는 쪽을 들지만 그런 쪽은 없다.",
    },
    "stray_link_order": {
        EN: "Name a page that is there in place of “{title}”, or take the brackets off.",
        ZH: "把「{title}」換成有的條目，或去掉方括號。", JA: "「{title}」を実在するページに替えるか、括弧を外す。",
        KO: "‘{title}’ 대신 있는 쪽을 들거나 괄호를 뺀다.",
    },
    "same_name": {
        EN: "“{title}” has a page already: {other}.", ZH: "「{title}」已經有一頁：{other}。",
        JA: "「{title}」のページはすでにある：{other}。", KO: "‘{title}’의 쪽이 이미 있다: {other}.",
    },
    "same_name_order": {
        EN: "Write this page about what sets its own subject apart, under a name of its own.",
        ZH: "這一頁寫它自己獨有的，另起一個名字。", JA: "このページは独自の題材を、独自の名で書く。",
        KO: "이 쪽은 제 몫의 것만, 제 이름으로 쓴다.",
    },
    "stranger": {
        EN: "“{title}” is named in the register, and no page tells who that is.",
        ZH: "登記表裡提到「{title}」，卻沒有一頁寫明是誰。",
        JA: "「{title}」が台帳に挙がっているが、どのページにも書かれていない。",
        KO: "등록부에 ‘{title}’이 나오는데, 누구인지 적은 쪽이 없다.",
    },
    "nothing_laid": {
        EN: "nothing of the kind was laid down, or nothing is written", ZH: "沒有登記這一類，或還沒有正文",
        JA: "その種のものが定められていないか、本文がない", KO: "그런 것이 정해지지 않았거나 본문이 없음",
    },
    "unseen": {
        EN: "code alone cannot tell of: {titles}", ZH: "只憑程序看不出的：{titles}",
        JA: "プログラムだけでは分からないもの：{titles}", KO: "프로그램만으로는 알 수 없는 것: {titles}",
    },
}  # fmt: skip

HEADINGS: dict[str, dict[Language, tuple[str, ...]]] = {
    "references": {
        EN: ("References", "Reference list", "Sources"),
        ZH: ("参考资料", "參考資料", "参考文献", "參考文獻", "References"),
        JA: ("参考資料", "参考文献", "References"),
        KO: ("참고 자료", "참고자료", "참고 문헌", "참고문헌", "References"),
    },
    "title": {
        EN: ("Title", "The title", "Working title"),
        ZH: ("书名", "書名", "标题", "標題", "题名", "題名", "Title"),
        JA: ("題名", "タイトル", "表題", "書名", "Title"),
        KO: ("제목", "책 제목", "표제", "Title"),
    },
    "description": {
        EN: ("Description", "The description"),
        ZH: ("简介", "簡介", "内容简介", "內容簡介", "描述", "Description"),
        JA: ("紹介", "紹介文", "概要", "説明", "Description"),
        KO: ("소개", "소개글", "설명", "개요", "Description"),
    },
}  # fmt: skip
"""Headings by which a part of a page is known, whatever the book's language."""

_WORDS: dict[str, tuple[str, str, str, str]] = {
    "spoiler": (
        "**Spoiler: this page tells the end.**", "**劇透：這一頁會說破結局。**",
        "**ネタバレ：このページは結末を明かしています。**", "**스포일러: 이 쪽은 결말을 밝힙니다.**",
    ),
    "secrets": ("What is kept from readers", "不讓讀者知道的", "読者に伏せること", "독자에게 감추는 것"),
    "clues": ("Clues", "線索", "手がかり", "단서"),
    "red_herrings": ("Red herrings", "誤導", "ミスリード", "거짓 단서"),
    "hooks": ("Hooks", "鉤子", "引き", "떡밥"),
    "chapter": ("chapter {n}", "第{n}章", "第{n}章", "{n}장"),
    "revealed": ("revealed", "揭開", "明かす", "밝힘"),
    "planted": ("planned", "預定", "予定", "계획"),
    "shown": ("shown", "露面", "示す", "보임"),
    "answered": ("answered", "交代", "答え", "풀림"),
    "never": (
        "not on any page that was seen", "還沒在哪一頁見到", "まだどのページにも見当たらない",
        "아직 어느 쪽에서도 보지 못함",
    ),
    "critical": ("critical", "關鍵", "決定的", "결정적"),
    "meaning": ("What it means", "說明什麼", "意味", "뜻하는 바"),
    "thread": ("Thread", "條目", "項目", "항목"),
    "contents": ("What is in it", "裡面有什麼", "中にあるもの", "들어 있는 것"),
    "spoilers_at": ("These tell the end", "以下會說破結局", "結末を明かすもの", "결말을 밝히는 것"),
    "people": ("Who is in it", "有誰", "登場する人", "나오는 사람"),
    "open": ("Still open", "還沒了結", "残っていること", "아직 남은 것"),
    "paid": ("Paid", "已經了結", "応えたこと", "갚은 것"),
    "length": ("{n} words", "{n}字", "{n}字", "{n}자"),
    "checks": ("What code has checked", "程序核對過的", "プログラムが確かめたこと", "프로그램이 확인한 것"),
    "faults": ("What was found", "查出來的", "見つかったこと", "찾아낸 것"),
    "nothing_found": ("Nothing was found.", "沒有查出什麼。", "何も見つからなかった。", "찾아낸 것이 없다."),
    "only_unseen": (
        "No fault was found. What is not checked above is left for you to read.",
        "沒有查出毛病。上面沒有核對的，留給你自己看。",
        "誤りは見つからなかった。上で確かめていないことは、人が読んで確かめる。",
        "잘못은 찾지 못했다. 위에서 확인하지 않은 것은 사람이 읽어 확인한다.",
    ),
    "not_read": (
        "No model has read it; only code has looked.", "沒有讓模型通讀，只由程序看過。",
        "モデルは読んでおらず、プログラムだけが見た。", "모델은 읽지 않았고 프로그램만 보았다.",
    ),
    "passed": ("passed", "通過", "合格", "통과"),
    "failed": ("failed", "沒有通過", "不合格", "불합격"),
    "nothing": ("nothing to check", "沒有可核對的", "確かめるものがない", "확인할 것 없음"),
    "not_checked": ("not checked", "沒有核對", "確かめていない", "확인하지 않음"),
    "open_points": ("passed with open points", "通過，尚有未了之處", "残る点はあるが合格", "남은 점이 있으나 통과"),
    "verdict": ("Verdict", "結論", "判定", "판정"),
    "to_mend": ("given to be mended", "已交去修改", "直しに回した", "고치도록 넘김"),
    "unmended": ("left as it is", "沒有改", "そのまま残した", "그대로 둠"),
    "unnamed": ("the whole", "全書", "全体", "전체"),
    "polished": (
        "Gone through for their wording: {read}. Changed: {changed}.", "逐篇潤色：看過 {read} 篇，改了 {changed} 篇。",
        "文章を見直したもの：{read}。直したもの：{changed}。", "문장을 다시 본 글: {read}. 고친 글: {changed}.",
    ),
    "not_polished": (
        "Nobody was asked to polish the text: the book's profile is too small for that.",
        "沒有請誰潤色：這本書的檔次撥不出這筆。", "この本の段階では文章の見直しを頼んでいない。",
        "이 책의 단계에서는 문장 다듬기를 맡기지 않았다.",
    ),
    "world": ("The world it is set in", "所在的世界", "舞台となる世界", "무대가 되는 세계"),
    "world_goal": (
        "Say what holds in the world that this book is set in; its pages stand below.",
        "寫明這本書所在的世界裡什麼是定下的；各頁列在下面。",
        "この本の舞台となる世界で決まっていることを示す。そのページは下に並ぶ。",
        "이 책의 무대가 되는 세계에서 정해진 것을 밝힌다. 그 쪽들이 아래에 있다.",
    ),
    "pair": ("{what}: {told}", "{what}：{told}", "{what}：{told}", "{what}: {told}"),
    "aside": (" ({n})", "（{n}）", "（{n}）", " ({n})"),
    "quoted": ("“{n}”", "「{n}」", "「{n}」", "‘{n}’"),
    "severity_critical": ("critical", "嚴重", "重大", "심각"),
    "severity_warning": ("warning", "注意", "注意", "주의"),
    "severity_info": ("info", "輕微", "軽微", "가벼움"),
}  # fmt: skip

_CHECKS: dict[str, tuple[str, str, str, str]] = {
    "clues_before_reveal": (
        "Every clue is shown before what rests on it", "每條線索都先露面後使用",
        "どの手がかりも使われる前に示される", "모든 단서가 쓰이기 전에 나온다",
    ),
    "red_herrings_answered": (
        "Every red herring is answered", "每處誤導都有交代", "どのミスリードにも種明かしがある",
        "모든 거짓 단서가 풀린다",
    ),
    "clues_per_chapter": (
        "No chapter is crowded with critical clues", "沒有哪章擠滿關鍵線索",
        "決定的な手がかりが一章に集まりすぎない", "결정적 단서가 한 장에 몰리지 않는다",
    ),
    "hooks_paid": (
        "Every hook is paid in time", "每個鉤子都按時收回", "どの引きも間を置かずに応える", "모든 떡밥을 제때 거둔다",
    ),
    "chapter_lengths": ("Lengths of chapters", "各章篇幅", "各章の長さ", "장마다의 분량"),
    "entry_lengths": ("Lengths of entries", "條目篇幅", "項目の長さ", "항목의 분량"),
    "references": ("Lists of references", "參考資料", "参考資料", "참고 자료"),
    "cross_references": ("Pages that refer to each other", "條目互相引用", "ページ同士の参照", "쪽끼리의 참조"),
    "names_known": ("Names that are explained", "名字都有交代", "名前の説明", "이름의 설명"),
}  # fmt: skip

_PLACE = {EN: 0, ZH: 1, JA: 2, KO: 3}
_QUOTES = str.maketrans("「」", "“”")


def said(name: str, locale: str, **values: object) -> str:
    """Return a sentence about a fault; empty where there is none of that name. `locale`: `en`, `zh-hans` and so on."""
    form = _SAID.get(name, {}).get(_language(locale), "")
    return _in_script(form, locale).format(**values)[:590] if form else ""


def word(name: str, locale: str, **values: object) -> str:
    """Return a heading or a short phrase."""
    return _in_script(_WORDS[name][_PLACE[_language(locale)]], locale).format(**values)


def localised(texts: dict[str, str], locale: str) -> str:
    """Return a blueprint's text in a book's language, Chinese in the script of its author."""
    if locale == SIMPLIFIED:
        return texts.get(SIMPLIFIED) or simplified(texts.get("zh") or texts["en"])
    return texts.get(locale) or texts["en"]


def check_name(check: str, locale: str) -> str:
    """Return what a check of code is called."""
    return _in_script(_CHECKS[check][_PLACE[_language(locale)]], locale)


def _language(locale: str) -> Language:
    return Language(locale.partition("-")[0])


def _in_script(form: str, locale: str) -> str:
    """A form in the script of its reader; what is filled in is as it was written."""
    return simplified(form).translate(_QUOTES) if locale == SIMPLIFIED else form
