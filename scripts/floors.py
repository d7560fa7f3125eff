"""Install the oldest versions that pyproject.toml allows into an empty folder, and try them out.

Run by `make floors`: a floor that does not resolve, or with which the library does not work, is
not one.
"""

import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRIAL = """
import warnings
warnings.simplefilter("error", DeprecationWarning)
import numpy as np, pyarrow as pa
from scipy import sparse
import surelearn
from surelearn.app.certify import certify_table
from surelearn.app.tables.read import TableFile
X = np.random.default_rng(0).normal(size=(200, 4))
y = X[:, 0] > 0.0
for name in (
    "Perceptron", "LogisticRegression", "CARTClassifier", "GaussianNaiveBayes",
    "GradientBoostingClassifier", "RandomForestClassifier",
):
    getattr(surelearn, name)().fit(X, y).predict(X)
surelearn.Perceptron().fit(sparse.csr_array(X), y).predict(sparse.csr_matrix(X))
table = pa.table({"a": X[:, 0], "b": X[:, 1], "c": ["u", "v"] * 100, "y": y})
run = certify_table(TableFile.of_table(table), target="y", learners=["CARTClassifier"])
print(run.certificate)
"""


def floors() -> list[str]:
    """Return the oldest version of each dependency, as pip wants it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [re.sub(r">=\s*([^,]+).*", r"==\1", entry) for entry in project["dependencies"]]


def main(folder: Path) -> None:
    """Make the environment, install, fit and certify."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", *floors()]
    subprocess.run(install, check=True)  # noqa: S603 - our own list
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--no-deps", ROOT], check=True)  # noqa: S603
    subprocess.run([python, "-c", TRIAL], check=True, cwd=folder)  # noqa: S603
    subprocess.run([folder / "bin" / "surelearn", "--help"], check=True, cwd=folder)  # noqa: S603


if __name__ == "__main__":
    main(Path(sys.argv[1]).absolute())  # programs are started in that folder
