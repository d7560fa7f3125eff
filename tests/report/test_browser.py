"""The report in a real browser: Debian's Chromium through Playwright."""

import shutil

import numpy as np
import pytest

from surelearn.app.certify import certify_table
from surelearn.app.output import write_run
from surelearn.app.tables.read import read_table_file

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")

SCREENS = {"phone": 390, "small phone": 320, "desktop": 1280}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def write(folder, task):
    """Certify a table with long names and odd words, and return where its report is."""
    rng = np.random.default_rng(0)
    x, z = rng.normal(size=(2, 300))
    noise = rng.normal(size=300) / 3
    if task == "regression":
        y, learner = (x + z + noise).round(4), "CARTRegressor"
    else:
        y = np.where(x + z + noise > 0, "yes & <b>yes</b>", "no")
        learner = "CARTClassifier" if task == "tree" else "LogisticRegression"
    long = "a-column-with-a-name-that-is-longer-than-any-phone-is-wide-and-has-no-space-in-it"
    words = rng.choice(["red", "green", "blue"], size=300)
    rows = [f"{x[i]:.4f},{z[i]:.4f},{words[i]},{y[i]}" for i in range(300)]
    lines = [f"x,{long},colour,y", *rows]
    table = folder / "table.csv"
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file = read_table_file(table)
    run = certify_table(file, target="y", learners=[learner])
    write_run(run, file, folder / "out")
    return folder / "out" / "report.html"


@pytest.fixture(
    scope="module",
    params=["linear", "regression", pytest.param("tree", marks=pytest.mark.slow)],
)
def report(request, tmp_path_factory):
    return write(tmp_path_factory.mktemp(request.param), request.param)


@pytest.fixture(scope="module")
def opened(browser, report):
    """Open the report once; requests and complaints of the browser are collected."""
    page = browser.new_page()
    page.heard = []
    page.on("request", lambda request: page.heard.append(request.url))
    page.on("console", lambda message: page.heard.append(message.text))
    page.on("pageerror", lambda error: page.heard.append(str(error)))
    page.goto(report.as_uri())
    yield page
    page.close()


@pytest.fixture
def show(opened):
    """Show the report on a screen of a size, in a scheme of colours; it is asked for once."""

    def show_(width=1280, height=720, scheme="light"):
        opened.emulate_media(media="screen", color_scheme=scheme)
        opened.set_viewport_size({"width": width, "height": height})
        return opened

    return show_


def test_it_asks_for_nothing_but_itself(show, report):
    page = show()
    assert page.heard == [report.as_uri()]


@pytest.mark.parametrize("screen", SCREENS)
def test_the_page_fits_the_screen(show, screen):
    page = show(SCREENS[screen], 800)
    assert page.evaluate("document.documentElement.scrollWidth") <= SCREENS[screen]
    outside = page.evaluate(
        """width => [...document.querySelectorAll('header *, h2, h3, p, li, dt, dd, figcaption')]
        .filter(e => e.getBoundingClientRect().right > width + 1).map(e => e.textContent)""",
        SCREENS[screen],
    )
    assert outside == []


def test_the_number_is_the_largest_text_and_visible_at_once(show):
    page = show(390, 800)
    box = page.locator(".number").bounding_box()
    assert box["y"] + box["height"] < 400
    sizes = page.evaluate(
        """[...document.querySelectorAll('body *')].filter(e => !e.closest('svg')).map(
        e => [parseFloat(getComputedStyle(e).fontSize), e.className])"""
    )
    assert max(sizes)[1] == "number"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_words_can_be_told_from_their_ground(show, scheme):
    page = show(scheme=scheme)
    ratios = page.evaluate(
        """() => {
        const light = c => { const [r, g, b] = c.match(/[0-9.]+/g).map(v => v / 255).map(
            v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
        const ground = e => { for (; e; e = e.parentElement) {
            const c = getComputedStyle(e).backgroundColor;
            if (!c.endsWith(', 0)') && c !== 'transparent') return c; }
            return 'rgb(255,255,255)'; };
        return [...document.querySelectorAll('h1,h2,h3,p,td,th,dt,dd,li,span,summary,pre')]
            .filter(e => e.textContent.trim()).map(e => {
                const [a, b] = [getComputedStyle(e).color, ground(e)].map(light);
                return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05); }); }"""
    )
    assert min(ratios) >= 4.5  # what the Web Content Accessibility Guidelines ask for
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (dark == "rgb(20, 24, 29)") == (scheme == "dark")


def test_words_of_the_table_are_shown_as_they_are(show):
    page = show()
    assert page.locator("td b").count() == 0
    if "CARTClassifier" in page.title() or "LogisticRegression" in page.title():
        assert "yes & <b>yes</b>" in page.locator("body").inner_text()


def test_everything_is_on_paper_also_what_is_folded(show):
    page = show(scheme="dark")
    folded = page.locator("details table")
    assert not folded.is_visible()
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert folded.bounding_box()["height"] > 50
    assert page.pdf().startswith(b"%PDF")


def test_it_needs_no_script(browser, report):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("h2").count() >= 6
    assert page.locator("svg[role=img]").count() >= 2
    context.close()


def test_a_script_or_a_picture_that_somebody_adds_does_nothing(browser, report, tmp_path):
    evil = (
        "<script>document.title = 'evil'</script><img src='https://localhost:9/x.png'>"
        "<p style='color: red' onclick='document.title = 1' id='evil'>x</p>"
    )
    page_file = tmp_path / "report.html"
    text = report.read_text(encoding="utf-8")
    page_file.write_text(text.replace("</main>", f"{evil}</main>"), encoding="utf-8")
    page = browser.new_page()
    heard = []
    page.on("console", lambda message: heard.append(message.text))
    page.goto(page_file.as_uri())
    page.locator("#evil").click()
    assert page.title() not in {"evil", "1"}
    assert (
        page.evaluate("getComputedStyle(document.getElementById('evil')).color") != "rgb(255, 0, 0)"
    )
    assert sum("Content Security Policy" in message for message in heard) >= 3
    page.close()


def test_drawings_and_bars_are_seen(show):
    page = show()
    colours = page.evaluate(
        """() => [...document.querySelectorAll('svg path, svg rect')].map(e => {
        const s = getComputedStyle(e); return s.fill + s.stroke; })"""
    )
    assert len(set(colours)) >= 4
    for bar in page.locator("svg.bar rect").all():
        assert bar.bounding_box()["height"] > 5
