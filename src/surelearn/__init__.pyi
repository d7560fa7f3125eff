from . import bounds as bounds
from .bounds import Guarantee as Guarantee
