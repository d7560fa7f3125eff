"""Three questions explain the weather table."""

from pathlib import Path

import pyarrow as pa

from surelearn.learners.trees.c45_classifier import C45Classifier
from surelearn.plots import style
from surelearn.plots.tree import plot_tree

DAYS = """
sunny 85 85 false no | sunny 80 90 true no | overcast 83 86 false yes | rainy 70 96 false yes
rainy 68 80 false yes | rainy 65 70 true no | overcast 64 65 true yes | sunny 72 95 false no
sunny 69 70 false yes | rainy 75 80 false yes | sunny 75 70 true yes | overcast 72 90 true yes
overcast 81 75 false yes | rainy 71 91 true no
"""


def table():
    """Return the weather of fourteen days, and whether there was play."""
    days = [day.split() for day in DAYS.strip().replace("\n", "|").split("|")]
    outlook, temperature, humidity, windy, play = zip(*days, strict=True)
    numbers = [[float(cell) for cell in column] for column in (temperature, humidity)]
    names = ["outlook", "temperature", "humidity", "windy"]
    return pa.table([outlook, *numbers, windy], names=names), play


def figure():
    """Draw the tree that C4.5 grows from the table."""
    drawing, (ax,) = style.new_figure("Three questions explain the weather table")
    plot_tree(C45Classifier().fit(*table()), ax=ax)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "three_questions_explain_the_weather_table.svg")
