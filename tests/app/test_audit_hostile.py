"""Hostile files, claims and plans: an audit refuses them in a sentence, and takes its time."""

import datetime as dt
import json
import random
import time
from dataclasses import fields
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from surelearn import claims
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, from_json, to_json
from surelearn.app.auditing.columns import values
from surelearn.app.auditing.plan import read_plan
from surelearn.app.errors import TableError
from surelearn.app.ledger import NoLedger
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verify import verify_audit
from surelearn.bounds import regions
from surelearn.claims.predictions import as_labels
from surelearn.evaluate.model_difference_monitor import ModelDifferenceMonitor
from surelearn.evaluate.rate_monitor import RateMonitor


def audited(columns, **options):
    """Audit a table of columns t and p that no ledger remembers."""
    options = {"truth": "t", "prediction": "p", **options}
    if "passed" in options:
        options = {k: v for k, v in options.items() if k not in {"truth", "prediction"}}
    return audit_table(TableFile.of_table(pa.table(columns)), ledger=NoLedger(), **options)


ODD = [
    "nan", "inf", "1e999", "-1", "True", "None", "'x'", "[1]", "{}", "1j", "b'a'", "9" * 5000,
    "-" * 3000 + "1", "~" * 3000 + "1", "[" * 500, "a:nan", "a:0.5;a:1", "1e308", "''",
]  # fmt: skip


@pytest.mark.parametrize("name", sorted(claims.known()))
def test_parameters_of_any_kind_are_taken_or_refused(name):
    for field in fields(claims.known()[name]):
        others = "".join(
            f", {one.name}=0.5" for one in fields(claims.known()[name]) if one.name != field.name
        )
        for value in ODD:
            try:
                found = claims.parse(f"{name}({field.name}={value}{others})")
            except ValueError as error:
                said = str(error)
            else:
                said = "" if claims.parse(str(found)) == found else "another claim"
            assert "needs parameters" not in said
            assert said != "another claim"


def test_random_text_is_a_claim_or_refused():
    rng = random.Random(0)  # noqa: S311 - a test
    parts = [*claims.known(), *"()[]{}<>=%,;:.-+_ \t\n'\"", *ODD, "0.9", "90%", "é", "\x1b[31m"]
    for _ in range(3000):
        text = "".join(rng.choice(parts) for _ in range(rng.randint(1, 8)))
        try:
            found = claims.parse(text)
        except ValueError:
            continue
        assert str(claims.parse(str(found))) == str(found)


@pytest.mark.parametrize("text", ["error" + " " * 100_000 + "x!", "(" * 100_000, "e" * 2**21])
def test_long_text_is_refused_at_once_and_briefly(text):
    start = time.process_time()
    with pytest.raises(ValueError, match=r"is no claim|there is no claim") as refusal:
        claims.parse(text)
    assert time.process_time() - start < 1.0
    assert len(str(refusal.value)) < 1000


def test_a_million_bins_are_refused():
    with pytest.raises(ValueError, match="bins"):
        claims.parse("calibration-error(bins=1000000)")


def test_a_stratum_with_two_shares_is_refused():
    with pytest.raises(ValueError, match="has two shares"):
        claims.parse("error-of-strata(shares=a:0.5;b:0.5;a:0.5)")


def test_a_missing_score_is_no_error_also_where_it_is_nan():
    score = pa.array([np.nan] + [0.5] * 99, from_pandas=False)
    columns = {"t": [1, 0] * 50, "p": [1, 0] * 50, "s": score}
    with pytest.raises(TableError, match="missing score"):
        audited(columns, score="s", incomplete="errors")


@pytest.mark.parametrize(
    ("truth", "answers"),
    [
        (["(no answer)", "x"] * 50, [None, "x"] * 50),
        ([-(2**63), 1] * 50, [None, 1] * 50),
    ],
)
def test_a_missing_answer_is_never_right(truth, answers):
    with pytest.raises(TableError, match="stands for a missing answer"):
        audited({"t": truth, "p": answers}, incomplete="errors", claims=["error"])


@pytest.mark.parametrize(
    "passed", [[True, None], ["passed", None], [1, None], [1.0, None], ["yes", ""]]
)
def test_missing_results_can_count_as_failed(passed):
    run = audited({"p": passed * 50}, passed="p", incomplete="errors", claims=["pass-rate"])
    assert run.certificate.observed == 0.5


def test_whole_numbers_beyond_those_with_a_sign_are_labels():
    large = np.array([2**63 + 5, 2**63 + 6] * 50, dtype=np.uint64)
    assert audited({"t": large, "p": large}, claims=["error"]).certificate.observed == 0.0
    lacking = pa.array([None, *large[1:].tolist()], pa.uint64())
    run = audited({"t": large, "p": lacking}, claims=["error"], incomplete="errors")
    assert run.certificate.observed == 0.01


def test_dates_are_labels_and_no_numbers():
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=i) for i in range(100)]
    assert audited({"t": days, "p": days}).columns.rows.task == "multiclass"
    with pytest.raises(TableError, match="score"):
        audited({"t": [1, 0] * 50, "p": [1, 0] * 50, "s": days}, score="s")


def test_one_long_answer_does_not_widen_every_row():
    answers = pa.chunked_array([["no"] * 1000 + ["a" * 10**6]])
    found = values(answers)
    assert found.nbytes < 10**6
    assert found[-1] != values(pa.chunked_array([["a" * (10**6 - 1) + "b"]]))[0]
    rows = claims.record(["no"] * 1000 + ["b" * 10**6], ["no"] * 1000 + ["b" * 10**6])
    assert rows.truth.nbytes < 10**6
    assert not rows.wrong.any()


def test_words_that_end_in_nul_are_other_words():
    assert len(np.unique(as_labels(["x", "x\0", "x\0\0"]))) == 3
    run = audited({"t": ["x", "y"] * 50, "p": ["x\0", "y"] * 50}, claims=["error"])
    assert run.certificate.observed == 0.5


def test_many_groups_are_not_compared_two_by_two():
    groups = [f"g{i}" for i in range(2000)]
    run = audited({"t": [1, 0] * 1000, "p": [1, 0] * 1000, "g": groups}, group="g")
    assert "2,000 groups" in run.audit.left_out["Largest gap between groups"]
    text = to_json(bundle_of(run.audit.outcomes, run.audit.delta))
    assert all(finding.holds for finding in verify_audit(from_json(text)))
    with pytest.raises(TableError, match="cannot be compared"):
        audited(
            {"t": [1, 0] * 1000, "p": [1, 0] * 1000, "g": groups}, group="g", claims=["group-gap"]
        )
    with pytest.raises(ValueError, match="sizes"):
        regions.gap(errors=[0] * 5000, sizes=[1] * 5000, delta=0.05)


@pytest.mark.parametrize("role", ["weight", "stratum"])
def test_claims_that_must_be_asked_for_are_named(role):
    with pytest.raises(TableError, match="ask for"):
        audited({"t": [1, 0] * 50, "p": [1, 0] * 50, "r": [1.0] * 100}, **{role: "r"})


def test_a_column_of_a_type_that_is_not_read_is_named_with_it():
    with pytest.raises(TableError, match=r"was not read.*list"):
        audited({"t": [[1], [0]] * 50, "p": [1, 0] * 50})


def test_a_target_in_percent_needs_its_sign():
    with pytest.raises(ValueError, match="90%"):
        claims.parse("sensitivity>=90")
    assert str(claims.parse("difference<=-0.01")) == "difference<=-0.01"


@pytest.mark.parametrize(
    ("labels", "positive"), [([0.0, 1.0], "1"), ([0, 1], "1.0"), ([False, True], "true")]
)
def test_the_positive_label_may_be_written_otherwise(labels, positive):
    columns = {"t": labels * 50, "p": labels * 50}
    run = audited(columns, positive=positive, claims=["sensitivity"])
    assert run.columns.rows.positive == 1


def test_a_positive_label_that_two_are_alike_to_is_refused():
    with pytest.raises(TableError, match="is no label here"):
        audited({"t": ["YES", "yes"] * 50, "p": ["YES", "yes"] * 50}, positive="Yes")


LINES = '{"t": "yes", "p": "yes"}\n{"t": "no", "p": "yes"}\n' * 50


def read(tmp_path, content):
    path = tmp_path / "answers.jsonl"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table_file(path)


@pytest.mark.parametrize("before", [b"\xef\xbb\xbf", b"\n\n", b" \n\t"])
def test_json_lines_may_begin_with_a_mark_or_blanks(tmp_path, before):
    assert read(tmp_path, before + LINES.encode()).table.num_rows == 100


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ('[{"t": 1, "p": 1}]', "JSON array"),
        (b"\xef\xbb\xbf" + b'[\n {"t": 1}]', "JSON array"),
        (LINES.encode("utf-16"), "UTF-16"),
        ('{"t": ' + "[" * 100_000 + "]" * 100_000 + "}\n", "within brackets"),
        (LINES + '{"t": "no", "z": ' + '{"a": ' * 20_000 + "1" + "}" * 20_000 + "}", "brackets"),
        ('{"t": 123456789012345678901234567890, "p": 1}\n' * 9, "rounded"),
        ('{"t": 9007199254740993}\n' * 9 + '{"t": 9007199254740992.5}\n', "rounded"),
        (LINES[:-5], "damaged"),
        ('{"t": 1, "t": 2}\n', "twice"),
        ("{" + "\0" * 99, "damaged"),
    ],
)
def test_json_of_another_shape_is_refused_in_a_sentence(tmp_path, content, why):
    with pytest.raises(TableError, match=why):
        read(tmp_path, content)


def test_brackets_in_text_are_no_brackets(tmp_path):
    text = '{"t": "' + "[{" * 5000 + '\\"", "p": "1234567890123456789012"}\n'
    assert read(tmp_path, text * 3 + '{"t": "", "p": "", "x": 1e20}\n').table.num_rows == 4


@pytest.mark.parametrize("encoding", ["hex", "rot13", "undefined", "zip", "idna"])
def test_encodings_that_make_no_text_are_refused(tmp_path, encoding):
    path = tmp_path / "t.csv"
    path.write_bytes(b"t,p\n" + b"a..b,\xff\n" * 50)
    with pytest.raises(TableError):
        read_table_file(path, encoding=encoding)


@pytest.mark.parametrize("content", ["a." * 50_000 + "b = 1", '["a"' + '."a"' * 50_000 + "]"])
def test_a_plan_of_endless_names_is_refused_at_once(tmp_path, content):
    path, start = tmp_path / "plan.toml", time.process_time()
    path.write_text(content, encoding="utf-8")
    with pytest.raises(TableError, match="no plan"):
        read_plan(path)
    assert time.process_time() - start < 1.0


def test_a_plan_of_many_claims_is_read(tmp_path):
    asked = [f"beyond(tolerance={i}.5)<=0.5" for i in range(200)]
    path = tmp_path / "plan.toml"
    path.write_text(f"claims = {asked}\ndelta = 0.05\n", encoding="utf-8")
    assert len(read_plan(path).claims) == 200


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="there is no endless file here")
def test_an_endless_plan_is_no_plan():
    with pytest.raises(TableError, match="no plan"):
        read_plan(Path("/dev/zero"))


def test_a_forged_formula_is_found():
    labels = [1, 0] * 50
    run = audited(
        {"t": labels, "p": labels, "s": np.linspace(1.0, 0.0, 100)}, score="s", positive="1"
    )
    text = to_json(bundle_of(run.audit.outcomes, run.audit.delta))
    assert all(finding.holds for finding in verify_audit(from_json(text)))
    for outcome in run.claims:
        forged = json.loads(text)
        place = run.claims.index(outcome)
        forged["outcomes"][place]["certificate"]["formula"] = "surelearn.bounds.rates.rate(n=10**9)"
        findings = verify_audit(from_json(json.dumps(forged)))
        assert any("formula" in finding.evidence for finding in findings if not finding.holds)


@pytest.mark.parametrize(
    "where",
    [
        (), ("audit", "about"), ("options",), ("options", "form"), ("ledger",),
    ],
)  # fmt: skip
@pytest.mark.parametrize("claim", ["error", "sensitivity"])
def test_names_that_no_audit_stores_are_refused(claim, where):
    run = audited({"t": [0, 1] * 50, "p": [0, 1] * 50}, claims=[claim], form={"header": True})
    content = json.loads(to_json(bundle_of(run.audit.outcomes, run.audit.delta)))
    assert all(finding.holds for finding in verify_audit(from_json(json.dumps(content))))
    place = content["outcomes"][0]["certificate"]["reproduce"]
    for name in where:
        place = place[name]
    place["approved_by"] = "the authority"
    assert not all(finding.holds for finding in verify_audit(from_json(json.dumps(content))))


@pytest.mark.parametrize("positive", [1, 1.0, np.int64(1), "1"])
def test_a_positive_label_may_be_a_number_for_verify_too(positive):
    run = audited({"t": [0, 1] * 50, "p": [0, 1] * 50}, positive=positive)
    text = to_json(bundle_of(run.audit.outcomes, run.audit.delta))
    assert all(finding.holds for finding in verify_audit(from_json(text)))


@pytest.mark.parametrize(
    "odd",
    [
        [1j, 0j], [np.inf, 0.0], np.array(["NaT", "2020"], "M8[ns]"), np.zeros(2, "m8[s]"),
        np.zeros(2, [("a", int)]), [None, 1], [[1], [0]], np.ma.array([1, 0], mask=[1, 0]), [], 5,
    ],
)  # fmt: skip
def test_what_is_no_column_is_refused(odd):
    with pytest.raises(ValueError, match=r"truth|prediction|y "):
        claims.record(odd, odd)


def test_sizes_of_errors_at_a_delta_above_a_half_are_refused_by_that_name():
    t = np.random.default_rng(0).normal(size=200)
    with pytest.raises(TableError, match="at a delta from 1e-12 to 1/2"):
        audited({"t": t, "p": 0.5 * t}, task="regression", claims=["error-quantile"], delta=0.9)


@pytest.mark.parametrize(
    "positive", [None, [1, 0], np.array([1, 0]), {1}, {"a": 1}, float("nan"), object()]
)
def test_a_monitor_refuses_what_is_no_label(positive):
    with pytest.raises(ValueError, match="positive"):
        RateMonitor(positive=positive)


@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        (np.array(["a", "b"], dtype=object), 1),
        (np.array([b"a", b"b"]), "a"),
        (np.array([1, 0], dtype=object), "1"),
        (np.array(["2020", "2021"], "M8[D]"), 1),
        (np.array(["a", 1], dtype=object), "a"),
    ],
)
def test_a_monitor_refuses_labels_of_another_kind(labels, positive):
    monitor = RateMonitor(positive=positive)
    with pytest.raises(ValueError, match="another kind"):
        monitor.update(labels, labels)
    assert monitor.n_rows == 0


def test_a_monitor_takes_labels_of_the_same_kind():
    days = np.array(["2020-01-01", "2021-01-01"], "M8[ns]")
    for labels, positive in (
        (days, days[0]),
        (np.array(["a", "b"], dtype=object), "a"),
        ([True, False], True),
        (np.array([1, 0.0], dtype=object), 1),
    ):
        assert RateMonitor(positive=positive).update(labels, labels).n_rows == 1


def test_a_monitor_of_two_models_takes_no_longer_for_later_rows():
    losses = np.random.default_rng(0).random((2, 6000))
    monitor, start = ModelDifferenceMonitor(), time.process_time()
    for first, second in losses.T:
        monitor.update([first], [second])
    assert time.process_time() - start < 3.0
    assert monitor.n_rows == 6000
