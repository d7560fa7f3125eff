"""Predictions: a table is read as the model learnt it, differences are told."""

import numpy as np
import pyarrow as pa
import pytest

from surelearn.app.errors import TableError
from surelearn.app.predict import (
    check_schema,
    predict_table,
    read_features,
    read_for,
    write_predictions,
)
from surelearn.app.problem.problem import understand
from surelearn.app.tables.read import read_table_file
from surelearn.learners.linear.linear_regression import LinearRegression
from surelearn.learners.trees.cart_classifier import CARTClassifier
from surelearn.learners.trees.cart_regressor import CARTRegressor
from surelearn.persistence.model_files import SavedModel, load_model, save_model

TABLE = "size,zip,flag,y\n" + "".join(
    f"{i % 9 + 0.5},{'0213' if i % 3 else '10.50'},{'true' if i % 2 else 'false'},"
    f"{'yes' if i % 3 else 'no'}\n"
    for i in range(60)
)


def write(tmp_path, content, name="t.csv"):
    path = tmp_path / name
    path.write_text(content, encoding="utf-8")
    return path


@pytest.fixture
def saved(tmp_path):
    problem = understand(read_table_file(write(tmp_path, TABLE, "train.csv")), target="y")
    model = CARTClassifier().fit(problem.X, problem.y)
    save_model(model, tmp_path / "m", schema=problem.schema, metadata={})
    return load_model(tmp_path / "m")


def features(saved, path, **reading):
    return read_features(read_for(saved.schema, path, **reading).table, saved.schema)


def test_the_training_table_gives_the_training_features_back(saved, tmp_path):
    X, notes = features(saved, write(tmp_path, TABLE))
    problem = understand(read_table_file(tmp_path / "t.csv"), target="y")
    assert X.to_pylist() == problem.X.to_pylist()
    assert notes == ()
    assert predict_table(saved, X).column("prediction").to_pylist() == problem.y.tolist()


def test_kinds_are_those_of_training_whatever_the_cells_look_like(saved, tmp_path):
    X, notes = features(saved, write(tmp_path, "zip,flag,size\n10.50,1,many\n7,0,2\n"))
    assert X.to_pylist() == [
        {"size": None, "zip": "10.50", "flag": 1.0},
        {"size": 2.0, "zip": "7", "flag": 0.0},
    ]
    told = " ".join(map(str, notes))
    assert "column 'size': 1 cells are not of the kind number" in told
    assert "column 'zip': 1 cells hold categories that training has not seen" in told


def test_a_missing_column_is_named_and_an_extra_one_ignored(saved, tmp_path):
    with pytest.raises(TableError, match="the table lacks zip, flag, which the model needs"):
        features(saved, write(tmp_path, "size,more\n1,2\n"))
    _, notes = features(saved, write(tmp_path, "size,zip,flag,more\n1,0213,true,2\n"))
    assert "extra columns: more" in str(notes[-1])


def test_a_table_without_names_may_leave_out_the_target(tmp_path):
    lines = [f"{'yes' if i % 2 else 'no'},{i % 2},w{i % 3}\n" for i in range(40)]
    path = write(tmp_path, "".join(lines))
    problem = understand(read_table_file(path), target="column_1")
    model = CARTClassifier().fit(problem.X, problem.y)
    saved = SavedModel(model, problem.schema, {}, "")
    with_target, _ = features(saved, path)
    without = write(tmp_path, "".join(line.partition(",")[2] for line in lines), "u.csv")
    without_target, _ = features(saved, without)
    assert without_target.to_pylist() == with_target.to_pylist()


def test_probabilities_come_along_and_numbers_have_none(saved, tmp_path):
    X, _ = features(saved, write(tmp_path, TABLE))
    table = predict_table(saved, X)
    assert table.column_names == ["prediction", "probability_no", "probability_yes"]
    total = np.add(*(table.column(name).to_numpy() for name in table.column_names[1:]))
    np.testing.assert_allclose(total, 1.0)
    regression = CARTRegressor().fit([[0.0], [1.0]], [0.5, 1.5])
    found = predict_table(SavedModel(regression, {}, {}, ""), [[0.0]])
    assert found.to_pylist() == [{"prediction": 0.5}]


def test_what_the_model_refuses_is_told():
    model = LinearRegression().fit(pa.table({"x": [0.0, 1.0]}), [0.0, 1.0])
    with pytest.raises(TableError, match="the model cannot predict for this table"):
        predict_table(
            SavedModel(model, {}, {}, ""), pa.table({"x": pa.array([None], pa.float64())})
        )


def test_a_file_is_written_whole_or_not_at_all(saved, tmp_path, monkeypatch):
    X, _ = features(saved, write(tmp_path, TABLE))
    out = tmp_path / "new" / "p.csv"
    out.parent.mkdir()
    write_predictions(predict_table(saved, X), out)
    first, second, *_ = out.read_text(encoding="utf-8").splitlines()
    assert first == "prediction,probability_no,probability_yes"
    assert second.startswith("no,1,0")
    before = out.read_bytes()

    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("surelearn.app.predict.csv.write_csv", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_predictions(predict_table(saved, X), out)
    assert out.read_bytes() == before
    assert list(out.parent.iterdir()) == [out]


def test_a_column_without_any_value_and_decimal_commas_are_read_as_in_training(saved, tmp_path):
    path = write(tmp_path, "zip;flag;size\n;true;1,5\n;false;?\n")
    file = read_for({**saved.schema, "decimal": ","}, path)
    X, notes = read_features(file.table, saved.schema, file.decimal)
    assert X.to_pylist() == [
        {"size": 1.5, "zip": None, "flag": 1.0},
        {"size": None, "zip": None, "flag": 0.0},
    ]
    assert notes == ()


def test_a_model_file_of_before_decimal_signs_can_be_used(saved, tmp_path):
    schema = {key: value for key, value in saved.schema.items() if key != "decimal"}
    path = write(tmp_path, "zip;flag;size\n7;true;1,5\n0213;false;2,5\n")
    assert read_for(schema, path).table.column("size").to_pylist() == [1.5, 2.5]


@pytest.mark.parametrize("field", ["target", "columns", "missing"])
def test_a_word_that_is_no_unicode_text_is_refused(saved, field):
    check_schema(saved.schema)
    word = "\ud800" if field == "target" else ["\ud800"]
    with pytest.raises(TableError, match="does not say which columns"):
        check_schema({**saved.schema, field: word})
