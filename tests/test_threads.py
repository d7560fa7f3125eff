"""Work cut into parts: whole, in order, the same on any machine, and errors come back."""

import pytest

from surelearn._threads import in_parts, workers


@pytest.mark.parametrize("processors", [1, 2, 8])
def test_the_parts_are_the_same_on_any_machine_and_in_order(processors, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: processors)
    assert in_parts(lambda first, last: (first, last), 10) == [(0, 2), (2, 5), (5, 7), (7, 10)]
    assert in_parts(lambda first, last: last - first, 2) == [0, 1, 0, 1]


@pytest.mark.parametrize("processors", [1, 2, 8])
@pytest.mark.parametrize("part", range(4))
def test_an_error_in_any_part_comes_back(processors, part, monkeypatch):
    monkeypatch.setattr("joblib.cpu_count", lambda: processors)

    def work(first, _):
        if first == part:
            raise ValueError(f"part {first}")
        return first

    with pytest.raises(ValueError, match=f"part {part}"):
        in_parts(work, 4)


@pytest.mark.parametrize("n", [1, 2, 8])
def test_workers_keep_the_order_and_give_errors_back(n):
    with workers(n) as crew:
        assert crew.size == n
        assert crew.map(lambda i: i * i, range(20)) == [i * i for i in range(20)]
        assert crew.map(str, []) == []
        with pytest.raises(ZeroDivisionError):
            crew.map(lambda i: 1 // i, [1, 0, 2])
