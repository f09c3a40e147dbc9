"""The rehearsal author's Korean. Subjects and objects stand in the slots with their particles."""

from bookwright.agents.backends.rehearsal.lexicons.lexicon import FactForms, Lexicon, words
from bookwright.models.text.language import Language


def with_particle(word: str, after_consonant: str, after_vowel: str) -> str:
    """Add the particle that fits the word's last syllable."""
    has_final = (ord(word[-1]) - 0xAC00) % 28 != 0
    return word + (after_consonant if has_final else after_vowel)


_OTHERS = words("""서기 | 뱃사공 | 남동생 | 늙은 판사 | 이웃 | 빵집 아들 | 측량사 | 고모 | 야경꾼 | 과부 | 유리공
        | 항만장 | 회색 옷의 사내 | 약방 주인 | 막내 | 우체부 | 나루터 여인 | 시계공""")
_THINGS = words("""장부 | 등불 | 계단 | 종 | 편지 | 조각배 | 열쇠 | 외투 | 괘종시계 | 다리 | 서랍 | 지도 | 창 | 숄
        | 저울 | 밧줄 | 차표 | 우물 | 거울 | 바퀴 | 칼 | 병 | 의자 | 철문 | 초상화 | 동전 | 사다리 | 난로 | 유리 | 노
        | 찻잔 | 나무통 | 실타래 | 굴뚝 | 바구니 | 도장 | 영수증 | 안장 | 덧창 | 궤짝 | 벤치 | 그물 | 양초 | 프리즘
        | 경첩 | 담요 | 나침반 | 물병 | 손잡이 | 명부 | 삽 | 쟁반 | 밸브 | 호루라기 | 닻 | 브로치 | 요람 | 문자판
        | 깃발 | 장갑 | 고삐 | 돌층계 | 차양""")

_SLOTS = {
    "when": words("""동트기 전에 | 비가 그친 뒤 | 그날 저녁 | 물이 빠지자 | 종이 세 번 울리고 | 등이 꺼지자 | 사흘째
        | 장이 파한 뒤 | 문을 열어 둔 채 | 차가 식고 | 초겨울에 | 옅은 달 아래 | 한낮에 | 한밤중에 | 반쯤 세다가
        | 아무도 말이 없을 때 | 문 닫기 전 | 바람이 바뀌자 | 한참 뒤 | 이튿날 아침"""),
    "other": tuple(with_particle(word, "은", "는") for word in _OTHERS),
    "obj": tuple(with_particle(word, "을", "를") for word in _THINGS),
    "sub": tuple(with_particle(word, "이", "가") for word in _THINGS),
    "it": _THINGS,
    "did": words("""숨겼다 | 세었다 | 고쳤다 | 팔았다 | 달았다 | 묻었다 | 빌렸다 | 칠했다 | 물리쳤다 | 풀었다 | 지켰다
        | 뒤쫓았다 | 재었다 | 떨어뜨렸다 | 닦았다 | 태웠다 | 훔쳤다 | 돌려주었다 | 열었다 | 깨뜨렸다 | 저당 잡혔다
        | 그렸다 | 물려받았다 | 옮겼다 | 봉했다 | 비웠다 | 넘겼다 | 비켜 갔다 | 더듬었다 | 바꾸었다 | 알아보았다
        | 버렸다 | 세웠다 | 묶었다 | 골랐다 | 건넸다"""),
    "was": words("""비 냄새가 났다 | 기울기 시작했다 | 한 주 품삯보다 비쌌다 | 더는 닫히지 않았다
        | 마을보다 오래되었다 | 제자리에 있었다 | 누가 옮겨 놓았다 | 메아리가 없었다 | 남의 것이었다 | 아직 따뜻했다
        | 번호를 잃었다 | 새 흠집이 있었다 | 전보다 가벼웠다 | 이름이 새겨져 있었다 | 방보다 차가웠다
        | 못 하나에 걸려 있었다 | 제멋대로 갔다 | 두 번 세어졌다 | 밟을 때마다 흔들렸다 | 목록에 없었다
        | 둘로 갈라졌다 | 한 번 울렸다 | 소금이 앉았다 | 북쪽을 향했다"""),
    "how": words("""녹슨 | 좁은 | 빌린 | 꺼진 | 비뚤어진 | 무거운 | 옻칠한 | 이름 없는 | 금이 간 | 젖은 | 속 빈 | 접힌
        | 쓴 | 봉해진 | 창백한 | 두 번째 | 나무로 된 | 쇠로 된 | 소금빛 | 붐비는 | 기운 | 외상 진 | 색칠한 | 말 없는
        | 부러진 | 작은 | 잠긴 | 누런 | 낯선 | 휜 | 텅 빈 | 늦은 | 털실 | 놋쇠 | 흔한 | 잃어버린 | 그을린 | 깊은
        | 익숙한"""),
    "at": words("아래 | 뒤 | 곁 | 위 | 맞은편 | 근처 | 안 | 바깥 | 밑 | 앞 | 끝 | 틈"),
    "said": words("""말했다 | 대답했다 | 속삭였다 | 되풀이했다 | 모두에게 말했다 | 마침내 입을 열었다
        | 석판에 적었다"""),
}

LEXICON = Lexicon(
    language=Language.KO,
    marker="이것은 연습 원고이며 모델이 쓰지 않았다.",
    slots=_SLOTS,
    told=(
        "{when} {who} {it} {at}에서 {how} {obj} {did}.",
        "{who} {how} {obj} {did}. {sub} {was}.",
        "{it} {at}에 있던 {how} {sub} {was}.",
        "{when} {sub} {was}. {other} {how} {obj} {did}.",
        "{where}에서는 아무도 {obj} 건드리지 않았다.",
        "{other} {it} {at}에서 {obj} {did}.",
        "{where}, {how} {sub} {was}.",
        "{obj} 찾던 {who} {how} {it} 곁에 앉았다.",
        "{who} 바라던 {sub} {was}.",
        "{how} {obj} {other} 또 {did}.",
        "{when} {other} {obj} {did}.",
        "{who} {how} {obj} 말하지 않았고, {other} {obj} {did}.",
        "{it} 하나와 {sub} {was}.",
        "{it} 틈에서 {how} {sub} {was}.",
        "{other} 뒤늦게 {how} {obj} {did}.",
        "{who} {it} 대신 {how} {obj} {did}.",
    ),
    spoken=(
        "“누가 {how} {obj} 가져갔지?” {who} 물었다.",
        "“{sub} {was}.” {who} {said}.",
        "“내 {obj} 보았군.” {who} {how} {obj} {did}.",
        "“{it} {at} 쪽으로 가자.” {other} {obj} {did}.",
        "“{how} {it}, 그게 아니야.” {other} {it} {at} 쪽을 가리켰다.",
        "“그럼 그대로 둬.” {who} {said}. “{sub} {was}.”",
        "“다른 이에게 물어.” {who} {said}. “{it} 따위는 몰라.”",
        "“아직인가?” “{sub} {was}.” {who} {obj} {did}.",
    ),
    noted=(
        "{who} {how} {obj} 원하고, 값은 {it}이다.",
        "{sub} {was}. {who} {where}에서 그것을 안다.",
        "{other} {obj} {did}. 그래서 {how} {it} 하나가 사라진다.",
        "{who} 먼저 {obj} 다루어야 {how} {sub} 움직인다.",
        "{sub} {was}. 독자는 그때 {how} {obj} 안다.",
        "{it}의 규칙: 손댄 이가 {how} {obj} 갖는다.",
        "{where}에서 {it} 하나와 {how} {sub} 주인을 바꾼다.",
        "{who} {how} {it} 때문에 멈춘다.",
        "전환은 {it} {at}에서 {who} {obj} 놓을 때 온다.",
        "{other} {how} {obj} 알고, {who} 모른다.",
    ),
    asked=(
        "{who} {how} {obj} 얼마나 아는가?",
        "{who} 왜 {where}에서 {obj} 감추었는가?",
        "{who} 오기 전에 누가 {how} {obj} 가졌는가?",
        "{who} {it} 말고 무엇을 잃었는가?",
    ),
    aims=(
        "{who} 왜 {where}에서 {how} {obj} 택했는지 정한다.",
        "{how} {sub} 무엇을 치르게 하는지 정한다. {who} 그 값을 안다.",
        "{who} {how} {obj} 얻는 과정을 보인다.",
        "{who} {it}에서 {how} {it}까지 가며 {obj} 잃는다.",
        "{where}의 {how} {obj} 중요하게 만든다. {who} 거기 있다.",
    ),
    titles=("{how} {it}", "{it}, 그리고 {it}", "{it}의 값", "{where}의 {it}", "{how} 두 밤"),
    headings=("방향", "인물", "변치 않는 것", "대가", "전환", "독자가 아는 것", "미결", "순서"),
    people=words("""한서윤 | 강도현 | 문채린 | 백이준 | 서해월 | 남궁진 | 유단아 | 오세훈 | 차무영 | 임소하 | 윤가람
        | 곽지호 | 민여울 | 천도윤"""),
    places=words("""소금 계단 밑 | 밀물 집 | 구리 방앗간 뒤 | 나루터 사무실 | 북쪽 아치 아래 | 문서고 지하 | 유리 부두
        | 잠긴 과수원 | 양초 가게 위층 | 통행세 문 | 종탑 꼭대기 | 마른 선거"""),
    things=words("""구리 종 | 은 단추 | 검은 열쇠 | 유리 씨앗 | 쇠 패 | 밀랍 인장 | 뼈 주사위 | 푸른 우표 | 놋쇠 고리
        | 흙 피리 | 진주 핀 | 납 추"""),
    counts=words("""세 개 | 네 개 | 다섯 개 | 여섯 개 | 일곱 개 | 여덟 개 | 아홉 개 | 열한 개 | 열두 개 | 열세 개
        | 열네 개 | 열아홉 개"""),
    fact=FactForms(
        told="사실 {n}: {who} {place}에 {thing} {count}를 숨겼다.",
        answer="{thing} {count}",
        asked="{who} {place}에 무엇을 숨겼는가(사실 {n})?",
        plants="사실 {n} 심기",
        needs="앞선 쪽에 기댄다. ",
        recalled="{who} 사실 {n} 하나를 잊지 않았다.",
    ),
    length_text="약 {n}자",
    topic=("은", "는"),
)
