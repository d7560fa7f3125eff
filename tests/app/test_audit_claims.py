"""Claims that need columns of their own, from the file to the verified certificate."""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import ipc, parquet

from surelearn.app.audit import audit_table
from surelearn.app.audit_frame import audit
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.errors import TableError
from surelearn.app.ledger import NoLedger
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verify import verify_audit

N = 400
RNG = np.random.default_rng(5)
TRUTH = RNG.integers(0, 2, N)
WRONG = RNG.random(N) < 0.06
SAID = np.where(WRONG, 1 - TRUTH, TRUTH)
WORSE = np.where(RNG.random(N) < 0.3, 1 - TRUTH, TRUTH)
SURE = np.where(WRONG, 0.4 * RNG.random(N), RNG.random(N))
NUMBERS = RNG.normal(size=N)
WIDTHS = 0.2 + RNG.random(N)
TABLE = pa.table({
    "y": TRUTH, "p": SAID, "worse": WORSE, "sure": SURE, "g": np.where(np.arange(N) % 3, "a", "b"),
    "s": np.clip(0.2 + 0.6 * SAID + 0.1 * RNG.normal(size=N), 0, 1),
    "x": NUMBERS, "f": NUMBERS + WIDTHS * RNG.normal(size=N), "w": WIDTHS,
})  # fmt: skip
LABELS = {"truth": "y", "prediction": "p"}
VALUES = {"truth": "x", "prediction": "f"}
ASKED = {
    "abstaining(risk=0.1, thresholds=0.9;0.6;0.3)": (
        {**LABELS, "confidence": "sure"},
        "at most 10% of the answers that reach it are wrong: 0.9, 0.6 and 0.3, which ",
    ),
    "abstaining(risk=0.001, thresholds=0.9)": (
        {**LABELS, "confidence": "sure"},
        "at 0 or more of 1 threshold of confidence, at most 0.1% of the answers that reach it",
    ),
    "groups-within(rate=0.12)": (
        {**LABELS, "group": "g"},
        "2 or more of the 2 groups present in these rows err on at most 12% of such cases: a and b",
    ),
    "groups-within(rate=0.001)": (
        {**LABELS, "group": "g"},
        "0 or more of the 2 groups present in these rows err on at most 0.1% of such cases: none",
    ),
    "best-challenger": (
        {**LABELS, "challenger": ["worse"]},
        "it errs less often than every challenger, by at least ",
    ),
    "challengers-better": (
        {"truth": "y", "prediction": "worse", "challenger": ["p"]},
        "1 or more of 1 challenger err less often than it on such cases: p.",
    ),
    "log-loss(floor=0.01)": (
        {**LABELS, "score": "s"},
        "with its probabilities clipped to between 0.01 and 0.99, is at most ",
    ),
    "decision-curve(threshold=0.3)": (
        {**LABELS, "score": "s"},
        "acting on a stated probability of 0.3 or more has a net benefit of at least ",
    ),
    "error-sizes": (VALUES, "such bounds hold for all sizes at once."),
    "scaled-error-quantile(alpha=0.1)": (
        {**VALUES, "width": "w"},
        "at least 90% of such cases lie at most ",
    ),
}


@pytest.mark.parametrize("claim", ASKED)
def test_it_is_told_written_and_verified_with_its_file(claim, tmp_path):
    columns, words = ASKED[claim]
    path = tmp_path / "t.parquet"
    parquet.write_table(TABLE, path)
    run = audit_table(read_table_file(path), claims=[claim], ledger=NoLedger(), **columns)
    assert words in run.certificate.claim
    stored = from_json(to_json(bundle_of(run.claims, run.audit.delta)))
    assert all(finding.holds for finding in verify_audit(stored, table=path))
    content = json.loads(to_json(stored))
    certificate = content["outcomes"][0]["certificate"]
    certificate["claim"] = certificate["claim"].replace("at most", "at  most").replace("of", "off")
    assert not all(f.holds for f in verify_audit(from_json(json.dumps(content))))


@pytest.mark.parametrize(
    ("claim", "beside"),
    [("groups-within(rate=0.12)>=1", {"group": "g"}), ("challengers-better>=1", {})],
)
def test_a_list_is_no_target_beside_others(claim, beside):
    columns = {**LABELS, **beside, "challenger": ["worse"]}
    with pytest.raises(TableError, match="no target beside others"):
        audit_table(
            TableFile.of_table(TABLE), claims=[claim, "accuracy>=0.5"], ledger=NoLedger(), **columns
        )


def test_a_list_that_nothing_passes_is_vacuous_and_a_target_of_one_is_not_proved():
    run = audit_table(
        TableFile.of_table(TABLE), claims=["groups-within(rate=0.001)>=1"], ledger=NoLedger(),
        **LABELS, group="g",
    )  # fmt: skip
    assert run.certificate.status == "vacuous"
    assert run.verdict == "not proved"


SETS = [["a", "b"], ["c"], [], None, ["b", None, "c"]] * 40
SET_TRUTHS = ["a", "c", "a", "b", "c"] * 40


def write(table, path):
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.suffix == ".arrow":
        with ipc.new_file(path, table.schema) as file:
            file.write_table(table)
    else:
        path.write_text("\n".join(map(json.dumps, table.to_pylist())), encoding="utf-8")


@pytest.mark.parametrize("kind", ["parquet", "arrow", "jsonl"])
def test_lists_are_sets(kind, tmp_path):
    path = tmp_path / f"sets.{kind}"
    write(pa.table({"y": SET_TRUTHS, "sets": SETS}), path)
    options = {"truth": "y", "set": "sets", "incomplete": "errors"}
    run = audit_table(read_table_file(path), claims=["coverage"], ledger=NoLedger(), **options)
    assert run.certificate.observed == 3 / 5
    with pytest.raises(TableError, match="40 of 200 rows have no answer"):
        audit(path, truth="y", set="sets")
    stored = from_json(to_json(bundle_of(run.claims, run.audit.delta)))
    assert all(finding.holds for finding in verify_audit(stored, table=path))


def test_labels_in_lists_are_the_same_numbers_however_they_are_stored():
    lists = pa.array([[1.0, 2.0], [3.0]] * 50, pa.list_(pa.float64()))
    table = pa.table({"y": [1, 2] * 50, "sets": lists})
    run = audit_table(TableFile.of_table(table), truth="y", set="sets", ledger=NoLedger())
    assert run.certificate.observed == 0.5
    texts = pa.table({"y": [1.0, 2.0] * 50, "sets": ["[1, 2]", "[3]"] * 50})
    run = audit_table(TableFile.of_table(texts), truth="y", set="sets", ledger=NoLedger())
    assert run.certificate.observed == 0.5


@pytest.mark.parametrize("sets", [[["x"], ["y"]], ["x", "y"], [[1], [2]]])
def test_sets_of_other_labels_are_refused(sets):
    table = pa.table({"y": ["a", "b"] * 30, "sets": sets * 30})
    with pytest.raises(TableError, match="are they other labels"):
        audit_table(TableFile.of_table(table), truth="y", set="sets", ledger=NoLedger())


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({**LABELS, "challenger": ["absent"]}, "there is no column 'absent' for --challenger"),
        ({**LABELS, "challenger": ["worse", "worse"]}, "named twice"),
        ({**LABELS, "challenger": ["p"]}, "named twice"),
        ({"truth": "y", "set": "g", "challenger": ["p"]}, "no score and no baseline"),
        ({"truth": "y", "set": "g", "width": "w"}, "a width belongs to an answer"),
        ({**VALUES, "width": "absent"}, "there is no column 'absent' for --width"),
    ],
)
def test_columns_that_do_not_fit_are_refused_in_a_sentence(columns, told):
    with pytest.raises(TableError, match=told):
        audit_table(TableFile.of_table(TABLE), ledger=NoLedger(), **columns)


@pytest.mark.parametrize("widths", [[0.0], [-1.0], [np.inf], ["wide"]])
def test_widths_that_are_none_are_refused(widths):
    table = TABLE.set_column(8, "w", pa.array((widths * N)[:N]))
    with pytest.raises(TableError, match="width"):
        audit_table(
            TableFile.of_table(table), claims=["scaled-error-quantile"], ledger=NoLedger(),
            **VALUES, width="w",
        )  # fmt: skip


def test_lists_within_lists_are_refused():
    table = pa.table({"y": ["a"] * 60, "sets": [[["a"]]] * 60})
    with pytest.raises(TableError, match="lists within lists"):
        audit_table(TableFile.of_table(table), truth="y", set="sets", ledger=NoLedger())


def test_sets_that_are_all_empty_and_results_that_all_failed_are_audited():
    table = pa.table({"y": ["a"] * 60, "sets": pa.array([[]] * 60, pa.list_(pa.string()))})
    run = audit_table(TableFile.of_table(table), truth="y", set="sets", ledger=NoLedger())
    assert run.certificate.observed == 0.0
    table = pa.table({"ok": [False] * 60, "other": [False] * 60})
    run = audit_table(
        TableFile.of_table(table), passed="ok", baseline="other", claims=["pass-rate"],
        ledger=NoLedger(),
    )  # fmt: skip
    assert run.certificate.observed == 0.0


def test_errors_beyond_floating_point_numbers_are_refused():
    table = pa.table({"x": [1e308, -1e308] * 30, "f": [-1e308, 1e308] * 30, "w": [1e-320] * 60})
    with pytest.raises(TableError, match="give larger units"):
        audit_table(TableFile.of_table(table), task="regression", ledger=NoLedger(), **VALUES)
    tiny = TABLE.set_column(8, "w", pa.array([1e-320] * N))
    with pytest.raises(TableError, match="more widths than"):
        audit_table(
            TableFile.of_table(tiny), claims=["scaled-error-quantile"], ledger=NoLedger(),
            **VALUES, width="w",
        )  # fmt: skip


def test_a_challenger_of_other_labels_is_named():
    table = TABLE.append_column("words", pa.array(["u"] * N))
    with pytest.raises(TableError, match="challenger 'words': the truths are numbers and the"):
        audit_table(TableFile.of_table(table), ledger=NoLedger(), **LABELS, challenger=["words"])


def test_names_of_columns_are_words():
    with pytest.raises(TypeError, match="challenger is the name of a column, no int"):
        audit(TABLE, **LABELS, challenger=[3])


def test_a_sentence_says_a_number_fixed_beforehand_in_all_its_digits():
    claim = "beyond(tolerance=1.23456789)"
    run = audit_table(TableFile.of_table(TABLE), claims=[claim], ledger=NoLedger(), **VALUES)
    assert "beyond 1.23456789" in run.certificate.claim


@pytest.mark.parametrize("group", ["y", "other"])
def test_groups_of_sets_are_verified_and_may_be_the_classes_themselves(group):
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b"], N)
    offered = np.where(rng.random(N) < np.where(y == "a", 0.99, 0.9), y, "c")
    table = pa.table({"y": y, "offered": offered, "other": np.where(y == "a", "left", "right")})
    run = audit(table, truth="y", set="offered", group=group)
    covers, worst = run.audit.certificates
    assert covers.observed == pytest.approx(np.mean(offered == y))
    assert worst.observed == pytest.approx(np.mean(offered[y == "b"] != "b"))
    bundle = from_json(to_json(bundle_of(run.audit.outcomes, run.audit.delta)))
    assert [finding for finding in verify_audit(bundle) if not finding.holds] == []
