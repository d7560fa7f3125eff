"""Work cut into parts: whole, in order, the same on any machine, and errors come back."""

import pytest

from surelearn._threads import in_parts


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
