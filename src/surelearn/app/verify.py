"""Checking a certificate: by its own statistics, from model and table, or by a whole new run."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surelearn.app import folder_swap
from surelearn.app.auditing.bundle import Bundle, bundle_of_one, from_json, is_bundle
from surelearn.app.choosing.choice import OnTrial
from surelearn.app.errors import TableError
from surelearn.app.tables.sources import no_file
from surelearn.app.verifying import alone, numbers, rerun
from surelearn.app.verifying.audited import check_bundle, check_bundle_again
from surelearn.app.verifying.claimed import check_beside, is_beside
from surelearn.app.verifying.finding import Finding
from surelearn.app.verifying.known import FIXED
from surelearn.certificate import Certificate

__all__ = [
    "Finding",
    "certificate_in",
    "may_have_model_file",
    "not_checked",
    "read_beside",
    "read_certificate",
    "read_signed",
    "verify_audit",
    "verify_certificate",
    "with_its_certificate",
]

OF_RUNS, BESIDE = "certificate.json", "claims.json"
"""The files of a run that hold its certificate, and the claims beside it."""

_LARGEST = 256 * 2**20  # bytes: the errors of ten million rows


def certificate_in(path: Path) -> Path:
    """Return the certificate that a folder of results holds; a file is returned as it is."""
    folder_swap.settle(path)
    return path / OF_RUNS if path.is_dir() else path


def read_certificate(path: Path) -> Certificate | Bundle:
    """Read a certificate, or all those of an audit, or raise `TableError` with one sentence."""
    return read_signed(path)[1]


def read_signed(path: Path) -> tuple[str, Certificate | Bundle]:
    """Read a certificate once: its text, which may be signed, and what it says."""
    try:
        if path.stat().st_size > _LARGEST:
            raise TableError(f"{path} has more than {_LARGEST // 2**20} MB: it is no certificate")
        if not path.is_file() and not path.is_dir():
            raise TableError(f"{path} is not a file: save the certificate in one, and give that")
        text = path.read_bytes().decode("utf-8")
        return text, from_json(text) if is_bundle(text) else Certificate.from_json(text)
    except FileNotFoundError:
        raise TableError(no_file(path)) from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TableError(f"{path} cannot be read: it is not text in UTF-8{_hint(path)}") from None
    except ValueError as error:
        raise TableError(f"{path} cannot be read: {error}{_hint(path)}") from None


def _hint(path: Path) -> str:
    """Say which file is meant, unless it is this one."""
    if path.name in {OF_RUNS, BESIDE}:
        return ""
    return f"; give the {OF_RUNS} or {BESIDE} that surelearn wrote"


def read_beside(path: Path, certificate: Certificate) -> Bundle | None:
    """Read the claims beside a certificate, if there are some; a void one claims nothing."""
    beside = path.with_name(BESIDE)
    if path.name != OF_RUNS or certificate.status == "void" or not beside.is_file():
        return None
    found = read_certificate(beside)
    if not isinstance(found, Bundle) or not is_beside(found):
        raise TableError(f"{beside} holds no claims that were made beside a certificate")
    return found


def with_its_certificate(
    path: Path, found: Certificate | Bundle
) -> tuple[Path, Certificate | Bundle]:
    """Return the certificate that claims were made beside; all else is returned as it is."""
    if not isinstance(found, Bundle) or not is_beside(found):
        return path, found
    if path.name == BESIDE and path.with_name(OF_RUNS).is_file():
        return path.with_name(OF_RUNS), read_certificate(path.with_name(OF_RUNS))
    raise TableError(
        f"{path} holds claims that were made beside a certificate, on what that one rests on: keep "
        f"them together in one folder, as {OF_RUNS} and {BESIDE}"
    )


def verify_audit(bundle: Bundle, *, table: Path | None = None, **form: Any) -> tuple[Finding, ...]:
    """Check the certificates of an audit; with the file of answers, do it again.

    Parameters
    ----------
    bundle
        The certificates.
    table
        The file of answers.
    **form
        How to read it, if not as recorded: see `read_table_file`.
    """
    findings = list(check_bundle(bundle))
    if table is not None and all(finding.holds for finding in findings):
        findings.extend(check_bundle_again(bundle, table, form))
    return tuple(findings)


def verify_certificate(
    certificate: Certificate,
    *,
    model: Path | None = None,
    table: Path | None = None,
    retrain: bool = False,
    on_trial: OnTrial | None = None,
    beside: Bundle | None = None,
    **form: Any,
) -> tuple[Finding, ...]:
    """Check a certificate; with the model and the table, derive its statistics anew.

    Parameters
    ----------
    certificate
        The certificate.
    model, table
        The model file and the table it was made from; both or neither, unless `retrain`.
    retrain
        Whether to do the whole run again from the table, and compare the model, too. That takes
        as long as the run did. No ledger is charged: the same question is answered again.
    on_trial
        Called after each learner that is trained again.
    beside
        The claims beside the certificate, if they are to be checked, too.
    **form
        How to read the table, if not as the certificate records: see `read_table_file`.
    """
    if "holdout" in certificate.reproduce:
        raise TableError("this is one of the claims beside a certificate: give that certificate")
    if "audit" in certificate.reproduce:
        return _verify_of_audit(certificate, alone=model is None and table is None and not retrain)
    if retrain and table is None:
        raise TableError("--retrain trains on the table: give it with --data")
    if not retrain and (model is None) != (table is None):
        raise TableError("give both --model and --data, or neither: the statistics need both")
    findings = list(alone.check_alone(certificate))
    if beside is not None:
        findings.append(check_beside(certificate, beside))
    if table is not None and certificate.status != "void":
        recorded = rerun.read_recorded(certificate, table, form)
        findings.extend(rerun.check_again(certificate, recorded, model, beside))
        if retrain:
            retrained = rerun.check_retrained(certificate, recorded, model, on_trial, beside)
            findings.extend(retrained)
    return tuple(findings)


def _verify_of_audit(certificate: Certificate, *, alone: bool) -> tuple[Finding, ...]:
    """Check a certificate that is all of its audit; others are checked with those beside them."""
    try:
        whole = bundle_of_one(certificate)
    except (AttributeError, KeyError, TypeError):
        whole = None
    if whole is None or not alone:
        raise TableError(
            "this certificate is one of an audit: give the whole file, whose claims share delta"
        )
    return tuple(check_bundle(whole))


def not_checked(
    certificate: Certificate, *, with_model: bool = False, retrained: bool = False
) -> Iterator[str]:
    """Yield what was not checked, a sentence each.

    Parameters
    ----------
    certificate
        The certificate.
    with_model, retrained
        Whether the model and the table were given, and whether the run was done again.
    """
    if certificate.status == "void":
        return
    if certificate.schema < FIXED:
        yield _of_an_older(certificate)
    if not (with_model or retrained):
        yield f"Not checked here: {'; '.join(alone.not_checked(certificate))}."
    trained = "options" in certificate.reproduce and "audit" not in certificate.reproduce
    if trained and not retrained:
        how = "--retrain does the whole run again"
        if rerun.foreign_in(certificate.reproduce["options"]):
            how = "Do the whole run again: --retrain loads no code of other libraries"
        yield (
            "Not checked: that the model was trained on the training part only, and chosen as the "
            f"options say. {how}."
        )
    if other := rerun.differing_versions(certificate):
        yield f"Not compared: it was made with other versions: {other}."


def may_have_model_file(certificate: Certificate) -> bool:
    """Return whether the model of a run may be in a file of ours: some learner tried was ours."""
    options = certificate.reproduce.get("options")
    return options is not None and rerun.foreign_in(options) != options.get("learners")


def _of_an_older(certificate: Certificate) -> str:
    """Say that a certificate is older, and what it does not list that today's do."""
    lacking = numbers.not_yet_listed(certificate)
    listed = "what it must list was not fixed then"
    if lacking:
        listed = f"it does not list that {'; that '.join(lacking)}"
    return f"Made by an older version of surelearn, or changed to look like it: {listed}."
