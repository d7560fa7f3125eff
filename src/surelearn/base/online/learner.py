"""What online learners share: how rows are checked, and who owns what was learnt."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, ClassVar, Literal, Self, cast
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.callback import CallbackSupportMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import Tags

from surelearn._jit import rows
from surelearn._jit.fingerprints import Hashes
from surelearn._locks import in_turn
from surelearn._stored import holds
from surelearn._typing import ArrayLike, Matrix
from surelearn.base import validation
from surelearn.base.fitting import as_it_is, still
from surelearn.base.online import format_1
from surelearn.base.online.passes import Run
from surelearn.base.online.state import Learnt, copies_of, side_by_side, widened
from surelearn.base.parameters import made_plain, refuse_strange
from surelearn.base.read_only import HandedOut, OwnsItsState
from surelearn.base.row_reader import RowReader
from surelearn.base.seal import refuse_changed
from surelearn.base.states import refuse_unlike
from surelearn.base.validation import refuse_tiny

_forms: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()  # of the states of learners that began
_FAR_MORE = 8  # values per column that make looking through them dearer than a copy of the state


@holds(
    n_features_in_="count",
    learnt_=Learnt,
    run_=Run | None,
    n_rounds_="count",
    cumulative_loss_="number",
)
class OnlineLearner(OwnsItsState, CallbackSupportMixin, BaseEstimator):
    """A learner of rows in order, which come as tables, sparse matrices, arrays or mappings.

    It knows features, not targets: classifiers and regressors add what they predict.

    Everything learnt is a value: `learnt_` holds the states and what belongs to them, `run_` what
    the last `fit` left behind for certificates. Learning from a table works on copies, which take
    the place of the old ones in one assignment once all went well: a refused, overflowing or
    interrupted call changes nothing.

    Parameters count when learning begins. What a learner defines (`_start`, `_learn` and the other
    methods with an underscore) is asked of `begun_`, a copy made at the first row that knows its
    parameters and nothing else. So a later `set_params` changes nothing until the next `fit`, and
    what has been learnt is in the state that these methods are given, nowhere else.
    """

    n_features_in_: int
    learnt_: Learnt = cast("Any", HandedOut())
    run_: Run | None
    n_rounds_: int
    cumulative_loss_: float
    _targets: validation.Targets
    _features: ClassVar[Literal["numbers", "bits"]] = "numbers"
    _late_features: ClassVar[bool] = True
    _admits_all: ClassVar[bool]
    _scores_tell: ClassVar[bool] = False  # whether they show rows not finite, `radius_` long ones
    _record_kind: ClassVar[type[Any]] = object  # of what a `fit` leaves behind for each problem
    _history: ClassVar[bool] = False  # whether arrays of its states grow with the rows
    _not_learnt: ClassVar[str] = "This %(name)s is not fitted yet: call learn or fit first."

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Note whether all rows of numbers are admitted, which single rows need not ask."""
        for name in {"certificates", "guarantee"} & vars(cls).keys():
            method = vars(cls)[name]
            of_the_run = _of_untouched(method) if name == "certificates" else method
            setattr(cls, name, still(of_the_run))  # they read more than one state
        super().__init_subclass__(**kwargs)
        cls._admits_all = cls._admit is OnlineLearner._admit and cls._features == "numbers"

    @abstractmethod
    def _start(self, n_features: int) -> Any:
        """Return the state of one problem before any row: a NamedTuple of arrays."""

    def _check_parameters(self) -> None:
        """Refuse parameters outside their domains, before anything learnt is forgotten."""

    def _admit(self, X: Any) -> Any:
        """Return the rows if this learner can learn from them: one of bits refuses other numbers.

        `X` has passed scikit-learn's checks and is a float matrix, dense or CSR.
        """
        return validation.bits(X) if self._features == "bits" else X

    @in_turn
    def __copy__(self) -> Self:
        """Return a learner that learns on without changing this one."""
        twin = as_it_is(self)
        held = vars(twin)
        if "learnt_" in held:
            held["learnt_"] = held["learnt_"]._replace(states=copies_of(held["learnt_"].states))
        return twin

    @property
    def states_(self) -> tuple[Any, ...]:
        """What each two-class problem has learnt; a regressor has one state."""
        return self.learnt_.states

    @property
    def _own(self) -> Learnt:
        """What was learnt, as this learner itself writes to it."""
        try:
            return vars(self)["learnt_"]
        except KeyError:
            raise self._not_begun() from None

    @property
    def begun_(self) -> Self:
        """A copy that knows the parameters of its first row; itself, as long as there was none."""
        return as_it_is(vars(self)["learnt_"].begun) if "learnt_" in vars(self) else self

    @property
    def n_iter_(self) -> int:
        """After `fit`: the number of passes."""
        return self._of_run("n_passes")

    @property
    def training_rows_(self) -> Hashes:
        """After `fit`: fingerprints of its rows, by which a hold-out set recognises them."""
        return self._of_run("training_rows")

    @property
    def records_(self) -> tuple[Any, ...]:
        """After `fit`: what each problem's run left behind for its certificates."""
        return self._of_run("records")

    def _of_run(self, name: str) -> Any:
        """Return what the last `fit` left behind; who has moved on since has no such attribute."""
        found = getattr(vars(self).get("run_"), name, None)
        if found is None:
            # An AttributeError, for `hasattr`, and a ValueError.
            raise NotFittedError(f"{type(self).__name__} has no {name} of a fit; call fit first")
        return found

    def _check_first_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], Self]:
        """Check parameters, rows and targets; return a fresh copy that knows the features."""
        refuse_strange(self)
        self._check_parameters()
        fresh = made_plain(cast("Self", clone(self)))
        X, targets = validation.check(fresh, X, y, targets=self._targets, reset=True, finite=False)
        return fresh._admit(self._looked_through(X)), targets, fresh

    def _check_training_set(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any], Self]:
        """Do as `_check_first_rows`; refuse rows that are all so short that their norms vanish."""
        X, targets, fresh = self._check_first_rows(X, y)
        refuse_tiny(cast("Any", X).data if sparse.issparse(X) else X, "features")
        return X, targets, fresh

    def _check_rows(self, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
        X, targets = validation.check(self, X, y, targets=self._targets, finite=False)
        return self.begun_._admit(self._looked_through(X)), targets

    def _looked_through(self, X: Any) -> Any:
        """Return the rows if all are finite and none too long, or if their scores will tell."""
        return X if self._will_tell(X) else validation.all_finite(self, X, short=True)

    def _will_tell(self, X: Any) -> bool:
        return self._scores_tell and X.size >= _FAR_MORE * X.shape[1]

    def _check_features(self, X: Any) -> tuple[Any, Learnt]:
        """Return rows to be predicted, and what was learnt of rows of their width."""
        X = validation.check_rows(self, X)
        learnt = self._learnt_of(X)
        return learnt.begun._admit(X), learnt

    def _learnt_of(self, X: Any) -> Learnt:
        """Return what was learnt; refuse rows of another width than that of its states.

        Rows were checked against `n_features_in_`, but another thread may have fitted since.
        """
        learnt = self._own
        if X.shape[1] != learnt.read.n_features:
            raise ValueError(
                f"X has {X.shape[1]} features, but this {type(self).__name__} was just fitted to "
                f"{learnt.read.n_features}"
            )
        self._refuse_changed(learnt)
        return learnt

    def _refuse_changed(self, learnt: Learnt) -> None:
        """Refuse states, set by hand, of another form than they start with: loops rely on it."""
        n_problems = 1 if learnt.classes is None else len(learnt.classes)
        fits = len(learnt.states) == (n_problems if n_problems > 2 else 1)
        if not self._history:
            wanted = _form_at_start(learnt.begun, learnt.read.n_features)
            fits = fits and all(_form_of(state) == wanted for state in learnt.states)
        if not fits:
            raise ValueError(
                f"what this {type(self).__name__} has learnt was changed by hand, and is of no use "
                "to it: fit it again"
            )

    def _check_one(self, learnt: Learnt, x: Mapping[str, float] | ArrayLike) -> Matrix:
        """Return one row as a matrix, at a fraction of the cost of `_check_rows`."""
        row = learnt.read(x)
        return row if self._admits_all else learnt.begun._admit(row)

    def _check_lesson(self, learnt: Learnt, x: Mapping[str, float] | ArrayLike) -> Matrix:
        """Return one row as a matrix if it can be learnt from: as `learn`, refuse a long one."""
        row = self._check_one(learnt, x)
        return row if rows.is_short(row) else validation.short_enough(row)

    def _not_begun(self) -> NotFittedError:
        return NotFittedError(self._not_learnt % {"name": type(self).__name__})

    def _begin(self, classes: NDArray[Any] | None, n_problems: int) -> None:
        """Make the states of a fresh copy that knows its features, before any row."""
        begun = cast("Any", clone(self)).set_callbacks()
        names = getattr(self, "feature_names_in_", None)
        positions = {} if classes is None else {c: k for k, c in enumerate(classes.tolist())}
        states = side_by_side([begun._start(self.n_features_in_) for _ in range(n_problems)])
        learnt = Learnt(begun, RowReader(self.n_features_in_, names), classes, positions, states)
        vars(self).update(learnt_=learnt, n_rounds_=0, cumulative_loss_=0.0, run_=None)

    def __sklearn_is_fitted__(self) -> bool:
        """Say whether it has learnt, without a look at attributes that another thread may set."""
        return "learnt_" in vars(self)

    def _before_any_row(self) -> Self:
        """Return a copy that knows features and classes as this learner does, and nothing else."""
        fresh = cast("Self", clone(self.begun_))
        fresh.n_features_in_ = self.n_features_in_
        fresh._begin(self._own.classes, len(self._own.states))
        return fresh

    def _grow(self, n_features: int) -> None:
        """Widen the states for features that come late, and so were 0 in every row until now.

        A learner for which this is not exact sets `_late_features` to False; one whose start tells
        (a threshold that depends on the width, rows kept) need not. Both refuse, and nothing has
        changed.
        """
        learnt = self._own
        narrow, wide = (learnt.begun._start(n) for n in (learnt.read.n_features, n_features))
        states = [widened(state, narrow, wide) for state in learnt.states]
        known = [state for state in states if state is not None]
        if not self._late_features or len(known) < len(states):
            raise ValueError(
                f"{type(self).__name__} cannot take in features that come late; let its first row "
                "show them all"
            )
        grown = learnt._replace(read=RowReader(n_features), states=side_by_side(known))
        vars(self).update(n_features_in_=n_features, learnt_=grown)

    @classmethod
    def _upgrade_state(cls, attributes: dict[str, Any]) -> dict[str, Any]:
        """Return today's attributes, given those that a model file of format 1 holds."""
        return format_1.upgraded(cls, attributes)

    @classmethod
    def _old_state(cls, old: dict[str, Any], problem: int, begun: Any) -> Any:
        """Return the state of one problem from the attributes of a file of format 1."""
        return format_1.old_state(begun._start(old["n_features_in_"]), old, problem)

    @classmethod
    def _old_record(cls, record: Any, old: dict[str, Any], problem: int) -> Any:
        """Return the record of one problem, with what lay beside it in a file of format 1."""
        del old, problem
        return record

    def _check_state(self) -> None:
        """Refuse what a forged model file may hold: states or records that no rows lead to."""
        self._check_form()
        if self._own.read.n_features != self.n_features_in_:
            raise ValueError("it reads rows of another width than it has learnt")
        if self.run_ is not None and self.n_rounds_ not in range(
            self.run_.n_rows, self.run_.n_rows * self.run_.n_passes + 1, self.run_.n_rows
        ):
            raise ValueError("its rounds are not those of its last fit")
        records = None if self.run_ is None else self.run_.records
        fits = records is None or len(records) == len(self._own.states)
        if not fits or not all(isinstance(record, self._record_kind) for record in records or ()):
            raise ValueError("the last fit has left other records than belong there")

    def _check_form(self) -> None:
        """Refuse states of another form than they start with."""
        learnt = self._own
        if type(learnt) is not Learnt or "unseen" not in vars(learnt.read):
            raise ValueError("it is not the value of a learner, or has no reader of rows")
        if type(learnt.begun) is not type(self) or "learnt_" in vars(learnt.begun):
            raise ValueError("the copy with its parameters is another learner")
        learnt.begun._check_parameters()
        learnt.read._check_state()  # pyright: ignore[reportPrivateUsage]
        n_problems = self._n_problems(learnt)
        if len(learnt.states) != n_problems:
            raise ValueError(f"it has {len(learnt.states)} states, and {n_problems} belong there")
        for state in learnt.states:
            self._refuse_unlike(state, learnt.read.n_features)

    def _n_problems(self, learnt: Learnt) -> int:
        """Return how many states there must be; a regressor has no classes."""
        if learnt.classes is not None or learnt.positions:
            raise ValueError("it has classes, and a regressor has none")
        return 1

    def _refuse_unlike(self, state: Any, n_features: int) -> None:
        """Refuse a state that is not as `_start` makes it for rows of this width."""
        # Before one of that width is made, which for a forged width might take all memory.
        if not any(n_features in np.shape(part) for part in state):
            raise ValueError(f"no array of its state is as wide as {n_features} features")
        refuse_unlike(state, self.begun_._start(n_features))

    def __sklearn_tags__(self) -> Tags:
        """Say to scikit-learn that sparse matrices are welcome."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def _of_untouched(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that refuses a learner whose state was changed by hand."""

    @wraps(method)
    def state(self: Any, *args: Any, **kwargs: Any) -> Any:
        refuse_changed(self)
        return method(self, *args, **kwargs)

    return state


def _form_at_start(begun: Any, n_features: int) -> tuple[Any, ...]:
    """Return the form of the states that a learner starts with, found once for each width."""
    known = _forms.get(begun)
    if known is None or known[0] != n_features:
        known = _forms[begun] = n_features, _form_of(begun._start(n_features))
    return known[1]


def _form_of(state: Any) -> tuple[Any, ...]:
    """Return the type of a state, and the types and shapes of its arrays."""
    parts = (
        (part.dtype, part.shape) if isinstance(part, np.ndarray) else type(part) for part in state
    )
    return (type(state), *parts)
