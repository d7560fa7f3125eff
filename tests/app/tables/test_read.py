"""Reading tables: what is inferred is said, what cannot be read is refused in one sentence."""

import bz2
import gzip
import hashlib
import string
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv, feather, ipc, parquet

from surelearn.app.errors import TableError
from surelearn.app.tables import delimited
from surelearn.app.tables.read import read_table_file
from surelearn.app.tables.text_columns import GrowingColumn

MIXED = pa.table({"a": [1, None], "b": ["x", None], "c": [0.5, 2.0]})


@pytest.fixture
def write(tmp_path):
    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


def rows(path, **options):
    return read_table_file(path, **options).table.to_pylist()


def notes(path, **options):
    return "\n".join(str(note) for note in read_table_file(path, **options).notes)


def test_types_are_the_narrowest_that_fit(write):
    path = write("i,f,b,d,t,e\n1,2,TRUE,2024-01-31,x,\n-2,2.5,false,2024-02-01 10:30,7,\n")
    schema = read_table_file(path).table.schema
    assert [str(field.type) for field in schema][:4] == [
        "int64", "double", "bool", "timestamp[us]",
    ]  # fmt: skip
    assert pa.types.is_dictionary(schema.field("t").type)
    assert pa.types.is_null(schema.field("e").type)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_the_delimiter_is_found_and_said(write, delimiter):
    path = write(f"a{delimiter}b\n1{delimiter}x\n2{delimiter}y\n")
    assert rows(path) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert f"delimiter: {delimiter!r}" in notes(path)


def test_a_delimiter_between_quotes_splits_nothing(write):
    path = write('a;b\n"1,5;x";2\n"2,5\nline";3\n')
    assert rows(path) == [{"a": "1,5;x", "b": 2}, {"a": "2,5\nline", "b": 3}]


def test_commas_in_texts_do_not_win_over_tabs(write):
    path = write("name\tcity\nDoe, J\tParis, F\nRoe, R\tRome, I\n", "t.tsv")
    assert rows(path)[0] == {"name": "Doe, J", "city": "Paris, F"}


def test_single_quotes_are_recognised(write):
    path = write("'40-49','no','3'\n'50-59','it','1'\n")
    assert rows(path) == [
        {"column_1": "40-49", "column_2": "no", "column_3": 3},
        {"column_1": "50-59", "column_2": "it", "column_3": 1},
    ]
    assert "cells are enclosed in '" in notes(path)


def test_an_apostrophe_is_no_quote(write):
    assert rows(write("a,b\nit's,1\ndon't,2\n"))[1] == {"a": "don't", "b": 2}


@pytest.mark.parametrize(
    ("content", "names", "why"),
    [
        ("a,b\n1,x\n", ["a", "b"], "numbers stand below"),
        ("a,b\nu,x\nv,y\n", ["a", "b"], "stands again below"),
        ("u,x\nu,y\n", ["column_1", "column_2"], "'u' of the first line stands again"),
        ("1.5,x\n2,y\n", ["column_1", "column_2"], "holds the number 1.5"),
    ],
)
def test_a_header_is_recognised_or_its_absence(write, content, names, why):
    file = read_table_file(write(content))
    assert file.table.column_names == names
    assert why in " ".join(map(str, file.notes))
    assert file.header == (names == ["a", "b"])


def test_what_is_said_about_the_header_wins(write):
    path = write("2019,2020\n1,2\n3,4\n")
    assert read_table_file(path, header=True).table.column_names == ["2019", "2020"]
    assert len(rows(path, header=False)) == 3


def test_columns_of_one_name_and_none_get_names_of_their_own(write):
    file = read_table_file(write(",x,x\n1,2,3\n"))
    assert file.table.column_names == ["column_1", "x", "x_3"]
    assert "'x' is taken already" in " ".join(map(str, file.notes))


def test_blanks_around_cells_and_words_for_missing_go(write):
    path = write("age , work\n 39 , State-gov\n ? ,  Private \n 41,NA\n,\n")
    assert rows(path) == [
        {"age": 39, "work": "State-gov"},
        {"age": None, "work": "Private"},
        {"age": 41, "work": None},
        {"age": None, "work": None},
    ]
    assert "missing cells: 1 '?', 2 empty, 1 'NA'" in notes(path)


def test_the_words_for_missing_can_be_chosen(write):
    path = write("a,b\n-999,NA\n4,x\n")
    assert rows(path, missing=["-999"]) == [{"a": None, "b": "NA"}, {"a": 4, "b": "x"}]


def test_a_word_among_numbers_makes_a_column_text_and_the_row_is_told(write):
    path = write("a,b\n" + "".join(f"{i},{i}\n" for i in range(50)) + "many,1\n")
    file = read_table_file(path)
    assert pa.types.is_dictionary(file.table.schema.field("a").type)
    (note,) = (note for note in file.notes if note.about == "column 'a'")
    assert note.found == "text"
    assert "row 51 holds 'many'" in note.why
    assert note.override == "--missing 'many' if that stands for a missing value"
    assert rows(path, missing=["many"])[-1] == {"a": None, "b": 1}


def test_leading_zeros_make_codes(write):
    path = write("zip,n\n02134,1\n10001,2\n")
    assert rows(path)[0] == {"zip": "02134", "n": 1}
    assert "leading zeros" in notes(path)


def test_a_column_can_be_kept_as_text(write):
    assert rows(write("a,b\n1.50,2\n"), text=["a"]) == [{"a": "1.50", "b": 2}]


def test_types_hold_over_many_blocks_and_late_words_are_found(write, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 256)
    n = 500
    late = ["7"] * (n - 1) + ["oops"]
    body = "".join(f"{i},{i / 2 if i > 300 else i},c{i % 3},,{late[i]}\n" for i in range(n))
    table = read_table_file(write("i,f,t,e,late\n" + body)).table
    assert table.column("i").to_pylist() == list(range(n))
    assert table.column("f").to_pylist() == [i / 2 if i > 300 else float(i) for i in range(n)]
    assert table.column("t").to_pylist() == [f"c{i % 3}" for i in range(n)]
    assert table.column("t").type.value_type == pa.string()
    assert table.column("late").to_pylist() == late
    assert table.column("e").null_count == n


def test_progress_reaches_the_size_of_the_file(write, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1024)
    path = write("a,b\n" + "1,2\n" * 2000)
    seen = []
    read_table_file(path, on_progress=lambda done, total: seen.append((done, total)))
    assert len(seen) > 3
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (path.stat().st_size,) * 2


@given(
    cells=st.lists(
        st.tuples(
            st.one_of(st.none(), st.integers(-(2**40), 2**40)),
            st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)),
            st.one_of(st.none(), st.text(string.ascii_letters + "',;\"\n ", min_size=1)),
        ),
        min_size=1,
    )
)
@settings(max_examples=60, deadline=None)
def test_what_pyarrow_writes_is_read_back(cells, tmp_path_factory):
    path = tmp_path_factory.mktemp("csv") / "t.csv"
    table = pa.table(list(map(pa.array, zip(*cells, strict=True))), names=["i", "f", "t"])
    csv.write_csv(table, path)
    found = read_table_file(path, header=True, delimiter=",", missing=[""], text=["t"]).table
    assert found.column("i").to_pylist() == table.column("i").to_pylist()
    assert found.column("f").to_pylist() == table.column("f").to_pylist()
    words = [None if t is None else t.strip() or None for t in table.column("t").to_pylist()]
    assert found.column("t").to_pylist() == words


@pytest.mark.parametrize(
    ("content", "encoding"),
    [("é,b\nü,1\n".encode(), None), ("\ufeffé,b\nü,1\n".encode(), None),
     ("é,b\nü,1\n".encode("latin-1"), "latin-1"), ("é,b\nü,1\n".encode("utf-16"), None)],
    ids=["utf-8", "byte order mark", "latin-1", "utf-16"],
)  # fmt: skip
def test_encodings(write, content, encoding):
    assert rows(write(content), encoding=encoding) == [{"é": "ü", "b": 1}]


def test_a_bad_byte_is_told_with_its_place_and_the_remedy(write):
    with pytest.raises(TableError, match=r"byte 6 .*line 2.* 0xfc.*--encoding latin-1"):
        read_table_file(write(b"a,b\nx\xfcy,1\n"))


def test_a_bad_byte_far_down_is_told_too(write):
    content = b"a,b\n" + b"x,1\n" * 100_000 + b"\xe9,2\n"
    with pytest.raises(TableError, match=r"byte 400,005 .*line 100,002.* 0xe9"):
        read_table_file(write(content))


@pytest.mark.parametrize("kind", ["gzip", "bz2", "zstd"])
@pytest.mark.parametrize("name", ["t.csv.gz", "t.csv", "noname"])
def test_a_compressed_file_is_read_whatever_its_name(write, kind, name):
    compress = {"gzip": gzip.compress, "bz2": bz2.compress}.get(kind, pa.Codec("zstd").compress)
    content = bytes(compress(b"a,b\n1,x\n"))
    file = read_table_file(write(content, name))
    assert file.table.to_pylist() == [{"a": 1, "b": "x"}]
    assert file.sha256 == hashlib.sha256(content).hexdigest()


def test_a_name_alone_compresses_nothing(write):
    assert rows(write("a,b\n1,x\n", "t.csv.gz")) == [{"a": 1, "b": "x"}]


def test_a_compressed_file_that_was_cut_is_refused(write):
    whole = gzip.compress(b"a,b\n" + b"1,x\n" * 1000)
    with pytest.raises(TableError, match=r"cannot be decompressed.*take a fresh copy"):
        read_table_file(write(whole[:-10], "t.csv.gz"))


def test_the_hash_is_that_of_the_file(write):
    path = write("a,b\n1,2\n")
    assert read_table_file(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "is empty"),
        ("\n  \n\n", "is empty"),
        ("a,b\n", "names of columns but no rows"),
        ("a\n1\n2\n", "a single column"),
        ("a,b\n1,2\n3\n4,5\n", "line 3 .*has 1 cells where 2 are expected"),
        ("a,b\n1,2\n3,4,5\n", "line 3 .*has 3 cells where 2"),
        (b"a,b\n\0\0,1\n", "zero bytes"),
        (b"PK\x03\x04rest", "workbook or an archive"),
        (b"PAR1 but not really", "cannot be read"),
        ('a,b\n"' + "x" * 200_000, "quotation mark is not closed"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(write, content, sentence):
    with pytest.raises(TableError, match=sentence) as refusal:
        read_table_file(write(content))
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    ("body", "line"),
    [("1,2\n3\n", 3), ("1,2\r\n3,4,5\r\n", 3), ('1,"two\nlines"\n\n1,2,3\n', 5)],
    ids=["short", "Windows", "after a quoted line break and a blank line"],
)
def test_a_ragged_line_is_named_as_an_editor_counts_lines(write, body, line):
    with pytest.raises(TableError, match=f"line {line} of"):
        read_table_file(write("a,b\n" + body))


def test_a_ragged_line_far_down_is_named(write, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 1024)
    path = write(gzip.compress(b"a,b\n" + b"1,2\n" * 5000 + b"1,2,3\n" + b"4,5\n" * 5000))
    with pytest.raises(TableError, match=r"line 5,002 of .*has 3 cells where 2"):
        read_table_file(path)


def test_a_quotation_mark_that_is_not_closed_is_told_by_its_line(write, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 2**18)
    path = write("a,b\n" + "1,x\n" * 70_000 + '2,"y\n' + "3,z\n" * 200_000)
    with pytest.raises(TableError, match=r"begins in line 70,002 of .*mark is not closed"):
        read_table_file(path)


def test_windows_lines_a_trailing_delimiter_and_quoted_line_breaks(write):
    assert rows(write("a,b\r\n1,x\r\n2,y\r\n")) == [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]
    assert rows(write("a;b;\n1;x;\n2;y;\n"))[1] == {"a": 2, "b": "y", "column_3": None}
    assert rows(write('a,b\n1,"x\r\ny"\n'))[0]["b"] == "x\r\ny"


def test_utf_16_without_its_mark_is_refused_with_the_remedy(write):
    path = write("a,b\n1,x\n".encode("utf-16-le"))
    with pytest.raises(TableError, match="--encoding utf-16-le"):
        read_table_file(path)
    assert rows(path, encoding="utf-16-le") == [{"a": 1, "b": "x"}]


class TestDecimalCommas:
    def test_they_are_found_where_commas_separate_nothing_and_it_is_said(self, write):
        path = write("a;b;c\n1,5;2;x\n-0,25;?;y\n1,5e3;4;z\n")
        file = read_table_file(path)
        assert file.table.column("a").to_pylist() == [1.5, -0.25, 1500.0]
        assert file.table.column("b").to_pylist() == [2, None, 4]
        assert file.decimal == ","
        (note,) = (note for note in file.notes if note.about == "decimal sign")
        assert note.found == "','"
        assert "1,5 and the like are numbers" in note.why
        assert note.override == "--decimal ."

    def test_what_is_said_wins(self, write):
        path = write("a;b\n1,5;2,5\n3,5;4,5\n")
        assert rows(path, decimal=".")[0] == {"a": "1,5", "b": "2,5"}
        quoted = write('a,b\n"1,5",x\n"1,234",y\n')
        assert rows(quoted)[0] == {"a": "1,5", "b": "x"}
        assert [row["a"] for row in rows(quoted, decimal=",")] == [1.5, 1.234]
        with pytest.raises(TableError, match="a point or a comma, and not ';'"):
            read_table_file(path, decimal=";")

    @pytest.mark.parametrize("delimiter", [";", "\t", "|"])
    def test_numbers_without_a_header_are_not_split_at_their_commas(self, write, delimiter):
        path = write(f"1,5{delimiter}2,7\n3,25{delimiter}4,5\n")
        assert rows(path) == [
            {"column_1": 1.5, "column_2": 2.7},
            {"column_1": 3.25, "column_2": 4.5},
        ]

    def test_points_elsewhere_leave_the_question_to_the_user(self, write):
        path = write("a;b\n1,5;2.5\n3,5;4.5\n")
        assert rows(path)[0] == {"a": "1,5", "b": 2.5}
        assert "numbers such as '1,5' have a decimal comma; otherwise: --decimal ," in notes(path)
        assert rows(path, decimal=",")[0] == {"a": 1.5, "b": "2.5"}
        told = notes(path, decimal=",")
        assert "numbers such as '2.5' have a decimal point; otherwise: --decimal ." in told

    @pytest.mark.parametrize("content", ["a;b\n1,234;x\n12,345;y\n", "a;b\n1.234;x,y\n2.5;z\n"])
    def test_what_may_be_thousands_or_words_is_not_taken_for_decimals(self, write, content):
        assert read_table_file(write(content)).decimal == "."

    def test_a_late_word_makes_a_column_text_and_the_word_is_told(self, write, monkeypatch):
        monkeypatch.setattr(delimited, "_BLOCK", 256)
        path = write("a;b\n" + "1,5;2,25\n" * 300 + "many;7\n")
        file = read_table_file(path)
        assert file.table.column("a").to_pylist()[-2:] == ["1,5", "many"]
        assert file.table.column("b").to_pylist()[-2:] == [2.25, 7.0]
        assert "row 301 holds 'many'" in " ".join(map(str, file.notes))


@pytest.mark.parametrize(
    "words",
    [
        ["1,234", "12"],
        ["1.234.567", "2.000"],
        ["12%", "7 %"],
        ["$5.00", "$1,200"],
        ["5 €", "3,5 €"],
    ],
    ids=" ".join,
)
def test_thousands_percent_and_currency_stay_text_and_it_is_said(write, words):
    path = write("a;b\n" + "".join(f"{word};{i}\n" for i, word in enumerate(words)))
    assert [row["a"] for row in rows(path)] == words
    assert "take signs of currency, percent and thousands out of the file" in notes(path)


def test_the_words_for_infinity_and_no_number(write):
    path = write("a,b,c\n1,nan,NaN\ninf,2,x\n-Infinity,3,y\n")
    assert [row["a"] for row in rows(path)] == [1.0, np.inf, -np.inf]
    assert [row["b"] for row in rows(path)] == [None, 2, 3]
    assert [row["c"] for row in rows(path)] == [None, "x", "y"]


def test_whole_numbers_of_any_size(write):
    assert rows(write(f"a,b\n{2**53 + 1},{2**64}\n")) == [{"a": 2**53 + 1, "b": float(2**64)}]


def test_a_wrong_delimiter_is_answered_with_the_right_one(write):
    with pytest.raises(TableError, match=r"single column, but ';' splits .*--delimiter ';'"):
        read_table_file(write("a;b\n1;2\n"), delimiter=",")


@pytest.mark.parametrize("delimiter", ["", "::", '"', "\n"])
def test_a_delimiter_is_one_character(write, delimiter):
    with pytest.raises(TableError, match="one character"):
        read_table_file(write("a,b\n1,2\n"), delimiter=delimiter)


def test_an_unknown_encoding_is_refused(write):
    with pytest.raises(TableError, match="no encoding called 'klingon'"):
        read_table_file(write("a,b\n1,2\n"), encoding="klingon")


def test_no_file_and_a_folder_are_refused(tmp_path):
    with pytest.raises(TableError, match="there is no file"):
        read_table_file(tmp_path / "nowhere.csv")
    with pytest.raises(TableError, match="is a folder"):
        read_table_file(tmp_path)


def test_random_bytes_never_end_in_another_error(write):
    draw = np.random.default_rng(0)
    for length in [1, 10, 1000] * 60:
        with suppress(TableError):
            read_table_file(write(draw.bytes(length)))


@pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.feather", "t.ipc", "noname"])
def test_files_with_types_are_read_by_their_content(tmp_path, name):
    path = tmp_path / name
    if name in {"t.parquet", "noname"}:
        parquet.write_table(MIXED, path)
    elif name == "t.feather":
        feather.write_feather(MIXED, path)
    else:
        with ipc.new_file(path, MIXED.schema) as sink:
            sink.write_table(MIXED)
    file = read_table_file(path)
    assert file.table.to_pylist() == MIXED.to_pylist()
    assert file.typed


def test_arrow_streams_are_read(tmp_path):
    with ipc.new_stream(tmp_path / "t.arrows", MIXED.schema) as sink:
        sink.write_table(MIXED)
    assert rows(tmp_path / "t.arrows") == MIXED.to_pylist()


def test_all_sorts_of_types_become_the_few_we_know(tmp_path):
    table = pa.table(
        {
            "small": pa.array([1, 2], pa.int8()),
            "half": pa.array([0.5, None], pa.float32()),
            "money": pa.array([1, 2]).cast(pa.decimal128(22, 2)),
            "day": pa.array([0, 1], pa.date32()),
            "words": pa.array(["", "x"], pa.large_string()),
            "codes": pa.array([5, 6]).dictionary_encode(),
            "nested": pa.array([[1], [2]]),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    file = read_table_file(tmp_path / "t.parquet")
    assert "nested" not in file.table.column_names
    assert "no learner reads its type" in " ".join(map(str, file.notes))
    kinds = {name: str(file.table.schema.field(name).type) for name in file.table.column_names}
    assert kinds["small"] == kinds["codes"] == "int64"
    assert kinds["half"] == kinds["money"] == "double"
    assert kinds["day"] == "timestamp[us]"
    assert file.table.column("words").to_pylist() == [None, "x"]


ARFF = """% a comment
@RELATION 'a test'

@attribute 'wind speed' REAL
@ATTRIBUTE outlook {sunny, 'very, very rainy', "it\\'s ok"}
@attribute name string
@attribute day date "yyyy-MM-dd"
@attribute\tplay\t{yes,no}
@data
% another
1.5, sunny, 'J. Doe', 2024-01-01, yes
?, 'very, very rainy', "x", ?, no
-2e3,'it\\'s ok',?,"2024-01-02",?
"""


def test_arff_with_quotes_comments_domains_and_missing_cells(write):
    file = read_table_file(write(ARFF, "t.arff"))
    assert file.table.column("wind speed").to_pylist() == [1.5, None, -2000.0]
    assert file.table.column("outlook").to_pylist() == ["sunny", "very, very rainy", "it's ok"]
    assert file.table.column("name").to_pylist() == ["J. Doe", "x", None]
    assert str(file.table.schema.field("day").type) == "timestamp[us]"
    assert file.table.column("play").to_pylist() == ["yes", "no", None]
    assert file.table.column("play").chunk(0).dictionary.to_pylist() == ["yes", "no"]


def test_a_quoted_question_mark_is_a_word_in_arff(write):
    path = write("@relation r\n@attribute a {'?', b}\n@attribute c {d}\n@data\n'?',d\n?,d\n", "a")
    assert read_table_file(path).table.column("a").to_pylist() == ["?", None]


HEAD = "@relation r\n@attribute a numeric\n@attribute b {x, y}\n"


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (HEAD + "@data\n{0 1, 1 x}\n", "line 5: sparse ARFF is not read"),
        (HEAD + "@data\n1,x,2\n", "line 5 has 3 cells, but 2 attributes"),
        (HEAD + "@data\n1,z\n", "row 1 holds 'z' in 'b', which is declared {x, y}"),
        (HEAD + "@data\n1,x\nmany,y\n", "row 2 holds 'many' in 'a', which is declared numeric"),
        (HEAD + "@data\n", "no rows"),
        (HEAD, "no @data section"),
        ("@relation r\n@data\n1\n", "before any @attribute"),
        ("@relation r\n@attribute a relational\n@data\n", "type 'relational'"),
        ("@relation r\n@attribute a numeric\n@attribute a numeric\n@data\n1,2\n", "two attributes"),
        ("@relation r\nhello\n", "line 2: 'hello' is neither"),
        (HEAD + "@data\n'open,x\n", "declared numeric|is not a cell|has 1 cells"),
    ],
)
def test_arff_that_cannot_be_read_is_refused_in_a_sentence(write, content, sentence):
    with pytest.raises(TableError, match=sentence) as refusal:
        read_table_file(write(content, "t.arff"))
    assert "\n" not in str(refusal.value)


def test_memory_stays_near_the_size_of_the_encoded_table(write, monkeypatch):
    monkeypatch.setattr(delimited, "_BLOCK", 2**16)
    n = 20_000
    words = np.array(["a rather long category", "another quite long category"])[np.arange(n) % 2]
    path = write("x,w\n" + "".join(f"{i},{w}\n" for i, w in enumerate(words)))
    before = pa.total_allocated_bytes()
    table = read_table_file(path).table
    assert pa.total_allocated_bytes() - before < 2 * n * (8 + 4) < path.stat().st_size
    assert table.column("w").combine_chunks().dictionary.to_pylist() == sorted(set(words))


def test_what_a_column_takes_is_counted_as_its_chunks_come():
    column, cells = GrowingColumn(), pa.array(["1.5", "2.5"])
    for block in range(1, 4):
        column.add(cells)
        assert column.nbytes == block * 16
    column.replace_by(pa.chunked_array([[1.5] * 6]))
    assert column.nbytes == 0
    column.add(pa.array(["many"]))
    assert column.was_too_narrow
    assert column.nbytes == 0
