"""The interval of Bates, Hastie and Tibshirani, as PROOFS-statistical 12 states it."""

import math
import statistics


def nested_cv_interval(losses_of, folds_per_repeat, n, z):
    """Return its estimate and half width.

    `losses_of(left_out, tested)` fits without the rows `left_out` and returns the losses on
    `tested`; `folds_per_repeat` lists the folds of each repeat.
    """
    a, b, all_in, all_out = [], [], [], []
    for folds in folds_per_repeat:
        k = len(folds)
        table = {}
        for i in range(k):
            for j in range(i + 1, k):
                both = [*folds[i], *folds[j]]
                table[i, j] = losses_of(both, folds[i])
                table[j, i] = losses_of(both, folds[j])
        for i in range(k):
            e_out = losses_of(folds[i], folds[i])
            e_in = [loss for j in range(k) if j != i for loss in table[j, i]]
            a.append((statistics.fmean(e_in) - statistics.fmean(e_out)) ** 2)
            b.append(statistics.variance(e_out) / len(folds[i]))
            all_in += e_in
            all_out += e_out
    mse = statistics.fmean(a) - statistics.fmean(b)
    err_ncv, err_cv = statistics.fmean(all_in), statistics.fmean(all_out)
    bias = (1 + (k - 2) / k) * (err_ncv - err_cv)
    se_0 = statistics.stdev(all_in) / math.sqrt(n)
    se = min(max(math.sqrt(max(0.0, (k - 1) / k * mse)), se_0), math.sqrt(k) * se_0)
    return err_ncv - bias, z * se
