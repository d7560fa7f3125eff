"""What holds for every kernel in `surelearn.kernels`, discovered, never listed."""

import copy
import doctest
import inspect
import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from surelearn import kernels
from surelearn.kernels import Gaussian, Kernel, Linear, Subsequence, is_positive_semidefinite

CLASSES = {
    name: member
    for name, member in vars(kernels).items()
    if inspect.isclass(member) and issubclass(member, Kernel) and not inspect.isabstract(member)
}


def example_of(name):
    """Return the kernel that the docstring's example makes."""
    scope = dict(vars(kernels))
    for example in doctest.DocTestParser().get_examples(inspect.getdoc(CLASSES[name])):
        exec(example.source, scope)  # noqa: S102
        if "kernel" in scope:
            return scope["kernel"]
    raise AssertionError(f"the example of {name} assigns no `kernel`")


def variants_of(name):
    """Return the kernel of the example, also normalised and in combination with another."""
    kernel = example_of(name)
    partner = Subsequence(order=1) if kernel.domain == "strings" else Linear()
    yield f"{name}", kernel
    yield f"{name}, normalised", kernel.normalised()
    yield f"{name}, combined", (0.5 * kernel.normalised() + partner * partner + 1.0) ** 2


KERNELS = dict(pair for name in CLASSES for pair in variants_of(name))
every_kernel = pytest.mark.parametrize("name", KERNELS)
of_tables = pytest.mark.parametrize(
    "name", [name for name, kernel in KERNELS.items() if kernel.domain != "strings"]
)
of_sparse_tables = pytest.mark.parametrize(  # what a feature map reads is its own affair
    "name",
    [name for name in KERNELS if KERNELS[name].domain != "strings" and "PullBack" not in name],
)


def points(kernel, n, seed=0):
    """Return n points that the kernel reads, some of them equal."""
    rng = np.random.default_rng(seed)
    if kernel.domain == "strings":
        words = ["".join(rng.choice(list("abc"), rng.integers(0, 9))) for _ in range(n)]
        return [*words[:-1], words[0]]
    table = rng.standard_normal((n, 7)) * (rng.random((n, 7)) < 0.6)
    table = (table > 0).astype(float) if kernel.domain == "bits" else table
    table[-1] = table[0]
    return table


def close(actual, expected, relative=1e-12):
    """Assert that all entries agree, relative to the largest."""
    __tracebackhide__ = True
    scale = float(np.abs(expected).max())
    np.testing.assert_allclose(actual, expected, rtol=relative, atol=relative * scale)


def test_the_kernels_of_the_public_surface_and_all_operations_are_there():
    assert set(CLASSES) >= {
        *("Linear", "Polynomial", "Gaussian", "Anova", "Agreement", "Subsequence"),
        *("Sum", "Product", "Scaled", "Shifted", "Power", "Exponentiated", "PullBack"),
    }
    assert {kernel.domain for kernel in KERNELS.values()} == {"vectors", "bits", "strings", "any"}


@every_kernel
@pytest.mark.parametrize("n", [1, 40])
def test_it_is_symmetric_and_positive_semidefinite(name, n):
    gram = KERNELS[name](points(KERNELS[name], n))
    assert gram.shape == (n, n)
    assert np.array_equal(gram, gram.T)
    eigenvalues = np.linalg.eigvalsh(gram)
    assert eigenvalues[0] >= -n * np.finfo(float).eps * eigenvalues[-1]
    assert is_positive_semidefinite(gram)


@every_kernel
def test_a_block_is_a_part_of_the_gram_matrix_whatever_the_size_of_the_tiles(name):
    kernel = KERNELS[name]
    everything = points(kernel, 600)  # more than two tiles on a side
    gram = kernel(everything)
    some, others = everything[100:103], everything[200:580]
    close(kernel(some, others), gram[100:103, 200:580])
    close(kernel(others, some), gram[200:580, 100:103])
    close(kernel(everything, list(everything)), gram)
    close(kernel(everything[:10]), gram[:10, :10])
    assert np.array_equal(gram, gram.T)


@every_kernel
def test_the_diagonal_is_that_of_the_gram_matrix(name):
    kernel = KERNELS[name]
    x = points(kernel, 30)
    diagonal = kernel.diagonal(x)
    assert np.array_equal(diagonal, np.diag(kernel(x)))
    others = x[:] if isinstance(x, list) else x.copy()
    close(diagonal, np.diag(kernel(x, others)))
    assert (diagonal >= 0.0).all()


@every_kernel
def test_a_cosine_is_never_above_one_and_one_on_the_diagonal(name):
    cosine = KERNELS[name].normalised()
    x = points(KERNELS[name], 40)
    gram = cosine(x)
    assert np.abs(gram).max() <= 1.0
    assert set(np.diag(gram)) <= {0.0, 1.0}
    raw = KERNELS[name](x)
    lengths = np.sqrt(np.outer(np.diag(raw), np.diag(raw)))
    close(gram * lengths, raw)


@every_kernel
def test_it_survives_pickling_cloning_and_its_own_repr(name):
    kernel = KERNELS[name]
    assert pickle.loads(pickle.dumps(kernel)) == kernel  # noqa: S301
    assert clone(kernel, safe=False) == kernel
    assert hash(copy.deepcopy(kernel)) == hash(kernel)
    scope = {**vars(kernels), "np": np}
    readable = repr(kernel).replace("<ufunc 'absolute'>", "np.abs")
    assert eval(readable, scope) == kernel  # noqa: S307
    assert kernel != Gaussian(gamma=12.5)
    with pytest.raises(AttributeError):
        kernel.anything = 1


@of_sparse_tables
@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_points_give_the_values_of_dense_ones(name, form):
    kernel = KERNELS[name]
    x, z = points(kernel, 30), points(kernel, 20, seed=1)
    expected = kernel(x, z)
    for left, right in ((form(x), form(z)), (form(x), z), (x, form(z))):
        close(kernel(left, right), expected)
    gram = kernel(form(x))
    assert isinstance(gram, np.ndarray)
    close(gram, kernel(x))


@of_tables
def test_single_precision_is_close_and_stays_single(name):
    kernel = KERNELS[name]
    x, z = points(kernel, 30), points(kernel, 20, seed=1)
    single = kernel(x.astype(np.float32), z.astype(np.float32))
    close(single, kernel(x, z), relative=1e-5)
    exact = "Agreement" in name
    assert single.dtype == (np.float64 if exact else np.float32)
    assert kernel(x.astype(np.float32), z).dtype == np.float64
    assert kernel(x.astype(np.float32)).dtype == single.dtype


@every_kernel
def test_inputs_are_left_alone_and_may_be_read_only_or_in_any_order(name):
    kernel = KERNELS[name]
    x = points(kernel, 30)
    before = copy.deepcopy(x)
    expected = kernel(x, x[:5])
    if not isinstance(x, list):
        x.flags.writeable = False
        close(kernel(x), kernel(x.copy()))
        fortran, strided = np.asfortranarray(x), np.repeat(x, 2, axis=1)[:, ::2]
        close(kernel(fortran, strided[:5]), expected)
    assert np.array_equal(kernel(x, x[:5]), expected)
    assert np.array_equal(x, before)


@of_tables
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_what_is_not_finite_is_refused_with_a_sentence(name, bad):
    kernel = KERNELS[name]
    x = points(kernel, 5)
    spoilt = x.copy()
    spoilt[2, 3] = bad
    with pytest.raises(ValueError, match=r"X must hold finite numbers"):
        kernel(spoilt, x)
    with pytest.raises(ValueError, match=r"Z must hold finite numbers"):
        kernel(x, spoilt)
    if "PullBack" not in name:
        with pytest.raises(ValueError, match=r"X must hold finite numbers"):
            kernel(sparse.csr_array(spoilt))


@every_kernel
def test_no_points_points_of_the_wrong_kind_and_two_widths_are_refused(name):
    kernel = KERNELS[name]
    x = points(kernel, 5)
    if kernel.domain == "strings":
        for wrong in ([], "text", [1, 2], [["a"], ["b"]]):
            with pytest.raises(ValueError, match="strings"):
                kernel(wrong)
        return
    for wrong in (x[:0], x[:, :0], x[0], 3.0, x[None]):
        with pytest.raises(ValueError, match="must be a table"):
            kernel(wrong)
    with pytest.raises(ValueError, match="7 columns and Z has 6"):
        kernel(x, x[:, :6])


@every_kernel
def test_the_same_call_gives_the_same_bits(name):
    x = points(KERNELS[name], 300)
    assert np.array_equal(KERNELS[name](x), KERNELS[name](x))
