"""Detached signatures of certificates: who stands behind a file, by Ed25519.

A signature does not make a bound true: `verify` checks that. It says whose certificate it is, and
that nothing in it was changed since. What is signed is the canonical form of the certificate in the
encoding of DSSE, so that tools for in-toto can carry it.
"""

import base64
import hashlib
import json
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from surelearn.app.auditing.bundle import Bundle
from surelearn.app.errors import TableError
from surelearn.app.tables.sources import first_bytes, no_file
from surelearn.app.verify import (
    certificate_in,
    read_beside,
    read_signed,
    verify_audit,
    verify_certificate,
    with_its_certificate,
)
from surelearn.app.verifying.finding import Finding
from surelearn.base.whole_files import adding
from surelearn.certificate._canonical import canonical

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric import ed25519

PAYLOAD_TYPE = "application/vnd.surelearn.certificate+json"
_LARGEST = 65_536  # bytes of a key or a signature


class KeyFiles(NamedTuple):
    """Where a pair of keys was written."""

    private: Path
    public: Path


def make_keys(path: Path) -> KeyFiles:
    """Write a new private key, which only its owner may read, and beside it the public one."""
    _, serialization, kinds = _library()
    key = kinds.Ed25519PrivateKey.generate()
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    if path.is_dir():
        raise TableError(f"{path} is a folder: give the name of a file in it for the key")
    beside = path.with_name(f"{path.name}.pub")
    if beside.exists() or beside.is_symlink():
        raise TableError(f"{beside} is there already: give another name for the key")
    try:
        _write_new(path, private, mode=0o600)
        _write_new(beside, public, mode=0o644)
    except BaseException:  # a key without its other half is in the way of the next
        _take_back(path, private)
        _take_back(beside, public)
        raise
    return KeyFiles(path, beside)


def _take_back(path: Path, content: bytes) -> None:
    """Remove a file if it is the one that we wrote: a Ctrl-C may come when it has its name."""
    with suppress(OSError):
        if path.is_file() and path.read_bytes() == content:
            path.unlink()


def sign_certificate(path: Path, *, key: Path, out: Path | None = None) -> Path:
    """Sign a certificate that holds, and write the signature; return where."""
    path = certificate_in(path)
    text, found = read_signed(path)
    first, certificate = with_its_certificate(path, found)
    if isinstance(certificate, Bundle):
        findings = verify_audit(certificate)
    else:
        findings = verify_certificate(certificate, beside=read_beside(first, certificate))
    wrong = [finding.name for finding in findings if not finding.holds]
    if wrong:
        raise TableError(
            f"{path} must not be relied on, so it is not signed: `surelearn verify` says that this "
            f"differs: {wrong[0]}"
        )
    private = _private_key(key)
    entry = {
        "keyid": key_id(private.public_key()),
        "sig": base64.b64encode(private.sign(_signed_bytes(text, path))).decode("ascii"),
    }
    out = path.with_name(f"{path.name}.sig") if out is None else out
    content = {"payloadType": PAYLOAD_TYPE, "signatures": [entry]}
    _write_new(out, f"{json.dumps(content, indent=2)}\n".encode(), mode=0o644)
    return out


def check_signature(text: str, path: Path, *, signature: Path, public_key: Path) -> Finding:
    """Compare the signature of a certificate's text with a key that the reader trusts."""
    invalid, _, _ = _library()
    key = _public_key(public_key)
    signed = _signed_bytes(text, path)
    name, known = "it was signed with this key", key_id(key)
    for found in _signatures(signature):
        try:
            key.verify(found, signed)
        except invalid:
            continue
        return Finding(name, holds=True, evidence=f"key {known}")
    return Finding(name, holds=False, evidence=f"no signature in {signature.name} is by {known}")


def key_id(key: "ed25519.Ed25519PublicKey") -> str:
    """Return a short name of a public key: the start of the SHA-256 of its 32 bytes."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


def _library() -> tuple[Any, Any, Any]:
    """Return what of `cryptography` is used; this file alone imports it, and only when asked."""
    try:
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - an extra
        from cryptography.hazmat.primitives import serialization  # noqa: PLC0415
        from cryptography.hazmat.primitives.asymmetric import ed25519  # noqa: PLC0415
    except ImportError:
        raise TableError(
            "signatures need the package cryptography: pip install 'surelearn[sign]'"
        ) from None
    return InvalidSignature, serialization, ed25519


def _signed_bytes(text: str, path: Path) -> bytes:
    """Return what is signed: DSSE's encoding of the type and the canonical form."""
    try:
        body = canonical(json.loads(text))
    except ValueError as error:
        raise TableError(f"{path} has no canonical form to sign: {error}") from None
    kind = PAYLOAD_TYPE.encode("ascii")
    return b"DSSEv1 %d %s %d %s" % (len(kind), kind, len(body), body)


def _private_key(path: Path) -> "ed25519.Ed25519PrivateKey":
    _, serialization, kinds = _library()
    content = _read(path)
    try:
        found = serialization.load_pem_private_key(content, password=None)
    except TypeError:
        raise TableError(
            f"{path} is locked by a password: `openssl pkey -in {path} -out KEY` writes it open"
        ) from None
    except ValueError:
        raise TableError(
            f"{path} is no private key in PEM: `surelearn keygen KEY` makes one"
        ) from None
    except Exception as error:
        raise _foreign(path, error) from error
    if not isinstance(found, kinds.Ed25519PrivateKey):
        raise TableError(f"{path} is a key of another kind, and Ed25519 is needed")
    return found


def _public_key(path: Path) -> "ed25519.Ed25519PublicKey":
    _, serialization, kinds = _library()
    content = _read(path)
    if b"PRIVATE KEY" in content:
        raise TableError(f"{path} is a private key: give the public one, {path.name}.pub or so")
    try:
        found = serialization.load_pem_public_key(content)
    except ValueError:
        raise TableError(f"{path} is no public key in PEM: ask the signer for it") from None
    except Exception as error:
        raise _foreign(path, error) from error
    if not isinstance(found, kinds.Ed25519PublicKey):
        raise TableError(f"{path} is a key of another kind, and Ed25519 is needed")
    return found


def _foreign(path: Path, error: Exception) -> TableError:
    """Return the refusal of a key that the library for keys does not know."""
    return TableError(f"{path} is a key of a kind that is not known here: {str(error)[:200]}")


def _signatures(path: Path) -> list[bytes]:
    """Return the signatures of a file, a hundred at most."""
    content = _read(path)
    try:
        found: Any = json.loads(content)
        if found["payloadType"] != PAYLOAD_TYPE:
            raise ValueError  # noqa: TRY301 - of another kind, or none of any
        return [
            base64.b64decode(entry["sig"], validate=True) for entry in found["signatures"][:100]
        ]
    except (KeyError, RecursionError, TypeError, ValueError):
        raise TableError(
            f"{path} is no signature of a certificate: `surelearn sign` writes one"
        ) from None


def _read(path: Path) -> bytes:
    try:
        content = first_bytes(path, _LARGEST + 1)
    except FileNotFoundError:
        raise TableError(no_file(path)) from None
    except OSError as error:
        raise TableError(f"{path} cannot be read: {error.strerror}") from None
    if len(content) > _LARGEST:
        raise TableError(f"{path} has more than {_LARGEST:,} bytes: it is no key and no signature")
    return content


def _write_new(path: Path, content: bytes, *, mode: int) -> None:
    """Write a file that was not there, whole or not at all."""
    try:
        with adding(path, mode=mode) as file:
            file.write(content)
    except FileExistsError:
        raise TableError(f"{path} is there already, and is left as it is: give another") from None
    except OSError as error:
        raise TableError(f"{path} cannot be written: {error.strerror}") from None
