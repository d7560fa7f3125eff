"""Attributes of fitted naive Bayes classifiers that someone set by hand."""

import numpy as np
import pytest

from surelearn import CategoricalNaiveBayes, GaussianNaiveBayes


@pytest.mark.parametrize("name", ["factors_", "categories_", "classes_"])
@pytest.mark.parametrize("kind", [CategoricalNaiveBayes, GaussianNaiveBayes])
def test_factors_of_another_model_write_to_no_memory_of_others(kind, name):
    few = np.random.default_rng(0).integers(0, 3, (60, 2)).astype(float)
    many = np.random.default_rng(1).integers(0, 9, (90, 3)).astype(float)
    model = kind().fit(few, np.arange(60) % 2)
    setattr(model, name, getattr(kind().fit(many, np.arange(90) % 3), name))
    with pytest.raises(ValueError, match=r"not those of|as many|features|changed after"):
        model.predict(few)
