"""The canonical form of a certificate: the bytes that are signed."""

import json
import math
import random
import struct

import pytest

from surelearn.certificate._canonical import canonical, number

# The examples of RFC 8785, appendix B: bits of a double, and how it is written.
OF_THE_STANDARD = {
    "0000000000000000": "0",
    "8000000000000000": "0",
    "0000000000000001": "5e-324",
    "8000000000000001": "-5e-324",
    "7fefffffffffffff": "1.7976931348623157e+308",
    "4340000000000000": "9007199254740992",
    "c340000000000000": "-9007199254740992",
    "4430000000000000": "295147905179352830000",
    "44b52d02c7e14af5": "9.999999999999997e+22",
    "44b52d02c7e14af6": "1e+23",
    "44b52d02c7e14af7": "1.0000000000000001e+23",
    "444b1ae4d6e2ef4e": "999999999999999700000",
    "444b1ae4d6e2ef4f": "999999999999999900000",
    "444b1ae4d6e2ef50": "1e+21",
    "3eb0c6f7a0b5ed8c": "9.999999999999997e-7",
    "3eb0c6f7a0b5ed8d": "0.000001",
    "41b3de4355555553": "333333333.3333332",
    "41b3de4355555557": "333333333.33333343",
    "becbf647612f3696": "-0.0000033333333333333333",
    "43143ff3c1cb0959": "1424953923781206.2",
}


@pytest.mark.parametrize("bits", OF_THE_STANDARD)
def test_numbers_are_written_as_the_standard_says(bits):
    value = struct.unpack(">d", bytes.fromhex(bits))[0]
    assert number(value) == OF_THE_STANDARD[bits]


def test_names_are_sorted_by_units_of_utf_16():
    # The standard's example: a sign beyond the first plane sorts before U+FB33.
    table = dict.fromkeys(["€", "\r", "\ufb33", "1", "😀", "\x80", "ö"], 0)
    assert list(json.loads(canonical(table))) == ["\r", "1", "\x80", "ö", "€", "😀", "\ufb33"]


def test_texts_are_escaped_no_more_than_they_must_be():
    text = '\u20ac$\x0f\nA\'B"\\\\"/'
    assert canonical(text) == '"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"'.encode()


def test_the_same_content_has_the_same_bytes_however_it_was_written():
    first = '{"b": [1.0, 2], "a": {"y": null, "x": true}}'
    second = '{"a":{"x":true,"y":null},\n"b":[1,2.0]}'
    assert canonical(json.loads(first)) == canonical(json.loads(second))
    assert canonical(json.loads(first)) == b'{"a":{"x":true,"y":null},"b":[1,2]}'


def test_a_number_read_again_is_the_same():
    draw = random.Random(0)  # noqa: S311 - a test
    for _ in range(2000):
        value = struct.unpack(">d", draw.randbytes(8))[0]
        if math.isfinite(value):
            assert float(number(value)) == value


@pytest.mark.parametrize("value", [math.nan, math.inf, 2**53 + 1, "\ud800", {"\udc00": 1}])
def test_what_readers_differ_on_is_refused(value):
    with pytest.raises(ValueError, match="it holds"):
        canonical({"value": value})
