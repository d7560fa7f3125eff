"""What holds for every bandit: blocks, stored games, hidden losses, bad input, certificates."""

import copy
import importlib
import inspect
import pickle

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher
from scipy import sparse

from surelearn import check_certificate
from surelearn.app.registry import find_bandits
from surelearn.base import states
from surelearn.certificate import Certificate
from surelearn.learners.bandits import _sampling

N_ARMS = 4


def settings(cls):
    """Return the arguments with which the class is tried: its own, and a horizon if it has one."""
    known = [{"horizon": 80}] if "horizon" in inspect.signature(cls).parameters else []
    return [{}, *known]


BANDITS = find_bandits()
CASES = [(name, options) for name, cls in BANDITS.items() for options in settings(cls)]
every_bandit = pytest.mark.parametrize("name", BANDITS)
every_case = pytest.mark.parametrize(
    "make",
    [lambda n=name, o=options: BANDITS[n](n_arms=N_ARMS, **o) for name, options in CASES],
    ids=[f"{name}{options or ''}" for name, options in CASES],
)


def table(n=80, seed=0):
    return np.random.default_rng(seed).random((n, N_ARMS)) * (1.0, 0.7, 0.9, 1.0)


def assert_same(first, second):
    """Require that two games stand exactly alike, coins included."""
    assert states.same(first.state_, second.state_)
    assert repr(first) == repr(second)


def test_the_six_of_the_public_list_are_found():
    assert set(BANDITS) >= {"Exp3", "Exp3IX", "KLUCB", "ThompsonSampling", "TsallisInf", "UCB1"}


@every_case
def test_playing_in_blocks_or_round_by_round_is_playing_in_one_call(make):
    losses, whole, blocks, single = table(), make(), make(), make()
    arms = whole.play(losses)
    parts = [blocks.play(losses[a:b]) for a, b in ((0, 0), (0, 1), (1, 30), (30, 30), (30, 80))]
    np.testing.assert_array_equal(np.concatenate(parts), arms)
    for row, arm in zip(losses, arms, strict=True):
        assert single.select() == single.select() == arm
        single.update(arm, row[arm])
    assert_same(whole, blocks)
    assert_same(whole, single)


@every_case
def test_an_arm_selected_before_a_table_is_played_belongs_to_its_first_row(make):
    losses, whole, mixed = table(), make(), make()
    arms = whole.play(losses)
    mixed.play(losses[:20])
    assert mixed.select() == arms[20]
    assert mixed.play(losses[:0]).shape == (0,)
    assert mixed.select() == arms[20]
    np.testing.assert_array_equal(mixed.play(losses[20:]), arms[20:])
    assert_same(whole, mixed)


@every_case
def test_a_game_stored_in_mid_round_goes_on_as_before(make):
    losses, bandit = table(), make()
    bandit.play(losses[:30])
    arm = bandit.select()
    loaded = pickle.loads(pickle.dumps(bandit))  # noqa: S301 - our own bytes
    for game in (bandit, loaded):
        assert game.select() == arm
        game.update(arm, losses[30, arm])
    np.testing.assert_array_equal(bandit.play(losses[31:]), loaded.play(losses[31:]))
    assert_same(bandit, loaded)


@every_case
def test_losses_of_arms_not_played_are_never_read(make):
    losses, seeing, blind = table(), make(), make()
    arms = seeing.play(losses)
    hidden = np.full_like(losses, np.nan)
    played = np.arange(len(arms)), arms
    hidden[played] = losses[played]
    np.testing.assert_array_equal(blind.play(hidden), arms)
    assert_same(seeing, blind)


@every_case
def test_tables_of_any_kind_are_welcome_and_left_alone(make):
    losses = np.round(table() * 64) / 64
    arms = make().play(losses)
    frozen = losses.copy()
    frozen.flags.writeable = False
    forms = (frozen, losses.astype(np.float32), np.asfortranarray(losses), losses.tolist())
    for form in (*forms, losses[::-1][::-1]):
        np.testing.assert_array_equal(make().play(form), arms)
    np.testing.assert_array_equal(frozen, losses)
    coins = losses > 0.5
    np.testing.assert_array_equal(make().play(coins), make().play(coins.astype(float)))


@every_case
def test_the_books_are_right(make):
    losses, bandit = table(), make()
    arms = bandit.play(losses)
    paid = losses[np.arange(len(arms)), arms]
    assert bandit.n_rounds_ == len(arms)
    assert bandit.cumulative_loss_ == pytest.approx(paid.sum())
    np.testing.assert_array_equal(bandit.pulls_, np.bincount(arms, minlength=N_ARMS))
    np.testing.assert_allclose(bandit.arm_losses_, np.bincount(arms, paid, minlength=N_ARMS))


@every_case
def test_probabilities_are_a_distribution_and_looking_changes_nothing(make):
    bandit = make()
    for row in table(12):
        before = pickle.dumps(bandit)
        chances = bandit.probabilities
        assert pickle.dumps(bandit) == before
        assert chances.min() >= 0
        assert chances.sum() == pytest.approx(1)
        arm = bandit.select()
        assert chances[arm] > 0
        np.testing.assert_array_equal(bandit.probabilities, chances)
        bandit.update(arm, row[arm])


def bad_calls(bandit, arm):
    """Return calls that must be refused in a round in which `arm` is selected."""
    late, low = table(), table()
    late[60], low[70] = np.nan, -0.1
    return [
        lambda: bandit.update(N_ARMS, 0.5),
        lambda: bandit.update(-1, 0.5),
        lambda: bandit.update("first", 0.5),
        lambda: bandit.update((arm + 1) % N_ARMS, 0.5),
        *(lambda loss=loss: bandit.update(arm, loss) for loss in (1.5, -0.1, np.nan, "much", None)),
        lambda: bandit.play(table()[:, :3]),
        lambda: bandit.play(table()[0]),
        lambda: bandit.play(late),
        lambda: bandit.play(low),
        lambda: bandit.play(2 * np.ones((3, N_ARMS))),
        lambda: bandit.play([["a"] * N_ARMS]),
    ]


@every_case
def test_bad_input_is_refused_and_changes_nothing(make):
    bandit = make()
    with pytest.raises(ValueError, match="select"):
        bandit.update(0, 0.5)
    bandit.play(table(30, seed=1))
    with pytest.raises(ValueError, match="select"):
        bandit.update(0, 0.5)
    arm = bandit.select()
    before = pickle.dumps(bandit)
    for call in bad_calls(bandit, arm):
        with pytest.raises(ValueError, match=r"arm|loss|convert"):
            call()
        assert pickle.dumps(bandit) == before
    bandit.update(arm, 0.5)
    assert bandit.n_rounds_ == 31


def test_the_refusal_names_round_and_arm():
    losses = np.full((5, 2), 0.5)
    losses[3] = 1.25
    with pytest.raises(ValueError, match=r"row 3 has loss 1\.25 for arm [01]"):
        BANDITS["Exp3"](n_arms=2).play(losses)


@every_bandit
@pytest.mark.parametrize("n_arms", [1, 0, -3, 2.5, "two", None])
def test_fewer_than_two_arms_are_refused(name, n_arms):
    with pytest.raises(ValueError, match="n_arms"):
        BANDITS[name](n_arms=n_arms)


SEEDED = [name for name, cls in BANDITS.items() if "seed" in inspect.signature(cls).parameters]


@pytest.mark.parametrize("name", SEEDED)
def test_the_seed_decides_and_may_be_a_generator(name):
    losses, cls = table(), BANDITS[name]
    first, other = (cls(n_arms=N_ARMS, seed=seed).play(losses) for seed in (5, 6))
    assert (first != other).any()
    rng = np.random.default_rng(5)
    bandit = cls(n_arms=N_ARMS, seed=rng)
    broken = losses.copy()
    broken[50] = 2.0
    with pytest.raises(ValueError, match="row 50"):
        bandit.play(broken)
    np.testing.assert_array_equal(bandit.play(losses), first)
    assert rng.random() != np.random.default_rng(5).random()  # it was drawn from, not copied
    for seed in (None, -1, 1.5, "luck"):
        with pytest.raises(ValueError, match="seed"):
            cls(n_arms=N_ARMS, seed=seed)


@pytest.mark.parametrize("horizon", [0, -1, 2.5, "long"])
@pytest.mark.parametrize("name", [name for name, options in CASES if options])
def test_a_horizon_that_is_no_number_of_rounds_is_refused(name, horizon):
    with pytest.raises(ValueError, match="horizon"):
        BANDITS[name](n_arms=N_ARMS, horizon=horizon)


@every_case
def test_it_says_how_it_was_made(make):
    cls = type(make())
    assert repr(eval(repr(make()), {cls.__name__: cls})) == repr(make())  # noqa: S307


WORLDS = {
    "random": table(200),
    "no loss": np.zeros((60, N_ARMS)),
    "always the full loss": np.ones((60, N_ARMS)),
    "one good arm": np.tile([1.0, 1.0, 0.0, 1.0], (200, 1)),
    "sides change": np.where(np.arange(200)[:, None] // 40 % 2 == np.arange(N_ARMS) % 2, 0.1, 0.9),
    "one round": table(1),
}


@every_case
@pytest.mark.parametrize("world", WORLDS)
def test_certificates_recompute_and_sure_ones_are_never_below_what_was_seen(make, world):
    bandit = make()
    assert bandit.certificates() == ()
    bandit.play(WORLDS[world])
    issued = bandit.certificates(delta=0.1)
    assert issued
    for certificate in issued:
        assert certificate.kind == "regret"
        assert np.isfinite(certificate.observed)
        assert certificate.n == len(WORLDS[world])
        assert all(p.evidence for p in certificate.preconditions)
        void = certificate.status == "void"
        assert void or "bserved" in certificate.claim or certificate.validity == "surely"
        stored = Certificate.from_json(certificate.to_json())
        assert stored.status == certificate.status
        if stored.status != "void":
            assert stored.recompute() == certificate.bound
        check_certificate(certificate, bandit)
        if certificate.validity == "surely":
            assert certificate.observed <= certificate.bound * (1 + 1e-9)
    bandit.play(WORLDS[world])
    with pytest.raises(ValueError, match="changed"):
        check_certificate(issued[0], bandit)


@every_case
@pytest.mark.parametrize("delta", [0.0, 1.0, -1.0, np.nan])
def test_a_delta_outside_zero_and_one_is_refused(make, delta):
    bandit = make()
    bandit.play(table())
    with pytest.raises(ValueError, match="delta"):
        bandit.certificates(delta=delta)


@every_case
def test_interpreted_bandits_equal_compiled_ones(make, monkeypatch):
    bandit = make()
    arms = bandit.play(table())
    module = importlib.import_module(type(bandit).__module__)
    for place in (module, _sampling):
        for name, member in vars(place).copy().items():
            if isinstance(member, Dispatcher):
                monkeypatch.setattr(place, name, member.py_func)
    for name in ("_weigh", "_play_rounds"):
        if hasattr(type(bandit), name):
            plain = getattr(type(bandit), name).py_func
            monkeypatch.setattr(type(bandit), name, staticmethod(plain))
    plain = make()
    np.testing.assert_array_equal(plain.play(table()), arms)
    np.testing.assert_allclose(plain.arm_losses_, bandit.arm_losses_)
    np.testing.assert_allclose(plain.probabilities, bandit.probabilities, rtol=1e-9)


@pytest.mark.parametrize(
    ("bandit", "parameter", "value"),
    [
        (BANDITS["Exp3"](n_arms=4, learning_rate=1e-6), "learning_rate", None),
        (BANDITS["Exp3"](n_arms=4), "horizon", 80),
        (BANDITS["Exp3IX"](n_arms=4, delta=0.5), "delta", 0.01),
        (BANDITS["Exp3IX"](n_arms=4), "horizon", 10**6),
    ],
    ids=["rate", "horizon", "delta", "horizon of IX"],
)
def test_a_parameter_changed_in_mid_game_ends_the_game(bandit, parameter, value):
    bandit = copy.deepcopy(bandit)
    bandit.play(table())
    was = getattr(bandit, parameter)
    setattr(bandit, parameter, value)
    before = pickle.dumps(bandit)
    for go_on in (bandit.certificates, bandit.select, lambda: bandit.play(table())):
        with pytest.raises(ValueError, match="the game was begun as"):
            go_on()
        assert pickle.dumps(bandit) == before
    setattr(bandit, parameter, was)
    assert bandit.certificates()


@every_bandit
def test_a_sparse_table_is_refused_in_a_sentence(name):
    with pytest.raises(ValueError, match="toarray"):
        BANDITS[name](n_arms=N_ARMS).play(sparse.csr_array(table()))


@every_case
def test_a_game_that_was_refused_has_not_begun(make):
    bandit = make()
    before = pickle.dumps(bandit)
    for refused in (lambda: bandit.update(0, 0.5), lambda: bandit.play(table() + 7.0)):
        with pytest.raises(ValueError, match=r"select|\[0, 1\]"):
            refused()
        assert pickle.dumps(bandit) == before


@every_case
def test_a_call_interrupted_after_its_rounds_were_played_changes_nothing(make, monkeypatch):
    bandit, fresh = make(), make()
    bandit.play(table(30))
    kind, played = type(bandit), type(bandit)._play

    def interrupted(*arguments):
        played(*arguments)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(kind, "_play", interrupted)
        for game in (bandit, fresh):
            before = pickle.dumps(game)
            for call in (game.select, lambda g=game: g.play(table())):
                with pytest.raises(KeyboardInterrupt):
                    call()
                assert pickle.dumps(game) == before
    arm = bandit.select()
    monkeypatch.setattr(kind, "_play", interrupted)
    before = pickle.dumps(bandit)
    with pytest.raises(KeyboardInterrupt):
        bandit.update(arm, 0.5)
    assert pickle.dumps(bandit) == before


@every_case
def test_the_state_is_a_value_that_later_rounds_do_not_change(make):
    bandit = make()
    bandit.play(table(30))
    held = copy.deepcopy(bandit.state_), bandit.state_
    bandit.update(bandit.select(), 0.5)
    bandit.play(table(30))
    if not hasattr(held[0].learnt, "coins"):  # coins may be shared: they go on
        assert states.same(*held)
    for one, other in zip(held[0].counts, held[1].counts, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_game_of_format_1_goes_on():
    attributes = {
        "n_arms": 2,
        "n_rounds_": 3,
        "pulls_": np.array([2, 1]),
        "arm_losses_": np.array([0.5, 1.0]),
        "_selected": 0,
        "_begun_as": "UCB1(n_arms=2)",
    }
    kind = BANDITS["UCB1"]
    bandit = object.__new__(kind)
    vars(bandit).update(kind._upgrade_state(attributes))
    bandit.update(bandit.select(), 0.25)
    assert (bandit.n_rounds_, bandit.pulls_.tolist()) == (4, [3, 1])
    assert bandit.arm_losses_.tolist() == [0.75, 1.0]
    assert bandit.certificates()


@every_case
@pytest.mark.parametrize("how", [copy.copy, copy.deepcopy])
def test_a_copy_plays_as_the_bandit_would_and_does_not_disturb_it(make, how):
    bandit, alone, losses = make(), make(), table()
    for game in (bandit, alone):
        game.play(losses[:40])
    twin = how(bandit)
    twin.play(losses[::-1])
    assert_same(bandit, alone)
    again = how(bandit)
    arms = bandit.play(losses[40:])
    assert arms.tolist() == again.play(losses[40:]).tolist() == alone.play(losses[40:]).tolist()
    assert_same(bandit, again)
