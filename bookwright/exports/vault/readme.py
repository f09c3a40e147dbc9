"""The README of a vault: what the book is, what lies where, and every chapter by a link."""

from collections.abc import Iterator, Sequence

from bookwright.exports.markup import to_markdown
from bookwright.exports.vault.names import LOG, NOTES, FolderNames
from bookwright.exports.vault.progress import PATH as PROGRESS
from bookwright.exports.vault.sealed import OPEN
from bookwright.exports.vault.shelving import Place, chapter_path
from bookwright.models.book import Book
from bookwright.models.language import Language

PATH = "README.md"

_TEXTS = {
    Language.EN: {
        "length": "{written:,} of {length:,} words",
        "state": "State: {state}",
        "what": "This folder is made of Bookwright's database, and is made again if you delete it.",
        "edit": (
            "You may change chapters, plans, summaries and the codex here; `bookwright sync {book}` takes your changes "
            "in as new versions. Leave the lines between `---` as they are. What is yours alone belongs in `{notes}/`."
        ),
        "chapters": "the text, a file a chapter",
        "planning": "what was designed and found out, by the number of its task",
        "world": "the codex: characters and world; **secrets and foreshadowing tell the end**",
        "summaries": "what happens, unit by unit",
        "log": "how far the book is",
        "index": "Chapters",
    },
    Language.ZH: {
        "length": "已写 {written:,} 字，共 {length:,} 字",
        "state": "状态：{state}",
        "what": "本文件夹由 Bookwright 的数据库生成；删掉之后会重新生成。",
        "edit": (
            "章节、规划、摘要和设定集都可以在这里修改，`bookwright sync {book}` 会把改动收为新版本。"
            "请保留两行 `---` 之间的内容。只属于您自己的东西请放在 `{notes}/` 里。"
        ),
        "chapters": "正文，一章一个文件",
        "planning": "设计与调查的结果，按任务编号排列",
        "world": "设定集：人物与世界；**秘密与伏笔会剧透结局**",
        "summaries": "各单元的内容摘要",
        "log": "写作进度",
        "index": "章节",
    },
    Language.JA: {
        "length": "{length:,} 字のうち {written:,} 字",
        "state": "状態：{state}",
        "what": "このフォルダーは Bookwright のデータベースから作られます。消しても作り直されます。",
        "edit": (
            "章、企画、要約、設定集はここで書き換えられます。"
            "`bookwright sync {book}` が変更を新しい版として取り込みます。"
            "`---` で挟まれた行はそのままにしてください。自分だけの覚え書きは `{notes}/` に置いてください。"
        ),
        "chapters": "本文、一章ごとに一つのファイル",
        "planning": "設計と調査の結果、作業の番号順",
        "world": "設定集：登場人物と世界。**秘密と伏線は結末を明かします**",
        "summaries": "各単位のあらすじ",
        "log": "進みぐあい",
        "index": "章",
    },
    Language.KO: {
        "length": "{length:,}자 중 {written:,}자",
        "state": "상태: {state}",
        "what": "이 폴더는 Bookwright의 데이터베이스에서 만들어지며, 지워도 다시 만들어집니다.",
        "edit": (
            "장, 기획, 요약, 설정집은 여기에서 고칠 수 있습니다. "
            "`bookwright sync {book}`가 고친 것을 새 판으로 받아들입니다. "
            "`---` 사이의 줄은 그대로 두십시오. 혼자 쓰는 메모는 `{notes}/`에 두십시오."
        ),
        "chapters": "본문, 장마다 파일 하나",
        "planning": "설계와 조사의 결과, 작업 번호순",
        "world": "설정집: 등장인물과 세계. **비밀과 복선은 결말을 드러냅니다**",
        "summaries": "단위별 줄거리",
        "log": "진행 상황",
        "index": "장",
    },
}  # fmt: skip
_TRADITIONAL = {
    "length": "已寫 {written:,} 字，共 {length:,} 字",
    "state": "狀態：{state}",
    "what": "本資料夾由 Bookwright 的資料庫產生；刪掉之後會重新產生。",
    "edit": (
        "章節、規劃、摘要和設定集都可以在這裡修改，`bookwright sync {book}` 會把改動收為新版本。"
        "請保留兩行 `---` 之間的內容。只屬於您自己的東西請放在 `{notes}/` 裡。"
    ),
    "chapters": "正文，一章一個檔案",
    "planning": "設計與調查的結果，按任務編號排列",
    "world": "設定集：人物與世界；**秘密與伏筆會劇透結局**",
    "summaries": "各單元的內容摘要",
    "log": "寫作進度",
    "index": "章節",
}


def readme_page(book: Book, places: Sequence[Place], names: FolderNames, locale: str, written: int, blurb: str) -> str:
    """Lay the README out, its seal still open. `locale` is that of the folders' names."""
    texts = _TRADITIONAL if locale == "zh" else _TEXTS[book.brief.language]
    folders = {
        names.chapters: "chapters", names.planning: "planning", names.world: "world", names.summaries: "summaries",
    }  # fmt: skip
    length = texts["length"].format(written=written, length=book.brief.length)
    lines = [
        f"<!-- bookwright {OPEN} -->", "", f"# {to_markdown(' '.join(book.title.split()))}", "",
        f"- {length}", f"- {texts['state'].format(state=book.state.value)}", "", *([blurb, ""] if blurb else []),
        texts["what"], "", texts["edit"].format(book=book.id, notes=NOTES), "",
        *(f"- {_link(name, name)}/: {texts[key]}" for name, key in folders.items()),
        f"- {_link(PROGRESS, LOG)}/: {texts['log']}", "", f"## {texts['index']}", "", *_index(places, names),
    ]  # fmt: skip
    return "\n".join(lines).rstrip() + "\n"


def _index(places: Sequence[Place], names: FolderNames) -> Iterator[str]:
    for place in places:
        heading = place.heading or place.unit.title
        entry = to_markdown(heading) if place.number is None else _link(chapter_path(place, names), heading)
        yield f"{'  ' * place.depth}- {entry}"


def _link(path: str, text: str) -> str:
    return f"[{to_markdown(text)}](<{path}>)"  # no name of ours holds an angle bracket
