"""Streams of any kind: the same model as from the whole table, one block in memory at a time."""

import pickle
import weakref

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet

from surelearn.adapters.river import to_river
from surelearn.learners.decompositions.principal_components import PrincipalComponents
from surelearn.learners.linear.online_ridge import OnlineRidge
from surelearn.learners.linear.perceptron import Perceptron
from surelearn.scale import streams
from surelearn.scale.streams import blocks, learn_stream

NAMES = ["a", "b", "c"]


def world(n=100):
    X = np.random.default_rng(0).integers(-3, 4, size=(n, 3)).astype(float)
    return X, np.where(X @ [1.0, -2.0, 3.0] > 0.5, "yes", "no")


def as_table(X, y):
    return pa.table({**{n: X[:, j] for j, n in enumerate(NAMES)}, "label": y})


def write(table, path):
    if path.suffix == ".csv":
        csv.write_csv(table, path)
    else:
        parquet.write_table(table, path, row_group_size=30)
    return path


def sources(X, y, folder):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    table = as_table(X, y)
    yield write(table, folder / "table.parquet")
    yield str(write(table, folder / "table.csv"))
    yield from (table, table.to_reader(max_chunksize=17), table.to_pandas(), pl.from_arrow(table))
    yield pd.DataFrame(X, columns=NAMES).assign(label=pd.Categorical(y))


def test_every_table_gives_the_model_of_the_whole_with_its_names(tmp_path):
    X, y = world()
    whole = Perceptron().partial_fit(X, y)
    for source in sources(X, y, tmp_path):
        model = learn_stream(Perceptron(), source, target="label", block_size=16)
        assert model.coef_.tolist() == whole.coef_.tolist()
        assert (model.n_rounds_, model.n_mistakes_) == (100, whole.n_mistakes_)
        assert model.feature_names_in_.tolist() == NAMES
        assert model.classes_.tolist() == ["no", "yes"]


def test_pairs_of_arrays_or_mappings_give_the_same_model():
    X, y = world()
    whole = Perceptron().partial_fit(X, y)
    arrays = learn_stream(Perceptron(), zip(X, y, strict=True), block_size=7)
    mappings = ({n: v for n, v in zip(NAMES, x, strict=True) if v} for x in X.tolist())
    named = learn_stream(Perceptron(), zip(mappings, y, strict=True), block_size=17)
    for model in (arrays, named):
        order = [NAMES.index(n) for n in getattr(model, "feature_names_in_", NAMES)]
        assert model.coef_[0].tolist() == whole.coef_[0][order].tolist()
    assert not hasattr(arrays, "feature_names_in_")


def test_a_river_dataset_is_a_stream():
    datasets = pytest.importorskip("river.datasets")
    model = learn_stream(Perceptron(), datasets.Phishing(), classes=[False, True], block_size=100)
    assert model.n_rounds_ == 1250
    assert "empty_server_form_handler" in model.feature_names_in_


def test_columns_are_chosen_in_the_order_asked(tmp_path):
    path = write(as_table(*world()), tmp_path / "table.parquet")
    X, _ = next(blocks(path, target="label", columns=["c", "a"], block_size=10))
    assert (X.column_names, X.num_rows) == (["c", "a"], 10)


def test_blocks_are_no_larger_than_asked_and_lose_nothing(tmp_path):
    X, y = world()
    for source in sources(X, y, tmp_path):
        sizes = [len(targets) for _, targets in blocks(source, target="label", block_size=16)]
        assert max(sizes) <= 16
        assert sum(sizes) == 100


@pytest.mark.parametrize("kind", ["parquet", "csv", "pairs"])
def test_only_one_block_is_alive_at_a_time(kind, tmp_path, monkeypatch):
    X, y = world()
    made, alive = [], []

    def watched(table):
        made.append(weakref.ref(table))
        alive.append(sum(block() is not None for block in made))
        return table

    split, named = streams.features_and_target, streams.RowChunks._as_table
    monkeypatch.setattr(
        streams,
        "features_and_target",
        lambda *args, **kw: (watched((b := split(*args, **kw))[0]), b[1]),
    )
    monkeypatch.setattr(streams.RowChunks, "_as_table", lambda self, r: watched(named(self, r)))
    if kind == "pairs":
        pairs = zip((dict(zip(NAMES, x, strict=True)) for x in X), y, strict=True)
        learn_stream(Perceptron(), pairs, block_size=10)
    else:
        path = write(as_table(X, y), tmp_path / f"table.{kind}")
        learn_stream(Perceptron(), path, target="label", block_size=10)
    assert len(alive) >= 10
    assert set(alive) == {1}


def test_the_counter_tells_the_rows_learnt():
    X, y = world(25)
    seen = []
    learn_stream(Perceptron(), zip(X, y, strict=True), block_size=10, on_block=seen.append)
    assert seen == [10, 20, 25]


def test_a_bad_block_is_refused_whole_and_what_was_learnt_stays():
    X, y = world(40)
    X[25, 1] = np.nan
    good = Perceptron().partial_fit(X[:20], y[:20])
    model = Perceptron()
    with pytest.raises(ValueError, match=r"^20 rows were learnt and stay; .*NaN"):
        learn_stream(model, zip(X, y, strict=True), block_size=10)
    assert model.coef_.tolist() == good.coef_.tolist()
    assert model.n_rounds_ == 20


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([([1.0, 2.0], 0), ([1.0], 1)], r"different numbers of values: \[1, 2\]"),
        ([([1.0, 2.0], 0), ([0.0, 1.0], 1), ([1.0], 1)], "^2 rows.*1 features.*2 features"),
        ([({"a": 1}, 0), ({"a": 2}, 1), ({"b": 1}, 1)], r"^2 rows.*\['b'\] are new.*to_river"),
        ([({"a": 1, "town": "Bonn"}, 0), ({"a": 2, "town": "Rome"}, 1)], r"^0 rows.*town"),
        ([({"a": None}, 0), ({"a": 2}, 1)], "^0 rows.*NaN"),
        ([([1.0], 0), ([2.0], 0)], r"^0 rows.*classes=\["),
        ([([1.0], 0), ([2.0], 1), ([2.0], 7)], "^2 rows.*label.*7.*not among"),
        ([1.0, 2.0], "pairs of a row and its target"),
        (
            [({1: 1.0, "1": 2.0}, 0), ({1: 2.0}, 1)],
            r"^0 rows.*features \[1, '1'\] are not all text",
        ),
        ([([1.0], 1), ([2.0], "1")], "^0 rows.*mix text with others"),
        ([([1.0], "a"), ([2.0], np.nan)], "^0 rows.*mix text with others"),
        ([([1.0], "a"), ([2.0], None)], "^0 rows.*some are missing"),
    ],
)
def test_bad_pairs_are_refused_with_a_sentence(pairs, message):
    with pytest.raises(ValueError, match=message):
        learn_stream(Perceptron(), pairs, block_size=2)


def test_bad_tables_are_refused_with_a_sentence(tmp_path):
    table = as_table(*world())
    path = write(table, tmp_path / "table.parquet")
    holes = table.set_column(3, "label", pa.array([None, *["no"] * 99]))
    text = table.append_column("town", pa.array(["Bonn"] * 100))
    for source, options, message in [
        (path, {}, "target="),
        (path, {"target": "y"}, r"no column \['y'\].*'label'"),
        (path, {"target": "label", "columns": ["a", "z"]}, r"no column \['z'\]"),
        (path, {"target": "label", "columns": ["a", "label"]}, "must not be among"),
        (path, {"target": "label", "block_size": 0}, "block_size=0"),
        (tmp_path / "table.txt", {"target": "label"}, "neither"),
        (holes, {"target": "label"}, "missing in 1"),
        (text, {"target": "label"}, r"town.*OneHotEncoder"),
        ([([1.0], 0)], {"target": "label"}, "pairs bring their targets"),
        (table, {"target": "label", "columns": ["a", "a"]}, r"\['a'\] are there more than once"),
    ]:
        with pytest.raises(ValueError, match=message):
            learn_stream(Perceptron(), source, **options)


def test_an_empty_stream_teaches_nothing():
    assert not hasattr(learn_stream(Perceptron(), []), "coef_")


def test_a_regressor_and_scikit_learns_own_learners_go_through_too():
    sgd = pytest.importorskip("sklearn.linear_model")
    X, y = world()
    table = as_table(X, X[:, 0] / 4.0)
    model = learn_stream(sgd.SGDRegressor(), table, target="label", block_size=30)
    assert model.t_ == 101.0
    named = learn_stream(sgd.SGDClassifier(), as_table(X, y), target="label", classes=["no", "yes"])
    assert named.feature_names_in_.tolist() == NAMES


def test_a_table_without_a_target_suits_a_learner_that_predicts_none():
    table = pa.table({"a": np.arange(30.0), "b": np.arange(30.0)[::-1].copy() ** 2})
    model = learn_stream(PrincipalComponents(n_components=1), table, block_size=7)
    whole = PrincipalComponents(n_components=1).fit(table)
    np.testing.assert_allclose(model.components_, whole.components_, rtol=1e-9)
    with pytest.raises(ValueError, match="say which column"):
        learn_stream(Perceptron(), table)


@pytest.mark.parametrize("label", ["number", "word"])
def test_many_columns_are_read_one_after_the_other(tmp_path, label):
    rng = np.random.default_rng(0)
    columns = {f"f{j}": rng.integers(0, 9, 1000) / 2 for j in range(18)}
    columns["f3"] = columns["f3"].astype(np.float32)
    columns["f4"] = rng.integers(0, 9, 1000)
    y = (columns["f0"] > 2).astype(int)
    table = pa.table({**columns, "label": y if label == "number" else np.array(["no", "yes"])[y]})
    path = tmp_path / "coded.parquet"
    parquet.write_table(table, path, row_group_size=300)
    assert streams.holds_only_numbers(parquet.ParquetFile(path), [f"f{j}" for j in range(18)])
    read = list(blocks(path, target="label", block_size=128))
    assert [X.num_rows for X, _ in read] == [128, 128, 44] * 3 + [100]
    assert pa.concat_tables([X for X, _ in read]).equals(table.drop_columns("label"))
    np.testing.assert_array_equal(
        np.concatenate([y for _, y in read]), table.column("label").to_numpy()
    )
    classes = np.unique(table.column("label").to_numpy())
    coded = learn_stream(Perceptron(), path, target="label", classes=classes)
    held = learn_stream(Perceptron(), table, target="label", classes=classes)
    np.testing.assert_array_equal(coded.coef_, held.coef_)


def test_a_file_of_numbers_is_never_held_in_more_than_the_pages_of_one_column(tmp_path):
    columns = {f"f{j}": np.random.default_rng(j).normal(size=2**17) for j in range(12)}
    table = pa.table({**columns, "label": columns["f0"] > 0.0})
    path = tmp_path / "pages.parquet"
    parquet.write_table(table, path)
    size = table.nbytes
    del table, columns
    before = pa.total_allocated_bytes()
    held = [pa.total_allocated_bytes() - before for _ in blocks(path, target="label")]
    assert len(held) == 32
    assert max(held) < size / 6  # read side by side, its pages are as large as the file


def test_missing_cells_of_many_columns_are_refused_as_everywhere(tmp_path):
    table = pa.table({**{f"f{j}": [1.0, None, 2.0] for j in range(20)}, "label": [0, 1, 0]})
    path = tmp_path / "holes.parquet"
    parquet.write_table(table, path)
    with pytest.raises(ValueError, match="NaN"):
        learn_stream(Perceptron(), path, target="label")


def test_a_whole_number_missing_late_in_its_column_makes_the_column_one_of_floats(tmp_path):
    late = pa.array([*range(9999), None])
    table = pa.table({**{f"f{j}": np.arange(10_000) for j in range(19)}, "late": late})
    path = tmp_path / "late.parquet"
    parquet.write_table(table, path)
    read = pa.concat_tables([X for X, _ in blocks(path, block_size=3000)])
    assert read.schema.types == [pa.int64()] * 19 + [pa.float64()]
    np.testing.assert_array_equal(read["late"].to_numpy(), [*range(9999), np.nan])
    np.testing.assert_array_equal(read["f18"].to_numpy(), np.arange(10_000))


def test_yes_and_no_are_numbers_too_and_one_missing_makes_floats(tmp_path):
    table = pa.table({"whole": [True, False, True], "holes": [True, None, False]})
    parquet.write_table(table, tmp_path / "bits.parquet")
    assert streams.holds_only_numbers(parquet.ParquetFile(tmp_path / "bits.parquet"), ["whole"])
    ((read, _),) = blocks(tmp_path / "bits.parquet")
    assert read["whole"].to_pylist() == [True, False, True]
    np.testing.assert_array_equal(read["holes"].to_numpy(), [1.0, np.nan, 0.0])


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.int32(), pa.float64()])
def test_targets_are_read_as_what_they_are_coded_or_not(kind):
    words = ["1", "0", "1", "1"] if "string" in str(kind) else [1, 0, 1, 1]
    plain = pa.array(words, type=kind)
    for labels in (plain, plain.dictionary_encode()):
        ((_, y),) = blocks(pa.table({"a": [1.0] * 4, "label": labels}), target="label")
        assert y.tolist() == words
        assert y.dtype.kind == ("U" if "string" in str(kind) else plain.to_numpy().dtype.kind)


def test_a_missing_target_beside_many_columns_is_counted(tmp_path):
    table = pa.table({**{f"f{j}": [1.0, 2.0] for j in range(20)}, "label": [0, None]})
    path = tmp_path / "unlabelled.parquet"
    parquet.write_table(table, path)
    with pytest.raises(ValueError, match=r"'label' is missing in 1 of its rows"):
        learn_stream(Perceptron(), path, target="label")


def test_targets_of_a_dictionary_with_a_hole_are_missing():
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 1, 1]), pa.array(["yes", None]))
    with pytest.raises(ValueError, match="'label' is missing in 2 of its rows"):
        next(blocks(pa.table({"a": [1.0, 2.0, 3.0], "label": labels}), target="label"))


@pytest.mark.parametrize("name", [None, "visit"])
def test_the_index_of_a_data_frame_is_no_feature_unless_asked_for(name, tmp_path):
    pd = pytest.importorskip("pandas")
    index = pd.Index([7, 3, 5], name=name)
    frame = pd.DataFrame({"a": [1.0, -1.0, 2.0], "y": [1, 0, 1]}, index=index)
    frame.to_parquet(tmp_path / "frame.parquet")
    written = name or "__index_level_0__"
    for source in (frame, tmp_path / "frame.parquet"):
        ((X, _),) = blocks(source, target="y")
        assert X.column_names == ["a"]
        ((X, _),) = blocks(source, target="y", columns=["a", written])
        assert X.column_names == ["a", written]


@pytest.mark.parametrize("kind", ["parquet", "csv", "table"])
def test_columns_of_the_same_name_are_named(kind, tmp_path):
    columns = [pa.array([1.0, 2.0]), pa.array([3.0, 4.0]), pa.array([0, 1])]
    table = pa.Table.from_arrays(columns, names=["x", "x", "y"])
    source = table if kind == "table" else write(table, tmp_path / f"twice.{kind}")
    with pytest.raises(ValueError, match=r"the columns \['x'\] are there more than once"):
        learn_stream(Perceptron(), source, target="y")


@pytest.mark.parametrize("cell", ["", '""', "NA"])
def test_a_missing_word_in_a_csv_file_is_missing(cell, tmp_path):
    path = tmp_path / "holes.csv"
    path.write_text(f"x,y\n1,a\n2,{cell}\n3,b\n")
    with pytest.raises(ValueError, match="'y' is missing in 1 of its rows"):
        learn_stream(Perceptron(), path, target="y")


def long_csv(path, last):
    path.write_text("x,y\n" + "100001,0\n200002,1\n" * 100_000 + f"{last}\n")
    return path


def test_whole_numbers_in_a_csv_file_may_go_on_as_others(tmp_path):
    read = list(blocks(long_csv(tmp_path / "long.csv", "1.5,1"), target="y"))
    assert {str(X.schema.field("x").type) for X, _ in read} == {"double"}
    assert read[-1][0]["x"].to_pylist()[-1] == 1.5
    assert {y.dtype.kind for _, y in read} == {"i"}


@pytest.mark.parametrize("last", ["town,1", "1,1.5"])
def test_a_cell_of_a_csv_file_that_does_not_fit_its_column_brings_the_remedy(last, tmp_path):
    path = long_csv(tmp_path / "long.csv", last)
    with pytest.raises(ValueError, match=r"^\d+ rows were.*invalid value.*column_types"):
        learn_stream(Perceptron(), path, target="y")
    kinds = csv.ConvertOptions(column_types={"x": pa.string(), "y": pa.float64()})
    reader = csv.open_csv(path, convert_options=kinds)
    assert sum(X.num_rows for X, _ in blocks(reader, target="y")) == 200_001


def test_an_unused_column_of_a_csv_file_is_not_read(tmp_path):
    path = long_csv(tmp_path / "long.csv", "town,1")
    assert sum(X.num_rows for X, _ in blocks(path, columns=["y"])) == 200_001


def test_a_learner_of_river_learns_pairs_with_features_as_they_come():
    pytest.importorskip("river")
    pairs = [({"a": 1.0}, "yes"), ({"b": 1.0}, "no"), ({"a": 1.0, "c": 2.0}, "yes")]
    seen, alone = [], to_river(Perceptron())
    model = learn_stream(to_river(Perceptron()), pairs, block_size=2, on_block=seen.append)
    for x, y in pairs:
        alone.learn_one(x, y)
    assert seen == [2, 3]
    assert pickle.dumps(model) == pickle.dumps(alone)


def test_a_learner_of_river_refuses_a_bad_pair_alone_and_all_tables():
    pytest.importorskip("river")
    pairs = [({"a": 1.0}, "yes"), ({"b": 1.0}, "no"), ({"b": None}, "yes")]
    with pytest.raises(ValueError, match=r"^2 rows were learnt and stay; .*finite numbers"):
        learn_stream(to_river(Perceptron()), pairs)
    with pytest.raises(ValueError, match=r"^0 rows.*pairs of a row and its target"):
        learn_stream(to_river(Perceptron()), [1.0])
    with pytest.raises(ValueError, match="not from tables"):
        learn_stream(to_river(Perceptron()), as_table(*world()), target="label")
    with pytest.raises(ValueError, match=r"to_river\(learner, classes="):
        learn_stream(to_river(Perceptron()), pairs, classes=["no", "yes"])


def test_names_that_are_all_numbers_become_text():
    ((X, _),) = blocks([({0: 1.0, 1: 2.0}, "yes"), ({1: 1.0}, "no")])
    assert X.to_pydict() == {"0": [1.0, 0.0], "1": [2.0, 1.0]}


@pytest.mark.parametrize("y", [[1, "a", 1], ["a", None, "b"], [0, 1, None]], ids=str)
def test_labels_that_cannot_be_sorted_are_refused_with_a_sentence(y):
    model, labels = Perceptron(), np.array(y, dtype=object)
    for learn in (model.fit, model.partial_fit):
        with pytest.raises(ValueError, match=r"y mixes labels that cannot be sorted.*None"):
            learn(np.eye(3), labels)
    long = np.array([*["a", "b"] * 1000, None], dtype=object)
    with pytest.raises(ValueError, match="y mixes labels that cannot be sorted"):
        model.fit(np.arange(2001.0)[:, np.newaxis], long)
    assert not vars(model).keys() - vars(Perceptron()).keys()


def test_a_regressor_refuses_a_missing_target():
    model = OnlineRidge()
    with pytest.raises(ValueError, match="y contains NaN"):
        learn_stream(model, [([1.0], 1.0), ([2.0], None)])
    assert not hasattr(model, "coef_")


def test_a_damaged_stream_is_refused(tmp_path):
    text = pa.array([b"caf\xe9", b"tea"] * 10, pa.binary()).view(pa.string())
    table = pa.table({"a": np.arange(20.0), "label": text})
    parquet.write_table(table, tmp_path / "t.parquet")
    for source in (table, tmp_path / "t.parquet"):
        with pytest.raises(ValueError, match="damaged"):
            list(blocks(source, target="label"))
    (tmp_path / "t.parquet").write_bytes(b"PAR1 and then nothing")
    with pytest.raises(ValueError, match="Parquet"):
        list(blocks(tmp_path / "t.parquet", target="label"))


def test_a_name_with_a_point_is_no_part_of_another(tmp_path):
    table = pa.table({"a.b": [1.0, 2.0], "a": [3.0, 4.0], "label": [0, 1]})
    parquet.write_table(table, tmp_path / "t.parquet")
    ((X, y),) = blocks(tmp_path / "t.parquet", target="label")
    assert X.to_pydict() == {"a.b": [1.0, 2.0], "a": [3.0, 4.0]}
    assert y.tolist() == [0, 1]
