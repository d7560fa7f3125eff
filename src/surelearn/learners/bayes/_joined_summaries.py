"""Sums of summaries whose rows may show other classes and other categories."""

from types import SimpleNamespace
from typing import Any

from numpy.typing import NDArray

from surelearn.base.labels import joined_classes
from surelearn.base.summarising import Summary
from surelearn.base.tables.category_codes import refuse_many
from surelearn.base.tables.table import column_names, n_categories
from surelearn.base.validation import index_among
from surelearn.learners.bayes._class_summary import ClassSummary


def joined(one: Summary, other: Summary, most_categories: int | None) -> Summary:
    """Return the summary of the rows of both, over the classes and categories of both."""
    classes = joined_classes(one.learnt["classes_"], other.learnt["classes_"])
    total = _among(one, classes) + _among(other, classes)
    names = column_names(SimpleNamespace(**one.learnt))
    for name, size in zip(names, n_categories(total.counts.categories), strict=True):
        refuse_many(int(size), most_categories, name)
    learnt = {**one.learnt, "classes_": classes, "categories_": total.counts.categories}
    learnt["rows_left_out_"] = one.learnt["rows_left_out_"] or other.learnt["rows_left_out_"]
    return Summary(learnt, total)


def _among(summary: Summary, classes: NDArray[Any]) -> ClassSummary:
    places = index_among(classes, summary.learnt["classes_"])
    return summary.record.among(places, len(classes))
