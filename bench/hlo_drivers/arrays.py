"""jax's own functions of arrays: numpy's, scipy's, of networks and random numbers. Of a size it gives cases (name, function, arguments)."""

from jax import lax, nn, random, scipy
from jax import numpy as jnp

KEY = random.key(0)

OF_ONE = """abs arccos arccosh arcsin arcsinh arctan arctanh argmax argmin argsort average cbrt ceil conj corrcoef cos cosh cov cumprod cumsum
deg2rad diff exp exp2 expm1 fix flip fliplr flipud floor frexp gradient i0 imag isfinite log log10 log1p log2 mean median modf
nancumsum nanmax nanmean nanmedian nanstd nan_to_num negative positive prod ptp ravel real reciprocal rint round sign signbit sin sinc sinh
sort spacing sqrt square std tan tanh trace transpose trapezoid tril triu trunc unwrap var rot90 diagflat diagonal fft.fft fft.ifft
fft.rfft fft.fft2 fft.fftshift linalg.norm linalg.cholesky linalg.det linalg.slogdet linalg.inv linalg.qr linalg.svd linalg.eigh
linalg.matrix_rank linalg.pinv linalg.cond""".split()
OF_TWO = """add allclose arctan2 array_equal convolve copysign correlate cross divide divmod dot float_power floor_divide fmax fmin fmod
greater heaviside hypot inner isclose kron less logaddexp logaddexp2 matmul maximum minimum mod multiply nextafter outer power
remainder searchsorted subtract tensordot vdot append polyval polymul polyadd polysub linalg.solve linalg.lstsq""".split()
OF_NETWORKS = """celu elu gelu hard_sigmoid hard_silu hard_tanh identity leaky_relu log_sigmoid log_softmax logsumexp mish relu relu6 selu
sigmoid silu soft_sign softmax softplus sparse_plus sparse_sigmoid squareplus standardize""".split()
OF_SCIPY = {"special": """digamma entr erf erfc erfinv expi expit exp1 factorial gammaln i0 i0e i1 i1e log_ndtr log_softmax logit
logsumexp ndtr ndtri poch softmax spence xlogy xlog1py zeta betaln rel_entr kl_div gammainc gammaincc""".split(),
            "linalg": "expm cholesky det eigh inv lu qr schur svd sqrtm polar toeplitz block_diag".split(),
            "signal": "convolve correlate fftconvolve detrend stft welch csd convolve2d correlate2d".split()}
OF_STATISTICS = """beta betabinom cauchy chi2 dirichlet expon gamma gennorm laplace logistic norm pareto t truncnorm uniform vonmises wrapcauchy""".split()
OF_CHANCE = """normal uniform exponential gumbel laplace logistic cauchy maxwell bits rademacher""".split()


def found(part, name):
    """numpy.linalg.norm of (numpy, "linalg.norm"); nothing where this jax has no such function."""
    for piece in name.split("."):
        part = getattr(part, piece, None)
    return part


def jax(n):
    """Each function on a row, or on a matrix where it asks for one."""
    row, square = jnp.linspace(0.1, 0.9, n), jnp.eye(n) * 2 + 0.1
    for part, of, names in (("numpy", jnp, OF_ONE), ("nn", nn, OF_NETWORKS)):
        for name in names:
            function = found(of, name)
            if function is not None:
                yield f"{part}_{name}", function, (square,)
    for name in OF_TWO:
        function = found(jnp, name)
        flat = name.startswith(("poly", "search", "convolve", "correlate"))
        if function is not None:
            yield f"numpy_{name}", function, (row, row * 0.5) if flat else (square, square * 0.5)
    yield from of_scipy(row, square)
    for name in OF_CHANCE:
        yield f"random_{name}", lambda k, f=getattr(random, name): f(k, (n, 2)), (KEY,)
    yield from of_loops_and_windows(n, row, square)


def of_scipy(row, square):
    two = ("xlogy", "xlog1py", "zeta", "poch", "betaln", "rel_entr", "kl_div", "gammainc", "gammaincc")
    for part, names in OF_SCIPY.items():
        for name in names:
            function = found(scipy, f"{part}.{name}")
            if function is None:
                continue
            pair = name in two or name.startswith(("convolve", "correlate", "fftconvolve", "csd"))
            one = square if part == "linalg" or name.endswith("2d") else row
            yield f"scipy_{part}_{name}", function, (one, one + 1) if pair else (one,)
    more = {"beta": (2.0, 3.0), "gamma": (2.0,), "chi2": (2.0,), "t": (3.0,), "gennorm": (1.5,), "pareto": (2.0,), "vonmises": (1.5,),
            "wrapcauchy": (0.5,), "truncnorm": (-1.0, 1.0)}
    for name in OF_STATISTICS:
        for what in ("logpdf", "pdf", "cdf", "logcdf", "sf", "ppf"):
            function = found(scipy.stats, f"{name}.{what}")
            if function is not None and name not in ("dirichlet", "betabinom"):
                yield f"scipy_stats_{name}_{what}", lambda x, f=function, m=more.get(name, ()): f(x, *m), (row,)


def of_loops_and_windows(n, row, square):
    image = jnp.ones((1, n + 3, n + 3, 2))
    yield "scan", lambda x: lax.scan(lambda s, v: (s * 0.9 + v, s), jnp.zeros(n), x), (square,)
    yield "associative_scan", lambda x: lax.associative_scan(jnp.multiply, x), (square,)
    yield "map", lambda x: lax.map(lambda v: jnp.sin(v) @ v, x), (square,)
    yield "while", lambda x: lax.while_loop(lambda v: jnp.sum(v) > 0.1, lambda v: v * 0.5, x), (row,)
    yield "cond", lambda x: lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), (row,)
    yield "switch", lambda x: lax.switch(jnp.int32(x[0]), (jnp.sin, jnp.cos, jnp.tanh), x), (row,)
    yield "top_k", lambda x: lax.top_k(x, 2), (square,)
    for name, padding in (("valid", "VALID"), ("same", "SAME")):
        yield f"conv_{name}", lambda x, p=padding: lax.conv_general_dilated(x, jnp.ones((3, 3, 2, n)), (1, 1), p, dimension_numbers=("NHWC", "HWIO", "NHWC")), (image,)
        yield f"window_max_{name}", lambda x, p=padding: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), p), (image,)
        yield f"window_sum_{name}", lambda x, p=padding: lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 1, 1, 1), p), (image,)
    yield "attention", lambda q: nn.dot_product_attention(q, q, q), (jnp.ones((1, n, 2, 4)),)
    for name in ("add", "multiply", "min", "max", "set", "get"):
        yield f"at_{name}", lambda x, m=name: getattr(x.at[jnp.array([0, 2, 1])], m)(*(() if m == "get" else (0.5,))), (square,)
