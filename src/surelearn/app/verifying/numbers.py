"""The numbers of a certificate: what was observed, delta, the ledger, what inputs imply."""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from surelearn.app.problem.ledger_entry import OF_PARTS, Entry
from surelearn.app.verifying import told_counts, transferred
from surelearn.app.verifying.demanded import demands
from surelearn.app.verifying.finding import Finding, equal
from surelearn.app.verifying.known import FIXED, keys_by_phrase
from surelearn.app.verifying.rebuilt import equal_in_range, with_keys_of_issuers
from surelearn.app.verifying.seen_in_counts import seen_in_counts
from surelearn.app.verifying.shapes import read_together, without_numbers
from surelearn.bounds import holdout, online_to_batch
from surelearn.certificate import Certificate, Precondition
from surelearn.certificate._reading import restored
from surelearn.claims import _ranks
from surelearn.evaluate._holdout_claims import AS_ONE
from surelearn.evaluate._holdout_rules import DEMANDS

_NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.]\d)")
_VERSIONS = ("surelearn", "numpy", "scipy", "python")
_MODES = ("once", "family", "gate")
_DEMANDS_OF_HOLDOUTS = ("unseen", "blind_split")
_COINCIDE = "coincide with training rows"
_SINCE_LEDGERS = ("row_by_row", "not_chosen_by_them")  # demanded of hold-outs at the same time
_SINCE_COPIES = ("drew whole groups", "copies of a row together", "sets of copies", _COINCIDE)
_OF_DRAWS = ("independent", "same_mean", "blind_split")
_DRAWN = {  # what counts as one draw, as evidence and claims tell it
    "copies": ("distinct rows of one population", "sets of copies", "row together", "distinct row"),
    "groups": ("groups of one population", "whole groups", "each group by"),
    "rows": ("rows of one population", "number of rows", "Holdout.split drew it", "each row by"),
}
_SCOPE = "This is about"  # and then which new rows, in a claim of `surelearn certify`
_CLAIMED = {
    "copies": (AS_ONE.removeprefix("where "), "of the copies of a row one counts"),
    "groups": (" a new group", "rows of new groups"),
}
_DEMAND_OF_MODE = {"family": "fixed_family", "gate": "blind_to_answers"}


def check_figures(c: Certificate) -> Iterator[Finding]:
    """Compare what was observed, delta, the ledger and the plan with the stored inputs."""
    inputs: dict[str, Any] = restored(dict(c.reproduce["inputs"]))
    yield _observed(c, inputs)
    if c.delta is not None:
        yield _delta(c, inputs)
    if c.family is not None:
        yield _ledger(c)
    yield _stored(c, inputs)


def _observed(c: Certificate, inputs: Mapping[str, Any]) -> Finding:
    """Compare the observed value and n with the inputs; no bound of ours lies inside of it."""
    name = "so does what was observed"
    seen = seen_in_counts(c.method, inputs) or what_was_seen(inputs, c)
    if c.method.startswith(transferred.PREFIX):
        seen = transferred.observed_of(c), int(inputs["n"])
    if seen is not None:
        low, high = c.reproduce.get("loss_range", (0.0, 1.0))
        value, n = low + (high - low) * (seen[0] - _share_divided(c)), seen[1]
        holds = equal_in_range(value, c.observed, c, usual=(0.0, 1.0)) and n == c.n
        if c.kind == "quantile":
            holds = n == c.n and equal(seen[0], c.observed)
        return Finding(name, holds and _within(c), f"{value:.6g} on {n:,} examples")
    # The rounds of boosting are not the rows that it errs on.
    keys = ("n",) if c.kind == "training-error" else ("n", "n_rounds")
    counts = [inputs[key] for key in keys if key in inputs]
    holds = (
        all(c.n <= count for count in counts) if c.kind == "regret" else c.n in (counts or [c.n])
    )
    holds = holds and c.n > 0 and _is_possible(c, inputs) and _within(c)
    return Finding(name, holds, f"{c.observed:.6g} on {c.n:,}, as far as can be told")


def _share_divided(c: Certificate) -> float:
    """Return the share of the rows that a tree divides and gets right: the theorem counts them."""
    divided = c.reproduce.get("n_divided", 0)
    return divided / c.n if type(divided) is int and divided >= 0 else math.nan


def _is_possible(c: Certificate, inputs: Mapping[str, Any]) -> bool:
    """Return whether a run could have such a value: errors and mistakes are counted."""
    count = c.observed * c.n if c.kind == "risk" else c.observed
    if c.method.startswith("boosting.vote") and "margins" in inputs:
        margins = np.asarray(inputs["margins"])  # an even vote is right for one of the classes
        fewest, most = np.count_nonzero(margins < 0.0), np.count_nonzero(margins <= 0.0)
        return c.n == len(margins) and bool(fewest - 1e-6 <= count <= most + 1e-6)
    of_others = c.method == "margin.pac_bayes_margin" and c.n != len(inputs["margins"])
    if of_others or (c.method in _BAGS and not _BAGS[c.method](inputs, c)):
        return False
    if c.kind in {"risk", "mistakes"}:
        return abs(count - round(count)) < 1e-6 and 0 <= round(count) <= _most_errors(inputs, c)
    if {"totals", "pulls"} <= set(inputs):
        return _same(c.observed, _plug_in_regret(inputs)) and c.n == sum(inputs["pulls"])
    if c.kind == "approximation":  # the distance that is reached is the least, but for rounding
        room = 1e-6 * float(np.max(inputs["singular_values"]))
        return math.isclose(c.observed, c.bound, rel_tol=1e-6, abs_tol=room)
    all_lost = c.trivial * (1.0 + 1e-9) + 1e-9
    least, most = (-math.inf, all_lost) if c.kind == "regret" else (0.0, math.inf)
    return math.isfinite(c.observed) and least <= c.observed <= most


def _most_errors(inputs: Mapping[str, Any], c: Certificate) -> int:
    """Return the most errors that there can be of these inputs.

    There may be fewer than the theorem counts: rows with gaps that a tree divides count as errors.
    """
    if c.method == "trees.compression_hybrid":  # of the rows that are named, any may be wrong
        return inputs["errors_outside"] + inputs["n_named"]
    return inputs.get("n_compressed", c.n)  # the rows kept have all errors among them


def _are_of_bags(inputs: Mapping[str, Any], c: Certificate) -> bool:
    """Return whether tests of pairs can be those of these members, each tested on n rows or fewer.

    The pair of a member with itself is tested where it is; its squared losses are no larger.
    """
    losses, sizes = np.asarray(inputs["losses"]), np.asarray(inputs["sizes"])
    tandem, common = np.asarray(inputs["tandem_losses"]), np.asarray(inputs["tandem_sizes"])
    mirrored = np.array_equal(tandem, tandem.T) and np.array_equal(common, common.T)
    own = np.array_equal(common.diagonal(), sizes) and (common <= sizes).all()
    own = own and bool((tandem.diagonal() <= losses + 1e-9).all())
    return bool(mirrored and own and sizes.max() <= c.n <= sizes.sum())


def _fill_bags(inputs: Mapping[str, Any], c: Certificate) -> bool:
    """Return whether bags can hold so many rows on average: a row or more, one for each draw."""
    rows, draws = inputs["n_rows"], inputs["n_draws"]
    return c.n == rows and 1.0 - 1e-9 <= c.observed * rows <= min(rows, draws) + 1e-9


_BAGS: dict[str, Callable[[Mapping[str, Any], Certificate], bool]] = {
    "votes.out_of_bag_vote": _are_of_bags,
    "bootstrap.mean_share": _fill_bags,
}


def _plug_in_regret(inputs: Mapping[str, Any]) -> float:
    """Return the pseudo-regret if the mean losses seen were the true ones."""
    totals, pulls = np.asarray(inputs["totals"], dtype=float), np.asarray(inputs["pulls"])
    played = pulls > 0
    return max(0.0, totals.sum() - pulls.sum() * float(np.min(totals[played] / pulls[played])))


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def _within(c: Certificate) -> bool:
    """Return whether the observed value lies within the bound, wherever it must.

    A bound that is false more often than not may lie on the other side of it.
    """
    likely = c.delta is None or c.delta <= 0.5
    must = (likely and c.kind in {"risk", "quantile", "approximation"}) or c.validity == "surely"
    if not must or any(p.status == "assumed" for p in c.preconditions if c.validity == "surely"):
        return not math.isnan(c.observed)
    return c.slack >= -1e-9 * (1.0 + abs(c.bound))


def what_was_seen(inputs: Mapping[str, Any], c: Certificate) -> tuple[float, int] | None:
    """Return the value seen and the number of examples, as the inputs of a theorem have them."""
    if c.method in _BY_METHOD:
        return _BY_METHOD[c.method](inputs, c)
    if c.method.startswith("votes.out_of_bag"):
        return _outside_bags(inputs, c)
    if "fold_losses" in inputs:
        return float(np.mean(inputs["fold_losses"])), int(np.sum(inputs["fold_sizes"]))
    if "losses" in inputs:
        return float(np.mean(inputs["losses"])), len(inputs["losses"])
    total = inputs.get("errors", inputs.get("total_loss", inputs.get("total")))
    n = inputs.get("n", inputs.get("n_rounds", inputs.get("n_in_class")))
    if n and "empirical_risk" in inputs:
        total = n * inputs["empirical_risk"]
    return (total / n, n) if n and total is not None else None


def _outside_bags(inputs: Mapping[str, Any], c: Certificate) -> tuple[float, int] | None:
    """Return the mean loss of members outside their bags; errors of a vote are no inputs."""
    if c.method == "votes.out_of_bag_vote":
        return None
    return float(np.mean(inputs["losses"])), int(np.min(inputs["sizes"]))


def _suffix(inputs: Mapping[str, Any], c: Certificate) -> tuple[float, int] | None:
    """Return the error rate of the snapshot that is bounded; its rows came after it."""
    n, errors = inputs["n"], inputs["errors"]
    for start, count in zip(online_to_batch.suffix_snapshots(n=n), errors, strict=True):
        if c.quantity.endswith(f" after {start} examples"):
            return count / (n - start), n - start
    return None


def _quantile(inputs: Mapping[str, Any], c: Certificate) -> tuple[float, int]:
    del c
    return _ranks.seen_in(inputs, float(inputs["alpha"]))


def _counted(inputs: Mapping[str, Any], c: Certificate) -> tuple[float, int]:
    del c
    counts = np.asarray(inputs["counts"], dtype=np.float64)
    return float(counts @ np.asarray(inputs["values"]) / counts.sum()), int(counts.sum())


_BY_METHOD = {
    "holdout.quantile": _quantile,
    "holdout.quantile_from_ranks": _quantile,
    "online_to_batch.last_iterate_suffix": _suffix,
    "sequences.betting_counted": _counted,
}


def _delta(c: Certificate, inputs: Mapping[str, Any]) -> Finding:
    """Compare delta with that of the theorem, which is less if it is shared out among classes."""
    spent = float(inputs.get("delta", math.nan))
    shared = "fixed_classes" in {p.key for p in c.preconditions}
    holds = equal(spent, c.delta or 0.0) or (shared and 0.0 < spent < (c.delta or 0.0))
    return Finding("so does delta", holds=holds, evidence=f"{c.delta:g}")


def _ledger(c: Certificate) -> Finding:
    """Compare the ledger entry with the claim, delta and itself."""
    entry = c.family
    assert entry is not None  # noqa: S101 - the caller looked
    together = read_together(c.claim)
    total = entry.delta_spent * entry.n_models * together.n_classes
    holds = (
        equal(entry.delta_spent, c.delta or 0.0)
        and entry.mode in _MODES
        and (entry.n_models == 1 or entry.mode != "once")
        and 1 <= entry.query <= entry.n_models
        and 0.0 < total <= 1.0 + 1e-9
        and entry.holdout == c.reproduce.get("data")
    )
    options = c.reproduce.get("options", {})
    asked = options.get("delta", total)
    holds = holds and isinstance(asked, float | int) and equal(float(asked), total)
    holds = holds and options.get("looks", entry.n_models) == entry.n_models
    evidence = f"question {entry.query} of {entry.n_models}, mode {entry.mode}"
    return Finding("so does the ledger entry", holds=holds, evidence=evidence)


def _stored(c: Certificate, inputs: Mapping[str, Any]) -> Finding:
    """Look at what else is stored: fingerprints are hashes, the plan follows from the counts."""
    stored = c.reproduce
    hashes = [stored[k] for k in ("model", "data", "table") if k in stored]
    odd = [text for text in (*hashes, *stored.get("models", [])) if not is_hash(text)]
    planned = rows_to_halve_slack(c, inputs) if c.family is not None else None
    wrong = stored.get("n_to_halve_slack") != planned
    versions: Mapping[str, str] = stored.get("versions", {})
    holds = not odd and not wrong and set(versions) == set(_VERSIONS)
    holds = holds and all(re.fullmatch(r"\d+(\.\w+)*([+-][\w.]+)?", v) for v in versions.values())
    holds = holds and _entry_is_told(c)
    evidence = "fingerprints, versions" + ("" if planned is None else f", {planned:,} rows planned")
    return Finding("what else is stored makes sense", holds=holds, evidence=evidence)


def is_hash(text: str) -> bool:
    """Return whether a text can be the fingerprint of a model, of rows or of a file."""
    return re.fullmatch(r"[0-9a-f]{8,64}", text) is not None


def _entry_is_told(c: Certificate) -> bool:
    """Return whether the entry of a run in a ledger is the look that the certificate tells of."""
    if "ledger" not in c.reproduce or c.family is None:
        return True
    try:
        known = Entry.read(c.reproduce["ledger"]).evidence(c.family.n_models)
    except (KeyError, TypeError, ValueError):
        return False
    told = {(p.status, p.evidence) for p in c.preconditions if p.key == "not_chosen_by_them"}
    words = {known.text, known.text.removesuffix(OF_PARTS)}
    return bool(told & {(known.status, text) for text in words})


def rows_to_halve_slack(c: Certificate, inputs: Mapping[str, Any]) -> int | None:
    """Return how many rows would halve the slack, where a hold-out says so."""
    if c.method != "concentration.clopper_pearson" or c.vacuous:
        return None
    target = (c.observed + c.bound) / 2.0
    if not 0.0 <= c.observed < target < 1.0:
        return None
    return holdout.plan_holdout(target=target, error=c.observed, delta=inputs["delta"])


def numbers_are_explained(c: Certificate) -> bool:
    """Return whether counts in a claim about models of a run are counts of this run."""
    if c.method.split(".")[0] not in {"online_to_batch", "votes"}:
        return True
    counts = re.findall(r"(?:the|these) (\d+) (?:models|of the run|fold models)", c.claim)
    return all(int(count) in _counts(c) for count in counts)


def subject_is_explained(c: Certificate) -> bool:
    """Return whether the counts in the subject are those of the run."""
    return all(int(count) in _counts(c) for count in _NUMBER.findall(_unlabelled(c.subject)))


def phrase_is_explained(p: Precondition, c: Certificate) -> bool:
    """Return whether the number in an issuer's phrase is the one that counts."""
    if p.key == "gate":
        return c.bound <= float(p.name.rpartition(" ")[2]) * (1.0 + 1e-5)
    if p.key == "gradient_norm":
        norm = restored(c.reproduce["inputs"]).get("gradient_norm")
        return norm is None or p.name == f"gradient_norm is {norm:.6g}"
    return True


def evidence_is_explained(p: Precondition, c: Certificate) -> bool:
    """Return whether evidence counts as one draw what the claim does, and rests on its numbers."""
    claimed = c.family is None or c.status == "void" or _draws_are_claimed(p, c)
    if not (claimed and told_counts.are_explained(p, c)):
        return False
    if p.key == "copies" and p.status != "assumed":
        return not any(q.key == "unseen" and _COINCIDE in q.evidence for q in c.preconditions)
    if p.status == "checked" and (shared := re.match(r"(\d[\d,]*) of them are among", p.evidence)):
        return int(shared[1].replace(",", "")) == 0
    if seed := re.search(r"seed (\d+) alone$", p.evidence):
        return seed[1] == str(c.reproduce.get("options", {}).get("seed", seed[1]))
    return True


def _draws_are_claimed(p: Precondition, c: Certificate) -> bool:
    """Return whether a claim speaks of the draws that the evidence tells of, if it tells of any."""
    if p.key not in _OF_DRAWS:
        return True
    claim = c.claim.replace(f" of class {c.reproduce.get('class')}", "", 1)  # it may be any words
    drawn = _unit_in(p.evidence, _DRAWN)
    if drawn is not None and drawn != (_unit_in(claim, _CLAIMED) or "rows"):
        return False
    if p.key != "blind_split" or _SCOPE not in claim:
        return True
    by_time = p.evidence == "the last rows, by their time alone"
    return by_time == (f"{_SCOPE} rows of the time after" in claim)


def _unit_in(text: str, words: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return what counts as one draw, as a text has it; None if it does not say."""
    return next((unit for unit, told in words.items() if any(one in text for one in told)), None)


def lacking_demands(c: Certificate, assumed: set[str]) -> list[str]:
    """Return what an issuer always demands and this certificate does not list."""
    keys = {p.key for p in c.preconditions} - assumed
    if c.method.startswith(transferred.PREFIX):
        return [f"without {key}" for key in transferred.DEMANDS if key not in keys]
    if c.family is None:
        return [f"without {key}" for key in demands(c) if key not in keys and c.schema >= FIXED]
    needed = [*_DEMANDS_OF_HOLDOUTS]
    if c.family.mode in _DEMAND_OF_MODE:
        needed.append(_DEMAND_OF_MODE[c.family.mode])
    if c.family.mode == "gate" and "class" not in c.reproduce:  # it passed as a whole
        needed.append("gate")
    if "options" in c.reproduce:
        needed.append("untouched")
    asked = "ledger" in c.reproduce or "copies" in c.reproduce.get("options", {})
    later = (
        c.schema >= FIXED
        or asked
        or _tells_of_copies(c)
        or not keys.isdisjoint((*_SINCE_LEDGERS, "copies"))
    )
    if later:
        needed.extend(_SINCE_LEDGERS)
    if asked or (later and _was_drawn(c)):
        needed.append("copies")
    return [f"without {key}" for key in needed if key not in keys]


def not_yet_listed(c: Certificate) -> list[str]:
    """Return what is demanded of hold-outs today and an older certificate does not list."""
    today = replace(with_keys_of_issuers(c, keys_by_phrase(c.schema)), schema=FIXED)
    keys = [gap.removeprefix("without ") for gap in lacking_demands(today, set())]
    return [DEMANDS[key] for key in keys if key in DEMANDS]


def _was_drawn(c: Certificate) -> bool:
    """Return whether this library split the rows: since there are ledgers it looks at copies."""
    drawn = [p for p in c.preconditions if p.key == "blind_split"]
    return any(p.status == "by-construction" for p in drawn)


def _tells_of_copies(c: Certificate) -> bool:
    """Return whether it says how the rows were split in words as old as the look at copies."""
    told = [p.evidence for p in c.preconditions if p.key in {"blind_split", "unseen"}]
    return AS_ONE in c.claim or any(words in text for text in told for words in _SINCE_COPIES)


def _counts(c: Certificate) -> set[int]:
    """Return what is counted in words: folds, the rows before a snapshot, or rounds."""
    inputs = c.reproduce["inputs"]
    if "fold_sizes" in inputs:
        return {len(inputs["fold_sizes"])}
    n = inputs.get("n", c.n)
    return {n - c.n} if type(n) is int and n > c.n else {c.n}


def _unlabelled(subject: str) -> str:
    """Return a subject without the name of a class, whose digits count nothing."""
    return subject if without_numbers(subject).count("*") == 0 else ""
