"""What holds for every learner of expert advice; the package is walked, nobody lists them.

Learners that vote count, so they must agree exactly. The others take sums of exponentials, which
the compiler may add in another order for another address: they must agree to rounding.
"""

import copy
import importlib
import inspect
import pickle

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from surelearn._jit import elementary
from surelearn.app.registry import find_experts
from surelearn.base import states
from surelearn.certificate import Certificate
from surelearn.learners.experts import _loops as primitives
from surelearn.learners.experts._averaging import AveragingGame
from surelearn.learners.experts._game import ExpertGame
from surelearn.learners.experts._voting import VotingGame
from surelearn.learners.experts.hedge import Hedge
from surelearn.losses import Absolute, Square

CLASSES = find_experts()
NAMES = list(CLASSES)
AVERAGING = [n for n, c in CLASSES.items() if issubclass(c, AveragingGame)]
SLEEPING = [n for n in AVERAGING if CLASSES[n]._may_sleep]
TABLES = [n for n in AVERAGING if n != "AggregatingAlgorithm"]


def make(name):
    required = {"Doubling": [Hedge()]}
    return CLASSES[name](*required.get(name, []))


def game(name, n_rounds=60, n_experts=4, seed=0):
    """Return the arguments of `learn` for a run that this learner can play."""
    rng = np.random.default_rng(seed)
    if issubclass(CLASSES[name], VotingGame):
        said = rng.integers(0, 2, (n_rounds, n_experts)).astype(float)
        return said, said[:, 1].copy()  # expert 1 is always right
    losses = rng.integers(0, 2, (n_rounds, n_experts)).astype(float)
    if name == "AggregatingAlgorithm":
        return losses, rng.integers(0, 2, n_rounds).astype(float)
    return (losses,)


def agree(first, second):
    np.testing.assert_allclose(first, second, rtol=1e-11, atol=1e-12)


def leaves(state):
    """Return the arrays, coins and words of a state, whatever tuples they are in."""
    for value in state:
        if isinstance(value, tuple):
            yield from leaves(value)
        else:
            yield value


def same(first, second):
    """Compare all state."""
    if isinstance(first, VotingGame):
        assert states.same(first.state_, second.state_)
    for one, other in zip(leaves(first.state_), leaves(second.state_), strict=True):
        if isinstance(one, np.random.Generator):
            assert one.bit_generator.state == other.bit_generator.state
        elif isinstance(one, np.ndarray):
            agree(one, other)
        else:
            assert one == other


@pytest.mark.parametrize("name", NAMES)
def test_it_is_a_game_with_documentation_and_an_example(name):
    assert issubclass(CLASSES[name], ExpertGame)
    assert ">>>" in inspect.getdoc(CLASSES[name])
    assert all(
        p.kind is inspect.Parameter.KEYWORD_ONLY or name == "Doubling"
        for p in inspect.signature(CLASSES[name]).parameters.values()
    )


@pytest.mark.parametrize("name", NAMES)
def test_blocks_do_not_matter_and_rounds_may_come_one_at_a_time(name):
    data = game(name)
    whole, parts, single = make(name), make(name), make(name)
    answers = whole.learn(*data)
    pieces = [parts.learn(*(a[cut] for a in data)) for cut in (slice(0, 7), slice(7, None))]
    agree(answers, np.concatenate(pieces))
    paid = [single.update(*(a[t] for a in data)) for t in range(len(data[0]))]
    if len(data) == 1 or isinstance(single, VotingGame):
        agree(answers, paid)
    same(whole, parts)
    same(whole, single)


@pytest.mark.parametrize("name", NAMES)
def test_large_tables_are_cut_inside_without_a_trace(name, monkeypatch):
    data = game(name, n_rounds=50)
    whole, small = make(name), make(name)
    answers = whole.learn(*data)
    monkeypatch.setattr("surelearn.learners.experts._averaging._CHUNK", 13)
    agree(small.learn(*data), answers)
    same(whole, small)


@pytest.mark.parametrize("name", NAMES)
def test_it_goes_on_after_being_stored_in_mid_game(name):
    data = game(name)
    learner = make(name)
    learner.learn(*(a[:20] for a in data))
    loaded = pickle.loads(pickle.dumps(learner))  # noqa: S301
    rest = [a[20:] for a in data]
    agree(learner.learn(*rest), loaded.learn(*rest))
    same(learner, loaded)


@pytest.mark.parametrize("name", NAMES)
def test_inputs_stay_untouched_and_may_be_read_only_single_precision_or_lists(name):
    data = game(name)
    copies = [a.copy() for a in data]
    for array in data:
        array.flags.writeable = False
    expected = make(name).learn(*data)
    for array, before in zip(data, copies, strict=True):
        np.testing.assert_array_equal(array, before)
    for form in (np.float32, np.int8):
        agree(make(name).learn(*(a.astype(form) for a in data)), expected)
    agree(make(name).learn(*(a.tolist() for a in data)), expected)
    agree(make(name).learn(np.asfortranarray(data[0]), *data[1:]), expected)


@pytest.mark.parametrize("name", NAMES)
def test_bad_input_is_refused_with_a_sentence_and_leaves_no_trace(name):
    data = game(name)
    used = make(name)
    used.learn(*data)
    table, rest = data[0], data[1:]
    bad = [
        (table[0], *rest),
        (table[:, :3], *rest),
        (np.where(table == table[0, 0], np.nan, table), *rest),
        (np.where(np.arange(table.size).reshape(table.shape) == 9, np.inf, table), *rest),
    ]
    bad += [(table, a[:-1]) for a in rest] + [(table, np.full(len(a), np.nan)) for a in rest]
    for learner in (used, make(name)):
        before = pickle.dumps(learner)
        for k, arguments in enumerate(bad):
            if learner is used or k != 1:  # a fresh learner takes any width
                with pytest.raises(ValueError, match=r".{20}"):
                    learner.learn(*arguments)
                assert pickle.dumps(learner) == before
    with pytest.raises(ValueError, match="at least one expert"):
        make(name).learn(np.empty((3, 0)), *(a[:3] for a in rest))


@pytest.mark.parametrize("name", NAMES)
def test_a_call_interrupted_after_its_rounds_were_played_leaves_no_trace(name, monkeypatch):
    data, hook = game(name), "_vote" if issubclass(CLASSES[name], VotingGame) else "_settle"
    played = getattr(CLASSES[name], hook)

    def interrupted(*arguments):
        played(*arguments)
        raise KeyboardInterrupt

    used = make(name)
    used.learn(*data)
    monkeypatch.setattr(CLASSES[name], hook, interrupted)
    for learner in (used, make(name)):
        before = pickle.dumps(learner)
        with pytest.raises(KeyboardInterrupt):
            learner.learn(*data)
        assert pickle.dumps(learner) == before


@pytest.mark.parametrize("name", NAMES)
def test_the_state_is_a_value_that_later_rounds_do_not_change(name):
    data = game(name)
    learner, again = make(name), make(name)
    learner.learn(*(a[:20] for a in data))
    held = learner.state_
    digest = states.digest(held._replace(learnt=without_coins(held.learnt)))
    learner.learn(*(a[20:] for a in data))
    assert states.digest(held._replace(learnt=without_coins(held.learnt))) == digest
    again.learn(*(a[:20] for a in data))
    if not hasattr(held.learnt, "coins"):
        vars(learner)["state_"] = held  # by hand it would be another game
        same(learner, again)


def without_coins(state):
    return state._replace(coins=None) if hasattr(state, "coins") else state


@pytest.mark.parametrize("name", NAMES)
def test_asking_for_weights_or_a_prediction_changes_nothing(name):
    data = game(name)
    fresh, learner = make(name), make(name)
    before = pickle.dumps(fresh)
    assert 0.0 <= fresh.predict(data[0][0]) <= 1.0
    assert pickle.dumps(fresh) == before
    with pytest.raises(AttributeError):
        _ = fresh.weights
    learner.learn(*data)
    before = pickle.dumps(learner)
    assert learner.weights.sum() == pytest.approx(1.0)
    assert (learner.weights >= 0.0).all()
    learner.predict(data[0][0])
    assert pickle.dumps(learner) == before


@pytest.mark.parametrize("name", [n for n in TABLES if n != "RandomizedWeightedMajority"])
def test_the_weights_shown_are_those_played(name):
    (losses,) = game(name)
    learner, paid = make(name), []
    learner.update(losses[0])
    for row in losses[1:]:
        weights = learner.weights
        paid.append(learner.update(row) - weights @ row)
    np.testing.assert_allclose(paid, 0.0, atol=1e-14)


@pytest.mark.parametrize("name", NAMES)
def test_tallies_belong_together(name):
    data = game(name)
    learner = make(name)
    answers = learner.learn(*data)
    assert (learner.n_rounds_, learner.n_experts_) == data[0].shape
    assert learner.regret_ == pytest.approx(
        learner.cumulative_loss_ - learner.expert_losses_.min(), abs=1e-10
    )
    if isinstance(learner, VotingGame):
        assert learner.n_mistakes_ == (answers != data[1]).sum()
        expected = (data[0] != data[1][:, None]).sum(axis=0)
    elif len(data) == 1:
        assert learner.cumulative_loss_ == pytest.approx(answers.sum())
        expected = data[0].sum(axis=0)
    else:
        expected = ((data[0] - data[1][:, None]) ** 2).sum(axis=0)
    np.testing.assert_array_equal(learner.expert_losses_, expected)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(8))
def test_certificates_are_never_below_what_was_seen_and_recompute(name, seed):
    data = game(name, n_rounds=40, n_experts=1 + seed, seed=seed) if seed else game(name, 1, 2)
    learner = make(name)
    assert learner.certificates() == ()
    learner.learn(*data)
    certificates = learner.certificates(delta=0.1)
    assert certificates
    for certificate in certificates:
        assert certificate.status != "void"
        assert certificate.observed <= certificate.bound * (1.0 + 1e-9) + 1e-9
        assert certificate.recompute() == pytest.approx(certificate.bound, rel=1e-15)
        assert all(p.status in {"checked", "by-construction"} for p in certificate.preconditions)
        again = Certificate.from_json(certificate.to_json())
        assert again.recompute() == certificate.recompute()
        assert certificate.n == learner.n_rounds_
        assert str(certificate)


def parameters_of(name):
    return list(inspect.signature(CLASSES[name]).parameters)


TUNABLE = [n for n in NAMES if parameters_of(n) and n != "Doubling"]  # that one holds a learner


@pytest.mark.parametrize("name", TUNABLE)
def test_a_parameter_changed_in_mid_game_ends_the_certificates(name):
    learner, parameter = make(name), parameters_of(name)[0]
    learner.learn(*game(name))
    was = getattr(learner, parameter)
    setattr(learner, parameter, Absolute() if parameter == "loss" else 0.25)
    before = pickle.dumps(learner)
    for go_on in (learner.certificates, lambda: learner.learn(*game(name))):
        with pytest.raises(ValueError, match="the game was begun as"):
            go_on()
        assert pickle.dumps(learner) == before
    setattr(learner, parameter, was)
    assert learner.certificates()


@pytest.mark.parametrize("name", NAMES)
def test_before_the_first_round_it_says_that_no_expert_was_met(name):
    with pytest.raises(AttributeError, match="no expert has been met"):
        make(name).weights  # noqa: B018 - a property


@pytest.mark.parametrize("name", SLEEPING)
@pytest.mark.parametrize("low", [1.0, -2.0])
def test_what_a_sleeper_loses_may_lie_anywhere(name, low):
    options = {"loss_range": (low, low + 1.0)}
    takes_range = "loss_range" in inspect.signature(CLASSES[name]).parameters
    learner = CLASSES[name](**options) if takes_range else make(name)
    if name == "Doubling":
        learner = CLASSES[name](Hedge(**options))
    learner.learn([[low + 0.5, np.nan], [low, low + 1.0]], awake=[[1, 0], [1, 1]])
    assert np.isfinite(learner.regrets_).all()
    assert np.isfinite(learner.weights).all()


@pytest.mark.parametrize("name", [n for n in TABLES if n in {"AdaHedge", "FixedShare"}])
def test_sums_that_overflow_are_refused(name):
    learner = CLASSES[name](**({} if name == "AdaHedge" else {"loss_range": (-1.7e308, 1e307)}))
    with pytest.raises(ValueError, match="overflow"):
        learner.learn([[-1.7e308, 1e307]] * 9)
    assert not hasattr(learner, "n_rounds_")


@pytest.mark.parametrize("name", AVERAGING)
def test_advice_that_is_no_number_is_not_averaged(name):
    learner = make(name)
    learner.learn(*game(name))
    with pytest.raises(ValueError, match="NaN"):
        learner.predict([np.nan, 1.0, 0.0, 0.0])


def test_one_round_costs_what_it_costs_after_a_dear_one():
    learner = CLASSES["AdaHedge"]()
    learner.update([1e9, 2e9], 0.0, loss=Square())
    assert learner.update([0.5, 0.5], 0.0, loss=Square()) == 0.25


def test_a_generator_is_drawn_from_and_set_back_by_what_is_refused():
    coins = np.random.default_rng(0)
    (table,) = game("RandomizedWeightedMajority", n_rounds=200)
    first, second = (CLASSES["RandomizedWeightedMajority"](seed=coins) for _ in range(2))
    drawn = first.learn(table), second.learn(table)
    assert first.seed is coins
    assert (drawn[0] != drawn[1]).any()
    before = coins.bit_generator.state
    with pytest.raises(ValueError, match="loss of expert"):
        second.learn([[0.5] * 4, [7.0] * 4])
    second.predict([0.0, 1.0, 1.0, 0.0])
    assert coins.bit_generator.state == before


def test_fixed_share_survives_experts_that_are_all_half_asleep():
    learner = CLASSES["FixedShare"](learning_rate=10.0, loss_range=(0, 300))
    paid = learner.learn([[0, 300.0]] * 50, awake=[[0.5, 0.5]] * 50)
    assert np.isfinite(paid).all()
    assert learner.weights.sum() == pytest.approx(1.0)
    assert all(c.observed <= c.bound for c in learner.certificates())


@pytest.mark.parametrize("name", TABLES)
def test_it_averages_predictions_and_pays_for_the_average(name):
    rng = np.random.default_rng(3)
    said, outcomes = rng.random((50, 3)), rng.random(50)
    for loss in (Absolute(), Square()):
        learner = make(name)
        predictions = learner.learn(said, outcomes, loss=loss)
        assert (predictions >= said.min(axis=1)).all()
        assert (predictions <= said.max(axis=1)).all()
        assert learner.cumulative_loss_ == pytest.approx(loss(outcomes, predictions).sum())
        each = loss(np.repeat(outcomes, 3).reshape(50, 3), said).sum(axis=0)
        np.testing.assert_allclose(learner.expert_losses_, each)
        assert all(c.observed <= c.bound for c in learner.certificates())
    with pytest.raises(ValueError, match="loss"):
        make(name).learn(said, outcomes)
    with pytest.raises(ValueError, match="without outcomes"):
        make(name).learn(said, loss=Square())


@pytest.mark.parametrize("name", SLEEPING)
def test_sleepers_are_charged_the_learners_loss_and_everybody_awake_is_as_without_a_mask(name):
    rng = np.random.default_rng(4)
    losses, awake = rng.random((80, 5)), rng.random((80, 5)) < 0.5
    awake[10] = False  # nobody
    plain, all_awake, learner = make(name), make(name), make(name)
    agree(plain.learn(losses), all_awake.learn(losses, awake=np.ones((80, 5))))
    assert not all_awake.slept_
    paid = learner.learn(np.where(awake, losses, np.nan), awake=awake)
    assert learner.slept_
    assert paid[10] == 0.0
    np.testing.assert_allclose(learner.regrets_, (awake * (paid[:, None] - losses)).sum(axis=0))
    least, most = (f(np.where(awake, losses, v), axis=1) for f, v in ((np.min, 1), (np.max, 0)))
    rows = awake.any(axis=1)
    assert (paid[rows] >= least[rows] - 1e-12).all()
    assert (paid[rows] <= most[rows] + 1e-12).all()
    issued = learner.certificates()
    assert issued
    for certificate in issued:
        assert "awake" in certificate.quantity
        assert any("sleeping" in p.name for p in certificate.preconditions)
        assert certificate.observed <= certificate.bound


@pytest.mark.parametrize("name", SLEEPING)
def test_a_mask_that_does_not_fit_is_refused(name):
    losses = np.zeros((4, 3))
    for mask in (np.ones((4, 2)), np.full((4, 3), 2.0), np.full((4, 3), np.nan)):
        with pytest.raises(ValueError, match="awake"):
            make(name).learn(losses, awake=mask)


@pytest.mark.parametrize("name", SLEEPING)
def test_a_giant_that_sleeps_leaves_the_others_their_proportions(name):
    learner = make(name)
    learner.learn(np.tile([0.0, 1.0, 1.0], (5000, 1)))
    assert learner.predict([9.0, 0.0, 1.0], awake=[0, 1, 1]) == pytest.approx(0.5)


@pytest.mark.parametrize("name", sorted(set(AVERAGING) - set(SLEEPING)))
def test_who_cannot_serve_sleepers_says_so(name):
    with pytest.raises(ValueError, match="do not sleep"):
        make(name).learn(*game(name), awake=np.ones((60, 4)))


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_table_is_a_game_of_no_rounds(name):
    learner = make(name)
    assert learner.learn(np.empty((0, 3)), *([[]] if len(game(name)) == 2 else [])).shape == (0,)
    assert learner.n_rounds_ == 0
    assert learner.certificates() == ()


@pytest.mark.parametrize("name", NAMES)
def test_interpreted_equals_compiled(name, monkeypatch):
    data = game(name, n_rounds=30)
    compiled, plain = make(name), make(name)
    answers = compiled.learn(*data)
    for module in (importlib.import_module(CLASSES[name].__module__), primitives):
        for key, member in vars(module).copy().items():
            if isinstance(member, Dispatcher) and key != "exp":  # made of machine words
                monkeypatch.setattr(module, key, member.py_func)
    np.testing.assert_allclose(plain.learn(*data), answers, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_learner_is_written_as_the_call_that_makes_it(name):
    learner = make(name)
    text = repr(learner)
    again = eval(text, {**CLASSES, "Square": Square})  # noqa: S307
    assert repr(again) == text


def test_the_vectorised_exponential_is_accurate_where_it_says_so():
    x = -np.concatenate([np.linspace(0.0, 10.0, 20_001), np.linspace(10.0, 707.9, 20_001)])
    error = np.abs(np.array([elementary.exp(v) for v in x]) / np.exp(x) - 1.0)
    assert error[x > -10.0].max() < 1e-15
    assert error.max() < 3e-14
    assert [elementary.exp(v) for v in (0.0, -708.0, -1e300, -np.inf)] == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_a_copy_plays_as_the_learner_would_and_does_not_disturb_it(name, how):
    learner, arguments = make(name), game(name)
    how(learner).learn(*arguments)  # before the first round, too
    learner.learn(*arguments)
    before = states.digest(learner.state_)
    twin, second = how(learner), how(learner)
    twin.learn(*arguments)
    assert states.digest(learner.state_) == before != states.digest(twin.state_)
    second.learn(*arguments)
    assert states.same(twin.state_, second.state_)
