"""Facts that a book tells once, early, and the tasks that need them much later, in four languages.

`told` stands in the text. `need` is the goal of a far later scene: it shares the person and the
meaning with `told`, and as few words as a planner would. `question` is what a model that plans the
scene would ask of the archive. `answer` are words of `told` that nobody
can guess. `{who}` is one of the book's people, all of whom come up in every chapter.
"""

from dataclasses import dataclass

from bookwright.models.text.language import Language


@dataclass(frozen=True)
class Planted:
    """One fact."""

    told: str
    need: str
    question: str
    answer: str


def _facts(lines: str) -> tuple[Planted, ...]:
    rows = (line.split(" | ") for line in lines.strip().splitlines())
    return tuple(Planted(*map(str.strip, row)) for row in rows)


PLANTED = {
    Language.EN: _facts("""
{who} buried the silver compass under the third step of the chapel. | {who} is lost in fog and thinks of the instrument that was hidden years ago. | Where did {who} hide the compass? | under the third step
{who} cannot read, and has the post read aloud by a cousin in Tarrant. | A letter comes for {who}, who has to make out what is written in it. | Who reads letters to {who}? | cousin in Tarrant
{who} lost two fingers of the left hand to a winch. | {who} has to hide the maimed hand while shaking on the bargain. | How did {who} lose fingers? | to a winch
{who} swore on the drowned never to set foot on a ferry again. | {who} must cross the water quickly and remembers an oath. | What did {who} swear about ferries? | on the drowned
{who} was christened Oswin Pell, a name that nobody has used since. | A stranger asks for {who} by the name given at birth. | What was {who} christened? | Oswin Pell
{who} has a twin who went to sea with the whalers of Holm. | Someone with the very same face as {who} is seen in the market. | Where did the twin of {who} go? | whalers of Holm
{who} owes the miller eleven sacks of barley from the flood year. | {who} is reminded of an old debt that was never paid in grain. | What does {who} owe the miller? | eleven sacks
{who} falls ill whenever there are almonds in the bread. | At the feast {who} is offered a cake that could kill. | What food makes {who} ill? | almonds
{who} learned to pick locks from a nun called Perpetua. | {who} stands before a bolted door without a key and recalls a teacher. | Who taught {who} to pick locks? | Perpetua
{who} keeps a tame jackdaw that answers to the name of Bailiff. | A bird lands beside {who}, who calls it by its name. | What is the jackdaw of {who} called? | Bailiff
{who} sold the orchard to pay for the brother's trial. | {who} is asked why the fruit trees no longer belong to the family. | Why did {who} sell the orchard? | brother's trial
{who} hears nothing with the right ear since the powder house blew up. | A warning is whispered to {who} from the deaf side. | Since when is {who} deaf in one ear? | powder house
"""),
    Language.ZH: _facts("""
{who}把那只银罗盘埋在祠堂第三级台阶底下。 | {who}在大雾里迷了路，想起多年前藏起来的指路之物。 | {who}把罗盘藏在了哪里？ | 第三级台阶
{who}不识字，来信都是请桥头卖豆腐的表姐念的。 | 有人给{who}捎来一封信，得弄清信上写了什么。 | 谁替{who}念信？ | 卖豆腐的表姐
{who}左手缺了两根指头，是叫绞盘轧掉的。 | {who}谈成买卖要握手，得藏住那只残手。 | {who}的手指是怎么断的？ | 绞盘
{who}当着溺死的人发过誓，这辈子再不上渡船。 | {who}急着过河，却记起自己立过的誓。 | {who}为渡船发过什么誓？ | 溺死的人
{who}落地时取的名字叫沈阿满，后来再没人叫过。 | 有个生人打听{who}，叫的是小时候的本名。 | {who}本来叫什么名字？ | 沈阿满
{who}有个孪生的兄弟，跟着捕鲸船去了北边的白屿。 | 集市上有人长着和{who}一模一样的脸。 | {who}的孪生兄弟去了哪里？ | 白屿
{who}在发大水那年欠了磨坊十一袋大麦。 | 有人向{who}提起一笔一直没还清的粮食旧账。 | {who}欠磨坊什么？ | 十一袋
{who}只要吃到杏仁就浑身起疹子喘不上气。 | 宴席上端给{who}的点心，可能要了命。 | {who}吃什么会犯病？ | 杏仁
{who}开锁的手艺是跟一个叫静慈的尼姑学的。 | {who}没有钥匙，站在上了闩的门前，想起了师父。 | {who}跟谁学的开锁？ | 静慈
{who}养着一只寒鸦，唤它“里正”它就应。 | 一只鸟落在{who}身边，被叫了一声名字。 | {who}养的寒鸦叫什么？ | 里正
{who}把果园卖了，给哥哥打官司。 | 有人问{who}，家里的果树怎么归了别人。 | {who}为什么卖掉果园？ | 打官司
{who}的右耳自从火药房炸了以后就听不见。 | 有人在{who}听不见的那一侧悄声示警。 | {who}的耳朵是怎么聋的？ | 火药房
"""),
    Language.JA: _facts("""
{who}は銀の羅針盤を祠の三段目の石の下に埋めた。 | {who}は霧の中で道に迷い、昔隠した道しるべの品を思い出す。 | {who}は羅針盤をどこに隠したか。 | 三段目
{who}は字が読めず、手紙はいつも橋のたもとの豆腐屋の従姉に読んでもらう。 | {who}に手紙が届き、何が書いてあるのか知らねばならない。 | {who}の手紙は誰が読むのか。 | 豆腐屋の従姉
{who}は左手の指を二本、巻き上げ機に取られた。 | 取引の握手で{who}は欠けた手を隠さねばならない。 | {who}はどうして指を失ったのか。 | 巻き上げ機
{who}は溺れた者たちに誓って、二度と渡し船には乗らないと決めた。 | {who}は急いで川を越えねばならないが、昔の誓いを思い出す。 | {who}は渡し船について何を誓ったか。 | 溺れた者
{who}が生まれたときの名は早瀬小吉で、今では誰もそう呼ばない。 | 見知らぬ男が{who}を幼いころの本名で訪ねてくる。 | {who}の生まれたときの名は何か。 | 早瀬小吉
{who}には双子の片割れがいて、捕鯨船で北の白島へ行った。 | 市場に{who}とまったく同じ顔の人物が現れる。 | {who}の双子はどこへ行ったか。 | 白島
{who}は大水の年に粉屋から大麦を十一俵借りたままだ。 | {who}は返していない穀物の古い借りを思い出させられる。 | {who}は粉屋に何を借りているか。 | 十一俵
{who}は扁桃を口にすると息が詰まって倒れる。 | 宴で{who}に出された菓子が命取りになりかねない。 | {who}は何を食べると倒れるのか。 | 扁桃
{who}に錠の開け方を教えたのは妙蓮という尼だった。 | 鍵もなく閉ざされた扉の前で、{who}は師を思い出す。 | {who}は誰に錠の開け方を習ったか。 | 妙蓮
{who}は庄屋という名の烏を飼いならしている。 | 一羽の鳥が{who}のそばに降り、名を呼ばれる。 | {who}の烏は何という名か。 | 庄屋
{who}は兄の裁きの費えのために果樹園を売った。 | {who}は、なぜ実のなる木がもう家のものでないのかと問われる。 | {who}はなぜ果樹園を売ったのか。 | 裁き
{who}の右の耳は火薬小屋が吹き飛んでから何も聞こえない。 | {who}の聞こえない側から、小声で危険が告げられる。 | {who}の耳はいつから聞こえないのか。 | 火薬小屋
"""),
    Language.KO: _facts("""
{who} 은나침반을 사당 셋째 섬돌 밑에 묻었다. | {who} 안개 속에서 길을 잃고 오래전에 숨긴 길잡이 물건을 떠올린다. | {who} 나침반을 어디에 숨겼는가? | 셋째 섬돌
{who} 글을 몰라서 편지는 늘 다리목 두붓집 사촌 누이가 읽어 준다. | {who} 앞으로 편지가 와서 무슨 내용인지 알아내야 한다. | {who} 편지는 누가 읽어 주는가? | 두붓집
{who} 왼손 손가락 둘을 권양기에 잃었다. | {who} 흥정을 마치고 악수할 때 성치 않은 손을 감춰야 한다. | {who} 손가락을 어떻게 잃었는가? | 권양기
{who} 물에 빠져 죽은 이들 앞에서 다시는 나룻배를 타지 않겠다고 맹세했다. | {who} 급히 강을 건너야 하는데 옛 다짐이 떠오른다. | {who} 나룻배를 두고 무엇을 맹세했는가? | 나룻배
{who} 태어났을 때 받은 이름은 배돌쇠였고 이제 아무도 그렇게 부르지 않는다. | 낯선 사람이 {who} 어릴 적 본명으로 찾는다. | {who} 태어났을 때 이름은 무엇인가? | 배돌쇠
{who} 쌍둥이 형제가 있는데 고래잡이배를 타고 북쪽 흰섬으로 갔다. | 장터에 {who} 똑같은 얼굴을 한 사람이 나타난다. | {who} 쌍둥이 형제는 어디로 갔는가? | 흰섬
{who} 큰물 난 해에 방앗간에서 보리 열한 가마를 꾸고 갚지 못했다. | {who} 아직 갚지 않은 곡식 빚 이야기를 듣는다. | {who} 방앗간에 무엇을 빚졌는가? | 열한 가마
{who} 편도가 든 음식을 먹으면 숨이 막힌다. | 잔칫상에서 {who} 목숨이 위태로울 과자를 권한다. | {who} 무엇을 먹으면 탈이 나는가? | 편도
{who} 자물쇠 따는 법을 묘련이라는 비구니에게서 배웠다. | 열쇠도 없이 잠긴 문 앞에서 {who} 스승을 떠올린다. | {who} 자물쇠 따는 법을 누구에게 배웠는가? | 묘련
{who} 이방이라고 부르면 대답하는 갈까마귀를 기른다. | 새 한 마리가 {who} 곁에 내려앉고 이름이 불린다. | {who} 기르는 갈까마귀의 이름은 무엇인가? | 이방
{who} 형의 송사를 치르느라 과수원을 팔았다. | 과일나무가 왜 남의 것이 되었느냐고 {who} 질문을 받는다. | {who} 과수원을 왜 팔았는가? | 송사
{who} 화약고가 터진 뒤로 오른쪽 귀가 들리지 않는다. | {who} 들리지 않는 쪽에서 누군가 조용히 위험을 알린다. | {who} 귀는 언제부터 들리지 않는가? | 화약고
"""),
}
