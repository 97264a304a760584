"""What the tests of the package share: they end with 77 (skipped) where NumPy or SciPy is missing."""
import sys
import unittest

try:
    import numpy as np
    import scipy
except ImportError as missing:
    print(f"{missing.name} is missing")
    sys.exit(77)

__all__ = ["main", "np", "scipy", "small"]


def small(seed, integer=False, most=40):
    """A random square sparse array, at times with loops, zeros and vertices without edges."""
    draw = np.random.default_rng(seed)
    n = int(draw.integers(2, most))
    a = scipy.sparse.random_array((n, n), density=draw.random() * 0.3, format="csr", rng=draw)
    a.data[:] = draw.integers(0, 20, a.nnz) if integer else draw.random(a.nnz)
    return a.astype(np.int32) if integer else a


def main():
    unittest.main(verbosity=0)
