"""The door of mixed tables: every library's frames and arrays, categories, what is refused."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from surelearn.base.tables import category_codes, columns
from surelearn.base.tables.table import UNSEEN, column_names, learn_more, learn_table, read_table

NATIVE = {"colour": ["red", None, "blue", "red"], "size": [1.5, 2.0, None, 3.0]}
CODED = np.array([[1.0, 1.5], [np.nan, 2.0], [0.0, np.nan], [1.0, 3.0]])
FRAMES = {
    "pandas": pd.DataFrame(NATIVE),
    "pandas objects": pd.DataFrame(NATIVE).astype({"colour": object}),
    "pandas category": pd.DataFrame(NATIVE).astype({"colour": "category"}),
    "pandas nullable": pd.DataFrame(NATIVE).convert_dtypes(),
    "polars": pl.DataFrame(NATIVE),
    "polars categorical": pl.DataFrame(NATIVE).cast({"colour": pl.Categorical}),
    "polars enum": pl.DataFrame(NATIVE).cast({"colour": pl.Enum(["red", "white", "blue"])}),
    "pyarrow": pa.table(NATIVE),
    "pyarrow in chunks": pa.concat_tables([pa.table(NATIVE)[:2], pa.table(NATIVE)[2:]]),
    "pyarrow dictionary": pa.table(
        {**NATIVE, "colour": pa.array(NATIVE["colour"]).dictionary_encode()}
    ),
    "array of objects": np.array(list(zip(*NATIVE.values(), strict=True)), dtype=object),
    "list": list(zip(*NATIVE.values(), strict=True)),
}


@pytest.mark.parametrize("name", FRAMES)
def test_the_same_table_has_the_same_codes_in_every_form(name):
    model = BaseEstimator()
    np.testing.assert_array_equal(learn_table(model, FRAMES[name]), CODED)
    np.testing.assert_array_equal(read_table(model, FRAMES[name]), CODED)
    assert model.categories_[0].tolist() == ["blue", "red"]
    assert model.categories_[1] is None
    assert model.n_features_in_ == 2
    named = name not in {"array of objects", "list"}
    assert column_names(model) == (["colour", "size"] if named else ["x0", "x1"])


@pytest.mark.parametrize("dtype", ["<U3", "S3", object])
def test_an_array_of_text_has_a_category_in_every_cell(dtype):
    X = np.array([["b", "x"], ["a", "y"], ["b", "y"]]).astype(dtype)
    model = BaseEstimator()
    np.testing.assert_array_equal(learn_table(model, X), [[1, 0], [0, 1], [1, 1]])


def sorted_codes(X):
    """Return the codes of every column by sorting."""
    codes = [np.unique(column, return_inverse=True)[1] for column in X.T]
    return np.column_stack(codes)


@pytest.mark.parametrize(
    ("dtype", "order"),
    [*((kind, "C") for kind in ("i1", "u2", "i8", "u8", "f4", "f8", "?")), ("i8", "F")],
)
def test_declared_numbers_get_the_codes_that_sorting_gives(dtype, order):
    rng = np.random.default_rng(0)
    X = np.asarray(rng.integers(0, 2 if dtype == "?" else 90, (50, 3)), dtype=dtype, order=order)
    model = BaseEstimator()
    np.testing.assert_array_equal(learn_table(model, X, categorical="all"), sorted_codes(X))
    np.testing.assert_array_equal(
        learn_table(model, X, categorical="all", codes=True), sorted_codes(X)
    )
    np.testing.assert_array_equal(read_table(model, X[::2]), sorted_codes(X)[::2])
    assert all(known.dtype == np.float64 for known in model.categories_)


@pytest.mark.parametrize(
    "values",
    [
        [0.5, 1.5, -2.25],
        [-(2**52), 3, 2**52],
        [1e300, -1e300, 0.0],
        [10**6, -(10**6), 5],
        [7, 8, 9],
    ],
)
def test_fractions_and_wide_ranges_are_coded_too(values):
    X = np.array(values)[np.random.default_rng(0).integers(0, 3, 40)][:, None]
    model = BaseEstimator()
    np.testing.assert_array_equal(learn_table(model, X, categorical="all"), sorted_codes(X))
    strangers = np.array([[np.nan], [4.25], [1e18]])
    np.testing.assert_array_equal(read_table(model, strangers), [[np.nan], [UNSEEN], [UNSEEN]])


def test_a_value_beyond_the_range_or_between_the_known_ones_is_unseen():
    X = np.array([[3, 10], [5, 20], [9, 10]])
    model = BaseEstimator()
    learn_table(model, X, categorical="all")
    rows = [[4.0, 10.0], [2.0, 30.0], [9.5, np.nan], [10.0, 20.0]]
    np.testing.assert_array_equal(
        read_table(model, rows), [[-1, 0], [-1, -1], [-1, np.nan], [-1, 1]]
    )
    np.testing.assert_array_equal(
        read_table(model, rows, codes=True), [[-1, 0], [-1, -1], [-1, -1], [-1, 1]]
    )


def test_a_new_word_is_unseen_and_a_missing_one_is_nan():
    model = BaseEstimator()
    learn_table(model, FRAMES["polars"])
    fresh = pl.DataFrame({"colour": ["green", None, "blue"], "size": [1.0, None, 2.0]})
    np.testing.assert_array_equal(read_table(model, fresh), [[-1, 1], [np.nan, np.nan], [0, 2]])
    missing = pd.DataFrame({"colour": [None, None], "size": [1.0, 2.0]})
    np.testing.assert_array_equal(read_table(model, missing)[:, 0], [np.nan, np.nan])


def test_declared_columns_are_named_placed_or_masked():
    X = pd.DataFrame({"a": [2, 1, 2], "b": [0.5, 0.25, 0.5]})
    for chosen in (["a"], [0], [True, False], np.array([0])):
        model = BaseEstimator()
        np.testing.assert_array_equal(
            learn_table(model, X, categorical=chosen), [[1, 0.5], [0, 0.25], [1, 0.5]]
        )
    for wrong in (["c"], [2], [True], "some"):
        with pytest.raises(ValueError, match="categorical_features"):
            learn_table(BaseEstimator(), X, categorical=wrong)


def test_numbers_pass_untouched_and_single_precision_stays():
    X = np.random.default_rng(0).normal(size=(5, 2))
    X[0, 0] = np.nan
    model = BaseEstimator()
    assert learn_table(model, X) is X
    single = X.astype(np.float32)
    assert read_table(model, single).dtype == np.float32
    assert learn_table(model, single, categorical=[1]).dtype == np.float32
    assert learn_table(model, pl.DataFrame({"x": single[:, 0]})).dtype == np.float32
    assert learn_table(model, np.array([[1, 2]])).dtype == np.float64


def test_an_array_is_not_changed_and_may_be_read_only():
    X = np.array([[3, 1], [2, 1], [3, 5]])
    X.flags.writeable = False
    model = BaseEstimator()
    learn_table(model, X, categorical="all")
    read_table(model, X)
    assert X.tolist() == [[3, 1], [2, 1], [3, 5]]


def test_further_blocks_add_their_categories_in_sorted_order():
    model = BaseEstimator()
    learn_table(
        model, pd.DataFrame({"c": ["m", "b"], "n": [1.0, 2.0], "k": [5, 7]}), categorical=["k"]
    )
    more = pd.DataFrame({"c": ["a", "m"], "n": [3.0, np.nan], "k": [6, 5]})
    np.testing.assert_array_equal(learn_more(model, more), [[0, 3, 1], [2, np.nan, 0]])
    assert [None if k is None else k.tolist() for k in model.categories_] == [
        ["a", "b", "m"],
        None,
        [5, 6, 7],
    ]


def test_a_block_with_too_many_new_categories_changes_nothing():
    model = BaseEstimator()
    learn_table(model, [["a"], ["b"]])
    with pytest.raises(ValueError, match="'x0' has 3 categories, more than 2"):
        learn_more(model, [["c"], ["a"]], most_categories=2)
    assert model.categories_[0].tolist() == ["a", "b"]


def test_declared_categories_stand_though_no_cell_shows_them():
    model = BaseEstimator()
    declared = {"x0": ["low", "mid", "top"], 1: [1, 2, 3]}
    learn_table(model, [["top", 2.0], [None, 3.0]], declared=declared)
    assert [known.tolist() for known in model.categories_] == [["low", "mid", "top"], [1, 2, 3]]
    for rows in ([["high", 2.0]], [["top", 4.0]], [[1.0, 1.0]]):
        with pytest.raises(ValueError, match="not among its declared categories"):
            learn_table(BaseEstimator(), rows, declared=declared)
        with pytest.raises(ValueError, match="not among its declared categories"):
            learn_more(model, rows, declared=declared)
    for wrong in ({"x0": []}, {"x0": [None]}, {5: ["a"]}):
        with pytest.raises(ValueError, match=r"categories of column|no column"):
            learn_table(BaseEstimator(), [["a", 2.0]], declared=wrong)
    with pytest.raises(TypeError, match="map columns to their values"):
        learn_table(BaseEstimator(), [["a", 2.0]], declared=[["a"], [2.0]])


REFUSED = {
    "mixture": (pd.DataFrame({"c": ["a", 1]}, dtype=object), "column 'c' mixes numbers and text"),
    "infinite column": (pd.DataFrame({"c": [1.0, np.inf]}), "column 'c' contains infinity"),
    "infinite cell": (np.array([[1.0], [-np.inf]]), "infinity"),
    "infinite object": (np.array([[1.0], [np.inf]], dtype=object), "column 'x0' contains infinity"),
    "empty text": (pd.DataFrame({"c": ["a", ""]}), "column 'c' holds empty text"),
    "empty text of an array": (np.array([["a"], [""]]), "column 'x0' holds empty text"),
    "dates": (pl.DataFrame({"c": [dt.date(2020, 1, 1)]}), "column 'c' has type Date"),
    "times": (pd.DataFrame({"c": pd.to_datetime(["2020-01-01"])}), "column 'c' has type Datetime"),
    "lists": (pl.DataFrame({"c": [[1, 2]]}), "column 'c' has type List"),
    "no value": (np.array([[None, "a"]], dtype=object), "column 'x0' has no value in any row"),
    "no rows": (pd.DataFrame({"c": []}), "minimum of 1 is required"),
    "no columns": (pl.DataFrame(), "minimum of 1 is required"),
    "many": (pd.DataFrame({"c": list("abcdefgh")}), "column 'c' has 8 categories, more than 5"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused_by_the_name_of_its_column(name):
    X, message = REFUSED[name]
    every = "all" if name == "no value" else None
    with pytest.raises(ValueError, match=message):
        learn_table(BaseEstimator(), X, categorical=every, most_categories=5)


def test_dates_as_objects_and_sparse_tables_are_refused():
    with pytest.raises(TypeError, match=r"column 'c': every cell must be a number.*date"):
        learn_table(BaseEstimator(), pd.DataFrame({"c": [dt.date(2020, 1, 1)]}))
    with pytest.raises(TypeError, match="sparse"):
        learn_table(BaseEstimator(), sparse.csr_array([[1.0]]))


def test_other_columns_than_in_training_are_refused():
    X = FRAMES["pandas"]
    model = BaseEstimator()
    learn_table(model, X)
    with pytest.raises(ValueError, match="same order"):
        read_table(model, X[["size", "colour"]])
    with pytest.raises(ValueError, match="unseen"):
        read_table(model, X.rename(columns={"size": "length"}))
    with pytest.raises(
        ValueError, match="'size' held numbers in training and holds text now: 'big'"
    ):
        read_table(model, X.assign(size="big"))
    with pytest.raises(ValueError, match="'colour' held text in training and holds numbers now"):
        read_table(model, X.assign(colour=1.0))
    unnamed = BaseEstimator()
    learn_table(unnamed, CODED)
    with pytest.raises(ValueError, match="1 features, but BaseEstimator is expecting 2"):
        read_table(unnamed, CODED[:, :1])


def test_long_text_is_refused_before_it_is_laid_out(monkeypatch):
    words = pd.DataFrame({"c": [f"{i}" * 50 for i in range(2000)]})
    monkeypatch.setattr(category_codes.np, "unique", None)  # would lay every word out
    with pytest.raises(ValueError, match="2000 categories"):
        learn_table(BaseEstimator(), words, most_categories=100)


def test_words_keep_their_own_letters():
    words = ["naïve", "日本", "zebra", "Zebra", " zebra", "é"]
    model = BaseEstimator()
    X = pl.DataFrame({"c": words})
    np.testing.assert_array_equal(learn_table(model, X)[:, 0], np.argsort(np.argsort(words)))
    assert model.categories_[0].tolist() == sorted(words)


@pytest.mark.parametrize("make", [pa.table, pd.DataFrame, pl.DataFrame])
def test_neighbours_that_hold_numbers_are_read_at_once(make, monkeypatch):
    numbers = {f"x{j}": [j + 0.5, float("nan"), -j] for j in range(40)}
    whole = {f"n{j}": [j, 2, 3] for j in range(40)}
    frame = make({**numbers, "word": ["b", "a", "b"], **whole})
    asked = []
    read = columns.of_series
    monkeypatch.setattr(columns, "of_series", lambda *a: asked.append(a[1]) or read(*a))
    found = learn_table(BaseEstimator(), frame)
    assert asked == ["word"]
    expected = [*numbers.values(), [1, 0, 1], *whole.values()]
    np.testing.assert_array_equal(found, np.array(expected, dtype=float).T)
    with pytest.raises(ValueError, match="column 'x7' contains infinity"):
        learn_table(BaseEstimator(), make({**numbers, "x7": [1.0, float("-inf"), 0.0]}))


def test_whole_numbers_that_are_no_doubles_are_refused_beside_those_that_are():
    large = pa.table({"a": [1, 2], "b": [2**60 + 1, 3]})
    with pytest.raises(ValueError, match="not in range"):
        learn_table(BaseEstimator(), large)


@pytest.mark.parametrize(
    "categories", [pd.cut(np.arange(6.0), 3), pd.Categorical([(1, 2), (3, 4)] * 3)]
)
def test_categories_that_are_no_text_are_refused_in_a_sentence(categories):
    with pytest.raises(ValueError, match="column 'x' has categories that have no name as text"):
        learn_table(BaseEstimator(), pd.DataFrame({"x": categories}), categorical=None)


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has it")
def test_words_of_numpy_are_categories():
    words = np.array([["red", "x" * 40], ["blue", "y" * 40]], dtype=np.dtypes.StringDType())
    known, plain = BaseEstimator(), BaseEstimator()
    assert np.array_equal(learn_table(known, words), learn_table(plain, words.astype(object)))
    assert [list(names) for names in known.categories_] == [["blue", "red"], ["x" * 40, "y" * 40]]
    assert np.array_equal(read_table(known, words[::-1]), learn_table(plain, words)[::-1])


def test_a_missing_cell_may_stand_in_a_dictionary():
    words = ["red", None, "blue", "red"]
    told = pa.array(words).dictionary_encode(null_encoding="encode")
    assert told.null_count == 0
    spaces = [
        learn_table(BaseEstimator(), pa.table({"colour": cells, "size": [1.0, 2.0, 3.0, 4.0]}))
        for cells in (told, pa.array(words))
    ]
    np.testing.assert_array_equal(*spaces)
    assert np.isnan(spaces[0][:, 0]).tolist() == [False, True, False, False]
