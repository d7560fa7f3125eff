"""Names of groups in claims: whatever they are, they are read as they were written."""

import contextlib

import numpy as np
import pyarrow as pa
import pytest

from surelearn import claims
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.tables.read import TableFile
from surelearn.app.verify import verify_audit
from surelearn.evaluate.ledger import forget

NAMES = [
    *("Smith, J.", "North (rural)", "(x", "x)", "a=b", "a>=1", "north 'x'", '"q"', "'q'", "'tis"),
    *("x;y", "é", "a\tb", "a\nb", "1", "1.0", "01", "1_0", "1e3", "0x10", "None", "[]", "a\\"),
    *(" a", "a ", '"', "\\", "group-error(group=z)", "a, group=b", '", "', "a)<=0.1", "\u2028"),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_name_of_a_group_is_read_as_it_was_written(name):
    claim = claims.GroupError(group=name)
    assert claims.parse(str(claim)) == claim
    target = claim <= 0.25
    assert claims.parse(str(target)) == target


@pytest.mark.parametrize("name", ["1_0", "1e3", "0x10"])
def test_a_group_is_not_taken_for_the_one_whose_number_it_spells(name):
    assert claims.parse(f"group-error(group={name})").group == name


def test_plain_names_are_written_as_before():
    assert str(claims.GroupError(group="O'Brien")) == "group-error(group=O'Brien)"
    assert str(claims.parse("group-error(group='north')")) == "group-error(group=north)"


@pytest.mark.parametrize("name", ["Smith, J.", "North (rural)", "1_0"])
def test_such_a_group_is_audited_and_verified(name):
    truth = np.arange(120) % 2
    groups = np.where(np.arange(120) % 4 == 0, name, "10")
    said = np.where(groups == name, 1 - truth, truth)
    forget()
    run = audit_table(
        TableFile.of_table(pa.table({"truth": truth, "said": said, "who": groups})),
        claims=[str(claims.GroupError(group=name))],
        truth="truth",
        prediction="said",
        group="who",
    )
    assert run.certificate.observed == 1.0
    assert run.certificate.claim.endswith(f"of such cases in the group {name}.")
    found = from_json(to_json(bundle_of(run.claims, run.audit.delta)))
    assert all(one.holds for one in verify_audit(found))


@pytest.mark.parametrize("sign", ["(", ")", '"', "'", ",", "=", "\\'", ")>=", ') "', "=',"])
def test_signs_in_their_hundred_thousands_are_read_or_refused_at_once(sign):
    with contextlib.suppress(ValueError):
        claims.parse(f"group-error(group={sign * 100_000})")


@pytest.mark.parametrize("value", ["{[]: 1}", "{{}}", "{1: {[]}}"])
def test_what_python_cannot_make_is_refused_in_a_sentence(value):
    with pytest.raises(ValueError, match="miss"):
        claims.parse(f"cost(miss={value}, false_alarm=1)<=0.2")
