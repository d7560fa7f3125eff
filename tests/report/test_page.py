"""The page: one file that says everything, safely, without a network."""

import base64
import hashlib
import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from matplotlib.figure import Figure as Drawing

from surelearn.bounds import concentration, mistakes, sequences
from surelearn.certificate import Precondition, certify
from surelearn.report import (
    Candidate,
    ClassErrors,
    ColumnSummary,
    Figure,
    FoldChoice,
    ModelView,
    Report,
    render_html,
    svg,
)
from surelearn.report.recomputing import verifier

EVIL = "<script>alert('x')</script>&\"quote"
VOID_TAGS = {"meta", "br", "path", "use", "rect", "img", "hr", "line", "circle"}


def certified(errors=5, n=100, delta=0.05, **changes):
    guarantee = concentration.clopper_pearson(errors=errors, n=n, delta=delta)
    arguments = {"kind": "risk", "subject": "this model", "observed": errors / n, "n": n, **changes}
    return certify(guarantee, **arguments)


def full_report(word="word"):
    """Return a report in which every field holds a word."""
    drawing = Drawing(figsize=(2, 1))
    drawing.add_subplot().plot([0, 1], [1, 0])
    view = ModelView(word, note=word, text=word, header=(word, word), rows=((word, word),),
                     bars=(-0.5,), svg=svg(drawing, name="view"))  # fmt: skip
    halving = mistakes.halving(n_experts=8)
    own = certify(halving, kind="mistakes", subject=word, observed=2, n=9)
    return Report(
        title=word,
        certificate=certified(claim=f"{word} is at most 10.23%", subject=word),
        beforehand=word,
        training=certified(errors=9, claim=word, subject=word),
        others=(own,),
        facts={word: word},
        columns=(ColumnSummary(word, word, 0.25, word),),
        warnings=(word,),
        notes=(word,),
        choice=word,
        score_names=(word, word),
        candidates=(
            Candidate(word, (0.1, 0.01), chosen=True),
            Candidate(word, (float("nan"), float("nan")), note=word),
        ),
        folds=(FoldChoice(word, 0.1, 0.2),),
        classes=(ClassErrors(word, 100, 5, certified()),),
        joint=word,
        confusion=view,
        figures=(Figure(word, word, svg(drawing, name="figure")),) * 2,
        views=(view,),
        plan=word,
        reproduce={word: word},
    )


class Balance(HTMLParser):
    """Raises if a tag is closed that was not the last one opened."""

    def __init__(self):
        super().__init__()
        self.open = []

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        if tag not in VOID_TAGS:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID_TAGS:
            assert self.open.pop() == tag


def test_the_claim_stands_first_with_its_number_large():
    page = render_html(full_report())
    assert re.search(r'<p class="number"><span[^>]*>10.23%</span></p>', page)
    places = [
        page.index(part) for part in ("number", "is at most 10.23%", "Observed 5%", "<section")
    ]
    assert places[1:] == sorted(places[1:])


def test_every_section_is_there_in_order():
    titles = re.findall(r"<h2[^>]*>(.*?)</h2>", render_html(full_report("figure title")))
    assert titles == [
        "What it rests on",
        "figure title",
        "Errors by class",
        "How the model was chosen",
        "What the training rows alone prove",
        "figure title",
        "What the model looks like",
        "What the training run proves about itself",
        "The table",
        "How to do it again",
    ]


def test_a_section_without_content_is_left_out():
    page = render_html(Report(title="A model", certificate=certified()))
    assert re.findall(r"<h2[^>]*>(.*?)</h2>", page) == ["What it rests on"]
    assert '<ul class="warnings">' not in page


@pytest.mark.parametrize(
    "report",
    [full_report(), full_report(EVIL), Report(title="t", certificate=certified())],
    ids=["full", "evil", "bare"],
)
def test_tags_are_balanced(report):
    parser = Balance()
    parser.feed(render_html(report))
    assert parser.open == []


def test_words_of_the_table_are_never_markup():
    page = render_html(full_report(EVIL))
    assert page.count("<script") == page.count("</script") == 3  # the page's own data and script
    assert page.count("&lt;script&gt;") > 25


def test_nothing_is_fetched_and_nothing_runs():
    page = render_html(full_report())
    links = re.findall(r'(?:href|src)="([^"#][^"]*)"', page)
    assert links == []
    assert "<link" not in page
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)


def test_names_inside_drawings_do_not_meet():
    drawing = Drawing(figsize=(2, 1))
    drawing.add_subplot().plot([0, 1], [1, 0])
    page = svg(drawing, name="first") + svg(drawing, name="second")
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids)) > 0
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids)
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(ids)


def test_drawings_say_what_they_are():
    assert 'role="img" aria-label="word"' in render_html(full_report())


@pytest.mark.parametrize(
    ("certificate", "words"),
    [
        (certified(errors=1, n=1), ["vacuous certificate", 'class="vacuous"']),
        (
            certified(also=[Precondition("sky", "the sky is blue", "violated", "it rains")]),
            ["void certificate", "No guarantee: an assumption is violated", "the sky is blue"],
        ),
    ],
)
def test_a_certificate_that_says_nothing_says_so(certificate, words):
    page = render_html(Report(title="t", certificate=certificate))
    for part in words:
        assert part in page
    assert ('<p class="number"' in page) == (certificate.status == "vacuous")


def test_a_learner_that_could_not_be_tried_has_no_numbers():
    page = render_html(full_report())
    assert "<td>–</td><td>–</td><td>word</td>" in page


def test_what_would_have_been_chosen_elsewhere_is_shown():
    page = render_html(full_report())
    assert "<td>1</td><td>word</td><td>0.1</td><td>0.2</td>" in page
    bare = render_html(Report(title="t", certificate=certified(), choice="it was the only one"))
    assert "it was the only one" in bare
    assert "without each part" not in bare


def test_the_same_report_gives_the_same_page():
    assert render_html(full_report()) == render_html(full_report())


def policy_digest(text):
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def test_a_browser_may_use_the_style_and_the_script_of_the_page_and_nothing_else():
    drawing = Drawing(figsize=(2, 2))
    drawing.subplots().plot([0, 1], [0, 1])
    view = ModelView("v", header=("a",), rows=(("1",),), bars=(-0.5,), svg=svg(drawing, name="v"))
    page = render_html(Report(title="t", certificate=certified(), views=(view,)))
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)[1]
    style = re.search(r"<style>(.*?)</style>", page, flags=re.DOTALL)[1]
    script = re.search(r"<script>(.*?)</script>", page, flags=re.DOTALL)[1]
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{policy_digest(style)}'; "
        f"script-src 'sha256-{policy_digest(script)}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert page.index("Content-Security-Policy") < page.index("<style>")
    assert page.count("<style") == 1
    assert "style=" not in page
    assert 'stroke-linejoin="round"' in page


def embedded(page):
    """Return the certificates that a page carries for its script."""
    data = re.search(r'<script type="application/json" id="certificates">([^<]*)</script>', page)
    return json.loads(data[1])


@pytest.mark.parametrize("word", ["word", EVIL, "<!--<script>", "\u2028]]>", "https://x//y"])
def test_a_page_carries_every_certificate_as_it_is(word):
    report = full_report(word)
    page = render_html(report)
    classes = [found.certificate for found in report.classes]
    stated = [report.certificate, *classes, report.training, *report.others]
    assert embedded(page) == [json.loads(c.to_json()) for c in stated]
    carried = re.findall(r'<script type="application/json" id="\w+">(.*?)</script>', page)
    assert len(carried) == 2
    for data in carried:
        assert not set("<>&\u2028\u2029") & set(data)
        assert "//" not in data


def test_every_certificate_has_a_place_for_its_mark_that_is_unseen_without_scripts():
    page = render_html(full_report())
    marks = re.findall(r'<span class="recomputed" data-of="(\d)" hidden></span>', page)
    assert sorted(marks) == ["0", "1", "2", "3"]
    for number in marks:
        assert f'data-of="{number}" data-shows=' in page


def test_a_certificate_with_very_many_numbers_comes_without_them():
    losses = (np.arange(200_000) % 7 / 7).tolist()
    guarantee = sequences.betting_order_free(losses=losses, delta=0.05)
    certificate = certify(guarantee, kind="risk", subject="s", observed=3 / 7, n=len(losses))
    page = render_html(Report(title="t", certificate=certificate))
    assert len(page) < 100_000
    assert "inputs" not in embedded(page)[0]["reproduce"]


def test_nothing_in_the_script_ends_it_or_names_a_network():
    script = verifier()
    assert "</script" not in script
    assert "<!--" not in script
    assert "//" not in script
    for word in ("eval(", "fetch", "import", "XMLHttpRequest", "innerHTML"):
        assert word not in script
