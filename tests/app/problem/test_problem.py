"""Understanding a table: the task, the features, the leaks; decided on training rows alone."""

import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from surelearn.app.errors import TableError
from surelearn.app.in_parts.reading import TargetReader
from surelearn.app.problem import features
from surelearn.app.problem.problem import target_in_disguise, understand
from surelearn.app.problem.split import Split, split
from surelearn.app.tables.read import TableFile, read_table_file

RNG = np.random.default_rng(0)


def of(table, *, typed=False):
    return replace(TableFile.of_table(pa.table(table)), typed=typed)


def learn(table, target="y", **options):
    return understand(of(table), target=target, **options)


def first_rows_train(n_train):
    def cut(n, **_):
        return Split(np.arange(n_train), np.arange(n_train, n), "random", 0, "")

    return cut


X100 = RNG.normal(size=100)


@pytest.mark.parametrize(
    ("y", "task", "why"),
    [
        (["a", "b"] * 50, "binary", "holds text"),
        (["a", "b", "c", "c"] * 25, "multiclass", "holds text"),
        ([True, False] * 50, "binary", "truth values"),
        ([0, 1] * 50, "binary", "2 different whole numbers"),
        ([0.0, 1.0] * 50, "binary", "2 different whole numbers"),
        ([1, 2, 3, 4] * 25, "multiclass", "4 different whole numbers"),
        (list(range(50)) * 2, "regression", "50 different whole numbers"),
        (X100.tolist(), "regression", "not whole"),
    ],
    ids=lambda value: str(value)[:12],
)
def test_the_task_is_found_and_the_reason_said(y, task, why):
    problem = learn({"x": X100, "y": pa.array(y)})
    assert problem.task == task
    (note,) = (note for note in problem.notes if note.about == "task")
    assert why in note.why


def test_words_that_held_out_rows_alone_have_do_not_decide_the_task():
    table = {"x": X100, "y": ["1", "2"] * 40 + ["1", "none"] * 10}
    with pytest.raises(TableError, match="in the training part only numbers: row 82 holds 'none'"):
        learn(table, cut=first_rows_train(80))
    said = learn(table, cut=first_rows_train(80), task="classification")
    assert said.task == learn(table, cut=first_rows_train(80), task="binary").task == "binary"
    assert learn({"x": X100, "y": ["1", "2"] * 50}, cut=first_rows_train(80)).task == "binary"


def test_what_is_said_about_the_task_wins():
    table = {"x": X100, "y": [0, 1] * 50}
    assert learn(table, task="regression").y.dtype == np.float64
    assert learn({"x": X100, "y": list(range(50)) * 2}, task="classification").task == "multiclass"


def test_targets_keep_their_kind():
    assert learn({"x": X100, "y": [0.0, 1.0] * 50}).y.dtype == np.int64
    assert learn({"x": X100, "y": ["a", "b"] * 50}).y.tolist()[:2] == ["a", "b"]
    halves = learn({"x": X100, "y": [0.5, 1.0] * 50}, task="classification")
    assert halves.y.tolist()[:2] == ["0.5", "1.0"]


def test_rows_without_a_target_are_left_out_and_counted():
    problem = learn({"x": X100, "y": pa.array(["a", "b", None, "a"] * 25)})
    assert problem.dropped_rows == 25
    assert len(problem.y) == problem.X.num_rows == 75
    assert problem.X.column("x").to_pylist()[2] == X100[3]
    assert "25 left out" in " ".join(map(str, problem.notes))
    assert "known target" in " ".join(map(str, problem.notes))
    nan = learn({"x": X100, "y": [0.5, 1.5, float("nan"), 2.5] * 25})
    assert nan.dropped_rows == 25


@pytest.mark.parametrize(
    ("table", "options", "sentence"),
    [
        ({"x": X100, "income": ["a", "b"] * 50}, {"target": "incme"}, "did you mean 'income'"),
        ({"x": X100, "Income": ["a", "b"] * 50}, {"target": "income"}, "did you mean 'Income'"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"target": "zzz"}, "the columns are x, y"),
        ({"x": X100, "y": ["a"] * 100}, {}, "is 'a' in all 100 rows, so there is nothing"),
        ({"x": X100, "y": pa.nulls(100)}, {}, "is missing in all 100 rows"),
        ({"x": X100, "y": ["a"] * 99 + ["b"]}, {}, "1 of the 2 classes .*one member only .'b'"),
        ({"x": X100, "y": [f"n{i}" for i in range(100)]}, {}, "is different in every row"),
        ({"y": ["a", "b"] * 50}, {}, "no column is left to predict from"),
        ({"x": [1.0] * 100, "y": ["a", "b"] * 50}, {}, "same value in all training rows"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"task": "regression"}, "a regression needs numbers"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"task": "clustering"}, "there is no task"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"task": "multiclass"}, "so the task is not multi"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"drop": ["z"]}, "no column 'z'"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"drop": ["y"]}, "is the target"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"group": "x1"}, "no group column 'x1'"),
        ({"x": X100, "y": ["a", "b"] * 50}, {"group": "y"}, "cannot be the target and the group"),
        ({"x": [np.inf, *X100[1:]], "y": ["a", "b"] * 50}, {}, "row 1 holds infinity"),
        ({"x": X100, "y": [np.inf, *X100[1:]]}, {}, "infinite in some rows"),
        ({"x": X100, "y": pa.array(range(100), pa.timestamp("s"))}, {}, "holds dates"),
    ],
    ids=lambda value: str(value)[:25] if isinstance(value, str) else "",
)
def test_what_cannot_be_learnt_is_refused_in_a_sentence(table, options, sentence):
    with pytest.raises(TableError, match=sentence) as refusal:
        learn(table, **options)
    assert "\n" not in str(refusal.value)


def test_a_few_classes_of_one_member_are_learnt_with_the_others():
    problem = learn({"x": X100, "y": ["a", "b", "c"] * 33 + ["d"]})
    assert problem.task == "multiclass"
    assert "d" in problem.y.tolist()


def test_two_rows_are_too_few_and_it_says_so():
    with pytest.raises(TableError, match="2 rows with a target are too few"):
        learn({"x": [1.0, 2.0], "y": ["a", "b"]})


def test_a_constant_target_of_plain_text_is_refused_too():
    table = pa.table({"x": X100, "y": ["a"] * 100})  # as no file gives it: text by its words
    file = TableFile(Path("made"), table, (), "no file")
    with pytest.raises(TableError, match="is 'a' in all 100 rows, so there is nothing to learn"):
        understand(file, target="y")
    mostly = table.set_column(1, "y", [["a"] * 80 + ["b"] * 20])
    with pytest.raises(TableError, match="is 'a' in all 50 rows of the training part"):
        understand(replace(file, table=mostly), target="y", cut=first_rows_train(50))


def test_plain_text_is_a_target_like_any_other():
    table = pa.table({"x": X100, "y": ["a", "bb"] * 50})
    problem = understand(TableFile(Path("made"), table, (), "no file"), target="y")
    assert (problem.task, problem.y.dtype) == ("binary", np.dtype("<U2"))


def test_infinity_is_told_by_its_row_in_the_file():
    x = X100.copy()
    x[70] = -np.inf
    y = pa.array([None] * 30 + ["a", "b"] * 35)
    with pytest.raises(TableError, match="row 71 holds infinity in column 'x'"):
        learn({"x": x, "y": y})
    assert learn({"x": x, "z": X100, "y": y}, drop=["x"]).features == ("z",)


def test_whole_numbers_beyond_doubles_are_rounded_as_quantities_and_exact_as_categories():
    big = [2**53 + i % 4 for i in range(100)]
    rounded = learn({"x": X100, "k": [b * 3 for b in big], "y": ["a", "b"] * 50})
    assert "column 'k': rounded (whole numbers beyond 2^53" in "\n".join(map(str, rounded.notes))
    assert rounded.X.schema.field("k").type == pa.float64()
    exact = learn({"x": X100, "k": big, "y": ["a", "b"] * 50}, categorical=["k"])
    assert exact.X.column("k").to_pylist() == list(map(str, big))
    assert "rounded" not in "\n".join(map(str, exact.notes))


def test_a_quantity_to_predict_that_floats_would_round_is_refused():
    """A bound said that errors are 0, of rounded targets; the true ones were up to a thousand."""
    for y in (
        pa.array([2**63 + 5 * i for i in range(100)], pa.uint64()),
        pa.array([*range(99), 2**64 - 1], pa.uint64()),
        pa.array([*range(99), 2**63 - 1]),
        pa.array([2**53 + 1 + i for i in range(100)]),
    ):
        with pytest.raises(TableError, match=r"beyond 2\^53, which are no floats.*larger units"):
            learn({"x": X100, "y": y})
        reader = TargetReader("y", "numbers")  # as blocks of a table in parts are read
        with pytest.raises(TableError, match=r"beyond 2\^53, which are no floats"):
            reader.read(pa.table({"y": y}))
    floats = [-(2**63), *(2**53 + 2 * i for i in range(99))]
    assert learn({"x": X100, "y": floats}).y.tolist() == floats


def test_a_column_whose_numbers_only_rounding_makes_alike_is_not_called_constant():
    found = learn({"x": X100, "k": [2**62 + i for i in range(100)], "y": ["a", "b"] * 50})
    assert found.left_out["k"].startswith("once whole numbers beyond 2^53 are rounded, it has")


def test_groups_are_numbered_in_the_order_of_their_names():
    who = np.array(["delta", "alpha", "charlie", "alpha", "bravo"] * 20)
    table = {"x": X100, "who": who, "y": [0, 1] * 50}
    assert (
        learn(table, group="who").groups.tolist() == np.unique(who, return_inverse=True)[1].tolist()
    )
    ids = np.array([30, 10, 20, 10, 40] * 20)
    table = {"x": X100, "who": ids, "y": [0, 1] * 50}
    assert (
        learn(table, group="who").groups.tolist() == np.unique(ids, return_inverse=True)[1].tolist()
    )


def test_a_word_in_a_numeric_target_is_told(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{x},{x}\n" for x in X100) + "1,n.a.\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"row 101 holds 'n.a.'.*--missing 'n.a.'"):
        understand(read_table_file(path), target="y")


def left_out(column, name="c", **options):
    n = len(column)
    table = {name: column, "x": RNG.normal(size=n), "y": ["a", "b"] * (n // 2)}
    return learn(table, **options).left_out.get(name, "")


def test_columns_that_tell_rows_apart_are_left_out_and_it_is_said():
    assert "like row numbers" in left_out(list(range(1, 101)))
    assert "like names of rows" in left_out(RNG.permutation(100) * 1000, "patient_id")
    assert "like names of rows" in left_out([f"n{i}" for i in range(100)])
    assert left_out(RNG.permutation(100) * 1000, "salary") == ""
    assert left_out(X100) == ""


def test_columns_of_too_many_categories_constants_dates_and_blanks_are_left_out():
    words = [f"w{i}" for i in range(70)] + ["w0"] * 30
    assert "too few rows for each" in left_out(words)
    assert "categories, more than 1,000" in left_out([f"w{i % 1500}" for i in range(6000)])
    assert left_out([f"w{i % 50}" for i in range(400)]) == ""
    assert "same value" in left_out(["w"] * 100)
    moments = pa.array(range(100), pa.timestamp("s"))
    assert "dates" in left_out(moments, dates="left-out")
    assert "dates" in left_out(moments, dates=None)
    assert left_out(moments) == ""
    assert "no value" in left_out(pa.nulls(100))


def test_what_the_user_says_about_columns_wins():
    ids = list(range(1, 101))
    assert left_out(ids, keep=["c"]) == ""
    assert left_out([f"n{i}" for i in ids], keep=["c"]) == ""
    assert left_out(["w", "v"] * 50, drop=["c"]) == "--drop says so"
    table = {"x": X100, "size": [1.0, 2.5, 2.5, 4.0] * 25, "y": ["a", "b"] * 50}
    problem = learn(table, categorical=["size"])
    assert problem.categorical == ("size",)
    assert problem.X.column("size").to_pylist()[:2] == ["1", "2.5"]


def test_features_are_floats_and_text():
    table = {"x": [1, None, 2, 1] * 25, "b": [True, False] * 50, "w": ["u", "v", "v", "w"] * 25,
             "y": ["a", "b", "b", "a"] * 25}  # fmt: skip
    X = learn(table, copies="independent").X
    assert [str(field.type) for field in X.schema][:2] == ["double", "double"]
    assert pa.types.is_dictionary(X.schema.field("w").type)
    assert X.column("b").to_pylist()[:2] == [1.0, 0.0]


def test_the_hold_out_shapes_nothing(tmp_path):
    """Whatever stands in the hold-out, types, features, task and categories are the same."""

    def understood(tail):
        path = tmp_path / "t.csv"
        lines = [f"{i % 7},{x},w{i % 3},true,u{i % 4}" for i, x in enumerate(X100)]
        path.write_text("\n".join(["y,a,b,c,d", *lines, *tail]), encoding="utf-8")
        return understand(read_table_file(path), target="y", cut=first_rows_train(100))

    plain = understood(["1,0.5,w1,false,u1", "2,0.5,w2,true,u2"])
    odd = understood(["1,many,w9,maybe,7", "2,1e3,4,true,8"])
    assert odd.features == plain.features == ("a", "b", "d")
    assert odd.task == plain.task == "multiclass"
    assert odd.schema == plain.schema
    assert odd.X.slice(0, 100).to_pylist() == plain.X.slice(0, 100).to_pylist()
    assert odd.X.column("a").to_pylist()[100:] == [None, 1000.0]


def test_the_hold_out_shapes_nothing_in_a_file_with_decimal_commas_either(tmp_path):
    def understood(tail):
        path = tmp_path / "t.csv"
        lines = [f"{x};w{i % 3};{'uv'[i % 2]}".replace(".", ",") for i, x in enumerate(X100)]
        path.write_text("\n".join(["a;b;y", *lines, tail, tail]), encoding="utf-8")
        return understand(read_table_file(path), target="y", cut=first_rows_train(100))

    plain, odd = understood("0,5;w1;u"), understood("many;w1;u")
    assert odd.schema == plain.schema
    assert plain.schema["decimal"] == ","
    assert odd.X.slice(0, 100).to_pylist() == plain.X.slice(0, 100).to_pylist()
    assert odd.X.column("a").to_pylist()[99:] == [X100[99], None, None]


def test_a_target_with_decimal_commas_and_a_word_is_refused_for_the_word(tmp_path):
    path = tmp_path / "t.csv"
    lines = [f"{i % 7};{x}".replace(".", ",") for i, x in enumerate(X100)]
    path.write_text("\n".join(["x;y", *lines, "1;many"]), encoding="utf-8")
    with pytest.raises(TableError, match=r"is text, .*row 101 holds 'many'.*--missing 'many'"):
        understand(read_table_file(path), target="y", copies="independent")


def test_declared_types_are_believed():
    table = {"grade": ["1", "2", "2", "3"] * 25, "x": X100, "y": ["a", "b"] * 50}
    assert understand(of(table, typed=True), target="y").categorical == ("grade",)
    assert understand(of(table), target="y").categorical == ()


def test_the_split_is_drawn_for_the_known_rows_and_by_the_seed():
    table = {"x": X100, "y": pa.array(["a", "b", None, "a"] * 25)}
    problem = learn(table, cut=partial(split, holdout=0.4, seed=7))
    assert np.array_equal(problem.split.holdout, split(75, holdout=0.4, seed=7).holdout)


def test_groups_and_times_split_and_are_no_features():
    days = pa.array(RNG.permutation(100) * 86_400, pa.timestamp("s"))
    table = {"x": X100, "who": ["p", "q", "r", "s", "t"] * 20, "day": days, "y": [0, 1] * 50}
    by_group = learn(table, group="who")
    held_out = {table["who"][i] for i in by_group.split.holdout}
    assert by_group.split.kind == "group"
    assert held_out.isdisjoint({table["who"][i] for i in by_group.split.train})
    assert "groups" in by_group.left_out["who"]
    by_time = learn(table, time="day")
    assert by_time.split.kind == "time"
    assert by_time.times[by_time.split.train].max() < by_time.times[by_time.split.holdout].min()


def test_a_group_or_time_that_is_missing_or_tells_nothing_is_refused():
    table = {"x": X100, "who": pa.array(["p", None] * 50), "y": [0, 1] * 50}
    with pytest.raises(TableError, match="group 'who' is missing in 50 rows"):
        learn(table, group="who")
    words = {"x": X100, "who": ["p", "q"] * 50, "y": [0, 1] * 50}
    with pytest.raises(TableError, match="neither numbers nor dates"):
        learn(words, time="who")


def disguised(column, y):
    return target_in_disguise(pa.table({"c": column}), np.asarray(y)).get("c", "")


def test_a_target_in_disguise_is_seen():
    y = RNG.integers(0, 2, 200)
    assert "other way round" in disguised(np.where(y, "yes", "no"), y)
    assert "other way round" in disguised(1.0 - y, y)
    assert "missing exactly where" in disguised(
        [None if v else float(i) for i, v in enumerate(y)], y
    )
    assert "goes with one value of the target only" in disguised(y + 2.0 * (np.arange(200) % 2), y)
    assert "thresholds" in disguised(y * 10 + RNG.random(200), y)
    z = RNG.normal(size=200)
    assert "correlation with" in disguised(3.0 - 2.0 * z, z)
    assert "ranks" in disguised(np.exp(z), z)


def test_an_honest_column_is_not_accused():
    y = RNG.integers(0, 2, 3000)
    noisy = np.where(RNG.random(3000) < 0.001, 1 - y, y)
    assert disguised(noisy.astype(float), y) == ""
    assert disguised(np.where(noisy, "yes", "no"), y) == ""
    assert disguised(RNG.normal(size=3000), y) == ""
    z = RNG.normal(size=3000)
    assert disguised(z + 0.1 * RNG.normal(size=3000), z) == ""
    assert disguised(np.where(noisy, "yes", "no"), z) == ""


def test_a_leak_is_a_warning_and_changes_nothing():
    table = {"x": X100, "alive": ["no", "yes"] * 50, "survived": [0, 1] * 50}
    problem = learn(table, target="survived")
    assert problem.features == ("x", "alive")
    assert "'alive' may be the target in disguise" in problem.warnings[0]
    assert "--drop alive" in problem.warnings[0]


def test_leaks_are_sought_in_the_training_rows_only():
    table = {"x": X100, "c": ["no", "yes"] * 25 + ["no"] * 50, "y": [0, 1] * 50}
    problem = learn(table, cut=first_rows_train(50))
    assert "target in disguise" in problem.warnings[0]


def test_repeated_rows_are_counted():
    x = np.arange(50) / 7.0
    problem = learn({"x": [*x, *x], "y": ["a", "b"] * 50}, cut=first_rows_train(60))
    assert "50 of 100 rows repeat an earlier row, and 40 of the 40" in problem.warnings[-1]


def test_names_of_times_and_groups_give_hints():
    table = {
        "year": list(range(2000, 2020)) * 5,
        "patient_id": list(range(20)) * 5,
        "hours_per_week": list(range(20)) * 5,
        "x": X100,
        "y": ["a", "b"] * 50,
    }
    hints = " ".join(learn(table).warnings)
    assert "--time year" in hints
    assert "--group patient_id" in hints
    assert "hours_per_week" not in hints
    assert "--group" not in " ".join(learn(table, time="year").warnings)


def test_many_classes_and_many_values_take_little_memory_to_look_for_leaks():
    y = np.sort(np.random.default_rng(0).integers(0, 2000, 20_000))
    tracemalloc.start()
    try:
        found = target_in_disguise(pa.table({"x": np.arange(20_000.0)}), y)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000  # not a flag for each pair
    finally:
        tracemalloc.stop()
    assert found["x"].startswith("thresholds on it alone")


class Wide:
    """A table that counts how often it is asked for its names: Arrow makes them anew each time."""

    def __init__(self, n_columns):
        cells = np.random.default_rng(0).normal(size=20)
        self.table, self.asked = pa.table({f"x{i}": cells for i in range(n_columns)}), 0

    @property
    def column_names(self):
        self.asked += 1
        return self.table.column_names

    def column(self, name):
        return self.table.column(name)


def test_features_of_a_wide_table_are_not_chosen_in_the_square_of_its_columns():
    for n_columns in (5, 50):
        rows = Wide(n_columns)
        chosen, _ = features.choose(
            rows, np.arange(20), {}, categories=(), keep=(), typed=True, decimal=".", mode=None
        )
        assert [len(chosen), rows.asked] == [n_columns, 1]
