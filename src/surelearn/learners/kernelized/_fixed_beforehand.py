"""What speaks against a machine that was one map before its rows were seen.

Its own settings; the rows, which may show that they were scaled by themselves; earlier fits of
parts of them with other settings; and the search or pipeline around the machine, if it is given.
"""

from importlib import import_module
from typing import Any, NamedTuple

from surelearn._jit.fingerprints import Hashes
from surelearn.base.scaled_columns import how_scaled, scaled_by_itself
from surelearn.certificate import Evidence, assumed, violated
from surelearn.learners.kernelized import _points, _tried_settings
from surelearn.learners.kernelized._solved_problems import Task

_AROUND = "surelearn.learners.kernelized._fitted_around"


class Around(NamedTuple):
    """What the rows decided on, in words; nothing if nothing is known of that."""

    settings: str = ""  # any of them
    kernels: str = ""  # those of the kernel and of the features
    intercepts: str = ""  # whether there is one: a feature 1 beside those of the kernel
    features: str = ""  # what was done to the features
    columns: str = ""  # the same, if it was not just that columns were scaled


def keep_traces(model: Any, task: Task, hashes: Hashes) -> None:
    """Keep with a fitted machine what its rows and earlier fits of parts of them betray."""
    if task.points.ndim == 2 and (scaled := how_scaled(task.points)):
        model.rows_scaled_ = scaled
    setting = _tried_settings.setting_of(model)
    rows = _tried_settings.labelled(hashes, model.classes_, task.targets)
    tried = _tried_settings.tried_on_parts(rows, setting)
    if tried.settings:
        model.settings_tried_, model.kernels_tried_, model.intercepts_tried_ = tried
    _tried_settings.enter(rows, setting)


def note_leaving_out(model: Any, task: Task) -> None:
    """Note that a setting was judged by leaving out each row: parts of the rows were fitted."""
    if (hashes := _points.row_hashes(model.kernel_, task.points)) is not None:
        rows = _tried_settings.labelled(hashes, model.classes_, task.targets)
        _tried_settings.enter(rows, _tried_settings.setting_of(model), parts=True)


class FixedBeforehand(NamedTuple):
    """The evidence for it, by what must have been fixed."""

    model: Any
    around: Around

    @classmethod
    def of(cls, model: Any, within: Any) -> "FixedBeforehand":
        """Look at a machine and at what is around it."""
        if within is None:
            return cls(model, Around())
        # Searches and transformers take long to load, and most certificates need none.
        fitted_around = import_module(_AROUND).fitted_around
        if (around := fitted_around(within, model)) is None:
            raise ValueError(
                f"within={type(within).__name__}: this machine is not what it ends with. Give the "
                "fitted Pipeline or search whose last step, or best estimator, it is"
            )
        return cls(model, around)

    def whole(self) -> Evidence:
        """Say whether the whole map was: settings, kernel and features."""
        if self.model.class_weight == "balanced":
            return violated("the weights of the classes were computed from the training rows")
        tried = getattr(self.model, "settings_tried_", "")
        return (
            self._kernel()
            or self._features()
            or _broken(self._chosen(self.around.settings), _after_trials(tried))
            or assumed(
                "C, the kernel with its parameters, and scaled features must not come from these "
                "rows"
            )
        )

    def feature_map(self) -> Evidence:
        """Say whether the kernel and the features were; C may be anything."""
        return (
            self._kernel()
            or self._features()
            or self._chosen_map()
            or self._chosen_intercept()
            or assumed(
                "true unless features were scaled, selected or made by looking at these rows"
            )
        )

    def columns(self) -> Evidence:
        """Say whether the rules are all affine ones of columns that were; they may be scaled."""
        return (
            _broken(self._chosen(self.around.columns))
            or self._chosen_map()
            or assumed("all affine rules, unless features were made or chosen from these rows")
        )

    def _kernel(self) -> Evidence | None:
        if self.model.kernel is not None:
            return None
        return violated(
            "gamma was computed from the training rows: give a kernel, such as Gaussian(gamma=0.1)"
        )

    def _features(self) -> Evidence | None:
        scaled = getattr(self.model, "rows_scaled_", "")
        return _broken(self._chosen(self.around.features), scaled and scaled_by_itself(scaled))

    def _chosen_map(self) -> Evidence | None:
        tried = getattr(self.model, "kernels_tried_", "")
        return _broken(self._chosen(self.around.kernels), _after_trials(tried))

    def _chosen_intercept(self) -> Evidence | None:
        tried = getattr(self.model, "intercepts_tried_", "")
        return _broken(self._chosen(self.around.intercepts), _after_trials(tried))

    def _chosen(self, text: str) -> str:
        return text and f"{text}: fix it beforehand, or use other rows for it"


def _after_trials(tried: str) -> str:
    return tried and (
        f"parts of these rows were fitted with {tried} before all of them were: a setting chosen "
        "so depends on them"
    )


def _broken(*reasons: str) -> Evidence | None:
    """Return the first reason there is as evidence."""
    found = next(filter(None, reasons), "")
    return violated(found) if found else None
