"""The parts of a Word file that are the same in every chapter: styles, settings, header, and what names them.

Source: ECMA-376 part 1 (WordprocessingML), part 2 (packages); sizes are in twentieths of a point.
"""

import html
from collections.abc import Mapping
from dataclasses import dataclass

from bookwright.exports.manuscript import Cover
from bookwright.models.text.language import Language

MAIN = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
RELATIONS = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
INCH = 1_440
_LATIN = "Times New Roman"
_SINGLE = '<w:spacing w:line="240" w:lineRule="auto"/>'
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
_BESIDE = (("styles", "styles"), ("settings", "settings"), ("header", "header1"))
"""What the document refers to; the header is the third."""
_WORD_TYPE = "application/vnd.openxmlformats-officedocument.wordprocessingml"


@dataclass(frozen=True)
class Custom:
    """What editors of a language expect of a manuscript."""

    tag: str
    font: str
    """For the characters of the language; Latin ones are set in Times New Roman."""
    width: int
    height: int
    line: int
    """Distance of lines, in 240ths of a single one."""
    indent: str
    """Of a paragraph's first line, as attributes."""
    alignment: str
    emphasis: str
    """How a stressed word is set."""
    scene_break: str
    end: str
    sets_speech_flush: bool = False


_A4 = (11_906, 16_838)
_LETTER = (12_240, 15_840)

CUSTOMS: Mapping[Language, Custom] = {
    Language.EN: Custom(
        "en-US", "Times New Roman", *_LETTER, 480, 'w:firstLine="720"', "left", "<w:i/>", "#", "END"
    ),
    Language.ZH: Custom(
        "zh-CN", "SimSun", *_A4, 480, 'w:firstLineChars="200" w:firstLine="480"', "both", '<w:em w:val="underDot"/>',
        "＊＊＊", "（全文完）",
    ),
    Language.JA: Custom(
        "ja-JP", "MS Mincho", *_A4, 480, 'w:firstLineChars="100" w:firstLine="240"', "both", '<w:em w:val="comma"/>',
        "＊", "（了）", sets_speech_flush=True,
    ),
    Language.KO: Custom(
        "ko-KR", "Batang", *_A4, 480, 'w:firstLineChars="100" w:firstLine="240"', "both", '<w:em w:val="dot"/>',
        "＊＊＊", "― 끝 ―",
    ),
}  # fmt: skip

HEADING_LEVELS = 4
"""A volume, an act in it, a chapter in that; one more is never met."""


def fixed_parts(cover: Cover, header: str) -> dict[str, str]:
    """Return every part but the document itself, by name; `header` stands before the page number."""
    custom = CUSTOMS[cover.language]
    return {
        "[Content_Types].xml": _content_types(),
        "_rels/.rels": _relations(
            (f"{_OFFICE}/officeDocument", "word/document.xml"),
            (f"{_PACKAGE}/metadata/core-properties", "docProps/core.xml"),
            (f"{_OFFICE}/extended-properties", "docProps/app.xml"),
        ),
        "docProps/core.xml": _core(cover, custom),
        "docProps/app.xml": f"{XML}<Properties xmlns="
        '"http://schemas.openxmlformats.org/officeDocument/2006/extended-properties">'
        "<Application>Bookwright</Application></Properties>",
        "word/_rels/document.xml.rels": _relations(*((f"{_OFFICE}/{kind}", f"{name}.xml") for kind, name in _BESIDE)),
        "word/styles.xml": _styles(custom),
        "word/settings.xml": _settings(custom),
        "word/header1.xml": _header(header),
    }


def section(custom: Custom, *, has_header: bool) -> str:
    """Return the page set-up that ends a section; pages are counted from the one with a header on."""
    header = '<w:headerReference w:type="default" r:id="rId3"/>' if has_header else ""
    numbers = '<w:pgNumType w:start="1"/>' if has_header else ""
    return (
        f'<w:sectPr>{header}<w:type w:val="nextPage"/><w:pgSz w:w="{custom.width}" w:h="{custom.height}"/>'
        f'<w:pgMar w:top="{INCH}" w:right="{INCH}" w:bottom="{INCH}" w:left="{INCH}" w:header="720" w:footer="720" '
        f'w:gutter="0"/>{numbers}</w:sectPr>'
    )


def _styles(custom: Custom) -> str:
    centred = '<w:ind w:firstLine="0"/><w:jc w:val="center"/>'
    edge = custom.width - 2 * INCH
    contact = f'<w:tabs><w:tab w:val="right" w:pos="{edge}"/></w:tabs>{_SINGLE}<w:jc w:val="left"/>'
    return "".join((
        f"{XML}<w:styles {MAIN}>",
        _defaults(custom),
        _style("BodyText", "Body Text", f"<w:ind {custom.indent}/>"),
        _style("Flush", "Body Text Flush", '<w:ind w:firstLine="0"/>', is_own=True),
        _style("SceneBreak", "Scene Break", f"<w:keepNext/>{centred}", after="BodyText", is_own=True),
        _style("End", "End", f'<w:spacing w:before="{custom.line}"/>{centred}', is_own=True),
        _style("Contact", "Contact", contact, is_own=True),
        _style("Title", "Title", f'<w:spacing w:before="{custom.height // 4}"/>{centred}', after="Author"),
        _style("Author", "Author", centred, is_own=True),
        *(_heading(level, custom) for level in range(1, HEADING_LEVELS + 1)),
        _style("Header", "header", f'{_SINGLE}<w:jc w:val="right"/>'),
        "</w:styles>",
    ))  # fmt: skip


def _defaults(custom: Custom) -> str:
    return (
        "<w:docDefaults><w:rPrDefault><w:rPr>"
        f'<w:rFonts w:ascii="{_LATIN}" w:eastAsia="{custom.font}" w:hAnsi="{_LATIN}" w:cs="{_LATIN}"/>'
        f'<w:sz w:val="24"/><w:szCs w:val="24"/><w:lang w:val="en-US" w:eastAsia="{custom.tag}"/>'
        "</w:rPr></w:rPrDefault><w:pPrDefault><w:pPr>"
        f'<w:spacing w:before="0" w:after="0" w:line="{custom.line}" w:lineRule="auto"/>'
        "</w:pPr></w:pPrDefault></w:docDefaults>"
        '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/><w:qFormat/>'
        f'<w:pPr><w:widowControl w:val="0"/><w:jc w:val="{custom.alignment}"/></w:pPr></w:style>'
    )


def _heading(level: int, custom: Custom) -> str:
    """A heading a third down a page of its own."""
    return _style(
        f"Heading{level}",
        f"heading {level}",
        f'<w:keepNext/><w:pageBreakBefore/><w:spacing w:before="{custom.height // 3 - INCH}" w:after="{custom.line}"/>'
        f'<w:ind w:firstLine="0"/><w:jc w:val="center"/><w:outlineLvl w:val="{level - 1}"/>',
        after="BodyText",
    )


def _style(identity: str, name: str, paragraph: str, *, after: str = "", is_own: bool = False) -> str:
    following = f'<w:next w:val="{after}"/>' if after else ""
    own = ' w:customStyle="1"' if is_own else ""
    return (
        f'<w:style w:type="paragraph"{own} w:styleId="{identity}"><w:name w:val="{name}"/>'
        f'<w:basedOn w:val="Normal"/>{following}<w:qFormat/><w:pPr>{paragraph}</w:pPr></w:style>'
    )


def _settings(custom: Custom) -> str:
    return (
        f'{XML}<w:settings {MAIN}><w:zoom w:percent="100"/><w:defaultTabStop w:val="720"/>'
        '<w:characterSpacingControl w:val="doNotCompress"/><w:compat>'
        '<w:compatSetting w:name="compatibilityMode" w:uri="http://schemas.microsoft.com/office/word" w:val="15"/>'
        f'</w:compat><w:themeFontLang w:val="en-US" w:eastAsia="{custom.tag}"/></w:settings>'
    )


def _header(text: str) -> str:
    return (
        f'{XML}<w:hdr {MAIN}><w:p><w:pPr><w:pStyle w:val="Header"/></w:pPr>'
        f'<w:r><w:t xml:space="preserve">{html.escape(text)} / </w:t></w:r>'
        '<w:fldSimple w:instr=" PAGE "><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p></w:hdr>'
    )


def _core(cover: Cover, custom: Custom) -> str:
    moment = f"{cover.modified:%Y-%m-%dT%H:%M:%SZ}"
    creator = f"<dc:creator>{html.escape(cover.author)}</dc:creator>" if cover.author else ""
    return (
        f'{XML}<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" '
        'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        f"<dc:title>{html.escape(cover.title)}</dc:title>{creator}<dc:language>{custom.tag}</dc:language>"
        f'<dcterms:created xsi:type="dcterms:W3CDTF">{moment}</dcterms:created>'
        f'<dcterms:modified xsi:type="dcterms:W3CDTF">{moment}</dcterms:modified></cp:coreProperties>'
    )


def _content_types() -> str:
    kinds = {
        "/word/document.xml": f"{_WORD_TYPE}.document.main+xml",
        "/word/styles.xml": f"{_WORD_TYPE}.styles+xml",
        "/word/settings.xml": f"{_WORD_TYPE}.settings+xml",
        "/word/header1.xml": f"{_WORD_TYPE}.header+xml",
        "/docProps/core.xml": "application/vnd.openxmlformats-package.core-properties+xml",
        "/docProps/app.xml": "application/vnd.openxmlformats-officedocument.extended-properties+xml",
    }
    overrides = "".join(f'<Override PartName="{name}" ContentType="{kind}"/>' for name, kind in kinds.items())
    return (
        f'{XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="xml" ContentType="application/xml"/>{overrides}</Types>'
    )


def _relations(*targets: tuple[str, str]) -> str:
    """Number the relations `rId1` and on, in order."""
    listed = "".join(
        f'<Relationship Id="rId{number}" Type="{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'{XML}<Relationships xmlns="{_PACKAGE}">{listed}</Relationships>'
