"""What several plots of a run draw: curves of bounds, and shares that add up to one."""

from collections.abc import Sequence

from matplotlib.axes import Axes

from surelearn._typing import Matrix
from surelearn._wording import confidence, outward
from surelearn.certificate import Certificate
from surelearn.evaluate._following import BoundCurve, Shares
from surelearn.plots import style

_DASHES = ("-", "--", ":", "-.")
_SHADES = ("#1f6f8b", "#d1495b", "#edae49", "#5b8e7d", "#6d597a", "#3d405b", "#b56576")


def draw_bounds(ax: Axes, bounds: Sequence[BoundCurve]) -> None:
    """Draw bounds from the run in the colour of guarantees, those known beforehand in grey."""
    for realised, colour in ((True, style.GUARANTEED), (False, style.MUTED)):
        drawn = [curve for curve in bounds if curve.realised is realised]
        for i, curve in enumerate(drawn):
            dashes = _DASHES[i % len(_DASHES)] if len(curve.rounds) > 1 else "D"
            ax.plot(curve.rounds, curve.bounds, dashes, color=colour, label=f"bound: {curve.label}")


def draw_certificate(ax: Axes, certificate: Certificate, *, n: int) -> None:
    """Draw the bound of a certificate where it was issued, after n rows; a void one has none."""
    if certificate.status == "void":
        ax.plot([], [], " ", label="no certificate: an assumption is violated")
        return
    delta = certificate.delta
    said = "" if delta is None else f" with confidence {confidence(delta)}"
    label = f"certified{said}: at most {outward(certificate.bound, 'upper')}"
    ax.plot([n], [certificate.bound], "D", ms=7, color=style.GUARANTEED, label=label)


def draw_shares(ax: Axes, shares: Shares, names: Sequence[str]) -> None:
    """Draw the largest shares as areas on top of each other, the others together in grey."""
    values: Matrix = shares.values
    largest = values.mean(axis=0).argsort()[::-1][: len(_SHADES)]
    layers, labels = [values[:, i] for i in largest], [style.label(names[int(i)]) for i in largest]
    colours: list[str] = [*_SHADES[: len(largest)]]
    if len(largest) < values.shape[1]:
        layers.append(1.0 - values[:, largest].sum(axis=1))
        labels.append(f"{values.shape[1] - len(largest)} others")
        colours.append(style.MUTED)
    ax.stackplot(shares.rounds, layers, labels=labels, colors=colours, alpha=0.85, linewidth=0)
    ax.set(xlabel="rounds", ylim=(0.0, 1.0), xlim=(shares.rounds[0], shares.rounds[-1]))
    ax.grid(visible=False)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=8)
