"""The look of every figure: one accent for what was observed, one for what is guaranteed."""

import textwrap
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from surelearn._wording import printable

OBSERVED, GUARANTEED, MUTED, BROKEN = "#1f6f8b", "#d1495b", "#8d99ae", "#edae49"
"""Colours that keep their order in grey and for colour-blind readers."""

_STYLE: dict[Any, Any] = {
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 12,
    "axes.titlelocation": "left",
    "axes.labelsize": 10,
    "axes.grid": True,
    "axes.formatter.limits": (-4, 8),  # money is read without powers of ten
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "svg.hashsalt": "surelearn",  # the same figure gives the same file
}


def new_figure(title: str, *, columns: int = 1) -> tuple[Figure, list[Axes]]:
    """Return a figure in the house style whose title is the sentence it proves.

    Examples
    --------
    >>> figure, (ax,) = new_figure("A bound is never below the truth")
    >>> ax.get_xscale()
    'linear'
    """
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(6.4 * columns, 4.0), layout="constrained")
        FigureCanvasAgg(figure)
        axes = [figure.add_subplot(1, columns, i + 1) for i in range(columns)]
        wrapped = textwrap.fill(printable(title), 72 * columns)
        figure.suptitle(wrapped, x=0.01, ha="left", fontsize=11, parse_math=False)
    return figure, axes


def put_legend_above(ax: Axes, *, columns: int = 2) -> None:
    """Write the legend above the axes, where no data are.

    Examples
    --------
    >>> _, (ax,) = new_figure("")
    >>> _ = ax.plot([0, 1], label="a line")
    >>> put_legend_above(ax)
    >>> ax.get_legend().get_texts()[0].get_text()
    'a line'
    """
    ax.legend(
        loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, frameon=False, fontsize=8.5
    )


def in_percent(*axes: Axis) -> None:
    """Write the numbers of axes that show shares in percent.

    Examples
    --------
    >>> _, (ax,) = new_figure("")
    >>> in_percent(ax.yaxis)
    >>> ax.yaxis.get_major_formatter()(0.25)
    '25%'
    """
    for axis in axes:
        axis.set_major_formatter(FuncFormatter(_percent))


def _percent(share: float, _place: int | None = None) -> str:
    return f"{100.0 * share:.6g}%"


def label(text: object, *, longest: int = 40) -> str:
    r"""Return a name for an axis or a legend as it is: no formula, no command, not too long.

    Examples
    --------
    >>> print(label("5$ or $6"), label("_private"))
    5\$ or \$6 _private
    """
    shown = printable(str(text))
    shown = shown if len(shown) <= longest else f"{shown[: longest - 1]}…"
    return shown.replace("$", r"\$")


def save(figure: Figure, path: Path) -> None:
    """Write the figure as a file that depends on nothing but its content."""
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None} if path.suffix == ".svg" else {}
    with mpl.rc_context(_STYLE):
        figure.savefig(path, metadata=metadata)
