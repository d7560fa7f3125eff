"""The demonstration: a built-in table as a file, so that it is certified like any other."""

from pathlib import Path

import pyarrow as pa
from pyarrow import csv

from surelearn.app.errors import TableError
from surelearn.base.whole_files import replacing
from surelearn.datasets.real import load

TARGET = "diagnosis"


def write_table(path: Path) -> None:
    r"""Write the breast-cancer table, 569 tumours with 30 measurements each, as a CSV file.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(Path(folder) / "breast-cancer.csv")
    ...     text = (Path(folder) / "breast-cancer.csv").read_text(encoding="utf-8")
    >>> text.count("\n"), text.splitlines()[1].rpartition(",")[2]
    (570, '"malignant"')
    """
    table = load("breast_cancer")
    columns = {
        name: pa.array(cells) for name, cells in zip(table.feature_names, table.X.T, strict=True)
    }
    columns[TARGET] = pa.array(table.y.tolist())
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with replacing(path) as file:
            csv.write_csv(pa.table(columns), file)
    except OSError as error:  # PyArrow does not say where
        reason = error.strerror or error
        raise TableError(f"nothing can be written to {path.parent}: {reason}") from error
