"""`surelearn.certify`: any data frame, one call."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import surelearn
from surelearn.app.errors import TableError
from surelearn.evaluate.ledger import forget

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
