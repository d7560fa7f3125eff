"""What holds for every theorem and planner in `surelearn.bounds`, discovered, never listed."""

import functools
import inspect
import json
import math
import pathlib
import re
from collections.abc import Mapping
from contextlib import suppress

import numpy as np
import pytest

from contracts.bound_examples import THEOREMS, example_inputs
from surelearn import bounds
from surelearn.bounds import Guarantee

THEORY = pathlib.Path(__file__).parents[2] / "docs" / "theory"


def is_number(value):
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_count(key):
    return key == "n" or key.startswith("n_") or key.endswith("errors")


@functools.cache
def result_of(name):
    return THEOREMS[name](**example_inputs(name))


NUMBERS = [(n, key) for n in THEOREMS for key, v in example_inputs(n).items() if is_number(v)]
COUNTS = [(n, key) for n in THEOREMS for key in example_inputs(n) if is_count(key)]
WITH_DELTA = [n for n, f in THEOREMS.items() if "delta" in inspect.signature(f).parameters]
GUARANTEES = [n for n in THEOREMS if isinstance(result_of(n), Guarantee)]
GRADED = [n for n in GUARANTEES if "delta" in example_inputs(n)]

every_guarantee = pytest.mark.parametrize("name", GUARANTEES)
every_theorem = pytest.mark.parametrize("name", THEOREMS)


@every_theorem
def test_it_is_keyword_only_and_documented(name):
    function = THEOREMS[name]
    kinds = {p.kind for p in inspect.signature(function).parameters.values()}
    assert kinds <= {inspect.Parameter.KEYWORD_ONLY}
    assert "Examples\n" in inspect.getdoc(function)


@every_theorem
def test_its_theory_page_has_a_section_for_it(name):
    module, _, function = name.partition(".")
    page = (THEORY / f"{module}.md").read_text(encoding="utf-8")
    assert re.search(rf"^#+ .*\{{#{function}\}}$", page, flags=re.MULTILINE)


def test_most_theorems_have_numbers_counts_and_assumptions():
    assert len(GUARANTEES) > 250
    assert len(NUMBERS) > 500
    assert len(COUNTS) > 150
    assert len(WITH_DELTA) > 100
    assert len(GRADED) > 90


@pytest.mark.parametrize(("name", "key"), NUMBERS)
def test_it_refuses_nan_in_every_number_and_names_it(name, key):
    with pytest.raises(ValueError, match=rf"\b{key}\b"):
        THEOREMS[name](**{**example_inputs(name), key: math.nan})


@pytest.mark.parametrize("name", THEOREMS)
def test_odd_numbers_are_taken_or_refused_in_a_sentence(name):
    inputs = example_inputs(name)
    for key in inputs:
        for odd in (np.float32(0.5), np.int8(127), np.uint8(255), 1e300, 5e-324, 10**400):
            with suppress(ValueError, TypeError):  # another error is a fault
                THEOREMS[name](**{**inputs, key: odd})


@pytest.mark.parametrize("name", WITH_DELTA)
@pytest.mark.parametrize("delta", [0.0, 1.0, -0.1, 1.5])
def test_it_refuses_a_delta_outside_zero_and_one(name, delta):
    with pytest.raises(ValueError, match="delta"):
        THEOREMS[name](**{**example_inputs(name), "delta": delta})


@pytest.mark.parametrize(("name", "key"), COUNTS)
def test_it_refuses_a_negative_count_and_names_it(name, key):
    inputs = example_inputs(name)
    bad = -1 if is_number(inputs[key]) else -np.abs(np.asarray(inputs[key])) - 1
    with pytest.raises(ValueError, match=rf"\b{key}\b"):
        THEOREMS[name](**{**inputs, key: bad})


@every_guarantee
def test_its_guarantee_is_complete_and_can_be_evaluated_again(name):
    guarantee = result_of(name)
    assert guarantee.theorem == name
    assert re.search(r"\d{4}", guarantee.reference) or "surelearn" in guarantee.reference
    stored = json.loads(
        json.dumps(dict(guarantee.inputs), default=lambda a: np.asarray(a).tolist())
    )
    assert bounds.evaluate(name, **stored).bound == guarantee.bound


@every_guarantee
def test_its_assumptions_are_phrases_under_names_of_their_own(name):
    assumes = result_of(name).assumes
    assert isinstance(assumes, Mapping)
    assert assumes
    assert all(key.isidentifier() and key == key.lower() for key in assumes)
    assert all(isinstance(phrase, str) and phrase.strip() for phrase in assumes.values())
    assert len(set(assumes.values())) == len(assumes)


def keys_of_phrases():
    """Return each phrase, in whatever theorem, with the keys under which it stands."""
    found = {}
    for name in GUARANTEES:
        for key, phrase in result_of(name).assumes.items():
            found.setdefault(phrase, set()).add(key)
    return found


def test_one_phrase_has_one_key_everywhere():
    assert not {phrase: keys for phrase, keys in keys_of_phrases().items() if len(keys) > 1}


REALISED = [n for n in THEOREMS if getattr(THEOREMS[n], "realised", None)]


def test_some_theorems_read_numbers_from_the_run():
    assert len(REALISED) > 20


@pytest.mark.parametrize("name", REALISED)
def test_what_it_reads_from_the_run_is_among_its_inputs(name):
    inputs = inspect.signature(THEOREMS[name]).parameters
    assert THEOREMS[name].realised <= set(inputs)
    assert "delta" not in THEOREMS[name].realised


@pytest.mark.parametrize("name", GRADED)
def test_a_smaller_delta_never_gives_a_tighter_bound(name):
    inputs, guarantee = example_inputs(name), result_of(name)
    stricter = THEOREMS[name](**{**inputs, "delta": inputs["delta"] / 10})
    sign = 1.0 if guarantee.direction == "upper" else -1.0
    assert sign * stricter.bound >= sign * guarantee.bound


def test_an_unknown_theorem_is_refused_with_a_pointer():
    with pytest.raises(ValueError, match="theorems"):
        bounds.evaluate("concentration.no_such_theorem", n=1)
    with pytest.raises(ValueError, match="theorems"):
        bounds.evaluate("no_such_file.hoeffding", n=1)
