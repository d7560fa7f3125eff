"""Signing certificates: who stands behind a file, and that nothing in it was changed."""

import base64
import json
import os
import pathlib
import signal
import stat
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa
from typer.testing import CliRunner

from surelearn.app.errors import TableError
from surelearn.app.signatures import check_signature, make_keys, sign_certificate
from surelearn.bounds import concentration
from surelearn.certificate import Precondition, certify
from surelearn.cli import app

run = CliRunner().invoke


def certified(**changes):
    guarantee = concentration.clopper_pearson(errors=5, n=100, delta=0.05)
    arguments = {"kind": "risk", "subject": "s", "observed": 0.05, "n": 100, **changes}
    return certify(guarantee, **arguments)


@pytest.fixture
def folder(tmp_path):
    make_keys(tmp_path / "key")
    (tmp_path / "certificate.json").write_text(certified().to_json(), encoding="utf-8")
    sign_certificate(tmp_path / "certificate.json", key=tmp_path / "key")
    return tmp_path


def found(folder, *, text=None, signature="certificate.json.sig", key="key.pub"):
    path = folder / "certificate.json"
    text = path.read_text("utf-8") if text is None else text
    return check_signature(text, path, signature=folder / signature, public_key=folder / key)


def test_a_signature_holds_however_the_file_is_written(folder):
    assert found(folder).holds
    text = (folder / "certificate.json").read_text("utf-8")
    again = json.dumps(dict(sorted(json.loads(text).items(), reverse=True)))
    assert again != text
    assert found(folder, text=again).holds


@pytest.mark.parametrize(("old", "new"), [("95%", "99%"), ('"n": 100', '"n": 101'), ("s", "z")])
def test_nothing_can_be_changed(folder, old, new):
    text = (folder / "certificate.json").read_text("utf-8")
    changed = text.replace(old, new, 1) if old != "s" else text.replace('"s"', '"z"', 1)
    assert changed != text
    assert not found(folder, text=changed).holds


def test_another_key_has_not_signed_it(folder):
    make_keys(folder / "other")
    finding = found(folder, key="other.pub")
    assert not finding.holds
    assert "certificate.json.sig" in finding.evidence


def test_what_is_signed_can_be_made_by_any_tool(folder):
    """The bytes, written out by hand: DSSE's encoding of the sorted JSON."""
    content = json.loads((folder / "certificate.json").read_text("utf-8"))
    content["trivial"] = 1  # the only number that Python writes otherwise
    body = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    kind = b"application/vnd.surelearn.certificate+json"
    signed = b" ".join([b"DSSEv1", b"%d" % len(kind), kind, b"%d" % len(body), body])
    key = serialization.load_pem_public_key((folder / "key.pub").read_bytes())
    stored = json.loads((folder / "certificate.json.sig").read_text("utf-8"))
    key.verify(base64.b64decode(stored["signatures"][0]["sig"]), signed)


def test_the_private_key_is_for_its_owner_alone(folder):
    assert stat.S_IMODE((folder / "key").stat().st_mode) == 0o600


def test_files_that_are_there_are_left_as_they_are(folder):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(TableError, match="there already"):
        make_keys(folder / "key")
    (folder / "new.pub").write_text("mine", encoding="utf-8")
    with pytest.raises(TableError, match=r"new\.pub is there already"):
        make_keys(folder / "new")
    with pytest.raises(TableError, match="there already"):
        sign_certificate(folder / "certificate.json", key=folder / "key")
    (folder / "new.pub").unlink()
    assert before == {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_certificate_that_differs_or_is_void_is_not_signed(folder):
    forged = folder / "forged.json"
    text = (folder / "certificate.json").read_text("utf-8")
    forged.write_text(text.replace(str(certified().bound), "0.06"), encoding="utf-8")
    with pytest.raises(TableError, match="must not be relied on"):
        sign_certificate(forged, key=folder / "key")
    broken = certified(also=[Precondition("dry", "it stayed dry", "violated", "it rained")])
    forged.write_text(broken.to_json(), encoding="utf-8")
    with pytest.raises(TableError, match="must not be relied on"):
        sign_certificate(forged, key=folder / "key")
    assert not (folder / "forged.json.sig").exists()


def test_an_audit_is_signed_too(folder):
    vectors = pathlib.Path(__file__).parents[2] / "docs/certificate-format/vectors.json"
    known = {v["name"]: v for v in json.loads(vectors.read_text("utf-8"))}
    path = folder / "audit.json"
    path.write_text(json.dumps(known["an audit"]["audit"]), encoding="utf-8")
    signature = sign_certificate(path, key=folder / "key")
    assert found(folder, text=path.read_text("utf-8"), signature=signature.name).holds
    forged = folder / "forged.json"
    content = known["an audit, a smaller bound"]["audit"]
    forged.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(TableError, match="must not be relied on"):
        sign_certificate(forged, key=folder / "key")


def pem(key, password=None):
    locked = (
        serialization.NoEncryption()
        if password is None
        else serialization.BestAvailableEncryption(password)
    )
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, locked)


BAD_KEYS = {
    "empty": (b"", "no private key in PEM"),
    "words": (b"hello", "no private key in PEM"),
    "binary": (bytes(range(256)), "no private key in PEM"),
    "torn": (pem(ed25519.Ed25519PrivateKey.generate())[:60], "no private key in PEM"),
    "locked": (pem(ed25519.Ed25519PrivateKey.generate(), b"secret"), "locked by a password"),
    "of another kind": (pem(rsa.generate_private_key(65537, 2048)), "Ed25519 is needed"),
    "huge": (b"x" * 100_000, "more than 65,536 bytes"),
}


@pytest.mark.parametrize("name", BAD_KEYS)
def test_a_bad_private_key_is_refused_in_a_sentence(folder, name):
    content, words = BAD_KEYS[name]
    (folder / "bad").write_bytes(content)
    with pytest.raises(TableError, match=words):
        sign_certificate(folder / "certificate.json", key=folder / "bad", out=folder / "new.sig")
    assert not (folder / "new.sig").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "no public key in PEM"),
        (b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n", "key"),
        (pem(ed25519.Ed25519PrivateKey.generate()), "is a private key"),
        (
            rsa.generate_private_key(65537, 2048)
            .public_key()
            .public_bytes(
                serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
            ),
            "Ed25519 is needed",
        ),
    ],
)
def test_a_bad_public_key_is_refused_in_a_sentence(folder, content, words):
    (folder / "bad").write_bytes(content)
    with pytest.raises(TableError, match=words):
        found(folder, key="bad")


KIND = '{"payloadType": "application/vnd.surelearn.certificate+json", "signatures": '


@pytest.mark.parametrize(
    "content",
    [
        *("", "{", "[]", "3", "null", '{"payloadType": "x", "signatures": []}', "[" * 60_000),
        *(f"{KIND}{entries}}}" for entries in ("3", "[3]", "[{}]", "null", '{"a": 1}', '"sig"')),
        *(f'{KIND}[{{"sig": {text}}}]}}' for text in ('"no base 64"', '"\\u00e9"', "3", "null")),
    ],
)
def test_a_file_that_is_no_signature_is_refused_in_a_sentence(folder, content):
    (folder / "bad.sig").write_text(content, encoding="utf-8")
    with pytest.raises(TableError, match="is no signature of a certificate"):
        found(folder, signature="bad.sig")


def test_an_empty_list_or_a_short_signature_holds_nothing(folder):
    kind = "application/vnd.surelearn.certificate+json"
    for entries in ([], [{"sig": ""}], [{"sig": "AAAA"}], [{"sig": "A" * 88}]):
        content = {"payloadType": kind, "signatures": entries}
        (folder / "bad.sig").write_text(json.dumps(content), encoding="utf-8")
        assert not found(folder, signature="bad.sig").holds


def test_files_that_are_not_there_are_named(folder):
    for arguments in ({"signature": "none"}, {"key": "none"}):
        with pytest.raises(TableError, match="there is no file"):
            found(folder, **arguments)
    with pytest.raises(TableError, match="cannot be written"):
        make_keys(folder / "no folder" / "key")


def test_without_the_extra_a_sentence_says_what_to_install(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography.exceptions", None)
    with pytest.raises(TableError, match=r"pip install 'surelearn\[sign\]'"):
        make_keys(folder / "another")
    assert not (folder / "another").exists()


def test_the_shell_signs_and_verifies(tmp_path):
    path = tmp_path / "certificate.json"
    path.write_text(certified().to_json(), encoding="utf-8")
    key, signature = str(tmp_path / "key"), f"{path}.sig"
    assert run(app, ["keygen", key]).exit_code == 0
    assert run(app, ["keygen", key]).exit_code == 2
    signed = run(app, ["sign", str(path), "--key", key])
    assert signed.exit_code == 0
    trusted = ["--signature", signature, "--public-key", f"{key}.pub"]
    fine = run(app, ["verify", str(path), *trusted], env={"COLUMNS": "200"})
    assert fine.exit_code == 0
    assert "holds    it was signed with this key" in fine.output
    half = run(app, ["verify", str(path), "--signature", signature])
    assert half.exit_code == 2
    assert "--public-key" in half.output
    run(app, ["keygen", f"{key}2"])
    other = ["--signature", signature, "--public-key", f"{key}2.pub"]
    wrong = run(app, ["verify", str(path), *other], env={"COLUMNS": "200"})
    assert wrong.exit_code == 1
    assert "differs  it was signed with this key" in wrong.output
    bad = run(app, ["sign", str(path), "--key", f"{key}.pub"])
    assert bad.exit_code == 2
    assert "Traceback" not in bad.output


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
@pytest.mark.parametrize("at", [0, 1])
def test_a_stopped_keygen_leaves_no_half_of_a_pair(tmp_path, monkeypatch, stop, at):
    sync, seen = os.fsync, []

    def stopped(place):
        seen.append(place)
        if len(seen) == at + 1:
            raise stop
        sync(place)

    monkeypatch.setattr("os.fsync", stopped)
    with pytest.raises((KeyboardInterrupt, TableError)):
        make_keys(tmp_path / "key")
    assert not list(tmp_path.iterdir())
    make_keys(tmp_path / "key")
    assert (tmp_path / "key").stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {"key", "key.pub"}


@pytest.mark.parametrize("at", [1, 2])
def test_a_ctrl_c_at_the_moment_a_key_has_its_name_leaves_no_half_of_a_pair(
    tmp_path, monkeypatch, at
):
    link, seen = os.link, []

    def stopped(*places):
        link(*places)
        seen.append(places)
        if len(seen) == at:
            raise KeyboardInterrupt

    monkeypatch.setattr("os.link", stopped)
    with pytest.raises(KeyboardInterrupt):
        make_keys(tmp_path / "key")
    assert not list(tmp_path.iterdir())


def test_a_killed_sign_leaves_no_half_signature(folder):
    (folder / "certificate.json.sig").unlink()
    stops = "import os, signal; os.fsync = lambda _: os.kill(os.getpid(), signal.SIGKILL)\n"
    signs = "from surelearn.app.signatures import sign_certificate as sign\n"
    runs = "from pathlib import Path; sign(Path('certificate.json'), key=Path('key'))"
    command = [sys.executable, "-c", stops + signs + runs]
    done = subprocess.run(command, cwd=folder, check=False)  # noqa: S603
    assert done.returncode == -signal.SIGKILL
    sign_certificate(folder / "certificate.json", key=folder / "key")
    assert found(folder).holds
    assert len(list(folder.iterdir())) == 4


@pytest.mark.parametrize("name", [".", "", "loop", "loop/in"])
def test_odd_names_for_a_key_or_a_signature_end_in_a_sentence(folder, monkeypatch, name):
    monkeypatch.chdir(folder)
    (folder / "loop").symlink_to("loop")
    done = run(app, ["keygen", name])
    assert done.exit_code == 2, done.exception
    done = run(app, ["sign", "certificate.json", "--key", "key", "--out", name])
    assert done.exit_code == 2, done.exception


def test_a_pipe_that_nobody_writes_to_is_not_waited_for(folder, monkeypatch):
    monkeypatch.setattr("surelearn.app.tables.sources._PATIENCE", 0.01)
    monkeypatch.chdir(folder)
    os.mkfifo("pipe")
    (folder / "answers.csv").write_text("t,p\n1,1\n0,0\n", encoding="utf-8")
    signed = ["verify", "certificate.json", "--signature"]
    for command in (
        ["sign", "certificate.json", "--key", "pipe", "--out", "s"],
        [*signed, "pipe", "--public-key", "key.pub"],
        [*signed, "certificate.json.sig", "--public-key", "pipe"],
        ["audit", "answers.csv", "--truth", "t", "--prediction", "p", "--plan", "pipe"],
    ):
        done = run(app, command)
        assert done.exit_code == 2, done.output
        assert "nobody has written to it" in done.stderr
