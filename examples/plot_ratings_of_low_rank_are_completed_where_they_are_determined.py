"""Ratings are completed where the known ones determine them, and guessed where they do not.

The ratings are synthetic: 60 people, 40 films and two tastes, without noise. Everyone rated at
random, but the last ten people rated a single film each: of rank two that is too little.
"""

import warnings
from pathlib import Path

import numpy as np

from surelearn import MatrixCompletion
from surelearn.plots import style

PEOPLE, FILMS, SHY = 60, 40, 10


def ratings(seed=0):
    """Return the true ratings, and those that are known."""
    rng = np.random.default_rng(seed)
    people, films = rng.uniform(0.2, 1.0, size=(PEOPLE, 2)), rng.uniform(0.5, 2.5, size=(FILMS, 2))
    truth = people @ films.T
    known = rng.random((PEOPLE, FILMS)) < 0.35
    known[-SHY:] = False
    known[np.arange(PEOPLE - SHY, PEOPLE), rng.integers(FILMS, size=SHY)] = True
    return truth, np.where(known, truth, np.nan)


def figure():
    """Draw the known ratings and the errors of the completion, row by row."""
    title = (
        "Ratings are completed where the known ones determine them, and guessed where they do not"
    )
    drawing, axes = style.new_figure(title, columns=2)
    truth, X = ratings()
    with warnings.catch_warnings():  # it says that ten rows are open, which is what is shown here
        warnings.simplefilter("ignore", UserWarning)
        model = MatrixCompletion(rank=2, tolerance=1e-8).fit(X)
    error = np.abs(model.completed() - truth)
    sure = model.determined_
    drawn = axes[0].imshow(X, cmap="viridis", aspect="auto", interpolation="nearest")
    drawing.colorbar(drawn, ax=axes[0], label="rating")
    share = np.mean(~np.isnan(X))
    axes[0].set(title=f"known: {share:.0%} of the entries", xlabel="films", ylabel="people")
    axes[0].grid(visible=False)
    bins = np.geomspace(1e-9, 10.0, 41)
    unknown = np.isnan(X)
    for mask, colour, name in (
        (sure & unknown, style.OBSERVED, "determined"),
        (~sure, style.GUARANTEED, "not determined"),
    ):
        label = f"{name}: {mask.sum()} unknown entries"
        axes[1].hist(np.maximum(error[mask], 1e-9), bins=bins, color=colour, alpha=0.8, label=label)
    axes[1].set(xscale="log", xlabel="error of a completed entry", ylabel="entries")
    axes[1].set_ylim(top=1.25 * axes[1].get_ylim()[1])
    axes[1].legend(loc="upper left", fontsize=9)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "ratings_of_low_rank_are_completed_where_they_are_determined.svg"
    style.save(figure(), target / name)
