"""The JSON twin: the same content for machines."""

import json

from surelearn.bounds import concentration
from surelearn.certificate import Certificate, certify
from surelearn.report import (
    Candidate,
    ClassErrors,
    Figure,
    FoldChoice,
    ModelView,
    Report,
    render_json,
)


def certified(errors=5):
    guarantee = concentration.clopper_pearson(errors=errors, n=100, delta=0.05)
    return certify(guarantee, kind="risk", subject="it", observed=errors / 100, n=100)


def twin(**content):
    return json.loads(
        render_json(Report(title="Ein Modell für é", certificate=certified(), **content))
    )


def test_certificates_in_it_are_certificates():
    content = twin(
        classes=(ClassErrors("a", 100, 7, certified(7)),),
        others=(certified(9),),
        training=certified(8),
    )
    for stored, errors in (
        (content["certificate"], 5),
        (content["classes"][0]["certificate"], 7),
        (content["others"][0], 9),
        (content["training"], 8),
    ):
        assert Certificate.from_json(json.dumps(stored)) == certified(errors)


def test_numbers_that_json_lacks_become_words():
    content = twin(
        candidates=(Candidate("bad", (float("nan"), float("inf")), note="why"),),
        folds=(FoldChoice("bad", float("nan"), 0.5),),
    )
    assert content["candidates"][0] == {
        "name": "bad",
        "scores": ["nan", "inf"],
        "chosen": False,
        "note": "why",
    }
    assert content["folds"] == [{"chosen": "bad", "seemed": "nan", "was": 0.5}]


def test_drawings_are_left_out_but_not_what_they_show():
    view = ModelView(
        "tree", text="if ...", svg="<svg></svg>", header=("a",), rows=(("1",),), bars=(0.5,)
    )
    content = twin(views=(view,), confusion=view, figures=(Figure("f", "caption", "<svg></svg>"),))
    expected = {"title": "tree", "note": "", "text": "if ...", "header": ["a"], "rows": [["1"]]}
    assert content["views"] == [expected]
    assert content["confusion"] == expected
    assert content["figures"] == [{"title": "f", "caption": "caption"}]


def test_it_has_every_field_of_the_report_and_its_schema():
    fields = set(Report.__dataclass_fields__)
    assert set(twin()) == {"schema", *fields}


def test_letters_stay_letters_and_the_same_report_gives_the_same_text():
    report = Report(title="Ein Modell für é", certificate=certified())
    assert "für é" in render_json(report)
    assert render_json(report) == render_json(report)
