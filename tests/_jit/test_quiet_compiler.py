"""Garbage is not looked for while a loop compiles, and is afterwards if it was before."""

import gc

import numpy as np
import pytest

from surelearn._jit import jit


@pytest.mark.parametrize("looks", [True, False])
def test_the_collector_is_as_it_was_before(looks):
    seen = []

    @jit
    def total(numbers):
        found = 0.0
        for number in numbers:
            found += number
        return found

    before = gc.isenabled()
    (gc.enable if looks else gc.disable)()
    gc.callbacks.append(lambda phase, _: seen.append(phase))
    try:
        assert total(np.ones(3)) == 3.0
        assert gc.isenabled() is looks
    finally:
        gc.callbacks.pop()
        (gc.enable if before else gc.disable)()
    assert len(seen) <= 4  # a look before and one after at most; a compilation had dozens


def test_a_loop_that_cannot_be_compiled_leaves_the_collector_on():
    @jit
    def wrong(numbers):
        return numbers.no_such_thing

    assert gc.isenabled()
    with pytest.raises(Exception, match="no_such_thing"):
        wrong(np.ones(3))
    assert gc.isenabled()
