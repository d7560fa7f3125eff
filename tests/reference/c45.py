"""C4.5 (Quinlan 1993, release 8), word for word, on lists of rows; a missing cell is None.

A case is (row, label, weight). A node is a dictionary: its class weights, and if it is no leaf its
feature, its cut point (None if the feature is categorical) and its children by answer.
"""

from itertools import pairwise
from math import log2, sqrt
from statistics import NormalDist

TIE = 1e-9


def bits(weights):
    """Return the total weight times the entropy."""
    total = sum(weights)
    return sum(w * log2(total / w) for w in weights if w > TIE)


def class_weights(cases, n_classes):
    """Return the weight of each class."""
    return [sum(w for _, label, w in cases if label == k) for k in range(n_classes)]


def weight(cases):
    """Return the total weight."""
    return sum(w for _, _, w in cases)


def answer(row, feature, cut):
    """Return what a row says to a question: a category, or on which side of a cut it is."""
    value = row[feature]
    return value if cut is None or value is None else value <= cut


def split(cases, feature, cut, answers):
    """Return the cases of each answer; one without an answer goes to all, by their weight."""
    parts = {a: [c for c in cases if answer(c[0], feature, cut) == a] for a in answers}
    known = sum(weight(part) for part in parts.values())
    shares = {a: weight(part) / known if known else 1 / len(parts) for a, part in parts.items()}
    for row, label, w in cases:
        if answer(row, feature, cut) not in parts:
            for a in answers:
                if w * shares[a] > 1e-6:
                    parts[a].append((row, label, w * shares[a]))
    return parts


def judge(cases, feature, cut, n_classes):
    """Return gain and split information; the cases of unknown value are a branch of their own."""
    known = [c for c in cases if c[0][feature] is not None]
    answers = {answer(c[0], feature, cut) for c in known}
    parts = [[c for c in known if answer(c[0], feature, cut) == a] for a in answers]
    gain = bits(class_weights(known, n_classes))
    gain -= sum(bits(class_weights(part, n_classes)) for part in parts)
    branches = [weight(part) for part in parts]
    total = weight(cases)
    information = bits([*branches, total - sum(branches)]) / total
    return max(0.0, gain) / total, information, branches


def best_cut(cases, feature, n_classes, least, charge):
    """Return gain, split information and threshold of the best cut, or None."""
    known = [c for c in cases if c[0][feature] is not None]
    least = max(least, min(25, 0.1 * weight(known) / n_classes))
    values, best, n_cuts = sorted({c[0][feature] for c in known}), None, 0
    for low, high in pairwise(values):
        cut = low + (high - low) / 2
        gain, information, branches = judge(cases, feature, cut, n_classes)
        if min(branches) >= least - TIE:
            n_cuts += 1
            if best is None or gain > best[0] + TIE:
                best = gain, information, cut
    if best is None:
        return None
    gain = best[0] - charge * log2(n_cuts) / weight(cases)
    return (gain, *best[1:]) if gain > 0 else None


def choose(cases, numeric, n_classes, least, charge):
    """Return the feature and cut of largest gain ratio among those of average gain, or None."""
    found = {}
    for feature, is_numeric in enumerate(numeric):
        if is_numeric:
            cut = best_cut(cases, feature, n_classes, least, charge)
            if cut is not None:
                found[feature] = cut
        else:
            gain, information, branches = judge(cases, feature, None, n_classes)
            if sum(b >= least - TIE for b in branches) > 1:
                found[feature] = gain, information, None
    if not found:
        return None
    average = sum(f[0] for f in found.values()) / len(found)
    ratios = {
        feature: gain / information
        for feature, (gain, information, _) in found.items()
        if gain >= average - 1e-3 and gain > TIE
    }
    if not ratios:
        return None
    best = min(f for f in ratios if ratios[f] >= max(ratios.values()) - TIE)
    return best, found[best][2]


def grow(cases, numeric, n_classes, least=2, charge=1):
    """Return the tree before pruning."""
    counts = class_weights(cases, n_classes)
    node = {"counts": counts}
    if sum(c > 0 for c in counts) < 2 or sum(counts) < 2 * least - TIE:
        return node
    question = choose(cases, numeric, n_classes, least, charge)
    if question is None:
        return node
    answers = {answer(row, *question) for row, _, _ in cases if row[question[0]] is not None}
    parts = split(cases, *question, sorted(answers, reverse=question[1] is not None))
    node["question"] = question
    node["children"] = {a: grow(p, numeric, n_classes, least, charge) for a, p in parts.items()}
    return node


def leaf(node):
    """Return the node without its children."""
    return {"counts": node["counts"]}


def errors(node):
    """Return the training errors below a node."""
    if "children" in node:
        return sum(errors(child) for child in node["children"].values())
    return sum(node["counts"]) - max(node["counts"])


def collapse(node):
    """Close the nodes that err no more than their subtrees."""
    if "children" not in node or errors(node) >= errors(leaf(node)) - 1e-3:
        return leaf(node)
    children = {a: collapse(child) for a, child in node["children"].items()}
    return {**node, "children": children}


def expected_errors(n, e, confidence):
    """Return the upper limit of the errors among n new cases where e of n were observed."""
    if e < 1:
        none, one = n * (1 - confidence ** (1 / n)), expected_errors(n, 1, confidence) - 1
        return e + none + e * (one - none)
    if e + 0.5 >= n:
        return max(n, e)
    z, f = NormalDist().inv_cdf(1 - confidence), (e + 0.5) / n
    root = sqrt(f / n - f * f / n + z * z / (4 * n * n))
    return n * (f + z * z / (2 * n) + z * root) / (1 + z * z / n)


def promised(node, confidence):
    """Return the errors that the leaves of a subtree promise."""
    if "children" in node:
        return sum(promised(child, confidence) for child in node["children"].values())
    n = sum(node["counts"])
    return expected_errors(n, n - max(node["counts"]), confidence) if n > 0 else 0.0


def recount(node, cases, n_classes):
    """Return the same questions with the counts of other cases."""
    counts = class_weights(cases, n_classes)
    if "children" not in node:
        return {"counts": counts}
    parts = split(cases, *node["question"], list(node["children"]))
    children = {a: recount(c, parts[a], n_classes) for a, c in node["children"].items()}
    return {"counts": counts, "question": node["question"], "children": children}


def prune(node, cases, n_classes, confidence=0.25, *, raising=True):
    """Return the pruned tree: children first, then the node, again if a branch was raised."""
    if "children" not in node:
        return node
    parts = split(cases, *node["question"], list(node["children"]))
    children = {
        a: prune(child, parts[a], n_classes, confidence, raising=raising)
        for a, child in node["children"].items()
    }
    node = {**node, "children": children}
    as_leaf, as_tree = promised(leaf(node), confidence), promised(node, confidence)
    largest = max(children.values(), key=lambda child: sum(child["counts"]))
    raised = recount(largest, cases, n_classes)
    as_branch = promised(raised, confidence) if raising else float("inf")
    if as_leaf <= min(as_tree, as_branch) + 0.1:
        return leaf(node)
    if as_branch <= as_tree + 0.1:
        return prune(raised, cases, n_classes, confidence)
    return node


def predict(node, row):
    """Return the probability of each class."""
    if "children" not in node:
        return [c / sum(node["counts"]) for c in node["counts"]]
    children = node["children"]
    said = answer(row, *node["question"])
    if said in children:
        return predict(children[said], row)
    total = sum(sum(child["counts"]) for child in children.values())
    mixed = [0.0] * len(node["counts"])
    for child in children.values():
        for k, p in enumerate(predict(child, row)):
            mixed[k] += sum(child["counts"]) / total * p
    return mixed


def size(node):
    """Return the number of nodes."""
    return 1 + sum(size(child) for child in node.get("children", {}).values())
