"""What the README of a vault says, in the languages of books and in both scripts of Chinese."""

from bookwright.models.text.language import SIMPLIFIED, TRADITIONAL

README_TEXTS = {
    "en": {
        "length": "{written:,} of {length:,} words",
        "state": "State: {state}",
        "writing": "being written", "paused": "at rest", "waiting": "waiting for a decision",
        "finished": "finished", "cancelled": "cancelled",
        "what": "This folder is made of Bookwright's database, and is made again if you delete it.",
        "edit": (
            "You may change chapters, plans, summaries and the codex here; `bookwright sync {book}` takes your changes "
            "in as new versions. Leave the lines between `---` as they are. What is yours alone belongs in `{notes}/`."
        ),
        "edit_pages": (
            "You may change the pages here; `bookwright sync {book}` takes your changes in as new versions. "
            "Leave the lines between `---` as they are. What is yours alone belongs in `{notes}/`."
        ),
        "pages": "the pages of the book",
        "page_index": "Pages",
        "chapters": "the text, a file a chapter",
        "planning": "what was designed and found out, by the number of its task; **designs tell what is to come**",
        "world": "the codex: characters and world; **secrets and foreshadowing tell the end**",
        "summaries": "what happens, unit by unit",
        "log": "how far the book is",
        "index": "Chapters",
    },
    SIMPLIFIED: {
        "length": "已写 {written:,} 字，共 {length:,} 字",
        "state": "状态：{state}",
        "writing": "写作中", "paused": "暂停", "waiting": "等待决定", "finished": "已完成", "cancelled": "已取消",
        "what": "本文件夹由 Bookwright 的数据库生成；删掉之后会重新生成。",
        "edit": (
            "章节、规划、摘要和设定集都可以在这里修改，`bookwright sync {book}` 会把改动收为新版本。"
            "请保留两行 `---` 之间的内容。只属于您自己的东西请放在 `{notes}/` 里。"
        ),
        "edit_pages": (
            "书中各页都可以在这里修改，`bookwright sync {book}` 会把改动收为新版本。"
            "请保留两行 `---` 之间的内容。只属于您自己的东西请放在 `{notes}/` 里。"
        ),
        "pages": "书中各页",
        "page_index": "各页",
        "chapters": "正文，一章一个文件",
        "planning": "设计与调查的结果，按任务编号排列；**设计会透露后文**",
        "world": "设定集：人物与世界；**秘密与伏笔会剧透结局**",
        "summaries": "各单元的内容摘要",
        "log": "写作进度",
        "index": "章节",
    },
    "ja": {
        "length": "{length:,} 字のうち {written:,} 字",
        "state": "状態：{state}",
        "writing": "執筆中", "paused": "休止中", "waiting": "判断待ち", "finished": "完成", "cancelled": "取りやめ",
        "what": "このフォルダーは Bookwright のデータベースから作られます。消しても作り直されます。",
        "edit": (
            "章、企画、要約、設定集はここで書き換えられます。"
            "`bookwright sync {book}` が変更を新しい版として取り込みます。"
            "`---` で挟まれた行はそのままにしてください。自分だけの覚え書きは `{notes}/` に置いてください。"
        ),
        "edit_pages": (
            "ページはここで書き換えられます。`bookwright sync {book}` が変更を新しい版として取り込みます。"
            "`---` で挟まれた行はそのままにしてください。自分だけの覚え書きは `{notes}/` に置いてください。"
        ),
        "pages": "本のページ",
        "page_index": "ページ",
        "chapters": "本文、一章ごとに一つのファイル",
        "planning": "設計と調査の結果、作業の番号順。**設計はこの先を明かします**",
        "world": "設定集：登場人物と世界。**秘密と伏線は結末を明かします**",
        "summaries": "各単位のあらすじ",
        "log": "進みぐあい",
        "index": "章",
    },
    "ko": {
        "length": "{length:,}자 중 {written:,}자",
        "state": "상태: {state}",
        "writing": "쓰는 중", "paused": "쉬는 중", "waiting": "결정을 기다림", "finished": "완성",
        "cancelled": "취소됨",
        "what": "이 폴더는 Bookwright의 데이터베이스에서 만들어지며, 지워도 다시 만들어집니다.",
        "edit": (
            "장, 기획, 요약, 설정집은 여기에서 고칠 수 있습니다. "
            "`bookwright sync {book}`가 고친 것을 새 판으로 받아들입니다. "
            "`---` 사이의 줄은 그대로 두십시오. 혼자 쓰는 메모는 `{notes}/`에 두십시오."
        ),
        "edit_pages": (
            "쪽들은 여기에서 고칠 수 있습니다. `bookwright sync {book}`가 고친 것을 새 판으로 받아들입니다. "
            "`---` 사이의 줄은 그대로 두십시오. 혼자 쓰는 메모는 `{notes}/`에 두십시오."
        ),
        "pages": "책의 쪽들",
        "page_index": "쪽",
        "chapters": "본문, 장마다 파일 하나",
        "planning": "설계와 조사의 결과, 작업 번호순. **설계는 앞으로의 일을 알려 줍니다**",
        "world": "설정집: 등장인물과 세계. **비밀과 복선은 결말을 드러냅니다**",
        "summaries": "단위별 줄거리",
        "log": "진행 상황",
        "index": "장",
    },
    TRADITIONAL: {
        "length": "已寫 {written:,} 字，共 {length:,} 字",
        "state": "狀態：{state}",
        "writing": "寫作中", "paused": "暫停", "waiting": "等待決定", "finished": "已完成", "cancelled": "已取消",
        "what": "本資料夾由 Bookwright 的資料庫產生；刪掉之後會重新產生。",
        "edit": (
            "章節、規劃、摘要和設定集都可以在這裡修改，`bookwright sync {book}` 會把改動收為新版本。"
            "請保留兩行 `---` 之間的內容。只屬於您自己的東西請放在 `{notes}/` 裡。"
        ),
        "edit_pages": (
            "書中各頁都可以在這裡修改，`bookwright sync {book}` 會把改動收為新版本。"
            "請保留兩行 `---` 之間的內容。只屬於您自己的東西請放在 `{notes}/` 裡。"
        ),
        "pages": "書中各頁",
        "page_index": "各頁",
        "chapters": "正文，一章一個檔案",
        "planning": "設計與調查的結果，按任務編號排列；**設計會透露後文**",
        "world": "設定集：人物與世界；**秘密與伏筆會劇透結局**",
        "summaries": "各單元的內容摘要",
        "log": "寫作進度",
        "index": "章節",
    },
}  # fmt: skip
