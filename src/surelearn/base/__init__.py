"""The door: data are checked once, here, and learners trust what they receive.

Only this package meets scikit-learn's base classes.
"""

from surelearn.base.fingerprint import check_certificate, data_fingerprint, fingerprint
from surelearn.base.online.classifier import OnlineClassifier
from surelearn.base.online.linear import OnlineLinearClassifier
from surelearn.base.online.mistakes import MistakeRecord, compression_certificate
from surelearn.base.online.regressor import OnlineLinearRegressor

__all__ = [
    "MistakeRecord",
    "OnlineClassifier",
    "OnlineLinearClassifier",
    "OnlineLinearRegressor",
    "check_certificate",
    "compression_certificate",
    "data_fingerprint",
    "fingerprint",
]
