"""Winnow beats the Perceptron when few features matter."""

from pathlib import Path

from surelearn.datasets.worlds import monotone_disjunction
from surelearn.evaluate.mistakes import mistakes_curve
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.learners.linear.winnow import Winnow
from surelearn.plots import style
from surelearn.plots.mistakes import plot_mistakes

RELEVANT, N_ROUNDS = (0, 1, 2), 3000
SIZES = (10, 30, 100, 300, 1000)


def draw(n_variables):
    """Return rows and labels of a disjunction of the relevant variables."""
    return monotone_disjunction(n_variables, RELEVANT).draw(N_ROUNDS, seed=0)


def figure():
    """Draw the mistakes over time among 1,000 variables, and at the end among more and more."""
    title = "Winnow beats the Perceptron when few features matter"
    drawing, (over_time, over_size) = style.new_figure(title, columns=2)
    X, y = draw(SIZES[-1])
    perceptron = mistakes_curve(Perceptron(), X, y)
    over_time.plot(perceptron.counts, color=style.BROKEN, label="mistakes of Perceptron")
    plot_mistakes(mistakes_curve(Winnow(), X, y, n_relevant=len(RELEVANT)), ax=over_time)
    over_time.set_ylim(0, 1.05 * perceptron.n_mistakes)
    over_time.set_title(f"{len(RELEVANT)} of {SIZES[-1]} variables matter", loc="left")
    streams = [draw(n) for n in SIZES]
    winnows = [Winnow().partial_fit(X, y) for X, y in streams]
    perceptrons = [Perceptron().partial_fit(X, y) for X, y in streams]
    bounds = [winnow.guarantee(n_relevant=len(RELEVANT)).bound for winnow in winnows]
    ends = [model.n_mistakes_ for model in perceptrons], [model.n_mistakes_ for model in winnows]
    over_size.plot(SIZES, ends[0], "o-", color=style.BROKEN, label="Perceptron")
    over_size.plot(SIZES, bounds, color=style.MUTED, label="bound of Winnow, before the run")
    over_size.plot(SIZES, ends[1], "o-", color=style.OBSERVED, label="Winnow")
    over_size.set(xscale="log", xlabel="variables", ylabel=f"mistakes in {N_ROUNDS} rounds")
    over_size.set_title(f"{len(RELEVANT)} of ever more variables matter", loc="left")
    over_size.legend(fontsize=8)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "winnow_beats_the_perceptron_when_few_features_matter.svg")
