"""Write the shared test vectors of the certificate format: honest certificates and forged ones.

`python scripts/certificate_vectors.py` rewrites `docs/certificate-format/vectors.json`, and
`signature.json` beside it. What each verifier must say is decided here, by how a vector is made,
and never by asking a verifier.
"""

import base64
import copy
import json
import pathlib
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from sklearn.dummy import DummyClassifier, DummyRegressor

from surelearn import Holdout, Quantile
from surelearn._wording import percent_outward
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, to_json
from surelearn.app.signatures import PAYLOAD_TYPE, key_id
from surelearn.app.tables.read import TableFile
from surelearn.bounds import (
    Guarantee,
    concentration,
    groups,
    holdout,
    mistakes,
    online_to_batch,
    rates,
    sequences,
)
from surelearn.certificate import Certificate, Precondition, certify
from surelearn.certificate._canonical import canonical

PATH = pathlib.Path(__file__).parents[1] / "docs" / "certificate-format" / "vectors.json"
Content = dict[str, Any]
Vector = dict[str, Any]


def plainly(guarantee: Guarantee, observed: float, n: int, **more: Any) -> Certificate:
    """Return a certificate in the words of its theorem, nothing of which was checked."""
    arguments = {"kind": "risk", "subject": "this model", "observed": observed, "n": n, **more}
    return certify(guarantee, **arguments)


def of_counts() -> Iterator[tuple[str, Certificate]]:
    """Yield a certificate of each binomial theorem, from counts alone."""
    inverted = concentration.clopper_pearson
    for errors, n, delta in (
        (5, 100, 0.05),
        (0, 300, 0.05),
        (7, 7, 0.1),
        (99, 100, 0.01),
        (5_000, 100_000, 0.05),
        (123_456, 10_000_000, 1e-12),
        (3, 1_000_000, 0.5),
    ):
        found = plainly(inverted(errors=errors, n=n, delta=delta), errors / n, n)
        yield f"{errors} errors in {n} rows at {delta:g}", found
    counts = {"errors": 30, "n": 1000, "delta": 0.05}
    for name, guarantee in {
        "a lower bound": concentration.clopper_pearson_lower(errors=950, n=1000, delta=0.05),
        "strata": concentration.stratified_clopper_pearson(**counts),
        "strata with few errors": concentration.stratified_clopper_pearson(
            errors=0, n=1000, delta=0.9
        ),
        "one of twenty models": holdout.family(**counts, n_models=20),
        "a gate": holdout.gate(**counts, n_queries=10),
        "one bit told": holdout.transcripts(**counts, n_queries=12),
        "a ladder": holdout.ladder(**counts, n_queries=20, n_levels=20),
        "one class": holdout.class_conditional(errors=30, n_in_class=1000, delta=0.05),
    }.items():
        yield name, plainly(guarantee, guarantee.inputs["errors"] / 1000, 1000)
    after = online_to_batch.last_iterate_suffix(errors=[30, 14, 8], n=1000, delta=0.05)
    yield "the best of three snapshots", plainly(after, 30 / 500, 500)


def of_holdouts() -> Iterator[tuple[str, Certificate]]:
    """Yield what hold-outs say: once, of a family, through a gate, by class, of sizes of errors."""
    rng = np.random.default_rng(7)
    model = DummyClassifier().fit(rng.normal(size=(10, 2)), np.repeat(["no"], 10))
    rules = {
        "once": {},
        "a family": {"mode": "family", "n_models": 3},
        "through a gate": {"mode": "gate", "n_models": 4, "target": 0.9},
    }
    for name, rule in rules.items():
        X, y = rng.normal(size=(400, 2)), np.where(rng.random(400) < 0.2, "50%, or 1", "no")
        answer = Holdout(X, y, by_class=True, **rule).answer(model)
        yield f"a hold-out, {name}", answer.certificate
        for label, found in answer.by_class.items():
            yield f"a hold-out, {name}, class {label}", found
    X, numbers = rng.normal(size=(400, 2)), rng.normal(size=400)
    constant = DummyRegressor().fit(rng.normal(size=(10, 2)), rng.normal(size=10))
    yield "sizes of errors", Holdout(X, numbers, loss=Quantile(0.1)).answer(constant).certificate
    sizes = np.abs(numbers).round(6)
    every = holdout.quantile(residuals=sizes.tolist(), alpha=0.1, delta=0.05)
    seen = float(np.quantile(sizes, 0.9))
    yield "sizes of all errors", plainly(every, seen, 400, kind="quantile")


def of_rates() -> Iterator[tuple[str, Certificate]]:
    """Yield rates at a fixed threshold, F1, and the worst of several groups."""
    for name, guarantee, observed, n in (
        ("found", rates.sensitivity(true_positives=90, n_positive=100, delta=0.05), 0.9, 100),
        ("spared", rates.specificity(true_negatives=45, n_negative=50, delta=0.01), 0.9, 50),
        (
            "called positive",
            rates.positive_predictive_value(true_positives=3, n_predicted_positive=4, delta=0.05),
            0.75,
            4,
        ),
        (
            "called negative",
            rates.negative_predictive_value(true_negatives=9, n_predicted_negative=9, delta=0.05),
            1.0,
            9,
        ),
        ("right", rates.accuracy(correct=950, n=1000, delta=0.05), 0.95, 1000),
        ("many positives", rates.prevalence_upper(n_positive=7, n=70, delta=0.05), 0.1, 70),
        ("few positives", rates.prevalence_lower(n_positive=7, n=70, delta=0.05), 0.1, 70),
        ("at most so often", rates.rate_upper(successes=2, n=40, delta=0.05), 0.05, 40),
        ("at least so often", rates.rate_lower(successes=38, n=40, delta=0.05), 0.95, 40),
        (
            "F1",
            rates.f1(true_positives=90, false_positives=40, false_negatives=10, delta=0.05),
            180 / 230,
            140,
        ),
        (
            "the worst group",
            groups.worst_group(errors=[2, 3, 9], n_in_groups=[50, 80, 200], delta=0.05),
            0.045,
            330,
        ),
    ):
        yield name, plainly(guarantee, observed, n, kind="rate")


def of_audits() -> Iterator[tuple[str, Content]]:
    """Yield the files of audits: everything that two classes show, and targets in order."""
    rng = np.random.default_rng(11)
    for name, asked in (
        ("an audit", ("error", "sensitivity", "specificity", "ppv", "npv", "f1", "accuracy")),
        ("an audit of targets", ("sensitivity>=0.7", "specificity>=0.7", "f1>=0.99")),
        (
            "an audit of other rows",
            ("error", "sensitivity", "specificity", "ppv", "npv", "f1", "accuracy"),
        ),
    ):
        truth = rng.random(300) < 0.4
        answers = np.where(rng.random(300) < 0.1, ~truth, truth)
        words = np.array(["well", "ill"])
        table = pa.table({
            "truth": words[truth.astype(int)],
            "answer": words[answers.astype(int)],
            "case": [f"{name} {i}" for i in range(300)],
        })  # fmt: skip
        run = audit_table(
            TableFile.of_table(table), claims=asked, truth="truth", prediction="answer", id="case",
            positive="ill",
        )  # fmt: skip
        yield name, json.loads(to_json(bundle_of(run.audit.outcomes, run.audit.delta)))


def forged_audits(audit: Content, targets: Content) -> Iterator[tuple[str, Content]]:
    """Yield forgeries of audits; both verifiers refuse them."""
    first, place = audit["outcomes"][0]["certificate"], "outcomes.0.certificate"
    halved = changed(audit, f"{place}.bound", first["bound"] / 2)
    yield "an audit, a smaller bound", halved
    claim = first["claim"]
    count = len(audit["outcomes"])
    yield (
        "an audit, fewer claims in words",
        changed(audit, f"{place}.claim", claim.replace(f"all {count}", "all 2")),
    )
    fewer = claim.replace("300 rows", "900 rows")
    yield "an audit, more rows in words", changed(audit, f"{place}.claim", fewer)
    other = claim.replace("errs", "errs for ever")
    yield "an audit, something else in words", changed(audit, f"{place}.claim", other)
    greedy = copy.deepcopy(audit)
    for outcome in greedy["outcomes"][1:]:
        c = outcome["certificate"]
        if c["method"] == "rates.sensitivity":
            guarantee = rates.sensitivity(**{**c["reproduce"]["inputs"], "delta": 0.025})
            old, new = c["bound"], guarantee.bound
            c["claim"] = c["claim"].replace(
                percent_outward(old, "lower"), percent_outward(new, "lower")
            )
            c.update(bound=new, delta=0.025)
            c["reproduce"]["inputs"]["delta"] = 0.025
    yield "an audit whose claims spend too much", greedy
    first = targets["outcomes"][0]["certificate"]
    raised = changed(targets, f"{place}.bound", 0.99)
    raised = changed(raised, f"{place}.reproduce.inputs.target", 0.99)
    text = first["claim"].replace("70.00%", "99.00%")
    yield "a target that was not met", changed(raised, f"{place}.claim", text)


def torn_audits(audit: Content, targets: Content, other: Content) -> Iterator[tuple[str, Content]]:
    """Yield audits of honest certificates that do not belong together; both verifiers refuse."""
    yield "an audit without its last claim", {**audit, "outcomes": audit["outcomes"][:-1]}
    yield "an audit without its first claim", {**audit, "outcomes": audit["outcomes"][1:]}
    alone = {**audit, "outcomes": audit["outcomes"][:1]}
    yield "an audit of which one claim is left", alone
    yield "an audit in another order", {**audit, "outcomes": audit["outcomes"][::-1]}
    twice = [audit["outcomes"][0], *audit["outcomes"][:-1]]
    yield "an audit with a claim that stands twice", {**audit, "outcomes": twice}
    yield "a claim of another audit", changed(audit, "outcomes.1", other["outcomes"][1])
    dressed = copy.deepcopy(other["outcomes"][1])
    for name in ("table", "data", "ledger", "options"):
        dressed["certificate"]["reproduce"][name] = audit["outcomes"][0]["certificate"][
            "reproduce"
        ][name]
    yield (
        "a claim of another audit in the clothes of this one",
        changed(audit, "outcomes.1", dressed),
    )
    yield "an audit that says proved", {**audit, "verdict": "proved"}
    yield "a certificate under another name", changed(audit, "outcomes.0.claim", "accuracy")
    newer = "outcomes.1.certificate.reproduce.versions.surelearn"
    yield "an audit of two versions", changed(audit, newer, "99.0")
    yield "an audit of a smaller delta", {**audit, "delta": 0.01}
    yield "targets without the first", {**targets, "outcomes": targets["outcomes"][1:]}
    last = len(targets["outcomes"]) - 1
    yield "a target that is called proved", changed(targets, f"outcomes.{last}.verdict", "proved")
    fewer = {**targets, "outcomes": targets["outcomes"][:-1], "verdict": "proved"}
    yield "targets without the one that was not proved", fewer


def beyond() -> Iterator[tuple[str, Certificate]]:
    """Yield certificates that are no binomial tails."""
    losses = (np.arange(50) % 5 / 10).tolist()
    bets = sequences.betting_order_free(losses=losses, delta=0.05)
    yield "bets", plainly(bets, float(np.mean(losses)), 50)
    halving = mistakes.halving(n_experts=8)
    yield "mistakes", certify(halving, kind="mistakes", subject="the run", observed=2, n=50)


def changed(content: Content, path: str, value: Any) -> Content:
    """Return a copy with one value changed; `path` has the names on the way, with points."""
    new = copy.deepcopy(content)
    *way, last = path.split(".")
    place: Any = new
    for name in way:
        place = place[int(name)] if isinstance(place, list) else place[name]
    place[int(last) if isinstance(place, list) else last] = value
    return new


def said(content: Content, old: str, new: str) -> Content:
    """Return a copy whose claim says something else."""
    if old not in content["claim"]:
        raise ValueError(f"{content['claim']!r} does not say {old!r}")
    return changed(content, "claim", content["claim"].replace(old, new))


def forgeries(c: Content) -> Iterator[tuple[str, Content]]:
    """Yield what a forger would try on 5 errors in 100 rows; both verifiers refuse all of it."""
    lower = 0.0723
    restated = said(changed(c, "bound", lower), "0.1023", "0.0723")
    yield "a smaller bound", changed(c, "bound", lower)
    yield "a smaller bound, and a claim to match", restated
    yield "a bound smaller by a millionth", changed(c, "bound", c["bound"] * (1 - 1e-6))
    yield "a larger bound", said(changed(c, "bound", 0.2), "0.1023", "0.2")
    yield "a bound above 1", said(changed(c, "bound", 1.5), "0.1023", "1.5")
    yield "a negative bound", said(changed(c, "bound", -0.1), "0.1023", "-0.1")
    yield "fewer errors", changed(c, "reproduce.inputs.errors", 4)
    fewer = changed(changed(c, "reproduce.inputs.errors", 4), "observed", 0.04)
    yield "fewer errors, here and there", fewer
    yield "more rows", changed(changed(c, "reproduce.inputs.n", 200), "n", 200)
    yield "a larger delta", changed(changed(c, "reproduce.inputs.delta", 0.5), "delta", 0.5)
    yield "another delta than the theorem's", changed(c, "delta", 0.01)
    yield "another confidence in words", said(c, "95%", "99%")
    yield "another bound in words", said(c, "0.1023", "0.0523")
    yield "a digit less in words", said(c, "0.1023", "0.102")
    yield "a second bound in words", said(c, "0.1023", "0.01, or at most 0.1023")
    yield "the other direction in words", said(c, "at most", "at least")
    yield "something else in words", said(c, "of an error", "of a wrong answer anywhere")
    yield "words behind the claim", changed(c, "claim", f"{c['claim']} It is perfect.")
    yield "a sign that cannot be seen", changed(c, "claim", f"\u202e{c['claim'][:-1]}\u202c.")
    yield "another value seen", changed(c, "observed", 0.01)
    yield "another number of rows seen", changed(c, "n", 1000)
    yield "the other direction", changed(c, "direction", "lower")
    yield "a promise for all times", changed(c, "validity", "anytime")
    yield "half an error", changed(c, "reproduce.inputs.errors", 4.5)
    yield "more errors than rows", changed(c, "reproduce.inputs.errors", 101)
    yield "a count in words", changed(c, "reproduce.inputs.errors", "5")
    yield "a theorem that pays less", changed(c, "method", "holdout.family")
    yield "no inputs", changed(c, "reproduce.inputs", {})


def more_forgeries(known: dict[str, Content]) -> Iterator[tuple[str, Content]]:
    """Yield forgeries of other theorems; both verifiers refuse them."""
    family = known["one of twenty models"]
    yield "a smaller family", changed(family, "reproduce.inputs.n_models", 2)
    yield "fewer bits told", changed(known["one bit told"], "reproduce.inputs.n_queries", 2)
    yield "a lower ladder", changed(known["a ladder"], "reproduce.inputs.n_levels", 2)
    yield "a higher F1", changed(known["F1"], "bound", 0.74)
    yield "fewer false alarms", changed(known["F1"], "reproduce.inputs.false_positives", 30)
    yield (
        "a worst group without one",
        changed(known["the worst group"], "reproduce.inputs.errors", [2, 3, 8]),
    )
    lower = known["a lower bound"]
    text = f"{lower['bound']:.4f}"[:5]
    yield "a larger lower bound", said(changed(lower, "bound", 0.949), text, "0.949")
    held = known["a hold-out, a family"]
    yield "a family of one, in words", said(held, "all 3 models", "all 1 models")
    alone = said(held, "95% for all 3 models together", "98.33%")
    yield "a family that is not told of", alone
    tiny = known["123456 errors in 10000000 rows at 1e-12"]
    surer = said(tiny, "99.9999999999%", "99.99999999999999999999%")
    yield "a smaller delta than the theorem's", changed(surer, "delta", 1e-22)
    yield "another share of delta", changed(held, "family.delta_spent", 0.001)
    after = known["the best of three snapshots"]
    other = changed(changed(after, "n", 250), "observed", 14 / 250)
    yield "the errors of another snapshot", other
    yield "all rows for a snapshot's", changed(changed(after, "n", 1000), "observed", 0.001)
    yield from forged_sizes(known)


def forged_sizes(known: dict[str, Content]) -> Iterator[tuple[str, Content]]:
    """Yield sizes of errors that do not follow from what is stored of the residuals."""
    ranked = known["sizes of errors"]
    inputs = ranked["reproduce"]["inputs"]
    yield "a stored residual of a smaller rank", changed(ranked, "bound", inputs["values"][0])
    fewer = [max(0, count - 40) for count in inputs["n_below"]]
    yield "ranks that were lowered", changed(ranked, "reproduce.inputs.n_below", fewer)
    yield "another alpha for ranks", changed(ranked, "reproduce.inputs.alpha", 0.3)
    sizes = known["sizes of all errors"]
    first, *rest = sizes["reproduce"]["inputs"]["residuals"]
    yield "a bound that is no residual", changed(sizes, "bound", sizes["bound"] / 2)
    ordered = sorted([first, *rest])
    smaller = ordered[ordered.index(sizes["bound"]) - 12]
    yield "a residual of a smaller rank", changed(sizes, "bound", smaller)
    larger = ordered[ordered.index(sizes["bound"]) + 3]
    yield "a residual of a larger rank", changed(sizes, "bound", larger)
    yield "another alpha", changed(sizes, "reproduce.inputs.alpha", 0.3)


def texts(c: Content) -> Iterator[tuple[str, str, str, str]]:
    """Yield texts that no reader should take for a certificate, with what is said of them."""
    text = json.dumps(c)
    yield "no JSON", text[:-1], "unreadable", "unreadable"
    twice = text.replace('"bound":', '"bound": 0.01, "bound":', 1)
    yield "a name that stands twice", twice, "unreadable", "unreadable"
    yield (
        "a bound that is no number of JSON",
        text.replace(str(c["bound"]), "NaN"),
        *(["unreadable"] * 2),
    )
    large = text.replace(f'"observed": {c["observed"]}', '"observed": 1e400')
    yield "a value seen that no double holds", large, "unreadable", "unreadable"
    worded = json.dumps(changed(c, "delta", "0.05"))
    yield "a delta in words", worded, "unreadable", "refused"
    yield "a number", "3", "unreadable", "refused"
    later = json.dumps(changed(c, "schema", 99))
    yield "a schema of the future", later, "unreadable", "refused"
    calls = json.dumps(changed(c, "status", "vacuous"))
    yield "a status that the numbers deny", calls, "unreadable", "refused"
    violated = json.dumps(changed(c, "preconditions.0.status", "violated"))
    yield "a violated assumption called valid", violated, "unreadable", "refused"


def texts_of_audits(audit: Content) -> Iterator[tuple[str, str]]:
    """Yield texts that no reader should take for an audit."""
    text = json.dumps(audit)
    verdict = text.replace('"verdict":', '"verdict": "proved", "verdict":', 1)
    yield "an audit with a name that stands twice", verdict
    yield "an audit of a schema of the future", json.dumps({**audit, "schema": 99})
    yield "an audit of nothing", json.dumps({**audit, "outcomes": []})


def vectors() -> Iterator[Vector]:
    """Yield all vectors."""
    known: dict[str, Content] = {}
    for name, certificate in (*of_counts(), *of_holdouts(), *of_rates()):
        known[name] = json.loads(certificate.to_json())
        yield vector(name, "holds", "recomputed", certificate=known[name])
    audits = dict(of_audits())
    for name, content in audits.items():
        yield vector(name, "holds", "recomputed", audit=content)
    first, targets, _ = audits.values()
    for name, content in (*forged_audits(first, targets), *torn_audits(*audits.values())):
        yield vector(name, "refused", "refused", audit=content)
    for name, certificate in beyond():
        content = json.loads(certificate.to_json())
        yield vector(name, "holds", "beyond", certificate=content)
        lower = changed(content, "bound", content["bound"] * 0.9)
        yield vector(f"{name}, a smaller bound", "refused", "beyond", certificate=lower)
    endless = mistakes.novikoff(radius=1.0, margin=1e-160)  # a bound of infinity
    content = certify(endless, kind="mistakes", subject="s", observed=2, n=50).to_json()
    yield vector("a bound that says nothing", "holds", "beyond", certificate=json.loads(content))
    basis = known["5 errors in 100 rows at 0.05"]
    for name, forged in (*forgeries(basis), *more_forgeries(known)):
        python = "unreadable" if name in NOT_READ else "refused"
        yield vector(name, python, "refused", certificate=forged)
    upgraded = changed(basis, "preconditions.0.status", "checked")
    yield vector(
        "an assumption called checked", "refused", "recomputed", certificate=upgraded
    )  # the script recomputes numbers; what an issuer may say is known to surelearn alone
    guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    broken = [Precondition("dry", "the rows stayed dry", "violated", "it rained")]
    void = plainly(guarantee, 0.05, 100, also=broken)
    yield vector("void", "refused", "void", certificate=json.loads(void.to_json()))
    for name, text, python, script in texts(basis):
        yield vector(name, python, script, text=text)
    for name, text in texts_of_audits(first):
        yield vector(name, "unreadable", "unreadable", text=text)


NOT_READ = {"the other direction", "a bound above 1"}
"""Forgeries that contradict themselves, so that reading them fails already."""


def vector(name: str, python: str, script: str, **content: Any) -> Vector:
    """Return a vector: what it is, what each verifier says of it, and the certificate."""
    return {"name": name, "python": python, "script": script, **content}


def write(path: pathlib.Path, made: Callable[[], Iterator[Vector]] = vectors) -> None:
    """Write all vectors, one line each."""
    lines = ",\n".join(json.dumps(each, ensure_ascii=False) for each in made())
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def write_signature(path: pathlib.Path, content: Content) -> None:
    """Write a certificate with its canonical form, a key that everybody knows and a signature."""
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    body, kind = canonical(content), PAYLOAD_TYPE.encode()
    signed = b" ".join([b"DSSEv1", b"%d" % len(kind), kind, b"%d" % len(body), body])
    entry = {
        "keyid": key_id(key.public_key()),
        "sig": base64.b64encode(key.sign(signed)).decode(),
    }
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    vector = {
        "certificate": content,
        "canonical": body.decode("utf-8"),
        "public_key": public.decode("ascii"),
        "signature": {"payloadType": PAYLOAD_TYPE, "signatures": [entry]},
    }
    path.write_text(json.dumps(vector, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(PATH)
    first = json.loads(PATH.read_text("utf-8"))[0]["certificate"]
    write_signature(PATH.with_name("signature.json"), first)
