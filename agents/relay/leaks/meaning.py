"""Finds where a draft comes near a secret in other words, by embeddings.

Likeness is measured against plain sentences of no book: what any two texts share is none.
"""

from collections.abc import Collection, Sequence
from math import inf
from weakref import WeakKeyDictionary

import numpy as np

from bookwright.agents.relay.leaks.units import WIDEST, Run, Sentence, runs_of, spared
from bookwright.agents.relay.leaks.wording import SOMEBODY, Alike, best_apart, without_names, without_shared
from bookwright.models.codex.entries import Secret
from bookwright.models.text.language import Language
from bookwright.storage.index.embedding import Embedder, Vectors

LEAST = 0.35
"""Likeness from which on a run is reported; found on the bench's tuning half (`docs/benchmarks.md`).

The 0.75 of DETAILS is for another embedding and whole sentences; with multilingual-e5-small any two sentences
of one language have a plain cosine above that.
"""

_NEAR = LEAST - 0.15
"""Likeness as a whole from which on a run is looked at again; it saves embedding what lies far off."""

_MOST = 50_000
"""Texts kept of one embedder: about 80 MB at 384 numbers each. Past it all are let go."""

_kept: WeakKeyDictionary[Embedder, dict[str, Vectors]] = WeakKeyDictionary()


def _embedded(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Return one vector of length 1 a text, shape (texts, dimension); those not known yet are embedded in one call.

    As questions all of them: what is likened is of one kind, and e5 then wants that prefix on both sides.
    Source: model card of multilingual-e5-small, "symmetric tasks".
    """
    known = _kept.setdefault(embedder, {})
    new = [text for text in dict.fromkeys(texts) if text not in known]
    if len(known) + len(new) > _MOST:
        known.clear()
        new = list(dict.fromkeys(texts))
    if new:
        known.update(zip(new, embedder.embed(new, is_query=True), strict=True))
    return np.array([known[text] for text in texts], np.float32).reshape(len(texts), -1)


class MeaningCheck:
    """Compares the sentences of one draft with secrets.

    Likeness is the cosine of what is left of two vectors when the mean of plain sentences of the
    language is taken out. A run that comes near is compared again without names and without the
    words that it shares with the secret: a harmless sentence about the same people, things and
    places is then like others, one that tells the secret is not. Each sentence is embedded once, and once
    more for a secret that it comes near; a run has the mean of its sentences, longer ones weighing more.
    """

    def __init__(
        self, sentences: Sequence[Sentence], names: Collection[str], language: Language, embedder: Embedder
    ) -> None:
        self._sentences = sentences
        self._names = names
        self._language = language
        self._embedder = embedder
        self._mean = _embedded(BACKGROUND[language], embedder).mean(0)
        self._runs = runs_of(len(sentences))
        self._vectors: dict[tuple[str, ...], Vectors] = {}

    def find(self, secret: Secret) -> list[Alike]:
        """Return the runs that come near enough to be reported, the likest of those that overlap, in reading order."""
        near = [alike.run for alike in self._scored(secret, _NEAR)]
        return best_apart(self._scored_again(secret, near) if near else [])

    def nearest(self, secret: Secret, count: int) -> list[Alike]:
        """Return so many single sentences, the likest first."""
        single = (alike for alike in self._scored(secret) if alike.run.count == 1)
        return sorted(single, key=lambda alike: (-alike.score, alike.run.first))[:count]

    def _scored(self, secret: Secret, least: float = -inf) -> list[Alike]:
        texts = spared(self._sentences, secret.allowed_expressions)
        if texts not in self._vectors:  # most secrets spare nothing of the draft
            self._vectors[texts] = self._run_vectors(texts, self._runs)
        return _alike(self._runs, self._vectors[texts], self._left_of([secret.content])[0], least)

    def _scored_again(self, secret: Secret, runs: Sequence[Run]) -> list[Alike]:
        """The runs that are near enough still without names and without the words that they share with the secret."""
        content = self._unnamed(secret.content)
        texts = list(spared(self._sentences, secret.allowed_expressions))
        for place in {place for run in runs for place in range(run.first, run.last + 1)}:
            texts[place] = without_shared(self._unnamed(texts[place]), content, self._language)
        return _alike(runs, self._run_vectors(texts, runs), self._left_of([content])[0], LEAST)

    def _unnamed(self, text: str) -> str:
        return without_names(text, self._names, SOMEBODY[self._language])

    def _run_vectors(self, texts: Sequence[str], runs: Sequence[Run]) -> Vectors:
        """One vector a run; a sentence of which no word is left has none."""
        weights = np.array([[len(text) ** 0.5 * any(map(str.isalnum, text))] for text in texts], np.float32)
        single = self._left_of(texts) * weights
        firsts, counts = np.array([run.first for run in runs], int), np.array([run.count for run in runs], int)
        rows = single[firsts]
        for further in range(1, WIDEST):
            longer = counts > further
            rows[longer] += single[firsts[longer] + further]
        return _of_length_one(rows)

    def _left_of(self, texts: Sequence[str]) -> Vectors:
        return _of_length_one(_embedded(texts, self._embedder) - self._mean)


def _alike(runs: Sequence[Run], rows: Vectors, secret: Vectors, least: float) -> list[Alike]:
    return [Alike(run, score) for run, score in zip(runs, (rows @ secret).tolist(), strict=True) if score >= least]


def _of_length_one(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    scaled: Vectors = vectors / np.maximum(lengths, 1e-9)
    return scaled


BACKGROUND: dict[Language, tuple[str, ...]] = {
    Language.EN: (
        "He put the kettle on and waited for the water to boil.",
        "The street was empty except for a boy with a bicycle.",
        "She opened the letter, read it twice, and laid it on the table.",
        "They walked along the river until the path came to an end.",
        '"It will be cold tonight," said the driver, and shut the door.',
        "My mother grew beans behind the house, and my uncle sold them.",
        "Nobody in the office knew who had ordered the flowers.",
        "The old man laughed, rubbed his knees and asked for another story.",
        "For a long time she looked at the lights on the other side of the bay.",
        "The soldiers had been paid on Friday, and by Sunday the money was gone.",
        "He could not remember when he had last slept in a proper bed.",
        "A doctor came, listened to the child's chest and promised to return.",
    ),
    Language.ZH: (
        "他把水壶放到炉子上，等着水烧开。",
        "街上空荡荡的，只有一个骑车的男孩。",
        "她拆开信，看了两遍，放在桌上。",
        "他们沿着河一直走，走到路的尽头。",
        "“今晚要冷了。”司机说着，关上了车门。",
        "母亲在屋后种豆子，舅舅拿到集市上去卖。",
        "办公室里没有人知道那束花是谁订的。",
        "老人笑了起来，揉揉膝盖，要他再讲一个故事。",
        "她望着海湾对岸的灯火，望了很久。",
        "士兵们星期五领了饷，到星期天就花光了。",
        "他想不起上一次在床上好好睡觉是什么时候。",
        "医生来了，听了听孩子的胸口，答应明天再来。",
    ),
    Language.JA: (
        "彼はやかんを火にかけ、湯が沸くのを待った。",
        "通りには自転車の少年のほかに誰もいなかった。",
        "彼女は手紙を開き、二度読んで机の上に置いた。",
        "二人は川沿いの道を、行き止まりまで歩いた。",
        "「今夜は冷えますよ」と運転手は言い、扉を閉めた。",
        "母は家の裏で豆を育て、叔父がそれを市場で売った。",
        "会社の誰も、花を注文したのが誰かを知らなかった。",
        "老人は笑って膝をさすり、もうひとつ話をせがんだ。",
        "彼女は長いあいだ、湾の向こうの灯りを眺めていた。",
        "兵士たちは金曜に給料をもらい、日曜には使い果たした。",
        "最後に布団で眠ったのがいつか、彼は思い出せなかった。",
        "医者が来て子どもの胸の音を聞き、明日また来ると約束した。",
    ),
    Language.KO: (
        "그는 주전자를 불에 올리고 물이 끓기를 기다렸다.",
        "거리에는 자전거를 탄 소년 말고는 아무도 없었다.",
        "그녀는 편지를 뜯어 두 번 읽고 책상 위에 놓았다.",
        "두 사람은 강을 따라 길이 끝나는 곳까지 걸었다.",
        '"오늘 밤은 춥겠어요." 운전사가 말하고 문을 닫았다.',
        "어머니는 집 뒤에 콩을 심었고 삼촌은 그것을 시장에 내다 팔았다.",
        "사무실에서는 누가 꽃을 주문했는지 아무도 몰랐다.",
        "노인은 웃으며 무릎을 문지르고 이야기를 하나 더 해 달라고 했다.",
        "그녀는 만 건너편의 불빛을 오랫동안 바라보았다.",
        "군인들은 금요일에 돈을 받아 일요일이면 다 써 버렸다.",
        "그는 마지막으로 침대에서 잔 것이 언제인지 기억나지 않았다.",
        "의사가 와서 아이의 가슴에 귀를 대 보고 내일 다시 오겠다고 했다.",
    ),
}
