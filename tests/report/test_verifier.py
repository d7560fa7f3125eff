"""The verifier in JavaScript and the one in Python, over the vectors they share."""

import hashlib
import json
import pathlib
import random
import subprocess
from fractions import Fraction
from html.parser import HTMLParser
from math import comb

import numpy as np
import pyarrow as pa
import pytest

from contracts.node import NODE, SCRIPT, needs_node, run_node, said_by_script
from surelearn import Holdout, Perceptron
from surelearn._wording import confidence, outward, percent_outward, printable
from surelearn.app.audit import audit_table
from surelearn.app.auditing.bundle import bundle_of, from_json, is_bundle, to_json
from surelearn.app.certify import certify_table
from surelearn.app.ledger import NoLedger
from surelearn.app.tables.read import TableFile
from surelearn.app.telling.audit_report import make_audit_report
from surelearn.app.telling.report import make_report
from surelearn.app.verify import verify_audit, verify_certificate
from surelearn.bounds import concentration, holdout
from surelearn.certificate import Certificate, certify
from surelearn.certificate._canonical import canonical
from surelearn.certificate._several import digest_of_lines
from surelearn.claims import known, parse
from surelearn.evaluate import audit
from surelearn.evaluate.ledger import forget
from surelearn.report import ClassErrors, Report, render_html, render_json

ROOT = pathlib.Path(__file__).parents[2]
VECTORS = json.loads((ROOT / "docs/certificate-format/vectors.json").read_text("utf-8"))


def text_of(vector):
    return vector.get("text") or json.dumps(vector.get("audit") or vector["certificate"])


def said_by_python(text):
    try:
        if is_bundle(text):
            findings = verify_audit(from_json(text))
        else:
            findings = verify_certificate(Certificate.from_json(text))
    except ValueError:
        return "unreadable"
    return "holds" if all(f.holds for f in findings) else "refused"


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_python_says_of_every_vector_what_it_must(vector):
    assert said_by_python(text_of(vector)) == vector["python"]


@needs_node
def test_the_script_says_of_every_vector_what_it_must():
    found = said_by_script([text_of(vector) for vector in VECTORS])
    expected = {vector["name"]: vector["script"] for vector in VECTORS}
    states = [one["state"] for one in found]
    assert dict(zip(expected, states, strict=True)) == expected


@needs_node
def test_the_page_of_every_honest_vector_says_the_same():
    """What a page shows is compared with its certificate: no honest one may be refused for it."""
    honest = [v for v in VECTORS if "certificate" in v and v["script"] in {"recomputed", "beyond"}]
    pages, expected = [], []
    for vector in honest:
        try:
            certificate = Certificate.from_json(text_of(vector))
        except ValueError:  # of a theorem that nobody knows
            continue
        pages.append(render_html(Report(title="t", certificate=certificate)))
        expected.append(vector["script"])
    assert {*expected} == {"recomputed", "beyond"}
    assert [one["state"] for one in said_by_script(pages)] == expected


def test_there_are_vectors_of_every_sort():
    assert {v["script"] for v in VECTORS} == {
        *("recomputed", "refused", "beyond", "void", "unreadable"),
    }
    methods = {
        v["certificate"]["method"]
        for v in VECTORS
        if v["script"] == "recomputed" and "certificate" in v
    }
    methods |= {
        o["certificate"]["method"]
        for v in VECTORS
        for o in v.get("audit", {}).get("outcomes", [])
        if o["certificate"] and o["certificate"]["method"] == "targets.in_order"
    }
    assert all(f'"{method}"' in SCRIPT.read_text("utf-8") for method in methods)
    table = SCRIPT.read_text("utf-8").partition("const BINOMIAL = {")[2].partition("\n};")[0]
    assert table.count('  "') == len(methods)  # each theorem of the script has a vector


def random_certificates(seed, count):
    """Return honest certificates of counts of any size, at levels of any size."""
    draw = random.Random(seed)  # noqa: S311 - a test
    for _ in range(count):
        n = int(10 ** draw.uniform(0, draw.choice([1, 3, 5, 7])))
        errors = draw.choice([0, n, n - 1, n // 2, draw.randint(0, n), min(n, 3)])
        counts = {"errors": errors, "n": n, "delta": draw.choice([0.05, 0.4, 1e-9, 1e-80])}
        guarantee = draw.choice(
            [
                lambda counts: concentration.clopper_pearson(**counts),
                lambda counts: concentration.clopper_pearson_lower(**counts),
                lambda counts: holdout.family(**counts, n_models=50),
                lambda counts: holdout.transcripts(**counts, n_queries=40),
            ]
        )(counts)
        yield certify(guarantee, kind="risk", subject="s", observed=errors / n, n=n)


@needs_node
def test_honest_bounds_are_recomputed_and_bounds_in_favour_of_the_model_refused():
    honest = [json.loads(c.to_json()) for c in random_certificates(0, 150)]
    forged = [
        {**c, "bound": c["bound"] * (1 + 1e-7 if c["direction"] == "lower" else 1 - 1e-7)}
        for c in honest
        if c["status"] == "valid"
    ]
    found = said_by_script([json.dumps(c) for c in [*honest, *forged]])
    states = [one["state"] for one in found]
    large = [c["reproduce"]["inputs"]["errors"] > 10**6 for c in honest]
    assert all(
        state == "recomputed" or (state == "beyond" and many)
        for state, many in zip(states, large, strict=False)
    )
    assert states.count("recomputed") > 130
    assert len(forged) > 80
    assert set(states[len(honest) :]) == {"refused"}


def tail_at_most(errors, n, p):
    return sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(errors + 1))


@needs_node
def test_the_tail_of_the_script_is_that_of_the_binomial_law():
    draw = random.Random(1)  # noqa: S311 - a test
    cases = []
    for _ in range(300):
        n = draw.randint(1, 40)
        errors, p = draw.randint(0, n), draw.choice([draw.random(), draw.random() ** 9, 1.0, 0.0])
        exact = tail_at_most(errors, n, Fraction(p))
        level = draw.choice([float(exact) * draw.uniform(0.999, 1.001), draw.random()])
        if 0.0 < level < 1.0 and abs(exact / Fraction(level) - 1) > 1e-12:
            cases.append((n, errors, p, level, exact <= Fraction(level)))
    assert len(cases) > 200
    program = (
        "const answer = given.map(([n, k, p, d]) => [false, true].map((exceeds) => "
        "v.tailIs(n, k, v.exact(p), v.exact(d), exceeds)))"
    )
    for (*_, below), found in zip(cases, run_node(program, cases), strict=True):
        assert found == [below, not below]


@needs_node
def test_numbers_are_printed_as_python_prints_them():
    draw = random.Random(2)  # noqa: S311 - a test
    values = [0.0, 1.0, 0.05, 0.1, 1e-7, 99.995, 117.0, 12345.6, 1e7, 0.999999, 2 / 3, 1e-300]
    values += [draw.random() ** draw.choice([1, 5, 40]) for _ in range(300)]
    values += [-value for value in values if value]
    program = (
        "const answer = given.map((x) => ['upper', 'lower'].flatMap((side) => "
        "[v.percent(x, side), v.outward(x, side)]).concat(0 < x && x < 1 ? [v.confidence(x)] : []))"
    )
    for value, found in zip(values, run_node(program, values), strict=True):
        shown = [f(value, side) for side in ("upper", "lower") for f in (percent_outward, outward)]
        assert found == shown + ([confidence(value)] if 0.0 < value < 1.0 else [])


@needs_node
def test_the_command_reads_certificates_and_reports_and_tells_forged_ones(tmp_path):
    certificate = certify(
        concentration.clopper_pearson(errors=5, n=100, delta=0.05),
        kind="risk", subject="s", observed=0.05, n=100,
    )  # fmt: skip
    report = Report(title="t", certificate=certificate)
    for name, text in {
        "certificate.json": certificate.to_json(),
        "report.json": render_json(report),
        "report.html": render_html(report),
        "forged.json": certificate.to_json().replace(str(certificate.bound), "0.05"),
        "forged.html": render_html(report).replace('data-shows="bound">10', 'data-shows="bound">5'),
        "none.json": "{",
    }.items():
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*names):
        paths = [str(tmp_path / name) for name in names]
        return subprocess.run(  # noqa: S603 - our own script
            [NODE, str(SCRIPT), *paths], capture_output=True, text=True, check=False
        )

    good = run("certificate.json", "report.json", "report.html")
    assert good.returncode == 0
    assert good.stdout.count("recomputed here") == 3
    assert good.stdout.count(f"\n    {certificate.claim}\n") == 3  # a page may show another one
    bad = run("certificate.json", "forged.json")
    assert bad.returncode == 1
    assert "refused: the numbers do not give this bound" in bad.stdout
    assert run("forged.html").returncode == 1
    for names in (("none.json",), ("absent.json",), ()):
        failed = run(*names)
        assert failed.returncode == 2
        assert "Error" not in failed.stderr


class Shown(HTMLParser):
    """Collects what a page shows to its script: its data, places of marks, texts beside them."""

    def __init__(self):
        super().__init__()
        self.data, self.marks, self.shown, self.here = {}, [], [], None
        self.inside = False

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.inside = named.get("class") in {"premise", "option"}  # a part of the text around it
        if self.inside:
            return
        if named.get("class") == "recomputed":
            self.marks.append(named["data-of"])
        self.here = named["id"] if tag == "script" and "id" in named else None
        if "data-shows" in named:
            self.here = [named["data-of"], named["data-shows"], ""]
            self.shown.append(self.here)

    def handle_data(self, data):
        if isinstance(self.here, str):
            self.data[self.here] = self.data.get(self.here, "") + data
        elif isinstance(self.here, list):
            self.here[2] += data

    def handle_endtag(self, tag):  # noqa: ARG002
        self.here = self.here if self.inside else None
        self.inside = False


def marks_of(page):
    """Return what the script writes beside each claim of a page."""
    seen = Shown()
    seen.feed(page)
    program = """
    const marks = given.marks.map((of) => ({dataset: {of}, classList: new Set(), hidden: true}));
    const shown = given.shown.map(
      ([of, shows, textContent]) => ({dataset: {of, shows}, textContent}));
    v.markPage({
      getElementById: (id) => (id in given.data ? {textContent: given.data[id]} : null),
      querySelectorAll: (which) => (which === ".recomputed" ? marks : shown),
    });
    const answer = marks.map((mark) => [mark.hidden, [...mark.classList][0], mark.textContent])
    """
    return run_node(program, {"data": seen.data, "marks": seen.marks, "shown": seen.shown})


def page_of_two():
    return render_html(report_of_two())


def report_of_two():
    whole = certify(
        concentration.clopper_pearson(errors=5, n=2000, delta=0.05),
        kind="risk", subject="s", observed=5 / 2000, n=2000,
    )  # fmt: skip
    of_class = certify(
        holdout.class_conditional(errors=4, n_in_class=1500, delta=0.05),
        kind="risk", subject="s", observed=4 / 1500, n=1500, reproduce={"class": "yes"},
    )  # fmt: skip
    classes = (ClassErrors("yes", 1500, 4, of_class),)
    return Report(title="t", certificate=whole, classes=classes)


@needs_node
def test_a_page_marks_every_claim():
    fine = [False, "recomputed", "recomputed here"]
    assert marks_of(page_of_two()) == [fine, fine]


@needs_node
def test_a_page_of_a_bound_that_says_nothing_is_recomputed_too():
    guarantee = concentration.clopper_pearson(errors=1, n=1, delta=0.05)
    vacuous = certify(guarantee, kind="risk", subject="s", observed=1.0, n=1)
    page = render_html(Report(title="t", certificate=vacuous))
    assert "vacuous: it is 100.00%" in page
    assert [mark[1] for mark in marks_of(page)] == ["recomputed"]
    assert marks_of(page.replace("it is 100.00%", "it is 90.00%"))[0][1] == "refused"


@needs_node
@pytest.mark.parametrize(
    ("old", "new", "refused"),
    [
        ('data-shows="bound">0.53%', 'data-shows="bound">0.13%', 0),
        ("is at most 0.53%.</p>", "is at most 0.13%.</p>", 0),
        ("Observed 0.25% on 2,000", "Observed 0.2% on 2,000", 0),
        ("Observed 0.25% on 2,000", "Observed 0.25% on 9,000", 0),
        ('data-shows="errors">4<', 'data-shows="errors">0<', 1),
        ('data-shows="n">1,500<', 'data-shows="n">9,500<', 1),
        ('"bound":0.0052', '"bound":0.0042', 0),
        ('"errors":4', '"errors":3', 1),
        ("With confidence 95%", "With confidence 99%", 0),
        ('data-of="1" data-shows="bound"', 'data-of="1" data-shows="nothing"', 1),
        ('data-shows="observed">0.27%', 'data-shows="observed">0.17%', 1),
        ('data-shows="class">yes', 'data-shows="class">no', 1),
    ],
)
def test_a_page_that_was_changed_in_one_place_is_refused_there(old, new, refused):
    page = page_of_two()
    assert old in page
    changed = page.replace(old, new, 1)
    marks = marks_of(changed)
    assert marks[refused][1] == "refused"
    assert marks[refused][2].startswith("refused: the ")
    found = [one["state"] for one in said_by_script([page, changed])]
    assert found == ["recomputed", "refused"]  # Node says what a browser does


@needs_node
@pytest.mark.parametrize("change", [{"label": "no"}, {"n": 9500}, {"errors": 0}])
def test_a_twin_that_says_something_else_of_a_class_is_refused(change):
    content = json.loads(render_json(report_of_two()))
    assert said_by_script([json.dumps(content)])[0]["state"] == "recomputed"
    content["classes"][0].update(change)
    assert said_by_script([json.dumps(content)])[0]["state"] == "refused"


@needs_node
def test_a_claim_that_is_not_recomputed_is_shown_as_it_is_stated():
    guarantee = concentration.hoeffding(mean=-0.25, n=2000, delta=0.05, low=-1.0, high=1.0)
    beyond = certify(guarantee, kind="value", subject="s", observed=-0.25, n=2000)
    page = render_html(Report(title="t", certificate=beyond))
    assert said_by_script([page])[0]["state"] == "beyond"
    shown = page.partition('data-shows="bound">')[2].partition("<")[0]
    assert shown.startswith("-0.")
    forged = page.replace(f'data-shows="bound">{shown}', 'data-shows="bound">-0.99')
    assert said_by_script([forged])[0]["state"] == "refused"


def test_nothing_in_the_script_ends_it_or_opens_a_comment():
    text = SCRIPT.read_text("utf-8").lower()
    assert not any(sign in text for sign in ("</script", "<script", "<!--"))


@needs_node
def test_a_page_without_its_data_is_refused_everywhere():
    page = page_of_two().replace('id="certificates"', 'id="other"')
    assert [mark[1] for mark in marks_of(page)] == ["refused", "refused"]


@pytest.fixture(scope="module")
def audited():
    """Return the page of an audit, and its JSON twin."""
    truth = [1] * 60 + [0] * 140
    answers = [1] * 55 + [0] * 140 + [1] * 5
    file = TableFile.of_table(pa.table({"truth": truth, "answer": answers}))
    run = audit_table(file, truth="truth", prediction="answer", ledger=NoLedger())
    report = make_audit_report(run)
    return render_html(report), render_json(report)


def data_in(page, name):
    """Return the data that a page carries under a name, as its text has them."""
    return page.partition(f'id="{name}">')[2].partition("</script>")[0]


def torn(page, change):
    """Return a page whose certificates and claims were changed, and written as they were."""
    certificates, claims = (json.loads(data_in(page, n)) for n in ("certificates", "claims"))
    change(certificates, claims)
    for name, content in (("certificates", certificates), ("claims", claims)):
        text = json.dumps(content, separators=(",", ":")).replace("/", "\\/")
        text = text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
        page = page.replace(data_in(page, name), text)
    return page


@needs_node
def test_a_page_of_an_audit_tells_that_all_claims_are_there(audited):
    page, twin = audited
    assert torn(page, lambda *_: None) == page  # so that what is torn below is torn by its change
    marks = marks_of(page)
    *each, together = sorted(marks, key=lambda mark: mark[2].startswith("all"))
    assert {mark[1] for mark in each} == {"recomputed", "beyond"}
    stated = json.loads(twin)["reproduce"]["claims"].rpartition(" ")[2]
    assert together == [False, "recomputed", f"all 8 claims are here; SHA-256 over them {stated}"]


@needs_node
def test_a_label_that_is_a_number_is_not_taken_out_of_a_bound():
    same = [1] * 74 + [0] * 140
    file = TableFile.of_table(pa.table({"truth": same, "answer": same}))
    run = audit_table(file, truth="truth", prediction="answer", ledger=NoLedger())
    page = render_html(make_audit_report(run))
    assert "its F1 score for 1 is at least 96.19%" in page
    assert "refused" not in {mark[1] for mark in marks_of(page)}


def take_out(certificates, claims):
    del certificates[-1], claims["lines"][-1]


def take_out_and_hash(certificates, claims):
    take_out(certificates, claims)
    names = ("target", "verdict", "advice", "sha256")
    claims["sha256"] = digest_of_lines([[one[k] for k in names] for one in claims["lines"]])


def change_an_assumption(certificates, claims):  # noqa: ARG001 - its hash stays
    certificates[-1]["preconditions"][0]["evidence"] = "seen"


def change_the_hash(certificates, claims):  # noqa: ARG001 - they stay
    claims["sha256"] = "0" * 64


@needs_node
@pytest.mark.parametrize(
    "change", [take_out, take_out_and_hash, change_an_assumption, change_the_hash]
)
def test_a_page_from_which_a_claim_was_taken_or_changed_is_refused_everywhere(audited, change):
    marks = marks_of(torn(audited[0], change))
    assert {mark[1] for mark in marks} == {"refused"}


@needs_node
def test_a_page_that_hides_a_claim_which_it_carries_is_refused(audited):
    page, _ = audited
    start = page[: page.index(">F1 score</span></td>")].rindex("<tr>")
    hidden = page[:start] + page[page.index("</tr>", start) + 5 :]
    assert {mark[1] for mark in marks_of(hidden)} == {"refused"}


SWAPPED = {
    "audited": [
        (">Sensitivity<", ">Accuracy<"),
        (">Sensitivity:<", ">Accuracy:<"),
        (">observed</th>", ">certified</th>"),
        (">What these rows prove<", ">What all rows prove<"),
        ('data-shows="side">≥ <', 'data-shows="side">≤ <'),
        ("valid certificate", "checked certificate"),
        (">assumed, not checked<", ">checked<"),
        (">no row was used to make the model", ">no row was looked at, nor was the model"),
        ('<span data-of="claims" data-shows="title">F1', "<span>F1"),
        ('<span data-of="claims" data-shows="title">F1', '<span hidden data-of="claims">F1'),
        ("<section><h2", "<!-- <section><h2"),
        (' on 200 examples."', ' on 200 countries."'),
        (
            ">All of them hold together with confidence 95%",
            ">All of them hold together with confidence 99%",
        ),
        ('data-shows="cell">', 'data-shows="cell">1'),
        (">answered ", ">answered or not "),
    ],
    "beside": [
        (">Specificity<", ">Sensitivity<"),
        (">What else these rows prove<", ">What these rows prove<"),
        (">Errors by class<", ">Right by class<"),
        (">error rate</th>", ">certified: at most</th>"),
        (">Worst class: ", ">Best class: "),
        (">What it rests on<", ">What was proved<"),
        (">If these 120 rows are independent draws", ">Whatever these 120 rows are"),
        (">Clopper and Pearson, ", ">Euclid, "),
        (">wrong on at most<", ">right on at most<"),
        (
            ">All of this holds together with confidence 95%",
            ">All of this holds together with confidence 99%",
        ),
        (">by at least ", ">by at least 1"),
        (">Without a model<", ">With a model<"),
        (
            ">The rates of all classes hold together",
            ">The rates of all classes hold always together",
        ),
        ('data-shows="cell">', 'data-shows="cell">1'),
        ('data-shows="beforehand">', 'data-shows="beforehand">Never wrong. '),
    ],
}
"""What stands in a page, and what a forger may put in its place."""


ALL_SWAPPED = [(kind, *pair) for kind, pairs in SWAPPED.items() for pair in pairs]


@pytest.fixture(scope="module")
def said_of_swapped(audited, beside):
    """Return what the script says of each page in which something was put, asked together."""
    pages, changed = {"audited": audited[0], "beside": beside[0]}, []
    for kind, *texts in ALL_SWAPPED:
        body, data, rest = pages[kind].partition('<script type="application/json"')
        old, new = (text.rstrip('"') for text in texts)
        assert old in body
        changed.append(body.replace(old, new, 1) + data + rest)
    *found, honest, too = [one["state"] for one in said_by_script([*changed, *pages.values()])]
    assert [honest, too] == ["recomputed", "recomputed"]  # the control
    return dict(zip(ALL_SWAPPED, found, strict=True))


@needs_node
@pytest.mark.parametrize(("kind", "old", "new"), ALL_SWAPPED)
def test_a_page_whose_titles_headings_or_units_were_changed_is_refused(
    kind, old, new, said_of_swapped
):
    """Only numbers and claims were compared: a page could call a sensitivity an accuracy."""
    assert said_of_swapped[kind, old, new] == "refused"


@needs_node
@pytest.mark.parametrize("odd", [None, 3, "x", [], {}, {"reproduce": {"class": "a", "inputs": 1}}])
def test_a_page_with_something_odd_among_its_certificates_is_refused(odd):
    changed = torn_of_two(lambda certificates: certificates.append(odd))
    assert not any(hidden for hidden, *_ in marks_of(changed))  # in a browser the others are marked
    assert said_by_script([changed])[0]["state"] == "refused"


def torn_of_two(change):
    page = page_of_two()
    certificates = json.loads(data_in(page, "certificates"))
    change(certificates)
    return page.replace(data_in(page, "certificates"), json.dumps(certificates))


@needs_node
@pytest.mark.parametrize("kind", SWAPPED)
def test_counts_and_levels_beside_certificates_must_be_theirs(kind, request):
    """Also where page and data were changed alike: the certificates have the counts and deltas."""
    page, twin = request.getfixturevalue(kind)
    texts, told = [], json.loads(data_in(page, "told"))
    for change in ({"joint": told["joint"].replace("95%", "99%")}, {"confusion": _one_less(told)}):
        content = json.loads(twin) | change
        texts += [
            json.dumps(content),
            page.replace(data_in(page, "told"), json.dumps(told | change)),
        ]
    assert {one["state"] for one in said_by_script(texts)} == {"refused"}


def _one_less(told):
    rows = [list(row) for row in told["confusion"]["rows"]]
    rows[0][1:3] = [str(int(rows[0][1]) + 1), str(int(rows[0][2]) - 1)]
    return told["confusion"] | {"rows": rows}


@needs_node
def test_rows_of_a_page_that_change_places_are_refused(audited, beside):
    for page, first, second in (
        (audited[0], ">Sensitivity<", ">Specificity<"),
        (beside[0], ">Sensitivity<", ">Specificity<"),
    ):
        swapped = page.replace(first, ">?<", 1).replace(second, first, 1).replace(">?<", second, 1)
        assert said_by_script([swapped])[0]["state"] == "refused"


@needs_node
def test_a_twin_whose_claims_have_other_titles_is_refused(audited):
    content = json.loads(audited[1])
    content["claimed"][1]["title"] = "Accuracy"
    assert said_by_script([json.dumps(content)])[0]["state"] == "refused"


@needs_node
def test_a_twin_of_an_earlier_version_may_have_the_titles_of_then():
    x = np.random.default_rng(0).normal(size=200)
    columns = {"truth": x, "said": x + np.tile([0.1, -0.2], 100)}
    forget()
    run = audit_table(TableFile.of_table(pa.table(columns)), truth="truth", prediction="said")
    now = render_json(make_audit_report(run))
    title = "Absolute error in 90% of cases"
    assert title in now
    texts = [now.replace(title, other) for other in ("Size of 90% of the errors", "Size of all")]
    assert [one["state"] for one in said_by_script(texts)] == ["recomputed", "refused"]


@needs_node
def test_a_twin_of_an_earlier_version_may_say_that_its_claims_hold_on_the_same_conditions(beside):
    now = "under the same conditions"
    assert now in beside[1]
    then, other = (beside[1].replace(now, words) for words in ("on the same conditions", "always"))
    assert [one["state"] for one in said_by_script([then, other])] == ["recomputed", "refused"]


@needs_node
def test_the_script_knows_the_title_of_every_claim():
    claims = {name: one.title for name, one in known().items()}
    given = [
        "error-quantile(alpha=0.2)", "scaled-error-quantile(alpha=0.05)", "group-error(group=a=b)",
        "calibration-error(bins=4)", "calibration-error(bins=1)", "beyond(tolerance=2)",
        "cost(miss=10, false_alarm=1)",
    ]  # fmt: skip
    claims = {**claims, **{str(one): one.full_title for one in map(parse, given)}}
    assert claims["group-error(group=a=b)"] == "Error rate of the group a=b"
    del claims["error-quantile"], claims["scaled-error-quantile"]  # without their share
    assert run_node("const answer = given.map(v.titleOf)", [*claims]) == [*claims.values()]


ROWS = {
    "y": [0, 1] * 60, "said": [0, 1] * 50 + [1, 0] * 10, "ward": ["a", "b", "b"] * 40,
    "sure": [0.5, 0.9, 0.95] * 40, "kind": ["x", "y", "z"] * 40, "called": ["x", "y", "x"] * 40,
    "size": [float(i) for i in range(120)], "guess": [i + 0.25 * (i % 7) for i in range(120)],
    "naive": [60.0] * 120, "width": [1.0, 2.0] * 60, "ok": [True] * 110 + [False] * 10,
    "low": [0.0] * 120, "high": [110.0] * 120,
}  # fmt: skip
SAID = [
    (
        {"truth": "y", "prediction": "said", "group": "ward", "confidence": "sure"},
        ["accuracy", "error", "f1", "npv", "ppv", "prevalence", "prevalence-at-most"],
    ),
    (
        {"truth": "y", "prediction": "said", "group": "ward", "confidence": "sure"},
        ["worst-group", "group-error(group=b)", "selective-risk(threshold=0.9)", "specificity"],
    ),
    ({"truth": "kind", "prediction": "called"}, ["worst-class"]),
    (
        {"truth": "size", "prediction": "guess", "baseline": "naive", "width": "width"},
        [
            "beyond(tolerance=1.25)",
            "error-quantile(alpha=0.2)",
            "closer-than-baseline",
            "scaled-error-quantile(alpha=0.1)",
        ],
    ),
    ({"passed": "ok"}, ["pass-rate"]),
    ({"truth": "size", "low": "low", "high": "high"}, ["coverage"]),
    ({"truth": "y", "prediction": "said"}, ["accuracy>=0.7", "sensitivity>=0.99"]),
]
"""Columns of an audit, and claims of binomial theorems."""


@needs_node
@pytest.mark.parametrize(("columns", "claims"), SAID)
def test_pages_and_files_of_audits_of_every_binomial_claim_are_recomputed(columns, claims):
    file = TableFile.of_table(pa.table(ROWS))
    run = audit_table(file, **columns, claims=claims, ledger=NoLedger())
    report = make_audit_report(run)
    file = to_json(bundle_of(run.audit.outcomes, run.audit.delta))
    texts = [file, render_html(report), render_json(report)]
    program = "const answer = given.map((t) => v.verifyAll(v.readText(t)).map((o) => o.state))"
    assert {state for found in run_node(program, texts) for state in found} == {"recomputed"}


@needs_node
def test_a_page_of_clusters_counts_clusters():
    """It said "Observed 1% on 50 examples" of 200 rows in 50 clusters."""
    rows = {"y": ROWS["y"], "said": ROWS["said"], "home": [f"h{i // 4}" for i in range(120)]}
    roles = {"truth": "y", "prediction": "said", "cluster": "home"}
    forget()
    page = render_html(make_audit_report(audit_table(TableFile.of_table(pa.table(rows)), **roles)))
    assert "on 30 clusters." in page
    states = [
        one["state"] for one in said_by_script([page, page.replace("30 clusters.", "30 rows.")])
    ]
    assert states == ["beyond", "refused"]


@needs_node
def test_a_twin_of_a_report_from_which_a_claim_was_taken_is_refused(audited):
    content = json.loads(audited[1])
    assert said_by_script([json.dumps(content)])[0]["state"] == "recomputed"
    del content["claimed"][2]
    assert said_by_script([json.dumps(content)])[0]["state"] == "refused"


@needs_node
@pytest.mark.parametrize("positive", [1, 2, 5])
def test_a_label_that_is_a_digit_of_a_bound_is_no_reason_to_refuse_it(positive):
    """A bound of 28.12% beside the label 1 was taken for the end of the sentence."""
    texts = []
    for n_found in range(20):
        file = TableFile.of_table(
            pa.table(
                {"y": [0, positive] * 20, "p": [0, positive] * n_found + [0, 0] * (20 - n_found)}
            )
        )
        named = {"truth": "y", "prediction": "p", "positive": str(positive)}
        found = audit_table(file, **named, ledger=NoLedger(), claims=["sensitivity", "npv"]).audit
        texts.append(to_json(bundle_of(found.outcomes, found.delta)))
    assert {said["state"] for said in said_by_script(texts)} == {"recomputed"}


@needs_node
@pytest.mark.parametrize("more", [" It never errs.", "9 It never errs.", "5"])
def test_words_behind_a_sentence_are_refused_also_behind_a_digit(more):
    file = TableFile.of_table(pa.table({"y": [0, 1] * 20, "p": [0, 1] * 20}))
    named = {"truth": "y", "prediction": "p"}
    found = audit_table(file, **named, ledger=NoLedger(), claims=["accuracy"]).audit
    content = json.loads(to_json(bundle_of(found.outcomes, found.delta)))
    assert said_by_script([json.dumps(content)])[0]["state"] == "recomputed"
    content["outcomes"][0]["certificate"]["claim"] += more
    assert said_by_script([json.dumps(content)])[0]["state"] == "refused"


@needs_node
def test_only_claims_about_a_table_leave_out_rows_without_a_target():
    X, y = np.eye(40), np.arange(40) % 2
    forget()
    issued = Holdout(X, y).certify(Perceptron(max_iter=1).fit(2.0 * X, y))
    content = json.loads(issued.to_json())
    assert said_by_python(json.dumps(content)) == "holds"
    content["claim"] += " Rows whose target is missing are not meant."
    assert said_by_python(json.dumps(content)) == "refused"
    assert said_by_script([json.dumps(content)])[0]["state"] == "refused"


SHOWN_IN_PART = [
    {"truth": [0] * 40, "said": [0] * 39 + [1], "ward": ["a"] * 40},
    {"truth": [0, 1] * 20, "said": [0] * 40, "ward": ["a"] * 40},
    {"truth": ["x"] * 40, "said": ["x"] * 38 + ["z", "w"], "ward": ["a"] * 40},
]
"""Answers that show fewer claims than their columns let expect."""


@needs_node
@pytest.mark.parametrize("columns", SHOWN_IN_PART)
def test_claims_that_rows_cannot_show_keep_their_share_for_both_verifiers(columns, monkeypatch):
    def text_of_audit():
        file = TableFile.of_table(pa.table(columns))
        named = {"truth": "truth", "prediction": "said", "group": "ward"}
        found = audit_table(file, **named, ledger=NoLedger()).audit
        return to_json(bundle_of(found.outcomes, found.delta)), len(found.outcomes)

    honest, n_shown = text_of_audit()
    choose = audit.choose
    monkeypatch.setattr(
        audit, "choose", lambda *rows, **how: choose(*rows, **how)._replace(n_claims=n_shown)
    )
    greedy, _ = text_of_audit()
    assert [said_by_python(text) for text in (honest, greedy)] == ["holds", "refused"]
    first, second = said_by_script([honest, greedy])
    assert first["state"] != "refused"
    assert second["state"] == "refused"


@pytest.fixture(scope="module")
def beside():
    """Return the page and the twin of a report with claims beside the certificate of a table."""
    rng = np.random.default_rng(0)
    y = rng.random(600) < 0.3
    table = pa.table({"x": rng.normal(size=600) + 2.5 * y, "y": np.where(y, "yes", "no")})
    file = TableFile.of_table(table)
    forget()
    run = certify_table(file, target="y", learners=["MixedNaiveBayes"])
    report = make_report(run, file)
    assert len(report.claimed) > 5
    return render_html(report), render_json(report)


@needs_node
@pytest.mark.parametrize("what", ["card", "words", "formula", "reference"])
def test_what_a_page_shows_of_a_certificate_cannot_lose_its_mark(beside, what):
    page, mark = beside[0], f'" data-shows="{what}"'
    start = page.index(mark)
    before = page[:start].rpartition(' data-of="')[0]
    bare = before + page[start + len(mark) :]
    assert {one["state"] for one in said_by_script([page])} <= {"recomputed", "beyond"}
    assert said_by_script([bare])[0]["state"] == "refused"


@needs_node
@pytest.mark.parametrize("group", [">=65", "x)<=0.3"])
def test_a_sign_in_the_name_of_a_group_makes_no_target(group):
    columns = {"truth": [0, 1] * 60, "said": [0, 1] * 55 + [1, 0] * 5, "age": [group, "b"] * 60}
    named = {"truth": "truth", "prediction": "said", "group": "age"}
    claim, texts = f"group-error(group={group})", []
    for asked in ([claim, "error"], [f"{claim}<=0.4", "error<=0.1", "accuracy"], [claim]):
        forget()
        found = audit_table(TableFile.of_table(pa.table(columns)), **named, claims=asked).audit
        texts.append(to_json(bundle_of(found.outcomes, found.delta)))
    forged = texts[1].replace('"not proved"', '"proved"')
    assert forged != texts[1]
    states = [one["state"] for one in said_by_script([*texts, forged])]
    assert states == [*["recomputed"] * 3, "refused"]


@needs_node
def test_claims_beside_a_certificate_are_verified_together(beside):
    page, twin = beside
    for text in (page, twin):
        assert said_by_script([text])[0]["state"] == "recomputed"
    assert "refused" not in {mark[1] for mark in marks_of(page)}
    content = json.loads(twin)
    del content["claimed"][3]
    assert said_by_script([json.dumps(content)])[0]["state"] == "refused"


@needs_node
def test_the_canonical_form_and_its_hash_are_those_of_python():
    texts = ["", "abc", "é€😀" * 40, "a" * 55, "b" * 56, "c" * 64, "d" * 119, "e" * 1000]
    assert run_node("const answer = given.map(v.sha256)", texts) == [
        hashlib.sha256(text.encode()).hexdigest() for text in texts
    ]
    values = [{"b": [1.0, 1e-7, 0.1, True, None], "a": {"é": "x\n"}, "😀": 1e21, "\ufb33": -0.5}]
    assert run_node("const answer = given.map(v.canonical)", values) == [
        canonical(value).decode() for value in values
    ]


@needs_node
def test_signs_that_cannot_be_seen_are_written_out_as_in_python():
    texts = ["a\x1b[2J b", "c\u202ed", "e\tf\u2028g", "h\U0001f600 \u200d i", "é\x9f\U000e0001"]
    assert run_node("const answer = given.map(v.printable)", texts) == [
        printable(text) for text in texts
    ]


@needs_node
@pytest.mark.parametrize("options", [{"group": "school"}, {}], ids=["groups", "copies"])
def test_a_page_of_groups_or_of_copies_is_not_refused(options):
    rng = np.random.default_rng(0)
    a, school = rng.normal(size=600).round(1), np.repeat(np.arange(150), 4)
    y = np.where(a + rng.normal(size=600) > 0.0, "yes", "no")
    table = pa.table({"a": a, "school": [f"S{s:03}" for s in school], "y": y})
    table = table if options else pa.concat_tables([table, table.slice(0, 300)])
    file = TableFile.of_table(table)
    run = certify_table(file, target="y", learners=["MixedNaiveBayes"], **options)
    report = make_report(run, file)
    assert report.classes[0].n > report.classes[0].certificate.n
    page, twin = render_html(report), render_json(report)
    assert "refused" not in {mark[1] for mark in marks_of(page)}
    known = "beyond" if options else "recomputed"  # of the copies of a row one is counted
    assert {one["state"] for one in said_by_script([page, twin])} == {known}
    changed = page.replace('data-shows="cell">', 'data-shows="cell">1', 1)
    assert said_by_script([changed])[0]["state"] == "refused"


@needs_node
def test_what_is_true_of_distinct_rows_is_not_said_of_rows():
    X = np.random.default_rng(0).normal(size=(100, 1))
    rows, labels = np.repeat(X, 2, axis=0), np.repeat(X[:, 0] > 0.3, 2)
    train_x, train_y, held_out = Holdout.split(rows, labels, seed=0)
    certificate = held_out.certify(Perceptron(max_iter=2).fit(train_x, train_y))
    text, told = certificate.to_json(), ", where copies of a row count as one"
    assert told in text
    forged = text.replace(told, " from the same law")
    assert [one["state"] for one in said_by_script([text, forged])] == ["recomputed", "refused"]


@needs_node
@pytest.mark.parametrize("lacking", ['data-shows="standing"', ' id="told"'])
def test_a_page_of_an_earlier_version_is_neither_accused_nor_passed(tmp_path, lacking):
    place = tmp_path / "report.html"
    place.write_text(page_of_two().replace(lacking, ""), encoding="utf-8")
    ended = subprocess.run(  # noqa: S603 - our own script
        [NODE, SCRIPT, place], capture_output=True, text=True, check=False, timeout=60
    )
    assert ended.returncode == 1
    assert "not compared: pages of earlier versions" in ended.stdout
    assert "refused" not in ended.stdout
