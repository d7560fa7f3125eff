"""The three-coin model: toss A; if it shows heads, B, otherwise C; only the last toss is seen."""


def iterate(tosses, a, b, c):
    """Return the probabilities of heads of A, B and C after one EM step."""
    of_b = [a * (b if y else 1 - b) for y in tosses]
    of_c = [(1 - a) * (c if y else 1 - c) for y in tosses]
    shares = [p / (p + q) for p, q in zip(of_b, of_c, strict=True)]
    rest = [1 - share for share in shares]
    return (
        sum(shares) / len(tosses),
        sum(s * y for s, y in zip(shares, tosses, strict=True)) / sum(shares),
        sum(s * y for s, y in zip(rest, tosses, strict=True)) / sum(rest),
    )
