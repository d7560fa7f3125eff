"""What the kernel Perceptrons share whose prediction counts all rounds, not the mistakes alone."""

from typing import Any

from surelearn._typing import Indices, Mask
from surelearn.base.online.mistakes import sure_certificates
from surelearn.certificate import Certificate


class AllRoundsCount:
    """A kernel Perceptron that predicts with all its functions: rows without a mistake count, too.

    Its errors are those of the running f, and to drop other rows would change what predicts, so no
    statement about the risk by stable compression can be made.
    """

    _learns_by_other_weights = True

    def certificates(self, *, delta: float = 0.05) -> tuple[Certificate, ...]:
        """State what the last `fit` proves of its mistakes; no statement is about the risk.

        Parameters
        ----------
        delta
            Not needed here: every statement holds surely.
        """
        return sure_certificates(self, delta)

    def _outcome(self, X: Any, wrong: Mask, used: Mask) -> tuple[int | None, Indices | None]:
        del X, wrong, used
        return None, None
