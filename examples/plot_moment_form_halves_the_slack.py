"""The moment form has less than half the slack of the closed VC bound."""

from pathlib import Path

import numpy as np

from surelearn.bounds import concentration, vc
from surelearn.plots import style


def figure():
    """Draw train-only bounds for linear rules of 20 features over n, and a hold-out bound."""
    title = "The moment form has less than half the slack of the closed VC bound"
    drawing, (ax,) = style.new_figure(title)
    sizes = np.unique(np.geomspace(500, 100_000, 25).astype(int)) // 20 * 20
    rule = {"vc_dimension": 21, "delta": 0.05}
    curves = {
        "closed form, all data": [vc.closed_form(errors=n // 20, n=n, **rule) for n in sizes],
        "moment form, all data": [
            vc.linear(errors=n // 20, n=n, dimension=20, delta=0.05) for n in sizes
        ],
        "Clopper-Pearson, half held out": [
            concentration.clopper_pearson(errors=n // 40, n=n // 2, delta=0.05) for n in sizes
        ],
    }
    colours = (style.MUTED, style.GUARANTEED, style.BROKEN)
    for (name, values), colour in zip(curves.items(), colours, strict=True):
        ax.plot(sizes, [g.bound for g in values], label=name, color=colour)
    ax.axhline(0.05, color=style.OBSERVED, linestyle="--", label="errors observed")
    ax.set(xscale="log", yscale="log", xlabel="examples", ylabel="95% upper bound on the risk")
    ax.set_yticks([0.05, 0.1, 0.2, 0.4, 0.8], ["0.05", "0.1", "0.2", "0.4", "0.8"])
    ax.minorticks_off()
    ax.legend()
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "moment_form_halves_the_slack.svg")
