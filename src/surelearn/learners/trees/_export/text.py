"""A tree as text: lines for a terminal, or the language of Graphviz."""

from collections.abc import Iterator

from surelearn.learners.trees._export.vocabulary import Vocabulary
from surelearn.learners.trees._tree import Tree


def text(tree: Tree, vocabulary: Vocabulary) -> str:
    """Return the tree as indented lines, an answer each; a leaf tells its rows and errors.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[4, 3], [4, 1], [0, 2]])
    >>> print(text(stump, Vocabulary(["size"], (None,), np.array(["no", "yes"]), 6)))
    size <= 0.5: no (5, 1 wrong)
    size > 0.5: yes (2)
    """
    if tree.n_children[0] == 0:
        return _leaf(tree, vocabulary, 0)
    return "\n".join(_lines(tree, vocabulary))


def _lines(tree: Tree, vocabulary: Vocabulary) -> Iterator[str]:
    answers, parent = vocabulary.answers(tree), tree.parent
    pending = [*reversed(tree.children(0))]
    while pending:
        node = pending.pop()
        name = vocabulary.names[tree.feature[parent[node]]]
        outcome = "" if tree.n_children[node] else f": {_leaf(tree, vocabulary, node)}"
        yield f"{'|   ' * int(tree.depth[node] - 1)}{name} {answers[node]}{outcome}"
        pending.extend(reversed(tree.children(node)))


def _leaf(tree: Tree, vocabulary: Vocabulary, node: int) -> str:
    """Return the outcome of a leaf, its weight, and the weight that it gets wrong."""
    weight = vocabulary.number(float(tree.weight[node]))
    if vocabulary.classes is None:
        return f"{vocabulary.outcome(tree, node)} ({weight})"
    wrong = float(tree.weight[node] - tree.value[node].max())
    mistaken = f", {vocabulary.number(wrong)} wrong" if wrong > 1e-9 * tree.weight[node] else ""
    return f"{vocabulary.outcome(tree, node)} ({weight}{mistaken})"


def dot(tree: Tree, vocabulary: Vocabulary) -> str:
    """Return the tree in Graphviz's language; `dot -Tsvg` draws it.

    Examples
    --------
    >>> import numpy as np
    >>> from surelearn.learners.trees._tree import binary_stump
    >>> stump = binary_stump(feature=0, threshold=0.5, value=[[4, 3], [4, 1], [0, 2]])
    >>> print(dot(stump, Vocabulary(["size"], (None,), np.array(["no", "yes"]), 6)))
    digraph tree {
        node [shape=box, style=rounded, fontname="Helvetica"];
        edge [fontname="Helvetica"];
        0 [label="size"];
        1 [label="no (5, 1 wrong)", style=""];
        2 [label="yes (2)", style=""];
        0 -> 1 [label="<= 0.5"];
        0 -> 2 [label="> 0.5"];
    }
    """
    nodes: list[str] = []
    edges: list[str] = []
    answers = vocabulary.answers(tree)
    for node in range(tree.n_nodes):
        if tree.n_children[node] == 0:
            nodes.append(f'{node} [label={_quoted(_leaf(tree, vocabulary, node))}, style=""];')
            continue
        nodes.append(f"{node} [label={_quoted(vocabulary.names[tree.feature[node]])}];")
        edges += [
            f"{node} -> {child} [label={_quoted(answers[child])}];" for child in tree.children(node)
        ]
    style = [
        'node [shape=box, style=rounded, fontname="Helvetica"];',
        'edge [fontname="Helvetica"];',
    ]
    body = "\n".join(f"    {line}" for line in (*style, *nodes, *edges))
    return f"digraph tree {{\n{body}\n}}"


def _quoted(label: str) -> str:
    """Return a label as a quoted string, in which backslashes and quotes mean themselves."""
    escaped = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
