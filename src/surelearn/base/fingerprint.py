"""A hash by which a certificate recognises the model it speaks of."""

from typing import Any, cast

import joblib
import narwhals as nw
import numpy as np
from scipy import sparse

from surelearn.certificate import Certificate


def fingerprint(model: object) -> str:
    """Return a hash of a model: its class, parameters and everything it learnt.

    Refitting or changing a model changes its fingerprint, which detaches certificates from it.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[0.0], [1.0]], [0.0, 1.0])
    >>> before = fingerprint(model)
    >>> fingerprint(model) == before
    True
    >>> fingerprint(model.fit([[0.0], [1.0]], [0.0, 2.0])) == before
    False
    """
    state = {k: v for k, v in sorted(vars(model).items()) if k != "_skl_callbacks"}
    name = f"{type(model).__module__}.{type(model).__qualname__}"
    return cast("str", joblib.hash((name, state), hash_name="sha1"))


def data_fingerprint(X: Any, y: Any) -> str:
    """Return a hash of a table and its labels that does not depend on the library holding them.

    Examples
    --------
    >>> data_fingerprint([[1.0, 2.0]], ["a"]) == data_fingerprint(np.array([[1.0, 2.0]]), ["a"])
    True
    """
    if nw.dependencies.is_into_dataframe(X):
        frame = nw.from_native(X, eager_only=True)
        content: Any = [frame[name].to_list() for name in frame.columns]
    elif sparse.issparse(X):
        csr = cast("Any", X).tocsr()
        content = (csr.shape, csr.data, csr.indices, csr.indptr)
    else:
        content = np.asarray(X)
    return cast("str", joblib.hash((content, np.asarray(y).tolist()), hash_name="sha1"))


def check_certificate(certificate: Certificate, model: object) -> None:
    """Raise unless the certificate speaks of exactly this model as it stands now.

    Examples
    --------
    >>> from surelearn.learners.linear.perceptron import Perceptron
    >>> model = Perceptron().fit([[-1.0], [1.0], [2.0]], [0, 1, 1])
    >>> certificate = model.certificates()[-1]
    >>> check_certificate(certificate, model)
    >>> check_certificate(certificate, model.partial_fit([[-0.5]], [1]))
    Traceback (most recent call last):
    ValueError: this certificate was issued for another model, or this one was refitted or changed
    since: certify it again on data it has not seen
    """
    if fingerprint(model) != certificate.reproduce.get("model"):
        raise ValueError(
            "this certificate was issued for another model, or this one was refitted or changed "
            "since: certify it again on data it has not seen"
        )
