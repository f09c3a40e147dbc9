"""The rehearsal author's Chinese."""

from bookwright.agents.backends.rehearsal.lexicons.lexicon import FactForms, Lexicon, words
from bookwright.models.text.language import Language

_SLOTS = {
    "when": words("""天亮前 | 雨停以后 | 那天傍晚 | 潮水退去时 | 钟敲过三遍 | 灯灭的时候 | 第三天 | 散市之后
        | 门还开着 | 茶凉了 | 入冬头一周 | 月色很薄 | 午后 | 夜里 | 数到一半 | 没人作声时 | 关店前 | 风转了向
        | 隔了很久 | 次日清早"""),
    "other": words("""账房 | 船夫 | 她弟弟 | 老法官 | 邻居 | 面包铺的儿子 | 测量员 | 他姑母 | 守夜人 | 寡妇 | 玻璃匠
        | 港务官 | 穿灰衣的人 | 药铺掌柜 | 最小的孩子 | 信差 | 摆渡的女人 | 修表人"""),
    "did": words("""藏起 | 数过 | 修好 | 卖掉 | 称过 | 埋下 | 借走 | 漆过 | 拒收 | 拆开 | 守着 | 跟着 | 量过 | 失落
        | 擦亮 | 烧掉 | 偷走 | 送还 | 打开 | 摔碎 | 典当 | 看护 | 画下 | 继承 | 挪开 | 描过 | 编号 | 封好 | 倒空
        | 翻看 | 绕过 | 问起 | 摸到 | 换来 | 认出 | 丢下 | 扶正 | 捆住 | 挑拣 | 递出"""),
    "was": words("""带着雨味 | 已经歪了 | 值一周的工钱 | 再也合不上 | 比镇子还老 | 还在原处 | 被人动过 | 没有回声
        | 属于别人 | 还有余温 | 少了编号 | 多了新划痕 | 比从前轻 | 刻着名字 | 比屋里冷 | 只剩一颗钉 | 走着自己的时辰
        | 数过两回 | 一踩就晃 | 不在册上 | 裂成两半 | 响了一下 | 沾满盐霜 | 朝着北边 | 没有主人 | 看着很新 | 自己转动
        | 烧不起来 | 散了架 | 打不开 | 长高了 | 在漏水 | 天亮便不见 | 撑住了 | 小了一圈 | 有两道影子 | 擦得发亮"""),
    "how": words("""生锈的 | 狭窄的 | 借来的 | 没点亮的 | 歪斜的 | 沉重的 | 上过漆的 | 无名的 | 开裂的 | 潮湿的
        | 空心的 | 折起的 | 苦涩的 | 封死的 | 苍白的 | 第二只 | 木头的 | 铁铸的 | 盐白的 | 拥挤的 | 打补丁的 | 欠账的
        | 彩绘的 | 沉默的 | 断掉的 | 小小的 | 上锁的 | 发黄的 | 异乡的 | 弯曲的 | 空荡的 | 迟到的 | 羊毛的 | 黄铜的
        | 寻常的 | 丢失的 | 熏黑的 | 很深的 | 熟悉的"""),
    "it": words("""账本 | 灯笼 | 楼梯 | 铜铃 | 信 | 小船 | 钥匙 | 外套 | 座钟 | 桥 | 抽屉 | 地图 | 窗 | 披肩 | 秤
        | 绳索 | 车票 | 井 | 镜子 | 车轮 | 刀 | 瓶子 | 椅子 | 铁门 | 画像 | 硬币 | 梯子 | 炉子 | 玻璃 | 船桨 | 杯子
        | 木桶 | 线团 | 烟囱 | 篮子 | 印章 | 收据 | 马鞍 | 百叶 | 箱子 | 长凳 | 渔网 | 蜡烛 | 棱镜 | 合页 | 毯子
        | 罗盘 | 水壶 | 把手 | 名册 | 铁锹 | 托盘 | 阀门 | 哨子 | 锚 | 胸针 | 摇篮 | 表盘 | 旗子 | 手套 | 缰绳 | 石阶
        | 雨棚"""),
    "at": words("下面 | 背后 | 旁边 | 上头 | 对面 | 附近 | 里面 | 外侧 | 底下 | 前头 | 尽头 | 缝里"),
    "why": words("因为 | 虽然 | 直到 | 好让 | 除非 | 仿佛 | 而 | 却见 | 可是"),
    "said": words("说 | 答道 | 低声说 | 又说了一遍 | 对满屋人说 | 终于开口 | 写在石板上"),
}

LEXICON = Lexicon(
    language=Language.ZH,
    marker="这是一份排演稿，并无模型执笔。",
    slots=_SLOTS,
    told=(
        "{when}，{who}{did}{it}{at}的{how}{it}。",
        "{who}{did}那{how}{it}，又{did}{it}。",
        "{it}{at}，{how}{it}{was}。",
        "{who}{did}{it}，{why}{it}{was}。",
        "{when}，{it}{was}，{other}便{did}{how}{it}。",
        "{where}没有人{did}{it}。",
        "{other}在{it}{at}{did}{how}{it}。",
        "{where}，{how}{it}{was}。",
        "是{who}{did}了{it}，不是{other}。",
        "{who}本可{did}{it}，{it}却{was}。",
        "{it}{was}；{other}把{how}{it}{did}了。",
        "{when}{other}又一次{did}{it}。",
        "{who}不肯提{how}{it}，{why}{other}{did}{it}。",
        "两处{it}都{was}，{who}只{did}一处。",
        "{it}和{it}之间，{how}{it}{was}。",
        "{other}替{who}{did}{it}，{when}才说。",
    ),
    spoken=(
        "“谁{did}了{how}{it}？”{who}问。",
        "“{it}{was}，”{who}{said}。",
        "“你{did}了我的{it}。”{who}望着{how}{it}。",
        "“要么{did}{it}，要么回去。”{other}{did}了{it}。",
        "“不是{how}{it}。”{other}指着{it}{at}。",
        "“那就{did}它，”{who}{said}，“{it}{was}。”",
        "“问{other}去，”{who}{said}，“我没{did}过{it}。”",
        "“还{how}吗？”“{was}。”{who}{did}了{it}。",
    ),
    noted=(
        "{who}想要{how}{it}，代价是{it}。",
        "{it}{was}，{who}在{where}得知。",
        "{other}{did}{it}，{who}因此失去{how}{it}。",
        "{who}须先{did}{it}，{other}才能{did}{how}{it}。",
        "{it}{was}时，读者才知道{how}{it}。",
        "{it}的规矩：谁{did}它，谁就留下{how}{it}。",
        "{where}，{it}与{how}{it}易了手。",
        "{who}与{other}之间隔着{how}{it}。",
        "转折在{who}{did}{it}{at}的{it}之后。",
        "{other}知道{how}{it}{was}，{who}并不知道。",
    ),
    asked=(
        "{who}对{how}{it}知道多少？",
        "{who}为何在{where}{did}{it}？",
        "{who}到来之前，谁{did}了{how}{it}？",
        "{who}随{it}一起失去了什么？",
    ),
    aims=(
        "定下{who}为何在{where}{did}{how}{it}。",
        "决定{how}{it}让{who}付出什么。",
        "写出{who}与{other}如何一同{did}{how}{it}。",
        "让{who}从{it}走到{how}{it}，代价是{it}。",
        "使{how}{it}在{where}对{who}变得要紧。",
    ),
    titles=("{how}{it}", "{it}与{it}", "{it}的价钱", "{where}的{it}", "两个{how}夜晚"),
    headings=("方向", "人物", "不变之处", "代价", "转折", "读者所知", "未决", "次序"),
    people=words("""沈砚秋 | 顾长汀 | 陆青梧 | 苏晚棠 | 贺兰舟 | 江疏月 | 裴照野 | 温如晦 | 许知微 | 闻人越 | 楚寒灯
        | 白鹿鸣 | 程望舒 | 叶孤屿"""),
    places=words("""盐阶底下 | 潮屋里 | 铜磨坊后 | 渡口办事房 | 北拱门下 | 档案地窖 | 玻璃码头 | 淹没的果园边
        | 蜡烛铺楼上 | 税卡旁 | 钟楼顶层 | 旱船坞边"""),
    things=words("铜铃 | 银扣 | 黑钥匙 | 玻璃籽 | 铁符 | 蜡印 | 骨骰 | 蓝邮戳 | 铜戒 | 陶哨 | 珠针 | 铅砝码"),
    counts=words("三枚 | 四枚 | 五枚 | 六枚 | 七枚 | 八枚 | 九枚 | 十一枚 | 十二枚 | 十三枚 | 十四枚 | 十九枚"),
    fact=FactForms(
        told="第{n}号事实：{who}把{count}{thing}藏在{place}。",
        answer="{count}{thing}",
        asked="{who}在{place}藏了什么（第{n}号事实）？",
        plants="埋下第{n}号事实",
        needs="承接前文：",
        recalled="{who}没有忘记第{n}号事实。",
    ),
    length_text="约{n}字",
    joint="",
)
