"""Letters in common, with gaps, tell languages apart."""

from pathlib import Path

import numpy as np
from sklearn.model_selection import StratifiedKFold

from surelearn import AveragedKernelPerceptron
from surelearn.kernels import Subsequence
from surelearn.plots import style

ENGLISH = """the rain stopped before noon; we walked along the old harbour wall; she keeps her books
on the floor; nobody knows who left the window open; the bread is still warm; children
were playing with a wooden boat; my brother works in a small bakery; they painted the
kitchen yellow; his train was late again this morning; the path leads through a quiet
forest; a bird sat on the garden fence; we shall see what the winter brings; the lamp
above the table is broken; her voice was hardly heard; please close the door behind you;
the river froze last night"""
GERMAN = """der regen hörte vor mittag auf; wir gingen an der alten hafenmauer entlang; ihre bücher
liegen auf dem boden; niemand weiß, wer das fenster offen ließ; das brot ist noch warm;
kinder spielten mit einem boot aus holz; mein bruder arbeitet in einer kleinen bäckerei;
sie haben die küche gelb gestrichen; sein zug kam heute morgen wieder zu spät; der weg
führt durch einen stillen wald; ein vogel saß auf dem gartenzaun; wir werden sehen, was
der winter bringt; die lampe über dem tisch ist kaputt; ihre stimme war kaum zu hören;
bitte mach die tür hinter dir zu; der fluss ist letzte nacht zugefroren"""


def errors(order, decay):
    """Return the share of sentences that models of the others take for the wrong language."""
    english, german = (" ".join(text.split()).split("; ") for text in (ENGLISH, GERMAN))
    texts = np.array(english + german)
    labels = np.repeat(["English", "German"], [len(english), len(german)])
    kernel, wrong = Subsequence(order=order, decay=decay).normalised(), 0
    for train, test in StratifiedKFold(8, shuffle=True, random_state=0).split(texts, labels):
        model = AveragedKernelPerceptron(kernel=kernel).fit(texts[train].tolist(), labels[train])
        wrong += np.sum(model.predict(texts[test].tolist()) != labels[test])
    return wrong / len(texts)


def figure():
    """Draw the error over the length of subsequences, with and without gaps that cost much."""
    title = "Letters in common, with gaps, tell languages apart"
    drawing, axes = style.new_figure(title)
    orders = [1, 2, 3, 4]
    for decay, colour in ((0.2, style.MUTED), (0.6, style.OBSERVED)):
        shares = [100.0 * errors(order, decay) for order in orders]
        told = f"decay {decay} for each letter spanned"
        axes[0].plot(orders, shares, marker="o", label=told, color=colour)
    axes[0].set(xlabel="letters of a subsequence", ylabel="sentences mistaken, in %", xticks=orders)
    axes[0].legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "common_letters_tell_languages_apart.svg")
