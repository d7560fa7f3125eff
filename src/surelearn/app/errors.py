"""What the use cases refuse: each refusal is one sentence that says what to do."""

from surelearn.persistence.model_files import ModelFileError


class TableError(ValueError):
    """A table that cannot be used, told in one sentence that says what to do."""


class TrainingPartError(TableError):
    """What the training part lacks, though the table may have it."""


class ArgumentError(ValueError):
    """Numbers or names that make no sense, told in one sentence that says what to do."""


REFUSALS = (TableError, ArgumentError, ModelFileError)
"""What a front end shows as a sentence, without a traceback."""
