"""The certificate format as others may implement it: schema, canonical form, signature."""

import copy
import json
import pathlib

import jsonschema
import pytest

from contracts.node import needs_node, run_node
from surelearn.app.signatures import check_signature
from surelearn.certificate._canonical import canonical

FORMAT = pathlib.Path(__file__).parents[2] / "docs/certificate-format"
SCHEMA = json.loads((FORMAT / "certificate.schema.json").read_text("utf-8"))
SIGNED = json.loads((FORMAT / "signature.json").read_text("utf-8"))
HONEST = [
    vector["certificate"]
    for vector in json.loads((FORMAT / "vectors.json").read_text("utf-8"))
    if "certificate" in vector and (vector["python"] == "holds" or vector["script"] == "void")
]
OLD = sorted(pathlib.Path(__file__).parents[1].glob("fixtures/format_1/**/*certificate*.json"))
check = jsonschema.Draft202012Validator(SCHEMA)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_honest_vectors_fit_the_schema():
    assert len(HONEST) > 25
    for content in HONEST:
        check.validate(content)


def test_certificates_of_the_first_format_fit_the_schema():
    assert OLD
    for path in OLD:
        content = json.loads(path.read_text("utf-8"))
        assert content["schema"] == 1
        check.validate(content)


def without(content, name):
    return {key: value for key, value in content.items() if key != name}


@pytest.mark.parametrize("name", HONEST[0])
def test_no_field_can_be_left_out(name):
    assert not check.is_valid(without(HONEST[0], name))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("schema", 4), ("status", "fine"), ("bound", "0.1"), ("bound", "nan"), ("n", -1)],
        *[("n", 1.5), ("delta", None), ("delta", 0), ("delta", 1), ("validity", "quoted")],
        *[("method", "clopper_pearson"), ("preconditions", []), ("direction", "both")],
        *[("family", {}), ("reproduce", {}), ("more", 1), ("claim", "x" * 10_001)],
    ],
)
def test_what_is_no_certificate_does_not_fit(name, value):
    assert not check.is_valid({**HONEST[0], name: value})


@pytest.mark.parametrize("change", ["violated", "no key", "more", "a number"])
def test_preconditions_are_held_to_the_schema(change):
    content = copy.deepcopy(HONEST[0])
    first = content["preconditions"][0]
    if change == "no key":
        del first["key"]
    else:
        changes = {"violated": ("status", "violated"), "more": ("x", 1), "a number": ("name", 3)}
        first.update([changes[change]])
    assert not check.is_valid(content)


@needs_node
def test_the_canonical_form_is_that_of_another_language():
    program = """
    const canonical = (x) => Array.isArray(x) ? `[${x.map(canonical)}]`
      : x !== null && typeof x === "object"
        ? `{${Object.keys(x).sort().map((k) => `${JSON.stringify(k)}:${canonical(x[k])}`)}}`
        : JSON.stringify(x);
    const answer = given.map(canonical)
    """
    odd = {"\U0001f600": 1e21, "\ufb33": [1e-7, 5e-324, 123456789.125, -0.0], "é\n\u2028": None}
    cases = [*HONEST, odd]
    assert run_node(program, cases) == [canonical(case).decode("utf-8") for case in cases]


def test_the_signature_of_the_vector_is_checked(tmp_path):
    assert canonical(SIGNED["certificate"]).decode("utf-8") == SIGNED["canonical"]
    (tmp_path / "key").write_text(SIGNED["public_key"], encoding="ascii")
    (tmp_path / "sig").write_text(json.dumps(SIGNED["signature"]), encoding="ascii")
    files = {"signature": tmp_path / "sig", "public_key": tmp_path / "key"}
    for content, holds in ((SIGNED["certificate"], True), (HONEST[1], False)):
        assert check_signature(json.dumps(content), tmp_path, **files).holds is holds


@needs_node
def test_another_library_takes_the_signature_of_the_vector():
    program = """
    const body = Buffer.from(given.canonical, "utf8");
    const kind = given.signature.payloadType;
    const head = Buffer.from(`DSSEv1 ${kind.length} ${kind} ${body.length} `);
    const signed = Buffer.concat([head, body]);
    const sig = Buffer.from(given.signature.signatures[0].sig, "base64");
    const crypto = require("crypto");
    const answer = [crypto.verify(null, signed, given.public_key, sig),
      crypto.verify(null, body, given.public_key, sig)]
    """
    assert run_node(program, SIGNED) == [True, False]
