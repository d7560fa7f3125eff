"""The columns a model rests on: each is asked about, or, of very many, the largest are sought."""

from surelearn.app.telling.model_views import _rises


def test_few_columns_are_all_asked_about():
    names = [f"c{i}" for i in range(100)]
    found, note = _rises(names, lambda columns: float(columns.start))
    assert list(found) == names
    assert note == ""


def test_of_many_columns_those_that_matter_are_found_in_few_questions():
    names, asked = [f"c{i}" for i in range(20_000)], []

    def rise_of(columns):
        asked.append(columns)
        return 0.3 * (7 in columns) + 0.2 * (15_000 in columns) - 1e-6 * len(columns)

    found, note = _rises(names, rise_of)
    assert {"c7", "c15000"} <= set(found)
    assert max(found, key=found.get) == "c7"
    assert len(asked) <= 128
    assert "20,000" in note
