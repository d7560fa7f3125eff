"""How far a uniform law reaches: the largest draw, an estimate and a bound."""

from matplotlib.axes import Axes

from surelearn._wording import confidence
from surelearn.evaluate.endpoint import EndpointEstimate
from surelearn.plots import style


def plot_endpoint(result: EndpointEstimate, *, ax: Axes | None = None) -> Axes:
    """Draw the largest number drawn, the estimate without bias and the upper bound.

    Parameters
    ----------
    result
        What `estimate_endpoint` returned.
    ax
        Where to draw; a new figure if None.

    Examples
    --------
    >>> from surelearn.evaluate.endpoint import estimate_endpoint
    >>> ax = plot_endpoint(estimate_endpoint([19, 40, 42, 60], replacement=False))
    >>> [line.get_label() for line in ax.lines][1:]
    ['largest draw: 60', 'estimate without bias: 74', 'at most 125, with confidence 95%']
    """
    if ax is None:
        _, (ax,) = style.new_figure("How far the numbers reach")
    low, high = result.interval
    level = confidence(float(result.upper.inputs["delta"]))
    ax.plot([low, high], [0, 0], lw=5, alpha=0.4, color=style.GUARANTEED, label="_")
    seen = f"largest draw: {result.maximum_likelihood:g}"
    ax.plot(low, 0, "o", color=style.OBSERVED, label=seen)
    estimate = f"estimate without bias: {result.unbiased:.6g}"
    ax.plot(result.unbiased, 0, "D", color=style.MUTED, label=estimate)
    most = f"at most {high:.0f}, with confidence {level}"
    ax.plot(high, 0, "|", ms=24, mew=3, color=style.GUARANTEED, label=most, ls="none")
    ax.set_yticks([])
    ax.set(xlabel="endpoint", ylim=(-1, 1))
    ax.set_xlim(left=0.0)
    style.put_legend_above(ax)
    return ax
