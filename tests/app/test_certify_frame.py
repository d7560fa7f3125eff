"""`surelearn.certify`: any data frame, one call."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surelearn
from surelearn.app.errors import TableError
from surelearn.evaluate.ledger import forget

pytestmark = pytest.mark.usefixtures("no_figures")

RNG = np.random.default_rng(3)
COLUMNS = {
    "weight": RNG.normal(size=200).round(3).tolist(),
    "price": [f"${1000 + 37 * i:,}" for i in range(200)],
}
COLUMNS["kind"] = ["cat" if w > 0 else "dog" for w in COLUMNS["weight"]]
FRAMES = {
    "pandas": lambda: pd.DataFrame(COLUMNS, index=[f"r{i}" for i in range(200)]),
    "polars": lambda: pl.DataFrame(COLUMNS),
    "arrow": lambda: pa.table(COLUMNS),
}


@pytest.mark.parametrize("library", FRAMES)
def test_frames_of_all_libraries_give_the_same_certificate(library, tmp_path):
    forget()
    frame = FRAMES[library]()
    found = surelearn.certify(frame, target="kind", learners=["MixedNaiveBayes"])
    assert found.certificate.status == "valid"
    assert found.run.problem.features == ("weight", "price")
    assert len(found.predict(frame)) == 200
    assert "<html" in found.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").is_file()
    assert [path.name for path in found.save(tmp_path / "out")][:2] == [
        "model.surelearn",
        "certificate.json",
    ]
    assert repr(found).startswith("MixedNaiveBayes on table\n")
    assert "<table" in found._repr_html_()


def test_what_is_no_table_is_refused_in_a_sentence():
    with pytest.raises(TableError, match="int is no table"):
        surelearn.certify(7, target="y")
    with pytest.raises(TableError, match="there is no file"):
        surelearn.certify("nowhere.csv", target="y")


def test_a_misspelt_name_is_met_with_the_right_one():
    with pytest.raises(AttributeError, match="did you mean RandomForestClassifier"):
        surelearn.RandomForrestClassifier  # noqa: B018 - it is asked for
    assert "certify" in dir(surelearn)


def objects(*cells):
    found = np.empty(60, dtype=object)
    for i in range(60):
        found[i] = cells[i % len(cells)]
    return pd.Series(found, dtype=object)


ODD = {
    "mixed": objects(1, "a", None, 2.5),
    "mixed categories": pd.Series(pd.Categorical([1, "a", 2.5] * 20)),
    "complex": pd.Series(np.arange(60) + 1j),
    "long": pd.Series(np.arange(60).astype("longdouble")),
    "sparse": pd.Series(pd.arrays.SparseArray([0, 0, 1] * 20)),
    "huge": objects(10**30, 5),
    "surrogates": objects("\ud800", "ok"),
    "objects": objects(object(), len),
    "frames": objects(pd.DataFrame({"a": [1]})),
    "records": objects(np.zeros(1, [("a", int)])[0]),
    "periods": pd.Series(pd.period_range("2000", periods=60, freq="M")),
    "intervals": pd.Series(pd.interval_range(0, 60, periods=60)),
    "durations": pd.Series(pd.to_timedelta(np.arange(60), unit="s")),
    "bytes": objects(b"a", b"\xff"),
    "lists": objects([1], [2, 3]),
    "wide": pl.Series([2**100] * 60, dtype=pl.Int128),
}


@pytest.mark.parametrize("kind", ODD)
def test_a_column_that_has_no_place_in_a_table_is_named(kind):
    make = pl.DataFrame if isinstance(ODD[kind], pl.Series) else pd.DataFrame
    frame = make({"x": np.arange(60) * 0.1, "odd": ODD[kind]})
    with pytest.raises(TableError, match=r"column 'odd'.*: (make all of it|turn it)") as caught:
        surelearn.certify(frame, target="odd")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [
        {"target": None},
        {"target": ["kind"]},
        {"group": ["kind"]},
        {"drop": "weight"},
        {"drop": [1]},
        {"keep": 5},
        {"categorical": [["weight"]]},
        {"zeros": 3},
        {"learners": "MixedNaiveBayes"},
        {"foo": 1},
        {"delta": "x"},
        {"seed": 1.5},
        {"holdout": None},
        {"looks": "a"},
    ],
    ids=str,
)
def test_options_that_make_no_sense_are_refused_in_a_sentence(options):
    with pytest.raises(TableError, match=r"name|option|delta|seed|hold-out|looks"):
        surelearn.certify(pa.table(COLUMNS), **{"target": "kind", **options})


def test_columns_of_one_name_are_refused():
    frame = pd.DataFrame(np.zeros((60, 3)), columns=["a", "a", "y"])
    with pytest.raises(TableError, match=r"unique|same name"):
        surelearn.certify(frame, target="y")


def test_a_page_that_cannot_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    forget()
    found = surelearn.certify(
        FRAMES["arrow"](), target="kind", learners=["MixedNaiveBayes"], positive="cat"
    )
    truths, path = COLUMNS["kind"], tmp_path / "report.html"
    audited = surelearn.audit(pa.table({"t": truths, "p": truths}), truth="t", prediction="p")
    path.write_text("before", encoding="utf-8")

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    for one in (found, audited):
        with pytest.raises(OSError, match="No space"):
            one.report(path)
    assert path.read_text(encoding="utf-8") == "before"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"learners": None}, "learners is a list of names, and not None"),
        ({"learners": 3}, "learners is a list of names, and not 3"),
        ({"task": ["regression"]}, "task is classification or regression, not"),
    ],
)
def test_what_is_no_list_of_learners_or_no_task_is_refused(options, told):
    frame = pa.table({"a": [1.0, 2.0] * 40, "y": ["no", "yes"] * 40})
    with pytest.raises(TableError, match=told):
        surelearn.certify(frame, target="y", **options)
