"""Small blueprints, written into a folder of the test: what an author would write."""

from pathlib import Path

ATLAS = """
name = "atlas"
titles = { en = "Atlas", zh = "地圖集", ja = "地図帳", ko = "지도책" }
makes = "designs"
words = 1_200
checks = [
    { check = "entry_lengths" }, { check = "references" }, { check = "cross_references" }, { check = "names_known" },
]

[[stages]]
name = "ground"
titles = { en = "Ground", zh = "地基", ja = "基礎", ko = "바탕" }
folders = { en = "atlas", zh = "地圖集", ja = "地図帳", ko = "지도책" }

[[stages.members]]
name = "looked_up"
kind = "search"
prompt = "looked_up"
titles = { en = "What is known", zh = "已知之事", ja = "知られていること", ko = "알려진 것" }
share = 0.5
[stages.members.goals]
en = "Find out how such coasts are mapped."
zh = "查明這種海岸怎麼測繪。"
ja = "海岸の測り方を調べる。"
ko = "해안을 어떻게 재는지 알아낸다."

[[stages.members]]
name = "coast"
prompt = "coast"
titles = { en = "The coast", zh = "海岸", ja = "海岸", ko = "해안" }
[stages.members.goals]
en = "Say where land ends."
zh = "寫明陸地止於何處。"
ja = "陸の終わるところを決める。"
ko = "뭍이 끝나는 곳을 정한다."

[[stages.members]]
name = "places"
prompt = "places"
titles = { en = "Places", zh = "地方", ja = "土地", ko = "곳" }
entries = { prompt = "place", least = 2, most = 3, words = [150, 400] }
share = 2
[stages.members.goals]
en = "Name the places and what each lives on."
zh = "列出各地和它靠什麼活。"
ja = "土地とその生業を挙げる。"
ko = "곳과 그 생업을 든다."

[[stages]]
name = "pages"
titles = { en = "Pages", zh = "頁", ja = "ページ", ko = "쪽" }

[[stages.members]]
name = "overview"
kind = "page"
page = "overview"
titles = { en = "Overview", zh = "總覽", ja = "概要", ko = "개요" }
[stages.members.goals]
en = "Show what there is."
zh = "列出有什麼。"
ja = "何があるかを示す。"
ko = "무엇이 있는지 보인다."

[[stages]]
name = "validation"
titles = { en = "Validation", zh = "查核", ja = "検証", ko = "검증" }

[[stages.members]]
name = "review"
kind = "review"
titles = { en = "First round", zh = "第一輪", ja = "一巡目", ko = "1차" }
[stages.members.goals]
en = "Find what contradicts."
zh = "找出矛盾。"
ja = "矛盾を見つける。"
ko = "어긋남을 찾는다."

[[stages.members]]
name = "verify"
kind = "verify"
titles = { en = "Second round", zh = "第二輪", ja = "二巡目", ko = "2차" }
[stages.members.goals]
en = "Look again."
zh = "再看一遍。"
ja = "見直す。"
ko = "다시 본다."

[[stages]]
name = "readme"
titles = { en = "How to read it", zh = "閱讀指南", ja = "読み方", ko = "읽는 법" }

[[stages.members]]
name = "readme"
kind = "page"
page = "readme"
titles = { en = "README", zh = "README", ja = "README", ko = "README" }
[stages.members.goals]
en = "Tell what stands where."
zh = "寫明哪裡有什麼。"
ja = "何がどこにあるかを示す。"
ko = "무엇이 어디 있는지 알린다."
"""

CASE = """
name = "case"
titles = { en = "Case", zh = "案件", ja = "事件", ko = "사건" }
words = 1_800
checks = [
    { check = "clues_before_reveal" }, { check = "red_herrings_answered" },
    { check = "clues_per_chapter", limits = { most = 2 } }, { check = "chapter_lengths" },
]

[units.book]
child = "act"
count = 3
directions = "book"

[units.act]
child = "chapter"
count = 4

[units.chapter]
length = [120, 3_000]
directions = "chapter"

[[stages]]
name = "planning"
titles = { en = "Planning", zh = "規劃", ja = "企画", ko = "기획" }
folders = { en = "planning", zh = "規劃", ja = "企画", ko = "기획" }

[[stages.members]]
name = "crime"
prompt = "crime"
titles = { en = "The crime", zh = "案情", ja = "犯行", ko = "범행" }
is_spoiler = true
[stages.members.goals]
en = "Say what was done."
zh = "寫明做了什麼。"
ja = "何がなされたかを決める。"
ko = "무슨 일이 있었는지 정한다."

[[stages.members]]
name = "clues"
kind = "register"
prompt = "clues"
titles = { en = "Clues", zh = "線索", ja = "手がかり", ko = "단서" }
is_spoiler = true
[stages.members.goals]
en = "List the clues."
zh = "列出線索。"
ja = "手がかりを挙げる。"
ko = "단서를 적는다."

[[stages]]
name = "validation"
when = "after"
titles = { en = "Validation", zh = "查核", ja = "検証", ko = "검증" }

[[stages.members]]
name = "review"
kind = "review"
of = ["prose", "crime"]
titles = { en = "First round", zh = "第一輪", ja = "一巡目", ko = "1차" }
[stages.members.goals]
en = "Find what is unfair."
zh = "找出不公平之處。"
ja = "不公平を見つける。"
ko = "불공정을 찾는다."

[[stages.members]]
name = "verify"
kind = "verify"
titles = { en = "Second round", zh = "第二輪", ja = "二巡目", ko = "2차" }
[stages.members.goals]
en = "Look again."
zh = "再看一遍。"
ja = "見直す。"
ko = "다시 본다."

[[stages.members]]
name = "clue_index"
kind = "page"
page = "clue_index"
titles = { en = "Clue index", zh = "線索索引", ja = "手がかり索引", ko = "단서 색인" }
[stages.members.goals]
en = "List where clues stand."
zh = "列出線索的位置。"
ja = "手がかりの場所を示す。"
ko = "단서의 자리를 적는다."
"""

_PAGE = """{% extends "story/blueprint/page_frame.md.j2" %}
{% block role %}
You settle SUBJECT for those who work from it.
{% endblock %}
{% block method %}
1. **Decide** what holds.
2. **Follow** it to whoever is driven by it.
{% endblock %}
"""
_ENTRY = _PAGE.replace("page_frame", "entry_frame")
_NAMES = _PAGE.replace("page_frame", "entries_frame")
_REGISTER = _PAGE.replace("page_frame", "register_frame")
_QUALITY = "A page holds up when somebody can act on it.\n"

_ATLAS_PROMPTS = {
    "quality": _QUALITY, "looked_up": _PAGE, "coast": _PAGE, "places": _NAMES, "place": _ENTRY,
}  # fmt: skip
_CASE_PROMPTS = {
    "quality": _QUALITY, "crime": _PAGE, "clues": _REGISTER,
    "book": "The book has {{ child_count or 'some' }} parts.\n",
    "chapter": "Chapter {{ index }} of {{ count }} in part {{ parent_index }} ends on a question"
    "{% if is_last %}, but this is the last one{% endif %}.\n",
}  # fmt: skip


def atlas(folder: Path) -> Path:
    """Write a blueprint of designs alone."""
    return _written(folder / "atlas", ATLAS, _ATLAS_PROMPTS)


def case(folder: Path) -> Path:
    """Write a blueprint of a small mystery: three acts of four chapters."""
    return _written(folder / "case", CASE, _CASE_PROMPTS)


def short_case(folder: Path) -> Path:
    """Write the `case` blueprint of a book of two chapters and no parts."""
    made = case(folder)
    plan = made / "blueprint.toml"
    text = plan.read_text().replace('child = "act"\ncount = 3', 'child = "chapter"\ncount = 2')
    plan.write_text(text.replace('[units.act]\nchild = "chapter"\ncount = 4\n', ""))
    return made


def _written(folder: Path, plan: str, prompts: dict[str, str]) -> Path:
    (folder / "prompts").mkdir(parents=True)
    (folder / "blueprint.toml").write_text(plan, encoding="utf-8")
    for name, text in prompts.items():
        (folder / "prompts" / f"{name}.md.j2").write_text(text.replace("SUBJECT", name), encoding="utf-8")
    return folder
