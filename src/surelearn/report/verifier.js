"use strict";
/*
 * Recomputes the binomial claims of certificates with exact integers. It needs nothing but a
 * JavaScript engine: inside a report it marks each claim; `node verifier.js FILE ...` reads
 * certificates and reports, prints a line for each claim, and ends with exit status 1 if one is
 * forged and 2 if a file cannot be read.
 *
 * Every number of a certificate is a double, so it is a fraction with a power of two below. A bound
 * b on a rate, from k errors in n rows at level d, says P(Bin(n, b) <= k) <= d. With t_i the
 * probability of i errors divided by that of k errors,
 *
 *     P(Bin(n, b) <= k) = L / (L + H),   L = t_k + t_(k-1) + ... + t_0,   H = t_(k+1) + ... + t_n,
 *
 * t_k = 1, and each term is its neighbour times a fraction of integers. The largest term itself,
 * with its factorials and powers, is never needed, and about sqrt(n) terms matter.
 *
 * Why no rounding can deceive: terms are integers in units of 2^-BITS. To show that the tail is at
 * most d, each term of L is rounded up and each term of H down, from a neighbour that is itself
 * rounded so: then L is no smaller than it is, H no larger, and L / (L + H) grows with L and falls
 * with H. The terms that are left out of H are >= 0; those left out of L are at most a geometric
 * series, because the ratios fall on the way from k to 0. To show that the tail is above d, all is
 * turned round. Both ways only true things can be shown, whatever was rounded.
 */

const BITS = 96n;
const SMALL = 60n; /* a sum ends where its last term is 2^-60 of it */
const MOST_ROWS = 10000000;
const MOST_TERMS = 2000000;
const MOST_QUERIES = 4096;
const MOST_GROUPS = 1000;
const SLIGHTLY = [999999n, 1000000n]; /* how far a bound may lie from what the formula gives */
const LEAST = [1n, 1n << 46n]; /* and a lower bound, which may be 1 minus a double */
const NEARLY = [99999999n, 100000000n]; /* the share of the level that it must use */
const LARGE = 1000000; /* errors from which surelearn may print a larger bound, Chernoff's */

class Refused extends Error {}
class Beyond extends Error {}

/* ---- exact numbers ---- */

/** Returns a double >= 0 as a fraction of integers. */
function exact(value) {
  if (typeof value !== "number" || !(value >= 0) || !Number.isFinite(value)) {
    throw new Refused("a number that must be 0 or more is not");
  }
  const bytes = new DataView(new ArrayBuffer(8));
  bytes.setFloat64(0, value);
  const word = bytes.getBigUint64(0);
  const stored = word >> 52n;
  const digits = (word & 0xfffffffffffffn) | (stored === 0n ? 0n : 1n << 52n);
  const power = (stored === 0n ? 1n : stored) - 1075n;
  return power >= 0n ? [digits << power, 1n] : lowest(digits, -power);
}

function lowest(digits, power) {
  while (power > 0n && (digits & 1n) === 0n) { digits >>= 1n; power -= 1n; }
  return [digits, 1n << power];
}

const times = (a, b) => [a[0] * b[0], a[1] * b[1]];
const plus = (a, b) => [a[0] * b[1] + b[0] * a[1], a[1] * b[1]];
const above = (a, b) => a[0] * b[1] > b[0] * a[1];
const complement = (a) => [a[1] - a[0], a[1]];

/* ---- the binomial tail ---- */

/**
 * Sums terms from the neighbour of k on, towards 0 (step -1) or n (step +1), in units of 2^-BITS.
 * With `up` the sum is never too small, else never too large. It ends early once it exceeds `limit`.
 */
function sumOfTerms(n, k, odds, step, up, limit) {
  const [yes, no] = odds; /* p : 1 - p */
  let i = BigInt(k);
  const last = step < 0 ? 0n : BigInt(n);
  const rows = BigInt(n);
  let term = 1n << BITS;
  let sum = 0n;
  for (let terms = 0; i !== last; terms += 1) {
    if (terms > MOST_TERMS) throw new Beyond("it has too many terms to add up in a page");
    const top = step < 0 ? i * no : (rows - i) * yes;
    const bottom = step < 0 ? (rows - i + 1n) * yes : (i + 1n) * no;
    /* All further ratios are smaller than this one: the rest is below a geometric series. */
    if (top < bottom && term < ((sum + (1n << BITS)) >> SMALL)) return up ? sum + term * top / (bottom - top) + 1n : sum;
    term = term * top / bottom + (up ? 1n : 0n);
    sum += term;
    if (sum > limit) return sum;
    i += step < 0 ? -1n : 1n;
  }
  return sum;
}

/** Tells whether P(Bin(n, p) <= k) <= level can be shown, or with `exceeds` that it is above. */
function tailIs(n, k, p, level, exceeds) {
  if (level[0] >= level[1]) return !exceeds;
  if (k >= n || p[0] <= 0n) return exceeds === above([1n, 1n], level);
  if (p[0] >= p[1]) return !exceeds;
  const odds = [p[0], p[1] - p[0]];
  const one = 1n << BITS;
  const share = level[0];
  const rest = level[1] - level[0];
  /* L <= d (L + H) is L rest <= share H. The side whose terms fall is summed first, so that the
     other, which may grow beyond all bounds if the bound is forged, ends once all is decided. */
  if (BigInt(k) * p[1] < BigInt(n) * p[0]) {
    const low = one + sumOfTerms(n, k, odds, -1, !exceeds, one << 4096n);
    const needed = low * rest;
    const high = sumOfTerms(n, k, odds, 1, exceeds, needed / share + 1n);
    return exceeds ? needed > share * high : needed <= share * high;
  }
  const high = sumOfTerms(n, k, odds, 1, exceeds, one << 4096n);
  const allowed = share * high;
  const low = one + sumOfTerms(n, k, odds, -1, !exceeds, allowed / rest + 1n);
  return exceeds ? low * rest > allowed : low * rest <= allowed;
}

/* ---- which theorem is which tail ---- */

/*
 * A recipe reads the inputs of a theorem and returns
 *   k, n       the claim is about the tail P(Bin(n, p) <= k), or P(Bin(n, p) >= k) if `lower`,
 *   level      a fraction: delta, divided by whatever the theorem pays,
 *   rate       optional: from the bound, a fraction, to the p of the tail; else the bound is p,
 *              (for F1 = 2 J / (1 + J) of a rate J: ([a, b]) => [a, 2n * b - a]),
 *   seen       optional: the value observed; else k / n,
 *   floor      optional: a fraction below which the theorem's bound never lies,
 *   loose      optional: the bound may lie farther out than the tail needs.
 * A theorem that is no such tail has a `check` of its own.
 */
const whole = (inputs, name, least) => {
  const value = inputs[name];
  if (!Number.isSafeInteger(value) || value < least) {
    throw new Refused(`${name} is not a whole number of ${least} or more`);
  }
  return value;
};

const levelOf = (inputs) => {
  const delta = inputs.delta;
  if (typeof delta !== "number" || !(delta > 0 && delta < 1)) throw new Refused("delta is not between 0 and 1");
  return exact(delta);
};

const tail = (inputs, { errors = "errors", rows = "n", least = 1, price = 1n, ...more } = {}) => {
  const n = whole(inputs, rows, least);
  const k = whole(inputs, errors, 0);
  if (k > n) throw new Refused(`there are ${k} errors in ${n} rows`);
  return { k, n, level: times(levelOf(inputs), [1n, price]), ...more };
};

const queries = (inputs, name) => {
  const count = whole(inputs, name, 1);
  if (count > MOST_QUERIES) throw new Beyond("it has too many queries to recompute in a page");
  return count;
};

/** Returns how many ways there are to choose k of n. */
function choose(n, k) {
  let ways = 1n;
  for (let i = 1; i <= k; i += 1) ways = ways * BigInt(n - k + i) / BigInt(i);
  return ways;
}

/** A snapshot's errors on the rows that came after it; the certificate's n tells which. */
function suffix(inputs, certificate) {
  const n = whole(inputs, "n", 1);
  const starts = [Math.floor(n / 2), Math.floor(3 * n / 4), Math.floor(7 * n / 8)];
  const counts = Array.isArray(inputs.errors) && inputs.errors.length === 3 ? inputs.errors : [];
  const found = starts.findIndex((start, i) => n - start === certificate.n
    && isNear(counts[i] / (n - start), certificate.observed));
  if (found < 0) throw new Refused("no snapshot has these errors on so many rows");
  return tail({ errors: counts[found], n: certificate.n, delta: inputs.delta }, { price: 3n });
}

const lower = (errors, rows) => (inputs) => tail(inputs, { errors, rows, least: 0, lower: true });
const upper = (errors, rows) => (inputs) => tail(inputs, { errors, rows, least: 0 });

/** F1 = 2 J / (1 + J), J the share of true positives among all rows but true negatives. */
function f1(inputs) {
  const k = whole(inputs, "true_positives", 0);
  const n = k + whole(inputs, "false_positives", 0) + whole(inputs, "false_negatives", 0);
  const rate = ([a, b]) => [a, 2n * b - a];
  return tail({ k, n, delta: inputs.delta }, { errors: "k", rows: "n", least: 0, lower: true, rate, seen: 2 * k / (k + n) });
}

/** The largest bound of all groups: true of each of them, and needed for one. */
function worstGroup(inputs, certificate) {
  const [errors, sizes] = [inputs.errors, inputs.n_in_groups];
  if (!Array.isArray(errors) || !Array.isArray(sizes) || errors.length !== sizes.length || errors.length === 0) {
    throw new Refused("errors and sizes of groups are not two lists of one length");
  }
  if (errors.length > MOST_GROUPS) throw new Beyond("it has too many groups to recompute in a page");
  const groups = errors.map((k, i) => tail({ k, n: sizes[i], delta: inputs.delta }, { errors: "k", rows: "n", least: 0 }));
  const check = (loose) => {
    groups.forEach((group) => checkTail({ ...group, loose: true }, certificate.bound));
    if (!loose && !groups.some((group) => isTight(group, certificate.bound))) {
      throw new Refused("the bound lies farther out than the formula puts it");
    }
  };
  const seen = Math.max(...groups.map(({ k, n }) => k / n));
  return { n: sizes.reduce((sum, n) => sum + n, 0), seen, check };
}

/** A target that is met: the bound of another theorem reaches it. */
function inOrder(inputs, certificate) {
  const method = String(inputs.method);
  if (!Object.hasOwn(BINOMIAL, method) || ["targets.in_order", "holdout.quantile", "holdout.quantile_from_ranks"].includes(method)) {
    throw new Beyond("its theorem is not a binomial one; surelearn verify checks it");
  }
  if (!isObject(inputs.statistics) || inputs.target !== certificate.bound) throw new Refused("it states another bound than its target");
  const recipe = BINOMIAL[method]({ ...inputs.statistics, delta: inputs.delta }, certificate);
  return { ...recipe, loose: true };
}

const BINOMIAL = {
  "concentration.clopper_pearson": (inputs) => tail(inputs),
  "concentration.clopper_pearson_lower": (inputs) => tail(inputs, { lower: true }),
  "concentration.stratified_clopper_pearson": (inputs) =>
    tail(inputs, { floor: [BigInt(whole(inputs, "errors", 0)) + 1n, BigInt(whole(inputs, "n", 1))] }),
  "holdout.class_conditional": (inputs) => tail(inputs, { rows: "n_in_class", least: 0 }),
  "holdout.family": (inputs) => tail(inputs, { price: BigInt(whole(inputs, "n_models", 1)) }),
  "holdout.gate": (inputs) => tail(inputs, { price: BigInt(whole(inputs, "n_queries", 1)) }),
  "holdout.transcripts": (inputs) => tail(inputs, { price: (1n << BigInt(queries(inputs, "n_queries"))) - 1n }),
  "holdout.ladder": (inputs) => {
    const [asked, levels] = [queries(inputs, "n_queries"), queries(inputs, "n_levels")];
    return tail(inputs, { price: choose(asked + levels, levels + 1) });
  },
  "holdout.quantile": (inputs, certificate) => ({ check: () => checkQuantile(inputs, certificate) }),
  "holdout.quantile_from_ranks": (inputs, certificate) => ({ check: () => checkRanks(inputs, certificate) }),
  "online_to_batch.last_iterate_suffix": suffix,
  "rates.sensitivity": lower("true_positives", "n_positive"),
  "rates.specificity": lower("true_negatives", "n_negative"),
  "rates.positive_predictive_value": lower("true_positives", "n_predicted_positive"),
  "rates.negative_predictive_value": lower("true_negatives", "n_predicted_negative"),
  "rates.accuracy": lower("correct", "n"),
  "rates.prevalence_upper": upper("n_positive", "n"),
  "rates.prevalence_lower": lower("n_positive", "n"),
  "rates.rate_upper": upper("successes", "n"),
  "rates.rate_lower": lower("successes", "n"),
  "rates.f1": f1,
  "groups.worst_group": worstGroup,
  "targets.in_order": inOrder,
};

/** Shows that a bound is true, and that it is the one its theorem gives. */
function checkTail(recipe, bound) {
  const { k, n, level, lower = false, rate = (b) => b, floor = [0n, 1n], loose = false } = recipe;
  if (n > MOST_ROWS) throw new Beyond("it has too many rows to recompute in a page");
  const b = exact(bound);
  /* A lower bound on a rate is an upper bound on its complement, with the other rows as errors. */
  const errors = lower ? n - k : k;
  if (above(rate(b), [1n, 1n])) throw new Refused("the bound on a rate is above 1");
  const turned = (x) => (lower ? complement(rate(x)) : rate(x));
  if (above(floor, b) && !above(floor, [1n, 1n])) throw new Refused("the bound is below what the theorem allows");
  if (!tailIs(n, errors, turned(b), level, false) && !(lower ? b[0] === 0n : !above([1n, 1n], b))) {
    throw new Refused("the tail at the bound is larger than delta allows");
  }
  if (!loose && !isTight(recipe, bound)) {
    if (errors > LARGE) throw new Beyond("it has too many errors to recompute in a page");
    throw new Refused("the bound lies farther out than the formula puts it");
  }
}

/** Tells whether a bound that lies a millionth nearer would be false. */
function isTight(recipe, bound) {
  const { k, n, level, lower = false, rate = (b) => b, floor = [0n, 1n] } = recipe;
  const b = exact(bound);
  const inside = lower ? plus(times(b, [SLIGHTLY[1], SLIGHTLY[0]]), LEAST) : times(b, SLIGHTLY);
  if (above(floor, inside) || (lower && above(rate(inside), [1n, 1n]))) return true;
  const p = lower ? complement(rate(inside)) : rate(inside);
  return tailIs(n, lower ? n - k : k, p, times(level, NEARLY), true);
}

/** Shows that a bound is the residual of the right rank: the smallest j with a rare tail. */
function checkQuantile(inputs, certificate) {
  const residuals = inputs.residuals;
  if (!Array.isArray(residuals) || !residuals.every((r) => typeof r === "number" && r >= 0)) {
    throw new Refused("the residuals are not numbers of 0 or more");
  }
  const n = residuals.length;
  if (n > MOST_ROWS) throw new Beyond("it has too many rows to recompute in a page");
  if (n !== certificate.n) throw new Refused("n is not the number of residuals");
  const alpha = exact(inputs.alpha);
  if (alpha[0] <= 0n || alpha[0] >= alpha[1]) throw new Refused("alpha is not between 0 and 1");
  const level = levelOf(inputs);
  const sorted = Float64Array.from(residuals).sort();
  checkRank(n, rankAbove(sorted, certificate.bound), alpha, level);
  const place = (n - 1) * (1 - inputs.alpha);
  const [below, next] = [sorted[Math.floor(place)], sorted[Math.min(n - 1, Math.floor(place) + 1)]];
  const seen = below + (next - below) * (place - Math.floor(place));
  if (!isNear(seen, certificate.observed, 1e-9 * (sorted.at(-1) ?? 0))) throw new Refused("the residuals do not give what was observed");
}

/** The same from a few residuals, with how many of all are smaller and how many equal. */
function checkRanks(inputs, certificate) {
  const { values, n_below: below, n_at: at } = inputs;
  const n = whole(inputs, "n", 1);
  if (n > MOST_ROWS) throw new Beyond("it has too many rows to recompute in a page");
  if (n !== certificate.n) throw new Refused("n is not the number of residuals");
  const lists = [values, below, at];
  if (!lists.every((list) => Array.isArray(list) && list.length === values.length && list.length > 0)) {
    throw new Refused("the values and their ranks are no lists of one length");
  }
  if (!values.every((v, i) => typeof v === "number" && v >= 0 && (i === 0 || v > values[i - 1]))) {
    throw new Refused("the values are not numbers of 0 or more, in order");
  }
  const fits = (i) => Number.isSafeInteger(below[i]) && Number.isSafeInteger(at[i]) && below[i] >= 0 && at[i] >= 1
    && below[i] + at[i] <= (i + 1 < values.length ? below[i + 1] : n);
  if (!values.every((_, i) => fits(i))) throw new Refused("the counts of smaller and equal residuals contradict each other");
  const alpha = exact(inputs.alpha);
  if (alpha[0] <= 0n || alpha[0] >= alpha[1]) throw new Refused("alpha is not between 0 and 1");
  const i = values.indexOf(certificate.bound);
  checkRank(n, i < 0 ? 0 : { first: below[i] + 1, last: below[i] + at[i] }, alpha, levelOf(inputs));
  const ofRank = (rank) => values.find((_, k) => below[k] <= rank && rank < below[k] + at[k]) ?? NaN;
  const place = (n - 1) * (1 - inputs.alpha);
  const [low, high] = [ofRank(Math.floor(place)), ofRank(Math.min(n - 1, Math.floor(place) + 1))];
  const seen = low + (high - low) * (place - Math.floor(place));
  if (!isNear(seen, certificate.observed, 1e-9 * high)) throw new Refused("the residuals do not give what was observed");
}

/** Shows that the first and last rank of the bound hold the smallest one whose tail is rare. */
function checkRank(n, j, alpha, level) {
  if (j === 0) throw new Refused("the bound is none of the residuals");
  /* surelearn compares sums of doubles: a tail that equals delta to nine digits may fall either way. */
  if (!tailIs(n, n - j.last, alpha, times(level, [1000000001n, 1000000000n]), false)) {
    throw new Refused("too few residuals lie below the bound");
  }
  if (j.first > 1 && !tailIs(n, n - j.first + 1, alpha, times(level, [999999999n, 1000000000n]), true)) {
    throw new Refused("a smaller residual would do");
  }
}

/** Returns the first and the last rank, from 1 on, of residuals equal to a value; 0 if none is. */
function rankAbove(sorted, value) {
  const first = sorted.indexOf(value);
  return first < 0 ? 0 : { first: first + 1, last: sorted.lastIndexOf(value) + 1 };
}

/* ---- numbers as a certificate prints them: never in favour of the model ---- */

/** Returns the digits of a double as written shortest, and the power of ten of the last of them. */
function decimal(value) {
  const [mantissa, exponent] = value.toExponential().split("e");
  const [head, fraction = ""] = mantissa.split(".");
  return { digits: BigInt(head + fraction), power: exponent - fraction.length, exponent: Number(exponent) };
}

const floorOf = (a, b) => (a >= 0n || a % b === 0n ? a / b : a / b - 1n);
const rounded = (a, b, upward) => (upward ? -floorOf(-a, b) : floorOf(a, b));

/** Writes an integer times 10^-places. */
function pointed(value, places) {
  if (value < 0n) return `-${pointed(-value, places)}`;
  const text = value.toString().padStart(places + 1, "0");
  return places > 0 ? `${text.slice(0, -places)}.${text.slice(-places)}` : text;
}

/** A rate, or a difference of rates, in percent, two decimals, rounded outward. */
function percent(value, direction) {
  const { digits, power } = decimal(value);
  const shifted = power + 4;
  const units = shifted >= 0 ? digits * 10n ** BigInt(shifted)
    : rounded(digits, 10n ** BigInt(-shifted), direction === "upper");
  return `${value < 0 && units === 0n ? "-" : ""}${pointed(units, 2)}%`;
}

/** A number to four significant digits, rounded outward. */
function outward(value, direction) {
  if (value === 0) return "0";
  const { digits, power, exponent } = decimal(value);
  const last = exponent - 3; /* the power of ten of the fourth digit */
  const kept = power >= last ? digits * 10n ** BigInt(power - last)
    : rounded(digits, 10n ** BigInt(last - power), direction === "upper");
  if (Math.abs(exponent) >= 7) return Number(`${kept}e${last}`).toExponential(3);
  if (last >= 0) return (kept * 10n ** BigInt(last)).toString();
  const text = pointed(kept, -last);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** 1 - delta in percent, rounded down. */
function confidence(delta) {
  const { digits, power, exponent } = decimal(delta);
  const places = Math.max(2, -1 - exponent);
  const unit = 10n ** BigInt(places + 2);
  const scale = power + places + 2;
  const failing = scale >= 0 ? digits * 10n ** BigInt(scale) : rounded(digits, 10n ** BigInt(-scale), true);
  return `${pointed(unit - failing, places).replace(/\.?0+$/, "")}%`;
}

/* ---- the words of a claim ---- */

const TITLES = {
  __proto__: null,
  abstaining: "Thresholds that keep the risk of answers", accuracy: "Accuracy", auc: "Area under the ROC curve",
  "balanced-accuracy": "Balanced accuracy", "best-challenger": "Error rate minus that of the best challenger", beyond: "Errors beyond the tolerance",
  brier: "Brier score", "calibration-error": "Calibration error", "challengers-better": "Challengers that err less often",
  "closer-than-baseline": "Closer to the truth than the baseline", cost: "Cost of a decision", coverage: "Coverage",
  "decision-curve": "Net benefit, as at every threshold", difference: "Error rate minus that of the baseline", error: "Error rate",
  "error-in-clusters": "Error rate over all rows of clusters", "error-of-strata": "Error rate over all strata",
  "error-over-time": "Error rate over the period", "error-per-cluster": "Error rate of a cluster, on average",
  "error-quantile": "Size of most errors", "error-sizes": "Errors up to a size, as for every size", "f-score": "F-score", f1: "F1 score",
  "group-error": "Error rate of a group", "group-gap": "Largest gap between groups", "groups-within": "Groups within an error rate",
  "log-loss": "Log loss", "lr+": "Positive likelihood ratio", "lr-": "Negative likelihood ratio", "macro-recall": "Mean recall of the classes",
  mcc: "Matthews correlation", "mean-error": "Mean absolute error", "net-benefit": "Net benefit", npv: "Negative predictive value",
  "npv-at": "Negative predictive value at a prevalence", "pass-rate": "Pass rate", ppv: "Positive predictive value (precision)",
  "ppv-at": "Positive predictive value at a prevalence", "precision-recall": "Precision, as at every threshold", prevalence: "Prevalence, at least",
  "prevalence-at-most": "Prevalence, at most", "risk-coverage": "Error rate of confident answers, as at every threshold",
  roc: "Sensitivity, as at every threshold", "scaled-error-quantile": "Widths that hold most truths",
  "selective-risk": "Error rate of confident answers", sensitivity: "Sensitivity", specificity: "Specificity",
  "threshold-for": "Sensitivity at a threshold chosen here", "weighted-error": "Weighted error rate", "worst-class": "Missed in the worst class",
  "worst-group": "Error rate of the worst group", "wrong-in-table": "Wrong rows of the table",
}; /* what a report calls each claim */

/** Returns what an audit claims: the name, and what stands in brackets behind it. */
function readClaim(text) {
  const [, name, , given = ""] = /^([\w+-]+)(\((.*)\))?$/s.exec(String(text)) ?? [];
  return { name, given: unquoted(given.replace(/^\w+=/, "")) };
}

/** Returns a parameter without the quotes that a name with commas or spaces at its ends needs. */
function unquoted(text) {
  try {
    return text.startsWith('"') ? String(JSON.parse(text)) : text;
  } catch {
    return text;
  }
}

/** Returns what a report calls a claim; undefined if the claim is not known here. */
function titleOf(text) {
  const { name, given } = readClaim(text);
  const most = () => `Absolute error in ${confidence(Number(given))} of cases`;
  if (name === "error-quantile") return most();
  if (name === "scaled-error-quantile") return `${most()}, in widths`;
  if (given && name === "group-error") return `Error rate of the group ${given}`;
  if (given && name === "calibration-error") return `Calibration error over ${given} ${given === "1" ? "bin" : "bins"}`;
  return TITLES[name] && given ? `${TITLES[name]} ${String(text).slice(name.length)}` : TITLES[name];
}

/** Returns what reports of earlier versions called a claim, where that was another title. */
function formerTitleOf(text) {
  const { name, given } = readClaim(text);
  const kept = () => confidence(Number(given));
  if (name === "error-quantile") return `Size of ${kept()} of the errors`;
  return name === "scaled-error-quantile" ? `Widths that hold ${kept()} of the truths` : TITLES[name];
}

const SENTENCES = {
  __proto__: null,
  accuracy: ["rates.accuracy", "it is right on at least {percent} of such cases"],
  beyond: ["rates.rate_upper", "at most {percent} of such cases have an absolute error beyond {number}"],
  "closer-than-baseline": ["rates.rate_lower", "in at least {percent} of such cases it is closer to the truth than the baseline"],
  coverage: ["rates.accuracy", "its sets hold the true answer of at least {percent} of such cases"],
  error: ["concentration.clopper_pearson", "it errs on at most {percent} of such cases"],
  "error-quantile": ["holdout.quantile", "at least {kept} of such cases have an absolute error of at most {limit}"],
  f1: ["rates.f1", "its F1 score for {positive} is at least {percent} on such cases"],
  "group-error": ["rates.rate_upper", "it errs on at most {percent} of such cases in the group {given}"],
  npv: ["rates.negative_predictive_value", "at least {percent} of such cases that it calls not {positive} are not"],
  "pass-rate": ["rates.accuracy", "it passes at least {percent} of such cases"],
  ppv: ["rates.positive_predictive_value", "at least {percent} of such cases that it calls {positive} are so"],
  prevalence: ["rates.rate_lower", "at least {percent} of such cases are {positive}"],
  "prevalence-at-most": ["rates.rate_upper", "at most {percent} of such cases are {positive}"],
  "scaled-error-quantile": ["holdout.quantile", "at least {kept} of such cases lie at most {limit} of their widths from its answer"],
  "selective-risk": ["rates.rate_upper", "when its confidence is at least {number}, it errs on at most {percent} of such cases"],
  sensitivity: ["rates.sensitivity", "it finds at least {percent} of such cases that are {positive}"],
  specificity: ["rates.specificity", "of such cases that are not {positive} it calls at least {percent} not {positive}"],
  "worst-class": ["groups.worst_group", "of no class present in these rows does it miss more than {percent} of such cases"],
  "worst-group": ["groups.worst_group", "in no group present in these rows does it err on more than {percent} of such cases"],
}; /* of each binomial claim of an audit the theorem, and the words behind the confidence */

const PRINTED = "the probability of an error of the model printed";
const QUANTITIES = {
  __proto__: null,
  "concentration.clopper_pearson": "the probability of an error",
  "concentration.clopper_pearson_lower": "the probability of an error",
  "concentration.stratified_clopper_pearson": "the probability of an error in the population",
  "holdout.class_conditional": "the probability of an error given the class",
  "holdout.family": PRINTED,
  "holdout.gate": PRINTED,
  "holdout.transcripts": PRINTED,
  "holdout.ladder": PRINTED,
  "holdout.quantile": "the {quantile} quantile of the residuals",
  "holdout.quantile_from_ranks": "the {quantile} quantile of the residuals",
  "online_to_batch.last_iterate_suffix": "the risk of the model after {before} examples",
  "rates.sensitivity": "the probability that a positive case is found",
  "rates.specificity": "the probability that a negative case is called negative",
  "rates.positive_predictive_value": "the probability that a case called positive is positive",
  "rates.negative_predictive_value": "the probability that a case called negative is negative",
  "rates.accuracy": "the probability of a right answer",
  "rates.prevalence_upper": "the frequency of positive cases",
  "rates.prevalence_lower": "the frequency of positive cases",
  "rates.rate_upper": "the probability of a success, given the condition",
  "rates.rate_lower": "the probability of a success, given the condition",
  "rates.f1": "the F1 score, 2 P(TP) / (2 P(TP) + P(FP) + P(FN))",
  "groups.worst_group": "the largest error rate of a group",
}; /* what each theorem bounds, in its own words */

const AS_ONE = "where copies of a row count as one";
const ERRS = "this model errs on at most {percent}";
const QUANTILES = [
  ...["", ", each of a new group,", ", where copies of a row count as one,"].map((which) => `at least {kept} of new examples${which} have an absolute error <= {limit}`),
  "at least {kept} of new rows have an absolute error of at most {limit}",
];
const OF_HOLDOUTS = {
  __proto__: null,
  "concentration.clopper_pearson": ["examples from the same law", "rows", "examples, where copies of a row count as one", "rows, where copies of a row count as one"].map((which) => `${ERRS} of new ${which}`),
  "holdout.class_conditional": [`${ERRS} of new rows of class {class}`, `${ERRS} of new rows of class {class}, where copies of a row count as one`],
  "holdout.quantile": QUANTILES,
  "holdout.quantile_from_ranks": QUANTILES,
}; /* what hold-outs say by it */

/** Refuses a sentence that surelearn does not make of this theorem; `rest` stands behind its confidence, for so many models together. */
function checkSentence(c, rest, nModels) {
  const { inputs, class: label } = c.reproduce;
  const audit = isAudited(c) ? c.reproduce.audit : null;
  const { name, given } = readClaim(audit?.claim);
  const method = String(c.method === "targets.in_order" ? inputs.method : c.method);
  const [theorem, words] = SENTENCES[name] ?? [];
  if (audit && theorem === undefined) throw new Beyond("its claim is none of those known here");
  if (audit && method !== theorem && method !== `${theorem}_from_ranks`) throw new Refused("its theorem is not that of its claim");
  const own = `${QUANTITIES[method]} is ${c.direction === "upper" ? "at most" : "at least"} {limit}`;
  const slots = {
    percent: percent(c.bound, c.direction), limit: outward(c.bound, c.direction), given, class: label, positive: audit?.about?.positive,
    kept: inputs.alpha > 0 && inputs.alpha < 1 ? confidence(inputs.alpha) : undefined, before: inputs.n - c.n,
  };
  const shapes = audit ? ["", ", where copies of a row count as one", ", each of a new group"].map((end) => words + end) : [own, ...(OF_HOLDOUTS[method] ?? [])];
  const isSaid = (shape) => ENDINGS.some((end) => isFilled(`${shape}.${end}`, slots, rest, { number: [Number(given), 0], quantile: [1 - inputs.alpha, 1e-6] }));
  const said = shapes.find(isSaid);
  if (said === undefined) throw new Refused("its claim is no sentence of surelearn about this theorem");
  const drawn = String(c.preconditions?.find?.(({ key }) => key === "independent")?.evidence);
  const [, copies, group] = /^one (?:of the (copies of )each row|row of each (group));/.exec(drawn) ?? [];
  if (!audit && !rest.includes(copies ?? group ?? "")) throw new Refused("its claim is about other draws than those it assumes");
  if (!audit && said !== own && c.family && nModels !== c.family.n_models) throw new Refused("its claim is silent about the other models of its ledger");
}

/** Tells whether a text is a shape whose slots are filled by these words, or by numbers so near to these values. */
function isFilled(shape, slots, text, numbers) {
  const escaped = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = [];
  const pattern = shape.split(/\{(\w+)\}/).map((part, i) => {
    if (i % 2 === 0) return escaped(part);
    if (part in numbers) { found.push(numbers[part]); return "(\\d[\\d.e+-]*)"; }
    return escaped(String(slots[part]));
  });
  const [, ...stated] = new RegExp(`^${pattern.join("")}$`).exec(text) ?? [null, NaN];
  return stated.length === found.length && stated.every((digits, i) => Math.abs(Number(digits) - found[i][0]) <= found[i][1]);
}

/* ---- a certificate ---- */

/** Tells whether two values are numbers, and the same up to rounding; those below `least` all are. */
const isNear = (a, b, least = 1e-12) => Number.isFinite(a) && Number.isFinite(b) && Math.abs(a - b) <= Math.max(least, 1e-9 * Math.max(Math.abs(a), Math.abs(b)));
const isSame = (a, b) => isNear(a, b, 0); /* deltas: of two tiny ones neither is near the other */
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

const CERTIFIED = /^With confidence (\d+(?:\.\d+)?%)( for (?:all (\d+) models)?(?: and )?(?:all (\d+) classes)? together)?, /;
const AUDITED = new RegExp("^If (?:this row is(?:, within each label,)? a draw|these ([\\d,]+) rows are(?:, within each label,)? independent draws) "
  + "from the cases the model will be used on(?: that get an answer)?, and (?:was|were) not used to make or choose it, then with confidence (?<level>\\d+(?:\\.\\d+)?%)"
  + "( for all (\\d+) (claims|targets) together)? ");

/** Returns the delta of a claim for all models and classes together. */
function jointOfModels(c, found) {
  if (c.family && found[3] !== undefined && Number(found[3]) !== c.family.n_models) {
    throw new Refused("its claim speaks of another number of models than its ledger");
  }
  return c.delta * Number(found[3] ?? 1) * Number(found[4] ?? 1);
}

/** Returns the delta of an audit, of which this claim has its share. */
function jointOfAudit(c, found) {
  const { delta, n_claims: count, n_rows: rows, about } = c.reproduce.audit;
  if (Number((found[1] ?? "1").replaceAll(",", "")) !== rows) throw new Refused("its claim speaks of another number of rows");
  const { by_label: byLabel = false, incomplete } = isObject(c.reproduce.options) ? c.reproduce.options : {};
  const onlyAnswered = incomplete === "exclude" && c.reproduce.n_without > 0;
  if (found[0].includes("within each label") !== byLabel || found[0].includes("get an answer") !== onlyAnswered) {
    throw new Refused("its claim is about other cases than its options");
  }
  if (Number(found[4] ?? 1) !== count) throw new Refused("its claim speaks of another number of claims");
  const shares = found[5] === "claims" ? [delta / count, delta / 2, delta / (2 * (count - 1))] : [delta];
  if (!shares.some((share) => isSame(share, c.delta))) throw new Refused("its delta is no share of the audit's");
  const labels = isObject(about) ? Object.values(about) : [];
  if (labels.some((label) => /\d%|at most|at least|more than|<=|>=/.test(String(label)))) {
    throw new Beyond("a label in its claim reads like a bound");
  }
  return delta;
}

const ABOUT = [
  " This is about new rows drawn from the same population as the rows of this table, each on its own.",
  " This is about new distinct rows, each drawn on its own from the same population as the distinct rows of this table: copies of a row count as one, by their mean loss.",
  " This is about rows of new groups, a group drawn from the same population as the groups of this table: the mean over groups of the mean loss in a group.",
  " This is about new distinct rows, each drawn on its own from the same population as the distinct rows of this table: of the copies of a row one counts, drawn at random.",
  " This is about rows of new groups, a group drawn from the same population as the groups of this table: of each group one row counts, drawn at random.",
  " This is about rows of the time after the training part, and of the future only if it is like that time: rows in the order of time are seldom independent and of one law, which is assumed.",
];
const MISSING = " Rows whose target is missing are not meant."; /* said of tables alone: elsewhere no rows are left out */
const ENDINGS = ["", ...ABOUT.flatMap((words) => [words, words + MISSING])];

/** Refuses what stands behind the sentence, and signs that cannot be seen; names may be anything. */
function checkWords(text, { audit }) {
  const { name: claim, given: group } = readClaim(audit?.claim);
  const names = [...Object.values(isObject(audit?.about) ? audit.about : {}), ...(claim === "group-error" ? [group] : [])].map(String);
  const bare = names.filter((name) => name !== "").sort((a, b) => b.length - a.length).reduce((rest, name) => rest.replaceAll(name, "0"), text); /* a digit, so that 28.1% stays a number if a label is 1 */
  const end = bare.search(/(?<!\d)\.|\.(?!\d)/);
  const after = end < 0 ? null : bare.slice(end + 1);
  if (!ENDINGS.includes(after)) throw new Refused("its claim goes on behind its sentence");
  if (printable(bare) !== bare) throw new Refused("its claim holds signs that cannot be seen");
}

/** Compares the sentence with the numbers: it must state this bound, and this confidence. */
function checkClaim(c) {
  if (typeof c.claim !== "string") throw new Refused("it has no claim");
  const label = isObject(c.reproduce) && typeof c.reproduce.class === "string" ? c.reproduce.class : null;
  const text = label === null ? c.claim : c.claim.replace(` of class ${label}`, () => " of class *");
  const audited = isObject(c.reproduce) && isObject(c.reproduce.audit);
  const found = (audited ? AUDITED : CERTIFIED).exec(text);
  if (!found) throw new Refused("its claim states no confidence");
  checkWords(text, c.reproduce);
  const joint = audited ? jointOfAudit(c, found) : jointOfModels(c, found);
  const levels = [joint, Number(joint.toPrecision(12))].filter((d) => d > 0 && d < 1).map(confidence);
  if (joint >= 1) levels.push("0%");
  if (!levels.includes(audited ? found.groups.level : found[1])) throw new Refused("its claim states another confidence than its delta");
  const rest = text.slice(found[0].length);
  const words = c.direction === "upper" ? "(?:at most|more than|<=) " : "(?:at least|>=) ";
  const limits = [percent(c.bound, c.direction), outward(c.bound, c.direction)];
  const stated = limits.map((limit) => new RegExp(`${words}${limit.replace(/[.+]/g, "\\$&")}(?!\\d|\\.\\d|%)`));
  if (!stated.some((pattern) => pattern.test(rest))) throw new Refused("its claim does not state this bound");
  checkSentence(c, c.claim.slice(found[0].length), audited ? 1 : Number(found[3] ?? 1));
}

/** Compares what is stated beside the bound with what the theorem was given. */
function checkStated(c, recipe) {
  const inputs = c.reproduce.inputs;
  const shared = (c.preconditions ?? []).some((p) => isObject(p) && p.key === "fixed_classes");
  if (!(isSame(inputs.delta, c.delta) || (shared && inputs.delta < c.delta))) {
    throw new Refused("it states another delta than its theorem was given");
  }
  if (c.family && !isSame(c.family.delta_spent, c.delta)) throw new Refused("its ledger has another delta");
  if (c.direction !== (recipe.lower ? "lower" : "upper")) throw new Refused("it states the wrong direction");
  if (c.validity !== "fixed-n") throw new Refused("it states another validity than its theorem has");
  if (recipe.n === undefined) return;
  if (c.n !== recipe.n) throw new Refused("n is not the number of rows that the theorem was given");
  const seen = recipe.seen ?? recipe.k / recipe.n;
  if (recipe.n > 0 && !isNear(seen, c.observed)) throw new Refused("the counts do not give what was observed");
}

const WORDS = { __proto__: null, inf: Infinity, "-inf": -Infinity, nan: NaN }; /* numbers that JSON lacks */

/** Compares the status with the assumptions and the bound. */
function checkStatus(c) {
  const statuses = Array.isArray(c.preconditions) ? c.preconditions.map((p) => p && p.status) : [];
  const known = ["checked", "by-construction", "assumed", "violated"];
  if (statuses.length === 0 || !statuses.every((s) => known.includes(s))) {
    throw new Refused("its assumptions are not listed");
  }
  const [bound, trivial] = [c.bound, c.trivial].map((value) => WORDS[value] ?? value);
  const vacuous = c.direction === "lower" ? bound <= trivial : bound >= trivial;
  const expected = statuses.includes("violated") ? "void" : vacuous ? "vacuous" : "valid";
  if (c.status !== expected) throw new Refused(`it calls itself ${c.status} and is ${expected}`);
}

/** Returns what can be said of a certificate: its state, and the words for it. */
function verify(c) {
  try {
    if (!isObject(c) || ![1, 2, 3].includes(c.schema)) throw new Refused("this is no certificate of a known schema");
    checkStatus(c);
    if (c.status === "void") return { state: "void", words: "void: nothing is claimed" };
    const stored = isObject(c.reproduce) ? c.reproduce : {};
    if (!Object.hasOwn(BINOMIAL, String(c.method))) throw new Beyond("its theorem is not a binomial one; surelearn verify checks it");
    if (stored.loss_range !== undefined) throw new Beyond("its losses were scaled");
    if (!isObject(stored.inputs)) throw new Beyond("its statistics are not in this page");
    if (typeof c.bound !== "number" || typeof c.observed !== "number") throw new Refused("it states no number");
    const recipe = BINOMIAL[c.method](stored.inputs, c);
    checkStated(c, recipe);
    if (recipe.check) recipe.check(recipe.loose);
    else checkTail(recipe, c.bound);
    checkClaim(c);
    return { state: "recomputed", words: "recomputed here" };
  } catch (error) {
    if (error instanceof Beyond) return { state: "beyond", words: `not recomputed here: ${error.message}` };
    const why = error instanceof Refused ? error.message : "its parts make no sense together";
    return { state: "refused", words: `refused: the numbers do not give this bound (${why})` };
  }
}

/* ---- the claims of an audit belong together ---- */

const isAudited = (c) => isObject(c) && isObject(c.reproduce) && isObject(c.reproduce.audit);

/** Writes JSON in canonical form, RFC 8785: sorted names, no white space, doubles as here. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** Returns the first 32 bits after the point of the roots of the first primes: SHA-256's numbers. */
function rootsOfPrimes(count, power) {
  const primes = [];
  for (let i = 2; primes.length < count; i += 1) if (primes.every((p) => i % p !== 0)) primes.push(i);
  return primes.map((p) => {
    let root = 0n; /* of p * 2^(32 power), by halves */
    for (let bit = 1n << 36n; bit > 0n; bit >>= 1n) if ((root + bit) ** power <= BigInt(p) << (32n * power)) root += bit;
    return Number(root & 0xffffffffn);
  });
}

const turned = (word, by) => (word >>> by) | (word << (32 - by));

/** Returns the SHA-256 of a text, in hexadecimal digits. */
function sha256(text) {
  const bytes = new TextEncoder().encode(text);
  const data = new Uint8Array(((bytes.length + 72) >> 6) << 6);
  data.set(bytes);
  data[bytes.length] = 0x80;
  const view = new DataView(data.buffer);
  view.setBigUint64(data.length - 8, BigInt(bytes.length) * 8n);
  const rounds = rootsOfPrimes(64, 3n);
  const state = rootsOfPrimes(8, 2n);
  const w = new Int32Array(64);
  for (let at = 0; at < data.length; at += 64) {
    for (let i = 0; i < 64; i += 1) {
      const [a, b] = [w[i - 15], w[i - 2]];
      w[i] = i < 16 ? view.getInt32(at + 4 * i) : w[i - 16] + (turned(a, 7) ^ turned(a, 18) ^ (a >>> 3)) + w[i - 7] + (turned(b, 17) ^ turned(b, 19) ^ (b >>> 10));
    }
    let [a, b, c, d, e, f, g, h] = state;
    for (let i = 0; i < 64; i += 1) {
      const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + ((e & f) ^ (~e & g)) + rounds[i] + w[i]) | 0;
      const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => { state[i] = (state[i] + word) | 0; });
  }
  return state.map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

const TARGET = /^([\w+-]+(?:\(.*\))?)\s*[<>]=([^)]*)$/s; /* a claim, a sign and a value; names of groups may hold signs, too */
const isTarget = (text) => TARGET.test(String(text));
const claimIn = (text) => TARGET.exec(String(text))?.[1] ?? String(text);
const refuseIf = (wrong, why) => { if (wrong) throw new Refused(why); };

const BESIDE = {
  binary: ["difference", "sensitivity", "specificity", "ppv", "npv", "f1", "balanced-accuracy", "mcc", "auc", "roc", "precision-recall", "calibration-error(bins=10)"],
  multiclass: ["difference", "worst-class", "macro-recall"],
  regression: ["closer-than-baseline", "error-quantile(alpha=0.5)", "scaled-error-quantile(alpha=0.1)"],
}; /* what is claimed beside the certificate of a hold-out if nobody asks for other claims */
const OF_SCORES = ["auc", "roc", "precision-recall", "calibration-error(bins=10)"];
const OF_BASELINES = ["difference", "closer-than-baseline"];
const OF_WIDTHS = ["scaled-error-quantile(alpha=0.1)"];

/** Returns how claims beside the certificate of a hold-out came about; null for those of an audit. */
const besideOf = ({ reproduce: { holdout } }) => (isObject(holdout) ? holdout : null);

/** Returns the claims that were asked for. */
function askedOf(c) {
  const claims = besideOf(c) ? besideOf(c).asked : isObject(c.reproduce.options) ? c.reproduce.options.claims : [];
  return Array.isArray(claims) ? claims.map(String) : [];
}

/** Returns the claims among which delta was shared out before it was known which the rows can show. */
function expectedBeside({ task, scores, baseline, widths }) {
  const lacking = [...(scores ? [] : OF_SCORES), ...(baseline ? [] : OF_BASELINES), ...(widths ? [] : OF_WIDTHS)];
  return (BESIDE[task] ?? []).filter((name) => !lacking.includes(name));
}

/** Refuses certificates of different audits: all but their numbers is the same in those of one. */
function checkOneAudit(audited) {
  const about = (c) => canonical(["options", "table", "data", "model", "holdout", "ledger", "n_without", "n_copies", "versions"].map((name) => c.reproduce[name] ?? null)
    .concat([c.reproduce.audit.delta, c.reproduce.audit.n_rows]));
  refuseIf(new Set(audited.map(about)).size > 1, "they are of different audits");
  const claims = audited.map((c) => c.reproduce.audit.claim);
  refuseIf(new Set(claims).size < claims.length, "a claim stands there twice");
}

/** Returns among how many claims an audit of all that is expected shares delta, at least: one that rows cannot show keeps its share. */
function leastClaims(stated, options) {
  const there = stated.map((c) => claimIn(c.reproduce.audit.claim).split("(")[0]);
  const has = (names) => names.some((name) => there.includes(name));
  const [groups, score, byLabel] = [options.group ? 1 : 0, options.score ? 1 : 0, options.by_label === true];
  if (has(["pass-rate", "coverage"])) return 1 + groups;
  if (has(["error-quantile", "error-per-cluster", "error-over-time"])) return 1;
  const two = has([...Object.keys(OF_TWO_CLASSES), "f1", "auc", "roc", "precision-recall", "calibration-error"]);
  if (two) return byLabel ? 3 + 2 * score : 8 + 4 * score + 2 * groups + (options.baseline ? 1 : 0);
  const several = has(["macro-recall", "worst-class"]) ? 2 : 0;
  return byLabel ? several : several + 1 + 2 * groups + (options.baseline ? 1 : 0);
}

/** Refuses claims that are too few, too many, not those asked for, or with other shares of delta. */
function checkShares(audited, lines) {
  const { options = {}, audit } = audited[0].reproduce;
  const asked = askedOf(audited[0]);
  const beside = besideOf(audited[0]);
  const targets = asked.filter(isTarget);
  const plain = asked.filter((text) => !isTarget(text));
  const tried = audited.slice(0, targets.length > 0 ? audited.length - plain.length : 0);
  const stated = audited.slice(tried.length);
  const expected = beside && asked.length === 0 ? expectedBeside(beside) : null;
  const n = expected ? expected.length : asked.length > 0 ? stated.length : audit.n_claims;
  refuseIf(!(Number.isInteger(n) && n >= stated.length && (expected || asked.length > 0 || n >= leastClaims(stated, options))), "they share delta among fewer claims than are expected of such columns");
  refuseIf(expected && expected.filter((name) => stated.some((c) => c.reproduce.audit.claim === name)).length !== stated.length, "they are not those expected of such a model");
  refuseIf(lines && asked.length > 0 && lines.length !== asked.length, "their number is not that of the claims asked for");
  refuseIf(asked.length > 0 && n !== plain.length, "claims that were asked for are not there");
  refuseIf(stated.some((c) => c.reproduce.audit.n_claims !== n), `they speak of another number of claims than the ${n} that are there`);
  refuseIf(asked.length > 0 && stated.some((c, i) => c.reproduce.audit.claim !== plain[i]), "they are not the claims asked for");
  refuseIf(tried.some((c, i) => c.reproduce.audit.claim !== claimIn(targets[i])), "they are not the targets asked for, in their order");
  refuseIf(targets.length > 0 && tried.length === 0, "a target that was asked for is not there");
  const leads = asked.length === 0 && n > 1 && (!beside || beside.baseline);
  const share = (i) => (!leads ? audit.delta / n : i === 0 ? audit.delta / 2 : audit.delta / (2 * (n - 1)));
  refuseIf(stated.some((c, i) => !isSame(c.delta, share(i))), "their deltas are not the shares of the audit's");
  refuseIf(tried.some((c) => !isSame(c.delta, audit.delta)), "a target has another delta than the audit");
  const whole = options.delta / (options.looks ?? 1) / (targets.length > 0 && plain.length > 0 ? 2 : 1);
  refuseIf(typeof options.delta === "number" && !isSame(audit.delta, whole), "their delta is not the one asked for");
}

/** Refuses verdicts that do not follow: proved while bounds reach their targets, then none tried. */
function checkVerdicts(lines, certificates, all) {
  let open = true;
  const found = lines.filter((line) => line.target).map((line) => line.verdict);
  const joint = found.length === 0 ? "stated" : found.includes("refuted") ? "refuted" : found.every((one) => one === "proved") ? "proved" : "not proved";
  refuseIf(all !== undefined && all !== joint, "the verdict of the file does not follow from those of its targets");
  refuseIf(lines.some(({ claim, place }) => claim !== undefined && place !== null && claim !== certificates[place].reproduce.audit.claim), "a certificate is of another claim than stands beside it");
  lines.filter((line) => line.target).forEach(({ target, verdict, place }) => {
    const c = place === null ? null : certificates[place];
    refuseIf((c === null) === open, open ? "a target was not tried" : "a target was tried after one that was not proved");
    if (c === null) { refuseIf(verdict !== "not tried", "a target without a certificate has a verdict"); return; }
    const value = Number(TARGET.exec(String(target))?.[2]);
    const met = c.status !== "void" && (c.direction === "upper" ? c.bound <= value : c.bound >= value);
    refuseIf(met !== (verdict === "proved") || !["proved", "not proved", "refuted"].includes(verdict), "a verdict does not follow from its bound");
    open = met;
  });
  refuseIf(lines.some((line) => !line.target && (line.verdict !== "stated" || line.place === null)), "a claim without a target has a verdict, or no certificate");
}

const SUMS = [
  ["positives", "found", "missed"], ["negatives", "spared", "alarmed"], ["called positive", "found", "alarmed"],
  ["called negative", "spared", "missed"], ["wrong", "missed", "alarmed"], ["rows", "positives", "negatives"],
  ["rows", "called positive", "called negative"], ["rows", "right", "wrong"],
]; /* the first count is the sum of the other two */
const COUNTED = {
  "rates.sensitivity": { true_positives: "found", n_positive: "positives" },
  "rates.specificity": { true_negatives: "spared", n_negative: "negatives" },
  "rates.positive_predictive_value": { true_positives: "found", n_predicted_positive: "called positive" },
  "rates.negative_predictive_value": { true_negatives: "spared", n_predicted_negative: "called negative" },
  "rates.f1": { true_positives: "found", false_positives: "alarmed", false_negatives: "missed" },
  "rates.accuracy": { correct: "right", n: "rows" },
  "concentration.clopper_pearson": { errors: "wrong", n: "rows" },
}; /* what the inputs of theorems count, where they count all rows or all of a class */

/** Refuses counts that cannot be of the same rows. */
function checkCounts(audited) {
  const counts = { rows: audited[0].reproduce.audit.n_rows };
  const third = besideOf(audited[0])?.third ?? 0; /* rows of a third label that were wrong, but neither missed nor alarms */
  refuseIf(!Number.isInteger(third) || third < 0, "a count of rows is none");
  const more = { wrong: -third, right: third };
  const learn = (name, count) => { refuseIf((counts[name] ??= count) !== count, `they count ${name} differently`); };
  for (const { method, reproduce: { inputs, audit } } of audited) {
    const inner = method === "targets.in_order" && isObject(inputs) ? { method: String(inputs.method), inputs: inputs.statistics } : { method, inputs };
    const common = /^prevalence/.test(String(audit.claim)) ? { successes: "positives", n: "rows" } : Object.hasOwn(COUNTED, inner.method) ? COUNTED[inner.method] : {}; /* a prevalence has the theorem of any share */
    const names = isObject(inner.inputs) ? common : {};
    Object.entries(names).forEach(([name, what]) => learn(what, more[what] ? inner.inputs[name] + more[what] : inner.inputs[name]));
  }
  const known = (name) => counts[name] !== undefined;
  for (let i = 0; i < SUMS.length; i += 1) { /* what one sum gives another may need */
    for (const [total, first, second] of SUMS) {
      if (known(first) && known(second)) learn(total, counts[first] + counts[second]);
      else if (known(total) && known(first)) learn(second, counts[total] - counts[first]);
      else if (known(total) && known(second)) learn(first, counts[total] - counts[second]);
    }
  }
  refuseIf(Object.values(counts).some((count) => count < 0), "they count fewer rows than none");
  refuseIf(third > (counts.spared ?? third), "they count more rows of a third label than rows that were not called positive");
  return counts;
}

const OF_TWO_CLASSES = {
  sensitivity: ["positives"], specificity: ["negatives"], ppv: ["called positive"], npv: ["called negative"],
  "balanced-accuracy": ["positives", "negatives"], mcc: ["positives", "negatives"],
}; /* what is claimed of two classes if nobody asks for less, and the rows that it needs */

/** Refuses an audit of all that is expected from which a claim was taken: others gained by it. */
function checkNoneLeftOut(audited, counts) {
  const { options = {} } = audited[0].reproduce;
  const beside = besideOf(audited[0]);
  const there = new Set(audited.map((c) => c.reproduce.audit.claim));
  const byLabel = options.by_label === true;
  if (askedOf(audited[0]).length > 0 || !Object.keys(OF_TWO_CLASSES).some((name) => there.has(name))) return;
  const expected = Object.entries(OF_TWO_CLASSES).filter(([, needed]) => needed.every((name) => counts[name] !== 0)).map(([name]) => name);
  const whole = ["error", "f1", "ppv", "npv", "mcc", "difference", "worst-group"];
  if ((counts.found ?? 1) + (counts.missed ?? 0) + (counts.alarmed ?? 0) > 0) expected.push("f1");
  expected.push(...(beside ? [] : ["error"]), ...(options.baseline || beside?.baseline ? ["difference"] : []), ...((options.score || beside?.scores) && counts.positives && counts.negatives ? ["auc"] : []));
  const lacking = expected.filter((name) => !there.has(name) && !(byLabel && whole.includes(name)));
  refuseIf(lacking.length > 0, `${lacking[0]} was left out`);
}

/** Returns the hash over all claims, and refuses those that are not the ones of a hash beside them. */
function digestOf(lines, certificates) {
  const found = lines.map(({ target, verdict, advice, place, sha256: stated }) => {
    const c = place === null ? null : certificates[place];
    const short = c !== null && !(isObject(c.reproduce) && isObject(c.reproduce.inputs));
    const own = c === null ? null : short ? stated : sha256(canonical(c));
    refuseIf(stated !== undefined && stated !== own, "a certificate is not the one that the page was made with");
    return [target ?? "", verdict, advice, own ?? null];
  });
  return sha256(canonical(found));
}

/** Refuses claims beside a certificate, if it is here, that spend another delta or are of another model. */
function checkBeside(c, certificates) {
  if (besideOf(c) === null) return;
  const first = certificates.find((one) => isObject(one) && !isAudited(one) && isObject(one.family));
  if (first === undefined) return;
  const asked = askedOf(c);
  const halves = asked.some(isTarget) && !asked.every(isTarget) ? 2 : 1;
  refuseIf(!isSame(c.reproduce.audit.delta * halves, first.family.delta_spent), "their delta is not that of the certificate");
  const same = (name) => c.reproduce[name] === first.reproduce[name];
  refuseIf(!same("model") || !same("data"), "they are of another model or of other rows than the certificate");
}

/** Tells whether the claims of an audit are all there and belong together; null if there are none. */
function verifyTogether({ certificates, lines, sha256: stated, delta, verdict, elements, alone = false }) {
  const audited = certificates.filter(isAudited);
  if (alone || audited.length === 0) return null;
  try {
    checkOneAudit(audited);
    checkShares(audited, lines);
    checkBeside(audited[0], certificates);
    checkNoneLeftOut(audited, checkCounts(audited));
    refuseIf(elements && !lines && (audited.length > 1 || elements.some((e) => e.dataset.of === "claims")), "the page does not carry its list of claims");
    if (!lines) return { state: "recomputed", words: `all ${audited.length} claims are here` };
    checkVerdicts(lines, certificates, verdict);
    refuseIf(elements && !showInOrder(elements, claimsShown(lines, certificates), "claims"), "their titles, headings or verdicts are not shown as theirs");
    refuseIf(!elements && lines.some((line) => !isTitled(line, certificates)), "a title is not that of its claim");
    const spent = audited[0].reproduce.audit.delta * (lines.some((line) => line.target) && lines.some((line) => !line.target) ? 2 : 1);
    refuseIf(delta !== undefined && !isSame(delta, spent), "the delta of the file is another one");
    const digest = digestOf(lines, certificates);
    refuseIf(stated !== undefined && stated !== digest, "their hash is another one");
    const count = lines.length === 1 ? "the one claim is" : `all ${lines.length} claims are`;
    const over = lines.length === 1 ? "over it" : "over them";
    return { state: "recomputed", words: `${count} here; SHA-256 ${over} ${digest}` };
  } catch (error) {
    const why = error instanceof Refused ? error.message : "its parts make no sense together";
    return { state: "refused", words: `refused: these are not the claims of one audit (${why})` };
  }
}

/** Returns what can be said of several certificates; those of one audit stand or fall together. */
function verifyAll(given) {
  const file = Array.isArray(given) ? { certificates: given } : given;
  const isTold = (i) => { try { return isToldOf(file, i); } catch { return false; } }; /* another certificate may be anything */
  const beside = besideIn(file);
  const found = file.certificates.map(verify).map((one, i) => (one.state !== "refused" && !isTold(i) ? OTHERWISE : one))
    .map((one, i) => (i === 0 && one.state !== "refused" && beside !== null ? beside : one));
  const together = verifyTogether(file);
  if (together?.state !== "refused") return found;
  return found.map((one, i) => (isAudited(file.certificates[i]) && one.state !== "refused" ? together : one));
}

const OTHERWISE = { state: "refused", words: "refused: the report shows something else than its certificate states" };

/** Tells whether a report says of a certificate what it states: the texts of a page, or the entries of its JSON twin. */
function isToldOf({ certificates, elements, entries = [] }, place) {
  const c = certificates[place];
  if (elements && !isLaidOut({ certificates, elements }, place)) return false;
  if (c.status !== "void" && ![c.bound, c.observed].every(Number.isFinite)) return !Object.hasOwn(BINOMIAL, String(c.method)); /* what is infinite stands there in words */
  if (typeof c.claim !== "string" || !Number.isInteger(c.n) || !isObject(c.reproduce)) return false;
  const shown = elements?.filter((e) => e.dataset.of === String(place));
  if (shown && !(shown.length > 0 && shown.every((e) => isShown(c, e)))) return false;
  const told = entries.filter((entry) => entry.certificate === c);
  const stated = c.reproduce.inputs?.errors;
  const isCounted = ({ n, errors }) => (hasCounts(c) ? n === c.n && errors === stated : stated === undefined || (n >= c.n && errors >= stated));
  return told.every((entry) => isCounted(entry) && entry.label === (c.reproduce.class ?? entry.label));
}

/** Tells whether a certificate states how many rows were wrong; else it is about groups, or one of the copies of each row. */
const hasCounts = (c) => c.reproduce.inputs?.errors !== undefined && !String(c.claim).includes(AS_ONE);

const STANDINGS = { __proto__: null, checked: "checked", "by-construction": "true by construction", assumed: "assumed, not checked", violated: "violated" };
const HEADS = {
  claims: ["", "observed", "certified", "rows that count", "target", "verdict"],
  classes: ["class", "rows held out", "errors", "error rate", "certified: at most"],
  others: ["of", "claim", "observed", "bound"],
}; /* of the tables of a page, which show in each row what stands below these */

/** Returns what a place shows in the row of a table: its number and the name of each, in their order. */
const rowOf = (place, names) => names.map((name) => ({ of: String(place), shows: name }));

/** Returns the marks of a row in the table of claims: a bound that is void has none. */
function claimRow(c, place) {
  const stated = c.status === "void" ? [] : c.kind === "quantile" ? ["bound"] : ["side", "bound"];
  return rowOf(place, ["observed", ...stated, "n"]);
}

/** Tells whether a line of claims has the title of its claim, as far as both are known. */
function isTitled({ title, target, place }, certificates) {
  const claim = place === null ? claimIn(target) : certificates[place].reproduce.audit.claim;
  const known = titleOf(claim);
  return [undefined, known, formerTitleOf(claim), TITLES[readClaim(claim).name]].includes(title) || known === undefined; /* twins of earlier versions have titles without parameters */
}

/** Returns what stands in the section of claims, one after the other; texts that nothing explains are undefined. */
function claimsShown(lines, certificates) {
  const mark = (shows, text) => ({ of: "claims", shows, text });
  const names = lines.map(({ place, target }) => (place === null ? claimIn(target) : certificates[place].reproduce.audit.claim));
  const titles = names.map(titleOf);
  const wide = lines.some((line) => line.target);
  const became = ({ target, verdict, advice }) => [mark("target", target ?? ""), mark("verdict", [verdict === "stated" ? "" : verdict, advice].filter(Boolean).join("; "))];
  const rows = lines.map((line, i) => [mark("title", titles[i]), ...(line.place === null ? [] : claimRow(certificates[line.place], line.place)), ...(wide ? became(line) : [])]);
  const stated = lines.map(({ place }, i) => ({ place, title: titles[i] })).filter(({ place }) => place !== null);
  const inFull = stated.length < 2 ? [] : stated.map(({ place, title }) => [mark("title", title && `${title}:`), ...rowOf(place, ["claim"])]);
  const premise = sharedPremise(inFull.length === 0 ? [] : stated.map(({ place }) => certificates[place]).filter((c) => c.status === "valid").map((c) => c.claim));
  const once = premise ? [mark("premise", `${premise.trimEnd()}:`)] : [];
  const heading = besideOf(certificates[stated[0].place]) ? "What else these rows prove" : "What these rows prove";
  return [mark("heading", heading), ...HEADS.claims.slice(0, wide ? 6 : 4).map((head) => mark("head", head)), ...rows.flat(), ...once, ...inFull.flat()];
}

/** Returns what stands in a section with a table of certificates, one after the other. */
function tableShown(of, heading, rows) {
  const mark = (shows, text) => ({ of, shows, text });
  return rows.length === 0 ? [] : [mark("heading", heading), ...HEADS[of].map((head) => mark("head", head)), ...rows.flat()];
}

/** Tells whether elements show this, one after the other, and nothing else of its kind elsewhere. */
function showInOrder(elements, expected, of) {
  const start = elements.findIndex((e) => e.dataset.of === of);
  const found = start < 0 ? [] : elements.slice(start, start + expected.length);
  const isThis = (e, { of: whose, shows, text }) => e !== undefined && e.dataset.of === whose && e.dataset.shows === shows && (text === undefined || e.textContent === printable(text));
  return expected.every((one, i) => isThis(found[i], one)) && elements.filter((e) => e.dataset.of === of).length === expected.filter((one) => one.of === of).length;
}

/** Tells whether what a certificate rests on stands below the heading of its section. */
function isBelowItsHeading(elements, place) {
  const first = elements.findIndex((e) => e.dataset.of === String(place) && e.dataset.shows === "standing");
  const heading = elements[place === 0 ? first - 1 : first - 2]; /* its claim stands between */
  return heading?.dataset.of === "basis" && heading.textContent === (place === 0 ? "What it rests on" : "What the training rows alone prove");
}

/** Returns what most claims begin with, if several begin alike: it is shown once above them. */
function sharedPremise(claims) {
  const end = " together ";
  const begun = claims.filter((claim) => claim.includes(end)).map((claim) => claim.slice(0, claim.indexOf(end) + end.length));
  const counts = begun.map((one) => begun.filter((other) => other === one).length);
  return begun.length > 1 ? begun[counts.indexOf(Math.max(...counts))] : "";
}

/** Tells whether a page shows a certificate in its place: titles, headings and assumptions are its own. */
function isLaidOut({ certificates, elements }, place) {
  const c = certificates[place];
  const showing = (name) => elements.filter((e) => e.dataset.shows === name);
  const isOf = (e) => e?.dataset.of === String(place);
  const listed = elements.filter((e) => isOf(e) && ["standing", "assumes", "because", "formula", "reference"].includes(e.dataset.shows)).map((e) => [e.dataset.shows, e.textContent]);
  const stated = c.preconditions.flatMap((p) => [["standing", STANDINGS[p.status]], ["assumes", printable(String(p.name))], ...(p.evidence ? [["because", printable(String(p.evidence))]] : [])])
    .concat(["formula", "reference"].map((name) => [name, printable(String(c[name]))]));
  const isListed = listed.length > 0;
  if (isListed && !(canonical(listed) === canonical(stated) && isBelowItsHeading(elements, place))) return false;
  if (place === 0) {
    const side = c.status === "void" ? [] : c.direction === "lower" && c.kind !== "quantile" ? ["side", "bound"] : ["bound"];
    return isListed && ["status", ...side, "claim", "seen"].every((name, i) => isOf(elements[i]) && elements[i].dataset.shows === name);
  }
  if (isAudited(c)) return true; /* compared together */
  const classes = certificates.map((one, i) => [one, i]).filter(([one, i]) => i > 0 && !isAudited(one) && typeof one?.reproduce?.class === "string");
  if (classes.some(([, i]) => i === place)) {
    const counts = (one) => (hasCounts(one) ? ["n", "errors"] : []);
    return showInOrder(elements, tableShown("classes", "Errors by class", classes.map(([one, i]) => rowOf(i, ["class", ...counts(one), "observed", "bound"]))), "classes");
  }
  const rows = showing("subject").map((e) => rowOf(e.dataset.of, ["subject", "claim", "observed", "bound"]));
  return (isListed || showing("subject").some(isOf)) && showInOrder(elements, tableShown("others", "What the training run proves about itself", rows), "others");
}

/* ---- what a report tells beside its certificates ---- */

/** Returns the texts of a page beside its certificates, one after the other; those that are empty are not shown. */
function textsOf({ beforehand, cards, warnings, together, classes, joint, confusion }, certificates) {
  const grouped = (count) => count.toLocaleString("en-US");
  const isOwn = ({ place }) => place !== null && hasCounts(certificates[place]); /* then its certificate has the counts */
  const ofCard = ({ label, value, note, place }) => [...(place === null ? [["label", label], ["value", value]] : []), ["note", note]];
  const ofTable = confusion === null ? [] : [["counted", confusion.title], ["note", confusion.note], ...confusion.header.map((head) => ["head", head]), ...confusion.rows.flat().map((cell) => ["cell", cell])];
  const counts = classes.filter((one) => !isOwn(one)).flatMap(({ n, errors }) => [["count", grouped(n)], ["count", grouped(errors)]]);
  const all = [["beforehand", beforehand], ...cards.flatMap(ofCard), ...warnings.map((text) => ["warning", text]), ["together", together], ...counts, ["joint", joint], ...ofTable];
  return all.filter(([shows, text]) => text !== "" || shows === "head").map(([shows, text]) => [shows, printable(text)]);
}

/** Refuses a table of answers whose counts are not those of classes and certificates. */
function checkAnswers({ confusion, classes = [] }, certificates) {
  if (!confusion) return;
  const labels = confusion.rows.map(([label]) => label);
  const counts = confusion.rows.map((row) => row.slice(1).map((cell) => Number(cell.replaceAll(",", ""))));
  const sum = (row) => row.reduce((total, count) => total + count, 0);
  refuseIf(counts.flat().some((count) => !(Number.isInteger(count) && count >= 0)), "a cell of its table of answers is no count");
  refuseIf(!confusion.header.slice(1).every((head, j) => head.endsWith(` ${labels[j]}`)) || counts.some((row) => row.length !== labels.length || confusion.header.length !== labels.length + 1), "its table of answers has other rows than columns");
  const isWhole = !/^one of [\d,]+ others$/.test(labels.at(-1) ?? ""); /* else rare labels are taken together, with their errors among each other */
  const [n, right] = [sum(counts.map(sum)), sum(counts.map((row, i) => row[i]))];
  for (const { label, n: ofClass, errors } of classes) {
    const i = labels.indexOf(label);
    refuseIf(i >= 0 && (i < labels.length - 1 || isWhole) && (sum(counts[i]) !== ofClass || sum(counts[i]) - counts[i][i] !== errors), "its table of answers has other counts than its classes");
  }
  const { inputs } = certificates[0].reproduce;
  const ofRows = !isAudited(certificates[0]) && Number.isInteger(inputs?.errors) && Number.isInteger(inputs?.n);
  const isAudit = isAudited(certificates[0]) && besideOf(certificates[0]) === null;
  const asOne = ofRows && !hasCounts(certificates[0]);
  refuseIf(asOne && (n < inputs.n || (isWhole && n - right < inputs.errors)), "its table of answers has fewer rows or errors than its certificates");
  const known = isAudit ? checkCounts(certificates.filter(isAudited)) : ofRows && !asOne ? { rows: inputs.n, wrong: inputs.errors } : {};
  refuseIf(known.rows !== undefined && known.rows !== n, "its table of answers is of other rows than its certificates");
  refuseIf(known.wrong !== undefined && (isWhole ? n - right !== known.wrong : n - right > known.wrong), "its table of answers has other errors than its certificates");
  if (labels.length !== 2 || !isAudit) return;
  const isPair = (cells, names) => names.some((name) => known[name] === undefined) || canonical([...cells].sort((a, b) => a - b)) === canonical(names.map((name) => known[name]).sort((a, b) => a - b));
  refuseIf(!isPair([counts[0][0], counts[1][1]], ["found", "spared"]) || !isPair([counts[0][1], counts[1][0]], ["missed", "alarmed"]), "its table of answers has other counts than its claims");
}

const TOGETHER = /^All of this holds together with confidence (\S+), (?:under|on) the same conditions; together with the certificate above( and the rates of classes below)?(, and that of the training rows alone)?, with (\S+)\./;
const OF_CLASSES = /^The rates of all classes hold together with confidence (\S+); together with the certificate above( and that of the training rows alone)?, (\S+%)\.(?: Copies of a row count as one in rates, and each by itself in the other columns\.| Rates are means over groups; the other columns count rows\.)?$/;
const OF_AUDIT = /^(It holds|All of them hold together) with confidence (\S+), if what (?:it rests|they rest) on is true\.$/;

/** Refuses levels at which certificates are said to hold together that are not those of their deltas. */
function checkLevels({ together, joint }, { certificates, lines }) {
  const [c, audited] = [certificates[0], certificates.filter(isAudited)];
  const delta = c.reproduce.options?.delta;
  const level = (parts) => confidence(Math.min(1, Number((parts * delta).toFixed(12))));
  const isTrained = certificates.some((one, i) => i > 0 && !isAudited(one) && one.reproduce?.class === undefined && typeof one.delta === "number");
  const wrong = (text) => `it says of another level than theirs that certificates hold together: ${text}`;
  const isAudit = isAudited(c) && besideOf(c) === null;
  if (joint && isAudit) {
    const [, how, said] = OF_AUDIT.exec(joint) ?? [];
    const halves = lines?.some((line) => line.target) && lines.some((line) => !line.target) ? 2 : 1;
    refuseIf(said !== confidence(audited[0].reproduce.audit.delta * halves) || (how === "It holds") !== (audited.length === 1), wrong(joint));
  }
  if (typeof delta !== "number" || isAudit) return; /* a report that nobody was asked for by options */
  if (joint) {
    const [, said, trained, all] = OF_CLASSES.exec(joint) ?? [];
    refuseIf(said !== level(1) || all !== level(trained ? 3 : 2) || Boolean(trained) !== isTrained, wrong(joint));
  }
  if (together) {
    const [, said, classes, trained, all] = TOGETHER.exec(together) ?? [];
    refuseIf(said !== level(1) || all !== level(2 + Boolean(classes) + Boolean(trained)) || Boolean(trained) !== isTrained, wrong(together));
  }
}

/** Tells whether the cards of certificates show these, one after the other: what bears no mark could say anything. */
function hasCards(elements, cards, certificates) {
  const names = (c) => (isDifference(c) ? ["card", "words"] : ["card", "words", "bound"]);
  const expected = cards.filter(({ place }) => place !== null).flatMap(({ place }) => rowOf(place, names(certificates[place])));
  const start = elements.findIndex((e) => e.dataset.shows === "card");
  const others = elements.filter((e) => ["card", "words"].includes(e.dataset.shows)).length;
  return others === expected.filter(({ shows }) => shows !== "bound").length
    && expected.every(({ of, shows }, i) => elements[start + i]?.dataset.of === of && elements[start + i].dataset.shows === shows);
}

/** Returns why a report is refused for what it tells beside its certificates; null if nothing is wrong, or told. */
function besideIn({ certificates, lines, elements, beside, told }) {
  if (told === undefined && beside === undefined) return null;
  const refused = (why) => ({ state: "refused", words: `refused: the report tells something else than its certificates (${why})` });
  try {
    if (beside) {
      const shown = beside.map((e) => [e.dataset.shows, e.textContent]);
      refuseIf(!told || canonical(shown) !== canonical(textsOf(told, certificates)), "its cards, warnings, sentences or counts are not those that it was made with");
      refuseIf(elements && !hasCards(elements, told.cards, certificates), "a card does not show its certificate");
    }
    checkAnswers(told, certificates);
    checkLevels(told, { certificates, lines });
    return null;
  } catch (error) {
    return refused(error instanceof Refused ? error.message : "its parts make no sense together");
  }
}

/* ---- reading ---- */

/** Parses JSON; a name that stands twice in an object is refused, and a number beyond doubles: readers differ on them. */
function parse(text) {
  const content = JSON.parse(text, (_, value) => {
    if (value === Infinity || value === -Infinity) throw new SyntaxError("a number in it is too large");
    return value;
  });
  const open = [];
  let name = null;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]/g)) {
    if (token === "{") open.push(new Set());
    else if (token === "[") open.push(null);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":" && open.at(-1)) {
      if (open.at(-1).has(name)) throw new SyntaxError(`${name} stands in it twice`);
      open.at(-1).add(name);
    } else if (token.startsWith('"')) name = JSON.parse(token);
  }
  return content;
}

/** Returns the lines of claims: what each says became of it, and the place of its certificate. */
function linesOf(entries, certificates) {
  const texts = certificates.map((c) => JSON.stringify(c));
  return entries.map(({ title, target, verdict, advice, certificate }) => ({
    title, target, verdict, advice, place: certificate === null ? null : texts.indexOf(JSON.stringify(certificate)),
  }));
}

/** Returns the certificates in a certificate, an audit, a report's JSON twin, or a list of certificates. */
function certificatesIn(content) {
  if (Array.isArray(content)) return { certificates: content };
  const among = (entries) => (entries ?? []).map((found) => found.certificate);
  if (isObject(content) && content.format === "surelearn audit") {
    const certificates = among(content.outcomes).filter((c) => c !== null);
    const { delta, verdict, schema } = content;
    if (schema !== 1) throw new SyntaxError("this audit is of a schema that is not known here");
    const lines = linesOf(content.outcomes, certificates).map((line, i) => ({ ...line, claim: content.outcomes[i].claim }));
    return { certificates, lines, delta, verdict };
  }
  if (!isObject(content) || !("certificate" in content)) return { certificates: [content], alone: true };
  const first = JSON.stringify(content.certificate);
  const claimed = among(content.claimed).filter((c) => c !== null && JSON.stringify(c) !== first);
  const certificates = [content.certificate, ...claimed, ...among(content.classes), content.training, ...(content.others ?? [])].filter((c) => c !== null && c !== undefined);
  const entries = content.classes ?? [];
  const { joint = "", together = "", confusion = null } = content;
  const told = { joint, together, confusion, classes: entries };
  if (!(content.claimed?.length > 0)) return { certificates, entries, told };
  const stated = /SHA-256 ([0-9a-f]{64})$/.exec(content.reproduce?.claims ?? "");
  return { certificates, entries, told, lines: linesOf(content.claimed, certificates), ...(stated ? { sha256: stated[1] } : {}) };
}

/* In a page this script would end where the name of its own element, with a slash, stood in it. */
const dataOf = (id) => new RegExp(`<[s]cript type="application/json" id="${id}">([^<]*)<[/]script>`, "g");

/** Returns what a page carries: its certificates, of an audit the claims with their hash, and what it tells beside them. */
function carried(certificates, claims, told) {
  return { certificates, ...(claims ?? {}), ...(told === null ? {} : { told }) };
}

/** Returns the certificates of a file: JSON, or a report with its certificates inside. */
function readText(text) {
  const file = /^\s*</.test(text) ? inPage(text) : certificatesIn(parse(text));
  if (!(file.certificates?.length > 0)) throw new SyntaxError("there is no certificate in it");
  return file;
}

function inPage(text) {
  const [found, claims, told] = ["certificates", "claims", "told"].map((id) => [...text.matchAll(dataOf(id))]);
  if (found.length !== 1 || claims.length > 1 || told.length > 1) throw new SyntaxError("this page does not carry its certificates, or twice");
  const read = (data) => (data.length > 0 ? parse(data[0][1]) : null);
  return { ...carried(read(found), read(claims), read(told)), ...sorted(elementsIn(text)) };
}

/** Returns the elements of a page that show something of a certificate, and those that tell something beside them. */
function sorted(all) {
  const isTold = (e) => e.dataset.of === "told";
  return { elements: all.filter((e) => !isTold(e)), beside: all.filter(isTold) };
}

const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Returns the elements of a page that show something of a certificate, as `querySelectorAll` does in a browser. */
function elementsIn(text) {
  const seen = text.replace(/<!-{2}[^]*?-{2}>/g, ""); /* what stands in a comment shows nothing */
  const whole = seen.replace(/<span class="(?:premise|option)">([^<]*)<[/]span>/g, "$1"); /* a part of the text around it */
  const plain = (shown) => shown.replace(/&(amp|lt|gt|quot|#x27);/g, (_, name) => ENTITIES[name]);
  return [...whole.matchAll(/<(?![^<>]*\shidden)[^<>]* data-of="(\w+)" data-shows="(\w+)"[^<>]*>([^<]*)/g)]
    .map(([, of, shows, shown]) => ({ dataset: { of, shows }, textContent: plain(shown) }));
}

/* ---- in a page ---- */

/** Returns a text as a report shows it: signs that cannot be seen are written out. */
function printable(text) {
  return text.replace(/[^\P{C}\u200c\u200d]|[\p{Zl}\p{Zp}]/gu, (sign) => {
    const code = sign.codePointAt(0);
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    if (short) return short;
    if (code < 256) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 65536 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  });
}

/** Tells whether what is bounded is a share of cases, or a mean loss in [0, 1]: shown in percent. */
function isShare(c) {
  const range = c.reproduce.loss_range ?? [0, 1];
  const usual = Array.isArray(range) && range.length === 2 && range[0] === 0 && range[1] === 1;
  return ["risk", "rate", "training-error"].includes(c.kind) && usual;
}

/** Returns the claim as a page shows it: a share at its end is stored as a fraction, and shown in percent. */
function claimShown(c, limit) {
  const side = c.direction === "upper" ? "at most" : "at least";
  const stored = ` is ${side} ${outward(c.bound, c.direction)}.`;
  return isShare(c) && c.claim.endsWith(stored) ? `${c.claim.slice(0, -stored.length)} is ${side} ${limit}.` : c.claim;
}

/** Returns what a certificate counts. */
function unitOf({ kind, claim }) {
  if (["regret", "mistakes"].includes(kind)) return "rounds";
  if (/^If (?:this cluster|these [\d,]+ clusters), /.test(claim)) return "clusters";
  return / (?:of|in) a new group/.test(claim) ? "groups" : "examples";
}

/** Tells whether an element shows what the certificate states. */
function isShown(c, element) {
  const text = element.textContent;
  const isVoid = c.status === "void";
  if (isVoid && WORDS[c.observed] !== undefined && ["observed", "seen"].includes(element.dataset.shows)) return /^(?:nan%?$|Observed nan%? on )/.test(text);
  const limit = isVoid ? "" : isShare(c) ? percent(c.bound, c.direction) : outward(c.bound, c.direction);
  const counts = c.reproduce.inputs;
  const grouped = (count) => count.toLocaleString("en-US");
  switch (element.dataset.shows) {
    case "bound": return text === (isVoid ? "none" : c.kind === "quantile" ? `±${limit}` : limit);
    case "claim": return isVoid ? text.startsWith("No guarantee: ") : c.status === "vacuous" ? text.startsWith(`The bound is vacuous: it is ${limit} and `) : text === printable(claimShown(c, limit));
    case "n": return text === grouped(c.n) + (unitOf(c) === "clusters" ? " clusters" : "");
    case "status": return text === `${c.status} certificate`;
    case "side": return c.kind !== "quantile" && text === (c.direction === "upper" ? "≤ " : "≥ ");
    case "subject": return text === printable(String(c.subject));
    case "card": return text === printable(c.reproduce.class !== undefined ? `Worst class: ${c.reproduce.class}` : isDifference(c) ? "Better than that" : "Closer than that");
    case "words": return text === (c.reproduce.class !== undefined ? "wrong on at most" : isDifference(c) ? pointsBetter(c.bound) : "on at least");
    case "formula": case "reference": return text === printable(String(c[element.dataset.shows]));
    case "standing": case "assumes": case "because": return true; /* compared all at once */
    case "class": return text === printable(String(c.reproduce.class));
    case "observed": return isObserved(c, text);
    case "errors": return Number.isInteger(counts?.errors) ? text === grouped(counts.errors) : !Object.hasOwn(BINOMIAL, String(c.method));
    case "seen": {
      const found = /^Observed (\S+?)(%?) on (\S+) (\w+)\.$/.exec(text) ?? [];
      const value = Number(found[1]) / (found[2] ? 100 : 1);
      return (found[2] === "%") === isShare(c) && found[4] === unitOf(c) && found[3] === grouped(c.n) && Math.abs(value - c.observed) <= 0.0051 * Math.abs(c.observed);
    }
    default: return false;
  }
}

const isDifference = (c) => isAudited(c) && claimIn(c.reproduce.audit.claim) === "difference";

/** Returns by how many points a model is proved to be better than the baseline, rounded down. */
const pointsBetter = (bound) => (bound >= 0 ? "not proved" : `by at least ${Math.floor(-1e4 * bound) / 100} points`);

/** Tells whether a text is what was observed: a share with two decimals or, if small, three digits; else four digits. */
function isObserved(c, text) {
  const [, digits, sign] = /^(-?[\d.]+(?:e[-+]?\d+)?)(%?)$/.exec(text) ?? [];
  const small = Math.abs(c.observed) < 1e-3;
  const room = !isShare(c) ? 0.00051 * Math.abs(c.observed) : small ? 0.0051 * Math.abs(c.observed) : 0.0000501;
  return (sign === "%") === isShare(c) && Math.abs(Number(digits) / (sign ? 100 : 1) - c.observed) <= room;
}

/** Writes beside each claim of the page what came of recomputing it, and of all claims together. */
function markPage(page) {
  const read = (id) => { const data = page.getElementById(id); return data ? parse(data.textContent) : null; };
  let file = { certificates: [] };
  try { file = carried(read("certificates") ?? [], read("claims"), read("told")); } catch { /* then every claim is refused */ }
  Object.assign(file, sorted([...page.querySelectorAll("[data-shows]")]));
  const findings = verifyAll(file);
  for (const mark of page.querySelectorAll(".recomputed")) {
    const { of } = mark.dataset;
    const found = of === "all" ? togetherIn(file) : findings[Number(of)] ?? verify(undefined);
    const brief = found.state === "beyond" && mark.closest?.("td"); /* in a table the reason would stand in every row */
    mark.textContent = brief ? "not recomputed here" : found.words;
    mark.title = found.words;
    mark.classList.add(found.state);
    mark.hidden = false;
  }
}

/** Tells of all claims of a page together. */
function togetherIn(file) {
  return verifyTogether(file) ?? { state: "refused", words: "refused: this page carries no claims of an audit" };
}

/* ---- in Node ---- */

const OLDER = "not compared: pages of earlier versions do not mark all that they show. Open it in a browser, where its own script checks it, or check its certificate.json";

/** Tells whether a page does not mark what its certificates rest on, or what it tells beside them, as those of this version do. */
const isOlder = ({ elements, told }) => elements !== undefined && (told === undefined || !elements.some((e) => e.dataset.shows === "standing"));

function main(paths) {
  const { readFileSync } = require("fs");
  if (paths.length === 0) {
    console.error("usage: node verifier.js FILE ...   (certificate.json, report.json or report.html)");
    return 2;
  }
  let status = 0;
  for (const path of paths) {
    try {
      const file = readText(readFileSync(path, "utf8"));
      if (isOlder(file)) {
        console.log(`${path}: ${OLDER}`);
        status = Math.max(status, 1); /* whoever takes the marks out of a page gets no further */
        continue;
      }
      const together = file.elements && file.certificates.some(isAudited) ? togetherIn(file) : verifyTogether(file);
      verifyAll(file).forEach(({ state, words }, i, all) => {
        console.log(`${path}${all.length > 1 ? ` [${i + 1}]` : ""}: ${words}`);
        if (state === "recomputed") console.log(`    ${printable(file.certificates[i].claim)}`); /* a page may hide it */
        if (state === "refused") status = Math.max(status, 1);
      });
      if (together) console.log(`${path}: ${together.words}`);
      if (together?.state === "refused") status = Math.max(status, 1);
    } catch (error) {
      console.error(`${path}: cannot be read: ${error.message}`);
      status = 2;
    }
  }
  return status;
}

if (typeof document !== "undefined") markPage(document);
else if (typeof module !== "undefined") {
  module.exports = { verify, verifyAll, verifyTogether, readText, canonical, sha256, tailIs, exact, percent, outward, confidence, printable, titleOf, markPage };
  if (require.main === module) process.exitCode = main(process.argv.slice(2));
}
