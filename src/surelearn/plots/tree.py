"""A decision tree as a figure: questions in boxes, answers on the lines, leaves in colours."""

import textwrap
from typing import Any, NamedTuple

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextPath
from sklearn.utils.validation import check_is_fitted

from surelearn import _arguments
from surelearn._typing import Indices, Mask, Vector
from surelearn.learners.trees._export.vocabulary import Vocabulary, vocabulary_of
from surelearn.learners.trees._tree import Tree, cut_below
from surelearn.plots import style

_FONT, _SMALL = 9.0, 8.0  # points
_PAD, _GAP = 0.06, 0.12  # inches: around a text in its box, between things
_FEW_LEAVES = 8  # a tree with more grows to the right, where texts have room
_CLASS_COLOURS = (style.OBSERVED, style.BROKEN, style.GUARANTEED, style.MUTED)
_EDGE = "#4a4e69"


class _Text(NamedTuple):
    """A text with its width and height in inches."""

    words: str
    size: tuple[float, float]


class _Layout(NamedTuple):
    """Where things stand, in inches: across the tree, and along the way from its root."""

    across: Vector
    along: Vector
    elbow: Vector  # where the lines from each node turn
    answer: Vector  # where the answer that leads to each node is written
    size: tuple[float, float]


def plot_tree(
    model: Any,
    *,
    ax: Axes | None = None,
    digits: int = 4,
    downwards: bool | None = None,
    max_depth: int | None = None,
) -> Axes:
    r"""Draw a fitted tree: boxes hold the features asked about, lines the answers.

    A leaf has the colour of its class, paler the more rows of others it holds, and says how many of
    its training rows are of that class; the colour of a regressor's leaf is its value.

    Parameters
    ----------
    model
        A fitted decision tree.
    ax
        Where to draw, smaller if need be; a new figure of the tree's own size if None.
    digits
        How many digits of a number are written.
    downwards
        Whether the root is at the top or on the left; None puts it on the left if there are more
        than eight leaves.
    max_depth
        How many questions to draw, one after the other; what is asked below them is left out, and
        such a node is drawn like a leaf, with "…".

    Examples
    --------
    >>> from surelearn.learners.trees.c45_classifier import C45Classifier
    >>> model = C45Classifier().fit([[1.0], [2.0], [8.0], [9.0]], ["small"] * 2 + ["large"] * 2)
    >>> [text.get_text() for text in plot_tree(model).texts]
    ['x0', 'small\n2 of 2', 'large\n2 of 2', '≤ 5', '> 5']
    """
    check_is_fitted(model)
    tree, closed = _cut(model.tree_, max_depth)
    vocabulary = vocabulary_of(model, digits=digits)
    down = tree.n_leaves <= _FEW_LEAVES if downwards is None else downwards
    boxes, answers = _boxes(tree, vocabulary, closed, down=down), _answers(tree, vocabulary)
    layout = _lay_out(tree, boxes, answers, down=down)
    title = f"{type(model).__name__}, {model.tree_.n_leaves} leaves"
    ax, scale = _axes(ax, _turned(*layout.size, down=down), title)
    _draw_lines(ax, tree, layout, down=down)
    colours = _colours(tree, vocabulary)
    for node, box in enumerate(boxes):
        place = _turned(layout.across[node], layout.along[node], down=down)
        look = {"boxstyle": f"round,pad={_PAD * 72 / _FONT}", "fc": colours[node], "ec": _EDGE}
        _write(ax, place, box.words, _FONT * scale, look)
    for node in range(1, tree.n_nodes):
        place = _turned(layout.across[node], layout.answer[node], down=down)
        look = {"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"}
        _write(ax, place, answers[node].words, _SMALL * scale, look)
    return ax


def _cut(tree: Tree, max_depth: int | None) -> tuple[Tree, Mask]:
    """Return the upper part of a tree, and which of its leaves ask something that is left out."""
    if max_depth is None:
        return tree, np.zeros(tree.n_nodes, dtype=np.bool_)
    _arguments.count("max_depth", max_depth, at_least=1)
    closed = (tree.depth >= max_depth) & ~tree.is_leaf
    upper, kept = cut_below(tree, closed)
    return upper, closed[kept]


def _boxes(tree: Tree, vocabulary: Vocabulary, closed: Mask, *, down: bool) -> list[_Text]:
    """Return what the box of each node says: a feature, or an outcome and its rows."""
    boxes: list[_Text] = []
    for node in range(tree.n_nodes):
        words = vocabulary.names[tree.feature[node]]
        if tree.n_children[node] == 0:
            words = textwrap.shorten(vocabulary.outcome(tree, node), 28, placeholder="…")
            rows = vocabulary.number(float(tree.weight[node]))
            if vocabulary.classes is not None:
                rows = f"{vocabulary.number(float(tree.value[node].max()))} of {rows}"
            words = f"{words} …" if closed[node] else words
            words = f"{words}\n{rows}" if down else f"{words}  ({rows})"
        boxes.append(_sized(words, _FONT))
    return boxes


def _answers(tree: Tree, vocabulary: Vocabulary) -> list[_Text]:
    """Return the answer that leads to each node, in three lines at most."""
    answers: list[_Text] = []
    for answer in vocabulary.answers(tree):
        plain = answer.replace("<=", "≤").removeprefix("= ").removeprefix("in ")
        plain = plain.replace("{", "").replace("}", "")
        answers.append(_sized(textwrap.fill(plain, 22, max_lines=3, placeholder=" …"), _SMALL))
    return answers


def _sized(words: str, size: float) -> _Text:
    font = FontProperties(family="sans-serif", size=size)
    lines = words.replace("$", "S").split("\n")  # a dollar would start a formula
    widths = [
        TextPath((0, 0), line, size=size, prop=font).get_extents().width
        for line in lines
        if line.strip()
    ]
    return _Text(words, (max(widths, default=0.0) / 72, len(lines) * 1.25 * size / 72))


def _lay_out(tree: Tree, boxes: list[_Text], answers: list[_Text], *, down: bool) -> _Layout:
    """Give each leaf a slot across the tree, and each depth a place along it."""
    wide, long = (0, 1) if down else (1, 0)
    slots = _leaves_below(tree)
    box = np.array([text.size for text in boxes]) + 2 * _PAD
    answer = np.array([text.size for text in answers])
    slot = float(((np.maximum(box[:, wide], answer[:, wide]) + _GAP) / slots).max())
    depth = tree.depth
    thickness, room = _largest(box[:, long], depth), _largest(answer[:, long], depth)
    gap = np.where(np.arange(len(room)) > 0, room + 4 * _GAP, 0.0)
    end = np.cumsum(gap + thickness)
    return _Layout(
        across=slot * _centres(tree, slots),
        along=(end - thickness / 2)[depth],
        elbow=end[depth] + _GAP,
        answer=(end - thickness - room / 2 - 1.5 * _GAP)[depth],
        size=(slot * float(slots[0]), float(end[-1])),
    )


def _largest(sizes: Vector, depth: Indices) -> Vector:
    largest = np.zeros(int(depth.max()) + 1)
    np.maximum.at(largest, depth, sizes)
    return largest


def _leaves_below(tree: Tree) -> Indices:
    counts = np.ones(tree.n_nodes, dtype=np.int64)
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():  # children stand after their parents
        counts[node] = counts[tree.children(node)].sum()
    return counts


def _centres(tree: Tree, slots: Indices) -> Vector:
    """Return where each node stands, in slots: a parent in the middle of its outer children."""
    first = np.zeros(tree.n_nodes)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        children = tree.children(node)
        first[children] = first[node] + np.cumsum(slots[children]) - slots[children]
    centre = first + 0.5
    for node in np.flatnonzero(~tree.is_leaf)[::-1].tolist():
        children = tree.children(node)
        centre[node] = (centre[children[0]] + centre[children[-1]]) / 2.0
    return centre


def _turned(across: float, along: float, *, down: bool) -> tuple[float, float]:
    """Return x and y of a place in the tree."""
    return (float(across), float(along)) if down else (float(along), float(across))


def _axes(ax: Axes | None, size: tuple[float, float], title: str) -> tuple[Axes, float]:
    """Return axes in inches of the tree, and how much smaller they are than it."""
    scale = 1.0
    if ax is None:
        figure, (ax,) = style.new_figure(title)
        figure.set_size_inches(max(3.0, size[0] + 0.4), size[1] + 0.8)
    else:
        extent, dpi = ax.get_window_extent(), ax.figure.dpi
        scale = min(1.0, extent.width / dpi / size[0], extent.height / dpi / size[1])
    ax.set(xlim=(-_GAP, size[0] + _GAP), ylim=(size[1] + _GAP, -_GAP), aspect="equal")
    ax.set_axis_off()
    return ax, scale


def _draw_lines(ax: Axes, tree: Tree, layout: _Layout, *, down: bool) -> None:
    """Draw a line with two turns from each node to each of its children."""
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        for child in tree.children(node):
            across = [layout.across[v] for v in (node, node, child, child)]
            turn = layout.elbow[node]
            along = [layout.along[node], turn, turn, layout.along[child]]
            line = (across, along) if down else (along, across)
            ax.plot(*line, color=style.MUTED, linewidth=1.0, zorder=0, solid_joinstyle="round")


def _write(ax: Axes, place: tuple[float, float], words: str, size: float, look: Any) -> None:
    x, y = place
    ax.text(
        x, y, words, bbox={"lw": 0.8, **look}, ha="center", va="center", size=size, parse_math=False
    )


def _colours(tree: Tree, vocabulary: Vocabulary) -> list[Any]:
    """Return a colour for each node: white where it asks, its outcome's at a leaf."""
    shades = _value_shades(tree) if vocabulary.classes is None else _class_shades(tree)
    return [shade if leaf else "white" for shade, leaf in zip(shades, tree.is_leaf, strict=True)]


def _value_shades(tree: Tree) -> list[Any]:
    values, leaf = tree.value[:, 0], tree.value[tree.is_leaf, 0]
    level = np.clip((values - leaf.min()) / (float(np.ptp(leaf)) or 1.0), 0.0, 1.0)
    return [colormaps["YlGnBu"](0.15 + 0.5 * float(part)) for part in level]


def _class_shades(tree: Tree) -> list[Any]:
    shares = tree.shares()
    n = shares.shape[1]
    palette = _CLASS_COLOURS if n <= len(_CLASS_COLOURS) else [f"C{i}" for i in range(10)]
    purity = (shares.max(axis=1) - 1.0 / n) / max(1.0 - 1.0 / n, 1e-9)
    return [
        _mixed(palette[label % len(palette)], 0.15 + 0.5 * float(pure))
        for label, pure in zip(shares.argmax(axis=1).tolist(), purity, strict=True)
    ]


def _mixed(colour: str, strength: float) -> tuple[float, ...]:
    """Return a colour mixed with white."""
    return tuple(1.0 - strength * (1.0 - part) for part in to_rgb(colour))
