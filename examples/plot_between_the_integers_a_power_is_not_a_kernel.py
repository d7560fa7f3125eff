"""Between the integers the power (1 + xz)^r is not a kernel."""

from pathlib import Path

import numpy as np

from surelearn.kernels import Linear
from surelearn.plots import style


def figure():
    """Draw the least eigenvalue of the Gram matrix of nine points over the exponent."""
    drawing, (ax,) = style.new_figure("Between the integers the power (1 + xz)^r is not a kernel")
    base = (Linear() + 1.0)(np.linspace(-0.9, 0.9, 9)[:, None])
    exponents = np.linspace(0.02, 4.0, 200)  # the integers are among them
    least = np.array([np.linalg.eigvalsh(base**r)[0] for r in exponents])
    whole = np.isclose(exponents, np.round(exponents))
    ax.axhline(0.0, color="black", linewidth=0.8)
    ax.plot(exponents, least, color=style.BROKEN, label="least eigenvalue on nine points")
    ax.plot(
        exponents[whole], least[whole], "o", color=style.GUARANTEED, label="integers: never below 0"
    )
    ax.set(xlabel="exponent r", ylabel="least eigenvalue")
    ax.set_yscale("symlog", linthresh=1e-6)
    ax.legend(loc="lower right")
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    style.save(figure(), target / "between_the_integers_a_power_is_not_a_kernel.svg")
