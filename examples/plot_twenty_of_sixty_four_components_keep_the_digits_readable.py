"""Twenty of sixty-four components keep 89% of the variance and the digits readable.

The components of pictures are pictures themselves: of faces they are called eigenfaces. These are
the first of scikit-learn's 1,797 digits of 8 × 8 pixels.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits

from surelearn import PrincipalComponents
from surelearn.plots import style

KEPT = (2, 5, 20, 64)


def tile(pictures):
    """Return pictures of 8 × 8 pixels side by side, a blank line between them."""
    framed = [np.pad(picture.reshape(8, 8), 1, constant_values=np.nan) for picture in pictures]
    return np.hstack(framed)


def figure():
    """Draw the first components, and ten digits rebuilt from more and more of them."""
    title = "Twenty of sixty-four components keep 89% of the variance and the digits readable"
    drawing, (ax,) = style.new_figure(title)
    X, y = load_digits(return_X_y=True)
    model = PrincipalComponents(n_components=20).fit(X)
    shown = X[[int(np.argmax(y == digit)) for digit in range(10)]]
    components = model.components_[:10]
    scaled = 16.0 * (components - components.min()) / np.ptp(components)
    rows, names = [tile(scaled)], ["first ten components"]
    for k in KEPT:
        part = PrincipalComponents(n_components=k).fit(X)
        rows.append(tile(part.inverse_transform(part.transform(shown))))
        share = part.explained_variance_ratio_.sum()
        names.append(f"{k} components: {share:.1%}" if k < 64 else "the digits themselves")
    gap = np.full((3, rows[0].shape[1]), np.nan)
    picture = np.vstack([part for row in rows for part in (row, gap)][:-1])
    ax.imshow(picture, cmap="gray_r", vmin=0.0, vmax=16.0, interpolation="nearest")
    ax.set_yticks([4.5 + 13.0 * i for i in range(len(rows))], names)
    ax.set_xticks([])
    ax.tick_params(length=0)
    ax.grid(visible=False)
    ax.spines[:].set_visible(False)
    return drawing


if __name__ == "__main__":
    target = Path(__file__).parent.parent / "docs" / "figures"
    name = "twenty_of_sixty_four_components_keep_the_digits_readable.svg"
    style.save(figure(), target / name)
