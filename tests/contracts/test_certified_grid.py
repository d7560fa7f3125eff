"""Whatever rules are combined: what is certified passes `verify`, and nothing can be left out."""

from dataclasses import replace

import pytest

from contracts import certified_grid as grid
from surelearn.app.problem.split import wording_of
from surelearn.app.verifying.alone import check_alone
from surelearn.app.verifying.shapes import without_numbers
from surelearn.certificate import Certificate
from surelearn.evaluate._holdout_claims import AS_ONE
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED

NAMES = [grid.WORDS, ("0", "1"), ("a, where copies of a row count as one", "b. c, class d")]


def wrong(certificate):
    """Return what `verify` finds against a certificate that was written and read."""
    read = Certificate.from_json(certificate.to_json())
    return [(read.claim, f.name, f.evidence) for f in check_alone(read) if not f.holds]


@pytest.mark.parametrize("words", NAMES)
def test_every_hold_out_passes(words):
    issued = [c for found in grid.holdout_grid(words) for c in found]
    assert len(issued) > 150
    assert [w for c in issued for w in wrong(c)] == []


@pytest.fixture(scope="module")
def of_tables(tmp_path_factory):
    folder = tmp_path_factory.mktemp("grid")
    return [c for found in grid.table_grid(folder, every=2) for c in found]


def test_every_certificate_of_a_table_passes(of_tables):
    assert len(of_tables) > 25
    assert [w for c in of_tables for w in wrong(c)] == []


@pytest.mark.slow
def test_so_does_every_certificate_of_a_table_under_all_rules_together(tmp_path):
    all_of_them = [c for found in grid.table_grid(tmp_path) for c in found]
    assert len(all_of_them) > 40
    assert [w for c in all_of_them for w in wrong(c)] == []


@pytest.fixture(scope="module")
def issued(of_tables):
    return [c for found in grid.holdout_grid() for c in found] + of_tables


def left_out(certificate, key):
    kept = tuple(p for p in certificate.preconditions if p.key != key)
    return replace(certificate, preconditions=kept)


@pytest.mark.parametrize("key", ["row_by_row", "not_chosen_by_them", "copies"])
def test_what_is_demanded_cannot_be_left_out(issued, key):
    stating = [c for c in issued if any(p.key == key for p in c.preconditions)]
    assert len(stating) > 100
    assert [c.claim for c in stating if not wrong(left_out(c, key))] == []


@pytest.mark.parametrize("words", ["", " from the same law"])
def test_what_is_true_of_distinct_rows_is_not_said_of_rows(issued, words):
    """One theorem bounds both, so only what counts as one draw tells them apart."""
    told = f", {AS_ONE}"
    about = [c for c in issued if told in c.claim and c.method != "sequences.betting_order_free"]
    assert len(about) > 15
    changed = [replace(c, claim=c.claim.replace(told, words)) for c in about]
    assert [c.claim for c in changed if not wrong(c)] == []


def test_the_size_of_errors_is_of_the_draws_that_are_told(issued):
    """Quantiles of rows, of groups and of copies are bounded by one theorem, too."""
    about = [c for c in issued if c.kind == "quantile" and ", each of a new group," in c.claim]
    assert about
    forged = [replace(c, claim=c.claim.replace(", each of a new group,", "")) for c in about]
    assert [c.claim for c in forged if not wrong(c)] == []


def test_the_last_rows_are_not_drawn_from_all(of_tables):
    now, then = wording_of("random"), wording_of("time")
    held_out = [c for c in of_tables if c.family is not None]  # others tell of no split
    about = [(c, now, then) for c in held_out if now in c.claim]
    about += [(c, then, now) for c in held_out if then in c.claim]
    assert {told for _, told, _ in about} == {now, then}
    forged = [replace(c, claim=c.claim.replace(told, other)) for c, told, other in about]
    assert [c.claim for c in forged if not wrong(c)] == []


def test_rows_that_coincide_are_no_rows_without_copies(issued):
    told = f"all 200 rows are distinct{ALSO_ROUNDED}"
    found = 0
    for c in issued:
        changed = tuple(
            replace(p, status="checked", evidence=told)
            if p.key == "copies" and p.status == "assumed"
            else p
            for p in c.preconditions
        )
        if changed != c.preconditions:
            found += 1
            assert wrong(replace(c, preconditions=changed))
    assert found > 20


@pytest.mark.parametrize(
    "text",
    [
        *(before * 300_000 for before in (", class ", " of class ", " of new rows of class ")),
        *(f"f({') on (' * 300_000}{end}" for end in ("), checked!", "")),
    ],
)
def test_names_are_found_in_one_pass(text):
    assert without_numbers(text) == text  # in time that grows with its square, this would not end
