"""What stands beside the headline of a report is true, and written as people write it."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa

from surelearn.app.certify import certify_table
from surelearn.app.tables.read import TableFile, read_table_file
from surelearn.app.telling.beside import plan_of
from surelearn.app.telling.cards import cards_of
from surelearn.app.telling.report import make_report
from surelearn.bounds import find
from surelearn.report import render_html


def certified(columns, learner, **options):
    file = TableFile(Path("made.csv"), pa.table(columns), (), "0" * 64)
    return file, certify_table(file, target="y", learners=[learner], **options)


def with_copies(n=400):
    """Return a table in which a few rows repeat others, so that losses are means over copies."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=n).round(3)
    y = np.where(x + rng.normal(size=n) > 0, "yes", "no")
    x[-20:], y[-20:] = x[:20], y[:20]
    return {"x": x, "y": y}


def prices(spread, n=600):
    """Return a table of prices; the spread of each may depend on its row."""
    rng = np.random.default_rng(0)
    x, z = rng.uniform(1, 9, size=(2, n)).round(4)
    return {"x": x, "z": z, "y": (20_000 * x + spread(x) * rng.normal(size=n)).round(1)}


def test_the_rows_that_halve_the_gap_are_counted_by_the_theorem_of_the_certificate():
    columns = with_copies()
    pairs = [f"pair {i // 2}" for i in range(len(columns["y"]))]
    _, run = certified({**columns, "pair": pairs}, "LogisticRegression", group="pair")
    c, told = run.certificate, plan_of(run)
    assert c.method == "sequences.betting_order_free"
    n = int(re.search(r"about ([\d,]+) groups", told)[1].replace(",", ""))
    losses = np.resize(c.reproduce["inputs"]["losses"], n)
    bound = find(c.method)(losses=losses, delta=c.delta).bound
    assert n > 2 * c.n
    assert abs((bound - c.observed) / (c.bound - c.observed) - 0.5) < 0.05


def test_where_rows_have_copies_distinct_ones_are_planned():
    _, run = certified(with_copies(), "LogisticRegression")
    n = run.certificate.reproduce["n_to_halve_slack"]
    assert plan_of(run).startswith(f"With {n:,} distinct rows held out")
    assert f"With {n} distinct rows held out" in str(run.certificate)


def test_prices_are_written_without_powers_of_ten():
    file, run = certified(prices(lambda x: 2000 * x), "CARTRegressor")
    page = re.sub(
        r"<(style|svg|script).*?</\1>", "", render_html(make_report(run, file)), flags=re.DOTALL
    )
    assert re.findall(r"\de\+?\d", re.sub(r"[0-9a-f]{40,}", "", page)) == []


def test_widths_of_an_interval_hold_for_the_shares_of_rows_that_are_told():
    _, run = certified(prices(lambda x: np.where(x > 5, 9000.0, 100.0)), "CARTRegressor")
    card = next(card for card in cards_of(run) if card.label == "An interval for each row")
    reach = run.intervals.n_widths * run.model.predict_width(run.problem.held_out.X)
    half, most = (float(word[1:]) for word in (card.value, card.note.split()[9]))
    assert np.mean(reach <= half) >= 0.5
    assert np.mean(reach <= most) >= 0.9


def test_an_interval_that_is_the_same_for_every_row_says_so_and_is_not_drawn():
    rng = np.random.default_rng(0)
    rare = (rng.permutation(600) < 12).astype(float)  # of too few rows for a leaf of its own
    columns = {"rare": rare, "y": (5 * rare + rng.normal(size=600)).round(4)}
    file, run = certified(columns, "RidgeRegression", copies="independent")
    assert run.model.width_learner_.n_leaves_ == 1
    card = next(card for card in cards_of(run) if card.label == "An interval for each row")
    assert card.note.startswith("for every row alike")
    assert "An interval for each row" not in [f.title for f in make_report(run, file).figures]


def test_dates_in_words_are_called_dates(tmp_path):
    x = np.random.default_rng(0).normal(size=200).round(4).tolist()
    rows = [f"2020/{1 + i % 12:02}/{1 + i % 28:02},{v},{'ab'[v > 0]}" for i, v in enumerate(x)]
    (tmp_path / "t.csv").write_text("\n".join(["day,x,y", *rows]) + "\n", encoding="utf-8")
    file = read_table_file(tmp_path / "t.csv")
    run = certify_table(file, target="y", learners=["C45Classifier"])
    assert make_report(run, file).columns[0].kind.startswith("dates, ")
