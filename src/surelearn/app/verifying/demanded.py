"""What learners always demand beside their theorem, as far as a certificate tells that they do.

That a kernel is an inner product is demanded of some kernels only: who takes that out is not found.
"""

from collections.abc import Iterator, Mapping

from surelearn.certificate import Certificate

_OF_MACHINES = ("kernel", "equal_weights")
_OF_SUPPORT_VECTORS = ("radius", *_OF_MACHINES, "known_labels")
_BY_THEOREM: Mapping[str, tuple[str, ...]] = {
    "bandits.exp3_anytime": ("fixed_n",),
    "bandits.exp3_ix_anytime": ("fixed_n",),
    "bandits.exp3_learning_rate": ("fixed_n",),
    "bandits.tsallis_inf": ("fixed_n",),
    "bandits_stochastic.ucb1_gap_free": ("fixed_n",),
    "compression.leave_one_out_support_vectors": _OF_SUPPORT_VECTORS,
    "neighbors.leave_one_out": ("known_labels",),
    "stability.svm": _OF_MACHINES,
    "votes.cross_validation_mean_risk": ("row_by_row",),
}
_BY_EVIDENCE: Mapping[str, tuple[str, ...]] = {  # of `compression.campi_garatti`
    "examples ever changed the weights or err": ("known_labels",),
    "rows the minimum is the same": _OF_SUPPORT_VECTORS,
}


def demands(certificate: Certificate) -> Iterator[str]:
    """Yield the keys of what the learner that issued a certificate always demands."""
    yield from _BY_THEOREM.get(certificate.method, ())
    if certificate.method == "compression.campi_garatti":
        told = " ".join(p.evidence for p in certificate.preconditions if p.key == "stable")
        for words, keys in _BY_EVIDENCE.items():
            yield from keys if words in told else ()
    if "gradient_norm" in certificate.reproduce.get("measured", ()):
        yield "gradient_norm"
