"""The run behind a certificate, made again from its table: the hold-out's answer, or all of it."""

from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from surelearn.app.auditing.bundle import Bundle
from surelearn.app.auditing.copies import not_counting
from surelearn.app.auditing.in_parts import gather_parts, roles_in
from surelearn.app.certified_run import CertifiedRun
from surelearn.app.certify import ask, asked_about, certify_table, pose
from surelearn.app.choosing.candidates import FIRST_LEARNERS, SECOND_LEARNERS
from surelearn.app.choosing.choice import OnTrial
from surelearn.app.choosing.foreign_learners import is_foreign
from surelearn.app.choosing.training import first_of_each_copy
from surelearn.app.errors import REFUSALS, TableError
from surelearn.app.in_parts.first_look import look_at_parts
from surelearn.app.intervals import KEY, certified_intervals
from surelearn.app.ledger_files import Look
from surelearn.app.options import check_options
from surelearn.app.predict import model_in
from surelearn.app.problem.ledger_entry import OF_PARTS, Entry
from surelearn.app.problem.split import said_before
from surelearn.app.tables.parted_file import PartedFile
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.verifying.claimed import check_beside_again
from surelearn.app.verifying.finding import Finding, equal
from surelearn.app.verifying.models_of_then import fingerprint_as_stated
from surelearn.base.error_sizes import rounded_to_nearest
from surelearn.base.fingerprint import fingerprint, fingerprint_as
from surelearn.bounds._phrases import slug
from surelearn.certificate import Certificate, Precondition
from surelearn.certificate._certificate import plain
from surelearn.certificate._issue import versions
from surelearn.claims._ranks import keeping_all
from surelearn.evaluate._holdout_claims import copies_by_their_means
from surelearn.evaluate._holdout_draws import ALSO_ROUNDED, ALSO_ROUNDED_BEFORE
from surelearn.evaluate._rows_beside import third_labels_mistaken
from surelearn.evaluate.holdout import Answers
from surelearn.persistence.model_files import SavedModel, load_model

_BEFORE_KERNELS = 2  # the last schema whose runs tried no kernel machines
_OF_THE_CHOICE = ("learners", "select", "tried", "widths")  # on which no answer depends
_COMPARED = {"inputs", "model", "data", "table", "options", "versions", "n_to_halve_slack"}


@contextmanager
def refusing_nonsense() -> Generator[None]:
    """Turn whatever forged options make the library do into one sentence."""
    try:
        yield
    except (*REFUSALS, MemoryError, OSError):
        raise
    except Exception as error:
        reason = str(error) or type(error).__name__
        raise TableError(
            f"the model does not fit the table, or the options: {reason[:300]}"
        ) from error


@contextmanager
def in_its_terms(certificate: Certificate, beside: Bundle | None = None) -> Generator[None]:
    """Store what a certificate stores: older ones of regressions have every residual, as rounded.

    They were rounded to the nearest double, and are rounded up now. Where copies of a row count as
    one, older ones of classifiers bet on their mean loss. Older audits do not count copies. Older
    claims took rows of a third label for alarms.
    """
    others = () if beside is None else beside.certificates
    before = any(c.method == "holdout.quantile" for c in (certificate, *others))
    with ExitStack() as then:
        if certificate.method in {"sequences.betting_order_free", "sequences.betting_counted"}:
            then.enter_context(copies_by_their_means())
        if "n_copies" not in certificate.reproduce:
            then.enter_context(not_counting())
        if not any(_tells_third_labels(c) for c in others):
            then.enter_context(third_labels_mistaken())
        if before:
            then.enter_context(keeping_all())
            then.enter_context(rounded_to_nearest())
        yield


def _tells_third_labels(certificate: Certificate) -> bool:
    origin = certificate.reproduce.get("holdout")
    return isinstance(origin, Mapping) and "third" in origin


class AsRecorded:
    """A ledger that is not charged: a run made again is the look that its certificate records."""

    def __init__(self, stored: Any) -> None:
        with refusing_nonsense():
            self.entry = Entry.read(stored)

    def enter(self, look: Look) -> Entry:  # noqa: ARG002 - it is known which look it was
        """Return the look that was recorded."""
        return self.entry


class Recorded(NamedTuple):
    """What a certificate records of its run: the table as a file, and the options."""

    file: TableFile
    options: dict[str, Any]


def read_recorded(certificate: Certificate, table: Path, form: Mapping[str, Any]) -> Recorded:
    """Read the table as the certificate records, unless `form` says otherwise."""
    stored = certificate.reproduce
    if "options" not in stored or "table" not in stored:
        raise TableError("the certificate does not say how its table was split: it has no options")
    options = dict(stored["options"])
    recorded = options.pop("form", {})
    given = {name: value for name, value in form.items() if value is not None}
    with refusing_nonsense():
        if how := options.pop("in_parts", False):
            return Recorded(_look_again(table, options, recorded).as_before(how), options)
        alone = "target" not in options  # an audit may be of results only
        return Recorded(read_table_file(table, alone=alone, **{**recorded, **given}), options)


def _look_again(table: Path, options: Mapping[str, Any], form: Mapping[str, Any]) -> PartedFile:
    """Look through a table in parts as the run did; the columns of an audit are all there."""
    if "target" not in options:
        return gather_parts(table, roles_in(options), missing=form.get("missing"))
    asked = {name: options[name] for name in ("target", "seed", "holdout")}
    return look_at_parts(table, **asked, missing=form.get("missing"))


def check_again(
    certificate: Certificate, recorded: Recorded, model: Path | None, beside: Bundle | None = None
) -> Iterator[Finding]:
    """Ask the hold-out again about a stored model, and compare every word."""
    stored, file = certificate.reproduce, recorded.file
    same = file.sha256 == stored["table"]
    yield Finding("the table is the one certified", same, f"SHA-256 {file.sha256}")
    if model is None:
        return
    saved = load_model(model_in(model))
    entry = AsRecorded(stored.get("ledger")).entry
    with in_its_terms(certificate, beside):
        schema, again = _ask_again(recorded, saved.model, entry)
    yield _is_the_model(certificate, saved, schema)
    yield from compare(certificate, again.certificate)
    if beside is not None:
        yield check_beside_again(beside, again.beside)
    yield _is_as_recorded(certificate, saved)
    yield from _has_these_intervals(saved, again)


def check_retrained(
    certificate: Certificate,
    recorded: Recorded,
    model: Path | None,
    on_trial: OnTrial | None,
    beside: Bundle | None = None,
) -> Iterator[Finding]:
    """Do the whole run again, from the table to the certificate, and compare what comes out."""
    of_older_runs = {"copies": None, "dates": None, "widths": None}
    options: dict[str, Any] = {**of_older_runs, **recorded.options}
    options["form"] = certificate.reproduce["options"].get("form", {})
    tried = options.pop("tried", None)
    _refuse_foreign(options)
    again = partial(
        certify_table,
        recorded.file,
        on_trial=on_trial,
        ledger=AsRecorded(certificate.reproduce.get("ledger")),
        among=_learners_of_then(certificate) if tried is None else tried,
        **options,
    )
    with refusing_nonsense(), in_its_terms(certificate, beside):
        run = _as_then(again(), again, certificate)
    other = differing_versions(certificate)
    why = f"; made with other versions: {other}" if other else ""
    saved = None if model is None else load_model(model_in(model))
    stated = certificate.reproduce.get("model") if saved is None else fingerprint(saved.model)
    found = fingerprint_as_stated(run.model, stated)
    yield Finding("trained again, it is the same model", found == stated, f"{found}{why}")
    if saved is not None:
        chosen = saved.metadata.get("learner", run.name)
        yield Finding(
            "chosen again, it is the same learner", chosen == run.name, f"{run.name}{why}"
        )
    yield from compare(certificate, run.certificate, name="trained and asked again")
    if beside is not None and model is None:
        yield check_beside_again(beside, run.answers.beside)
    options = _options(run.certificate)
    if tried is None:
        options.pop("tried", None)
    same = options == _options(certificate)
    yield Finding("and the options are those of this run", same, ", ".join(_options(certificate)))


def _as_then(
    run: CertifiedRun, again: Callable[[], CertifiedRun], certificate: Certificate
) -> CertifiedRun:
    """Return a run, or the one that learnt from the first copies of rows if that is certified.

    So did older ones that chose by structural risk; what the rows held out say of them is true.
    """
    stated = certificate.reproduce.get("model")
    if run.choice.bound is None or fingerprint_as_stated(run.model, stated) == stated:
        return run
    with first_of_each_copy():
        older = again()
    return older if fingerprint_as_stated(older.model, stated) == stated else run


def foreign_in(options: Mapping[str, Any]) -> list[str]:
    """Return the learners of other libraries that the options of a run name."""
    named = options.get("learners")
    names = named if isinstance(named, list | tuple) else ()
    return [name for name in names if isinstance(name, str) and is_foreign(name)]


def _refuse_foreign(options: Mapping[str, Any]) -> None:
    """Refuse to run code of other libraries only because a certificate names it."""
    if names := foreign_in(options):
        raise TableError(
            f"the run trained {names[0]}, and --retrain loads no code of other libraries that a "
            "certificate names: do the run again yourself, with surelearn certify"
        )


def _learners_of_then(certificate: Certificate) -> frozenset[str]:
    """Return the learners that were tried when certificates did not yet say which."""
    return FIRST_LEARNERS if certificate.schema <= _BEFORE_KERNELS else SECOND_LEARNERS


def compare(
    certificate: Certificate, again: Certificate, *, name: str = "asked again"
) -> Iterator[Finding]:
    """Compare a certificate with the one that was made again."""
    stored = certificate.reproduce
    found = again.reproduce["data"]
    same = found == stored.get("data")
    yield Finding("the hold-out is the one certified", same, f"fingerprint {found}")
    evidence = f"stated {certificate.bound:.12g}, from the table {again.bound:.12g}"
    yield Finding(
        f"{name}, it gives the same bound", equal(again.bound, certificate.bound), evidence
    )
    foreign = set(stored) - _COMPARED - set(again.reproduce)
    same = _in_its_keys(again, certificate) == certificate and not foreign
    same = same and plain(again.reproduce["inputs"]) == plain(stored.get("inputs"))
    for field in ("n_to_halve_slack", "loss_range", "ledger"):
        same = same and again.reproduce.get(field) == stored.get(field)
    evidence = "claim, numbers, assumptions with their status, ledger"
    yield Finding("and the same certificate in every word", same, evidence)


def differing_versions(certificate: Certificate) -> str:
    """Return which versions are not those in use here, in words; nothing if all are."""
    stated, here = certificate.reproduce.get("versions", {}), versions()
    names = [name for name in (*here, *stated) if stated.get(name) != here.get(name)]
    return ", ".join(
        f"{name} {stated.get(name, 'unknown')} (here {here.get(name, 'none')})"
        for name in dict.fromkeys(names)
    )


def _is_the_model(c: Certificate, saved: SavedModel, schema: Mapping[str, Any]) -> Finding:
    found, alike = fingerprint_as(saved.model, c), saved.schema == schema
    evidence = f"fingerprint {found}" + ("" if alike else "; its file reads tables in another way")
    same = alike and found == c.reproduce.get("model")
    return Finding("the model is the one certified", same, evidence)


def _is_as_recorded(c: Certificate, saved: SavedModel) -> Finding:
    """Compare options and versions with those that the model file records."""
    made: Mapping[str, Any] = saved.metadata.get("made", {})
    name = "options and versions are those that the model file records"
    if not made:
        learner, tried = str(saved.metadata.get("learner", "")), _options(c).get("learners")
        holds = not tried or any(learner.startswith(str(one)) for one in tried)
        return Finding(name, holds, f"it records only the learner: {learner or 'none'}")
    differing = [k for k in ("options", "versions") if made.get(k) != c.reproduce.get(k)]
    return Finding(name, not differing, ", ".join(differing) or "all of them")


def _has_these_intervals(saved: SavedModel, again: Answers) -> Iterator[Finding]:
    """Compare what a model file says of intervals with what the hold-out says of them."""
    stored, beside = saved.metadata.get(KEY), again.beside
    found = None if beside is None else certified_intervals(beside.outcomes, beside.delta)
    if stored is None and found is None:
        return
    stated = None if found is None else found._asdict()
    told = "none are certified" if found is None else f"{found.n_widths:.12g} widths are certified"
    yield Finding("the intervals it predicts are those certified", stored == stated, told)


def _options(certificate: Certificate) -> dict[str, Any]:
    """Return the options of the run as JSON has them."""
    found: dict[str, Any] = dict(certificate.reproduce.get("options", {}))
    return {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}


def _in_its_keys(again: Certificate, certificate: Certificate) -> Certificate:
    """Return a certificate asked again with what may differ from the one that is verified.

    That is how it came about and, in one read from schema 1, keys made from the words of a phrase.
    Certificates that know no ledger were made before it was asked whether rows are answered alone.
    """
    keys = {condition.name: condition.key for condition in certificate.preconditions}
    later = {"row_by_row"} if "ledger" not in certificate.reproduce else set[str]()
    evidence = {condition.key: condition.evidence for condition in certificate.preconditions}
    conditions = tuple(
        replace(p, key=keys[p.name]) if keys.get(p.name) == slug(p.name) else p
        for p in (_in_older_words(p, evidence.get(p.key)) for p in again.preconditions)
        if p.key not in later - {*keys.values()} or p.status == "violated"
    )
    schema, stored, before = certificate.schema, certificate.reproduce, said_before(again.claim)
    claim = before if before == certificate.claim else again.claim
    return replace(again, preconditions=conditions, reproduce=stored, schema=schema, claim=claim)


def _in_older_words(p: Precondition, stated: str | None) -> Precondition:
    """Return what is said of copies and looks without what older certificates did not say."""
    before = p.evidence.replace(ALSO_ROUNDED, ALSO_ROUNDED_BEFORE)
    bare = p.evidence.removesuffix(ALSO_ROUNDED).removesuffix(OF_PARTS)
    older = next((words for words in (bare, before) if words == stated), None)
    return p if older is None else replace(p, evidence=older)


def _ask_again(recorded: Recorded, model: Any, entry: Entry) -> tuple[Mapping[str, Any], Answers]:
    """Return how tables are read for a model of this table, and what the hold-out says of it.

    No ledger is charged: which look it was is taken from the certificate.
    """
    options = {k: v for k, v in recorded.options.items() if k not in _OF_THE_CHOICE}
    with refusing_nonsense():
        delta, looks = options.pop("delta"), options.pop("looks", 1)
        beside = {name: options.pop(name) for name in ("claims", "positive") if name in options}
        check_options(delta=delta, holdout=options["holdout"], seed=options["seed"], looks=looks)
        problem = pose(recorded.file, **options)
        asked = asked_about(problem, model)
        again = ask(asked, model, delta=delta, looks=looks, entry=entry, **beside)
        return problem.schema, again
