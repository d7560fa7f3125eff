"""Formulas of the documentation are typeset as they were written, and nothing spoils them."""

import ast
import pathlib
import re
import xml.etree.ElementTree as ET

import markdown
import pytest

import formula_check
import formulas
import gallery
from mathml import FormulaError, to_mathml

DOCS = pathlib.Path(__file__).parent.parent / "docs"
PAGES = {
    **{path.relative_to(DOCS).as_posix(): path.read_text() for path in DOCS.rglob("*.md")},
    **{f"gallery/{example.name}.md": example.page for example in gallery.read_examples()},
    gallery.INDEX: gallery.fill((DOCS / gallery.INDEX).read_text(), gallery.read_examples()),
}


def shown(text):
    """What Markdown makes of a page."""
    extensions = ["tables", "attr_list", "toc", formulas._extension()]
    return markdown.markdown(text, extensions=extensions)


def letters(mathml):
    """All that a reader sees of a formula, in order."""
    return "".join(ET.fromstring(f"<p>{mathml}</p>").itertext())  # noqa: S314 - our own


@pytest.mark.parametrize("page", sorted(PAGES))
def test_a_page_has_its_mathematics_in_formulas_that_can_be_typeset(page):
    assert list(formula_check.faults(PAGES[page])) == []


@pytest.mark.parametrize(
    ("formula", "seen"),
    [
        ("E R ≤ 2R^*(1−R^*)", "ER≤2R*(1−R*)"),
        ("⟨∇f(w), w−w^*⟩ ≥ f(w) − f(w^*)", "⟨∇f(w),w−w*⟩≥f(w)−f(w*)"),
        (r"\sum_{t=1}^{T} ℓ_t", "∑t=1Tℓt"),
        (r"\frac{\ln(1/\delta)}{2n}", "ln(1/δ)2n"),
        ("√(ln(2/δ)/(2n))", "ln(2/δ)/(2n)"),
        ("a < b", "a<b"),
        (r"\mathbb{E}[X | \text{the past}]", "𝔼[X∣the\u00a0past]"),
        (r"\left(\frac{a}{b}\right]", "(ab]"),
        (r"\begin{cases} 1 & x > 0 \\ 0 & \text{else} \end{cases}", "{1x>00else"),
        ("1,000 + .05", "1,000+.05"),
    ],
)
def test_a_formula_shows_all_that_was_written(formula, seen):
    assert letters(to_mathml(formula)) == seen


@pytest.mark.parametrize(
    ("unicode", "latex"),
    [
        ("δ ≤ √(x)", r"\delta \le \sqrt{x}"),
        ("x₁² − ŷ", r"x_{1}^{2} - \hat{y}"),
        ("Σ_t Π_i a_{t,i}", r"\sum_t \prod_i a_{t,i}"),
        ("Xᵀ A⁻¹", "X^{T} A^{−1}"),
        ("‖w‖ ⟨a, b⟩ ⌈x⌉", r"\|w\| \langle a, b\rangle \lceil x\rceil"),
        ("ln max_i x_i", r"\ln \max_i x_i"),
    ],
)
def test_symbols_and_commands_mean_the_same(unicode, latex):
    assert to_mathml(unicode) == to_mathml(latex)


def test_words_keep_the_spaces_around_them():
    seen = letters(to_mathml(r"P(\text{only} k \text{wrong} ≤ \text{one})"))
    assert seen == "P(only\u00a0k\u00a0wrong≤one)"


def test_a_long_formula_in_a_line_can_be_broken_before_a_relation_outside_of_brackets():
    long = "P(X ≤ t) + P(Y ≤ t) ≤ a + b + c + d = e + f"
    assert letters(to_mathml(long)) == long.replace(" ", "")
    assert to_mathml(long).count("<wbr/>") == 2
    assert "<wbr/>" not in to_mathml("P(X ≤ t) ≤ δ")
    assert to_mathml("a(b + c)d(e − f)g + h(i + j)").count("<wbr/>") == 1
    assert "<wbr/>" not in to_mathml(long, display=True)


def test_the_limits_of_a_sum_go_below_and_above_and_scripts_beside():
    assert "<munderover><mo>∑</mo>" in to_mathml("∑_{t=1}^T x")
    assert "<msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup>" in to_mathml("x_1^2")


@pytest.mark.parametrize(
    ("formula", "reason"),
    [
        (r"\foo x", r"\\foo is not known"),
        ("a_{b", "'}' is missing"),
        ("a}", "closes nothing"),
        ("(a + b", "brackets do not match"),
        ("a) + (b", "brackets do not match"),
        ("2R*(1 − R*)", "A product is ·, a star is"),
        ("x^2^3", "two superscripts"),
        ("T_(j)", "belongs into braces"),
        ("sup{p : p ≤ 1}", r"is written \\\{ or"),
        ("bound ≤ 1", r"\\text\{bound\}"),
        ("a & b", "closes nothing"),
        (r"\begin{aligned} a", "ends where more is expected"),
        (r"\begin{aligned} a \end{cases}", r"\\end\{aligned\} is missing"),
        ("x_", "ends where more is expected"),
        (" ", "it is empty"),
        ("a ☃ é", "not a mathematical symbol"),
        ("√ln(1/δ)", "a root over 'ln' alone"),
        ("D√Σ‖g‖²", "a root over '∑' alone"),
        (r"\sqrt2 + √‖ℓ‖₂", "a root over '‖' alone"),
        ("2^−d", "'−' belongs into braces"),
        ("ln(eu) ≤ au − ln", "what 'ln' is of stands outside"),
        ("· A = P(x > 0)", "belongs outside"),
    ],
)
def test_a_formula_that_is_not_understood_is_refused_with_a_sentence(formula, reason):
    with pytest.raises(FormulaError, match=rf"cannot be typeset: .*{reason}"):
        to_mathml(formula)


def test_a_minus_before_a_number_stands_close_to_it_and_one_between_two_does_not():
    sign, between = '<mo form="prefix">−</mo>', "<mo>−</mo>"
    for formula in ("σ(−z)", "[−B, B]", "x ≥ −1", r"\{−1, 1\}", "max(−τr, 1)", "(a, −b)"):
        assert sign in to_mathml(formula)
        assert between not in to_mathml(formula)
    for formula in ("a − b", "(a−b)", "f(x) − 1", "|x| − 1", "x² − 1"):
        assert between in to_mathml(formula)


def test_markdown_does_not_look_into_formulas():
    source = "$w^*_{t,k} + v^*$ *and* $a_b c_d < e |x|$"
    html = shown(f"| one | two |\n|---|---|\n| {source} | 2 |\n")
    assert to_mathml("w^*_{t,k} + v^*") in html
    assert to_mathml("a_b c_d < e |x|") in html
    assert html.count("<td>") == 2
    assert html.count("<em>") == 1


def test_a_stop_or_bracket_stays_on_the_line_of_its_formula():
    n = to_mathml("n")
    assert shown("The ($n$), or the $n$-th.") == (
        f'<p>The <span class="whole">({n}),</span> or the <span class="whole">{n}-th.</span></p>'
    )
    assert shown("[$n$](a.md) and $n$ rows") == f'<p><a href="a.md">{n}</a> and {n} rows</p>'
    first, *_, last = to_mathml("a + b + c + d + e + f = g").split("<wbr/>")
    html = shown("$a + b + c + d + e + f = g$.")
    assert html.startswith(f'<p><span><span class="whole">{first}</span><wbr/>')
    assert html.endswith(f'<wbr/><span class="whole">{last}.</span></span></p>')


def test_code_keeps_its_dollars_and_a_dollar_can_be_meant():
    assert shown(r"`$x$` costs \$5") == "<p><code>$x$</code> costs &#36;5</p>"


def test_a_formula_on_its_own_line_can_scroll():
    assert shown("$$x ≤ y$$").startswith('<p><span class="formula"><math display="block">')


@pytest.mark.parametrize(
    "text",
    [
        "E R ≤ 2R*(1−R*)",
        "then w* is best, and v* too",
        "the regret p_{t,k} is small",
        "with n = 100 rows",
        "a confidence of 1 − δ",
        "*1 − δ* means so",
        "about x₁ and n²",
        "it costs $5",
        "$a_{b$",
        "$x ≤ y",
        "![The root $√x$](a.svg)",
        "# A mean of $n$ numbers",
    ],
)
def test_mathematics_outside_of_formulas_is_a_fault(text):
    assert list(formula_check.faults(text)) != []


@pytest.mark.parametrize(
    "text",
    [
        "# Means {#means}\n\n*Annals A* has **two** of them; call `f(x_1) = 2`.",
        "```python\nx_1 = 2 * y ** 3\n```\n",
        "::: surelearn.bounds.x_y\n    options:\n      heading_level: 3\n",
        "![A picture](../figures/a_b.svg){ loading=lazy } and [a link](x_y.md#a_b)",
        "<!-- x = 1 -->\n* one\n* two\n\n> quoted",
    ],
)
def test_what_is_no_mathematics_is_left_alone(text):
    assert list(formula_check.faults(text)) == []


@pytest.mark.parametrize("text", ["2R*(1−R*) ", "f(w*) − f(v*)", "p_{t} *l̂_{t,k}* x"])
def test_a_rendered_page_shows_that_a_formula_was_spoilt(text):
    assert list(formula_check.rendered_faults(shown(text))) != []


def test_a_rendered_page_may_emphasise_words():
    html = shown("*Surely* means on **every** sequence (*always*), $w^*$, `$x`")
    assert list(formula_check.rendered_faults(html)) == []


DOCSTRINGS = [
    ast.get_docstring(node)
    for path in sorted((DOCS.parent / "src").rglob("*.py"))
    if re.search(r"\$|[A-Za-z]\*[\s,.()]", path.read_text(encoding="utf-8"))
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node)
]
EXAMPLE = re.compile(r"^ *>>> .*(?:\n.+)*", re.MULTILINE)


def test_formulas_of_docstrings_can_be_typeset_and_no_star_or_dollar_is_taken_for_another():
    found = [list(formulas.pieces(EXAMPLE.sub("", text))) for text in DOCSTRINGS]
    kinds = {"inline", "display"}
    assert all(formulas.typeset(p) for text in found for p in text if p.kind in kinds)
    assert any(p.kind in kinds for text in found for p in text)
    assert [p for text in found for p in text if p.kind == "stray"] == []
    plain = [p.content for text in found for p in text if p.kind == "text"]
    assert [text for text in plain if re.search(r"(?<![\w*^])[A-Za-z]\*[\s,.()]", text)] == []


def test_formulas_need_no_network_and_no_script():
    html = shown("$x$ and $$y$$")
    assert not re.search("https?:|<script", html)
