"""A table in parts is certified on a cluster as on one machine; see `app/test_in_parts.py`.

It stands here because a cluster takes seconds to start, and the tests beside it have one.
"""

import surelearn
from surelearn.evaluate.ledger import forget


def test_a_cluster_writes_the_same_certificate_as_one_machine(folder, cluster):
    def certified(**options):
        forget()
        given = {"target": "class", "learners": ["MixedNaiveBayes"], "drop": ["y", "above"]}
        return surelearn.certify(folder, **given, **options).certificate.to_json()

    alone = certified()
    assert certified(executor=cluster) == alone
    assert certified(seed=1) != alone  # the control
