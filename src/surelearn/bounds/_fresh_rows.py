"""What claims about rates assume of the rows they were counted on, and the claims themselves."""

from functools import partial

from surelearn.bounds._guarantee import with_confidence

ROWS = {
    "independent": "the rows are i.i.d. draws from the population, used neither to fit, tune, "
    "calibrate nor choose the model"
}
IN_CLASS = {
    "independent": "given their classes the rows are independent draws, used neither to fit, tune, "
    "calibrate nor choose the model"
}
FIXED = {"fixed_before": "what is claimed, its threshold and delta were fixed before looking"}
MIX = {"class_frequencies": "the rows were not sampled by class: classes are as frequent as in use"}
BINOMIAL = "Clopper and Pearson, Biometrika 26 (1934), given the number of rows that count"

claim = partial(with_confidence, reference=BINOMIAL)
"""Return the statement, with confidence 1 - delta, that a rate is at most, or at least, so much."""
