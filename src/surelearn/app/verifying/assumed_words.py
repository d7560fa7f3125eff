"""Why hold-outs merely assume something: sentences beside those of the reviewed table.

The table has what small runs state. Other sentences depend on data and models that none of them
has; a certificate in words of neither kind was not issued like that.
"""

import re

from surelearn.app.problem.ledger_entry import OF_PARTS
from surelearn.app.verifying.shapes import without_numbers
from surelearn.evaluate._holdout_draws import ROUNDED

_KNOWN_ROWS = "# of them are among the # training rows remembered"
_APART = "# rows train, # others are held out"
_LOOKS = "what was asked elsewhere"
_IN_PARTS = (
    "whether rows of different groups are equal was not looked at",
    "rows that differ only in columns that are no features may stand on both sides",
    f"of those that were compared # {ROUNDED}",
)
_SENTENCES = {
    "unseen": (
        "the model does not remember its training rows",
        "# rows coincide after the transforms of the pipeline",
        (
            "# of them are among the rows remembered by # learners inside; the model itself does "
            "not remember its training rows"
        ),
        _KNOWN_ROWS,
        f"{_KNOWN_ROWS}; but the model was changed after it was fitted",
        f"{_KNOWN_ROWS}; what else * learns from is not known",
        f"{_KNOWN_ROWS}; what the functions given to * know is not known",
        f"{_KNOWN_ROWS}; # others are in single or half precision",
        (
            f"{_KNOWN_ROWS}; # are in single precision, in which a row learnt in double would not "
            "be recognised"
        ),
        "# of # held-out rows coincide with training rows and are taken as independent draws",
        f"# of # held-out rows {ROUNDED}",
        f"{_APART}; # of them coincide with training rows and are taken as independent draws",
        f"{_APART}; # of them {ROUNDED}",
        *(f"{_APART}; {why}" for why in _IN_PARTS),
    ),
    "copies": (
        "# of # held-out rows coincide with training rows and are taken as independent draws",
        "# held-out rows are equal to training rows",
        f"# of # held-out rows {ROUNDED}",
        f"# of the held-out rows {ROUNDED}",
        *_IN_PARTS,
    ),
    "not_chosen_by_them": (
        f"question # of # about these rows in this process; {_LOOKS} is not seen",  # as of before
        f"question # of # to a hold-out of these rows in this process; {_LOOKS} is not seen",
        (
            f"question # of # to a hold-out of these rows in this process; {_LOOKS}, or about "
            "small parts of a large hold-out, is not seen"
        ),
        f"look # of # at this table in the ledger; {_LOOKS} is not seen",
        f"look # of # at this table in the ledger; {_LOOKS} is not seen{OF_PARTS}",
        "look # of # at this table in the ledger, some lines of which cannot be read",
        "no ledger was kept, so that earlier looks at this table are not seen",
    ),
    "row_by_row": ("the same on # rows asked one by one; a sample proves nothing",),
}


def is_known(key: str, evidence: str) -> bool:
    """Return whether code of this library says so of what it could not verify.

    Examples
    --------
    >>> is_known("row_by_row", "the same on 32 rows asked one by one; a sample proves nothing")
    True
    >>> is_known("row_by_row", "an auditor looked at it")
    False
    """
    said = without_numbers(evidence)
    return any(_pattern(sentence).fullmatch(said) for sentence in _SENTENCES.get(key, ()))


def _pattern(sentence: str) -> re.Pattern[str]:
    return re.compile(re.escape(sentence).replace(r"\*", r"[A-Za-z_][\w.]{0,99}"))
