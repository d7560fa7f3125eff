"""The weather tables of the catalogue: fourteen days, and whether there was play."""

import numpy as np

_FX_T = (
    "SHHW SHHS OHHW RMHW RCNW RCNS OCNS SMHW SCNW RMNW SMNS OMHS OHNW RMHS",
    "n n y y y n y n y y y y y n",
)
_WORDS = (
    {"S": "sunny", "O": "overcast", "R": "rainy"},
    {"H": "hot", "M": "mild", "C": "cool"},
    {"H": "high", "N": "normal"},
    {"W": "weak", "S": "strong"},
)

_NUMERIC = """
sunny 85 85 false no | sunny 80 90 true no | overcast 83 86 false yes | rainy 70 96 false yes
rainy 68 80 false yes | rainy 65 70 true no | overcast 64 65 true yes | sunny 72 95 false no
sunny 69 70 false yes | rainy 75 80 false yes | sunny 75 70 true yes | overcast 72 90 true yes
overcast 81 75 false yes | rainy 71 91 true no
"""


def nominal():
    """Return the categorical table: outlook, temperature, humidity, wind, and the labels."""
    rows = [[words[c] for words, c in zip(_WORDS, day, strict=True)] for day in _FX_T[0].split()]
    labels = np.array(["yes" if letter == "y" else "no" for letter in _FX_T[1].split()])
    return np.array(rows, dtype=object), labels


def numeric():
    """Return the same days with numbers for temperature and humidity, as columns, and labels."""
    days = [day.split() for day in _NUMERIC.strip().replace("\n", "|").split("|")]
    outlook, temperature, humidity, windy, play = (
        list(column) for column in zip(*days, strict=True)
    )
    columns = {
        "outlook": outlook,
        "temperature": [float(cell) for cell in temperature],
        "humidity": [float(cell) for cell in humidity],
        "windy": windy,
    }
    return columns, np.array(play)
