"""`surelearn certify` and `surelearn verify` of a folder: growth over rows, and memory.

The table is a folder of names of one Parquet file of a million rows; so most of its rows are
copies, which stand together and count as one. Each command runs in a process of its own. Of a row
held out some bytes stay in memory, so a smaller share is held out of more rows: as many as of a
million at most, if `--held` is left as it is.

    python benchmarks/scale/bench_certify.py --rows 100000 1000000 10000000
"""

import argparse
import json
import os
import pathlib
import sys
import tempfile
import time

from _measuring import Children, heading, in_its_own_process, memory, write

COLUMNS = {"label": "number", "number": "label"}


def measure(folder, learner, target, holdout, workers):
    """Certify and verify once, and print what it took."""
    from typer.testing import CliRunner  # noqa: PLC0415 - the asking process need not know it

    from surelearn.cli import app  # noqa: PLC0415

    out = str(pathlib.Path(folder) / "out")
    data = str(pathlib.Path(folder) / "*.parquet")
    more = ["--workers", workers] if int(workers) else []
    asked = ["--target", target, "--drop", COLUMNS[target], "--learner", learner]
    commands = {
        "certify": ["certify", data, *asked, "--holdout", holdout, "--out", out, *more],
        "verify": [
            *("verify", f"{out}/certificate.json", "--model", f"{out}/model.surelearn"),
            *("--data", data, *more),
        ],
    }
    told = {}
    with Children() as children:
        for name, words in commands.items():
            start, before = time.perf_counter(), children.cpu_so_far()
            run = CliRunner().invoke(app, words)
            if run.exit_code:
                sys.exit(f"Error: {name} ended with {run.exit_code}: {run.output[-300:]}")
            told[name] = time.perf_counter() - start
            time.sleep(0.3)
            told[f"{name} cpu"] = children.cpu_so_far() - before
        told |= {"peak": memory()[1], "worker": children.largest}
    certificate = json.loads(pathlib.Path(out, "certificate.json").read_text("utf-8"))
    print(json.dumps({**told, "status": certificate["status"], "bound": certificate["bound"]}))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000, 10_000_000])
    parser.add_argument("--learner", default="RidgeRegression")
    parser.add_argument("--target", default="number", choices=COLUMNS)
    parser.add_argument("--held", type=int, default=200_000, help="rows held out, at most")
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument("--measure", nargs=5, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(*options.measure)
        return
    print(f"{options.learner}: {heading('surelearn', 'numpy', 'pyarrow')}\n")
    print("| rows | held out | certified, s (CPU) | verified, s (CPU) | peak, MB | a worker's |")
    print("|---|---|---|---|---|---|")
    for n_rows in options.rows:
        with tempfile.TemporaryDirectory() as name:
            os.environ["SURELEARN_STATE"] = str(pathlib.Path(name) / "state")
            table = pathlib.Path(name) / "table"
            table.mkdir()
            write(table, n_rows)
            share = min(0.2, options.held / n_rows)
            words = (table, options.learner, options.target, share, options.workers)
            t = in_its_own_process(__file__, "--measure", *words)
            if "error" in t:
                print(f"| {n_rows:,} | {t['error']} |", flush=True)
                continue
            print(
                f"| {n_rows:,} | {share:.2%} | {t['certify']:.1f} ({t['certify cpu']:.1f}) | "
                f"{t['verify']:.1f} ({t['verify cpu']:.1f}) | {t['peak']:.0f} | "
                f"{t['worker']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
