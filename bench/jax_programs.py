"""Programs in jax as people write them, for bench/hlo_programs.py: each a function and the shapes of its arguments.

The three of issues are rebuilt from what their texts describe. Nothing here is written with a rewrite in mind that XLA or we
might do, but for the group `algebra`, which holds what textbooks write and programs should not.
"""

import jax
import jax.numpy as jnp
import numpy as np

PROGRAMS = {}  # name -> (group, function, arguments as jax.ShapeDtypeStruct)


def program(group, *shapes, dtype=jnp.float32):
    """Arguments are arrays of these shapes; a tuple of tuples is a list of arrays."""

    def of(shape):
        if shape and isinstance(shape[0], tuple):
            return [of(one) for one in shape]
        return jax.ShapeDtypeStruct(shape, dtype)

    def add(function):
        PROGRAMS[function.__name__] = group, function, [of(shape) for shape in shapes]
        return function

    return add


# Programs of issues


@program("issues", (64,), (64,), (64,), (64,), (), dtype=jnp.float64)
def neurons_26145(v, m, h, n, current):
    """Hodgkin and Huxley's neurons along a cable, explicit steps in a scan (jax issue 26145)."""

    def rate(v, scale, shift, width):
        x = (v + shift) / width
        return scale * x / (1 - jnp.exp(-x) + 1e-6)

    def step(state, _):
        v, m, h, n = state
        m = m + 0.025 * (rate(v, 1.0, 40.0, 10.0) * (1 - m) - 4 * jnp.exp(-(v + 65) / 18) * m)
        h = h + 0.025 * (0.07 * jnp.exp(-(v + 65) / 20) * (1 - h) - h / (1 + jnp.exp(-(v + 35) / 10)))
        n = n + 0.025 * (rate(v, 0.1, 55.0, 10.0) * (1 - n) - 0.125 * jnp.exp(-(v + 65) / 80) * n)
        along = jnp.roll(v, 1) - 2 * v + jnp.roll(v, -1)
        total = 120 * m**3 * h * (v - 50) + 36 * n**4 * (v + 77) + 0.3 * (v + 54.4)
        v = v + 0.025 * (current - total + 5 * along)
        return (jnp.clip(v, -100, 100), m, h, n), v[0]

    return jax.lax.scan(step, (v, m, h, n), None, length=200)


@program("issues", (300, 3), (300, 3, 3), (300,), dtype=jnp.float64)
def quasiseparable_36799(p, a, d):
    """A Cholesky factor by a scan over small matrices (jax issue 36799)."""

    def step(f, x):
        p, a, d = x
        pivot = jnp.sqrt(jnp.abs(d - p @ f @ p) + 1)
        w = (p - p @ f @ a.T * 0.1) / pivot
        return 0.1 * a @ f @ a.T * 0.1 + jnp.outer(w, w) * 0.1, (pivot, w)

    return jax.lax.scan(step, jnp.zeros((3, 3)), (p, a, d))


@program("issues", (24,), (100,))
def many_scalars_40150(start, xs):
    """The derivative of a scan whose state are many scalars (jax issue 40150)."""

    def loss(start):
        def step(state, x):
            mixed = [jnp.tanh(a + 0.5 * b + x) for a, b in zip(state, state[1:] + state[:1])]
            return tuple(mixed), mixed[0]

        state, ys = jax.lax.scan(step, tuple(start), xs)
        return sum(state) + ys.sum()

    return jax.grad(loss)(start)


@program("issues", (96, 96, 96))
def neighbours_37465(x):
    """Squares of what neighbours differ by, along each axis, and their derivative (jax issue 37465, whose image has 256 elements an axis)."""

    def cost(x):
        return sum(jnp.sum(jnp.square(jnp.diff(x, axis=axis))) for axis in range(x.ndim))

    return jax.value_and_grad(cost)(x)


# Recurrent cells


def scaled(weights):
    """As trained ones are; with numbers as they are drawn a recurrent network is chaos, in which roundings grow."""
    return jax.tree.map(lambda w: w / (2 * w.shape[0] ** 0.5), weights)


def nas_cell(x, h, c, wx, wh):
    """Eight gates of x and of h, combined in a tree (Zoph and Le, 2017)."""
    a = [x @ w for w in wx]
    b = [h @ w for w in wh]
    l1 = [jax.nn.sigmoid(a[0] + b[0]), jax.nn.relu(a[1] + b[1]), jax.nn.sigmoid(a[2] + b[2]), jax.nn.relu(a[3] * b[3]),
          jnp.tanh(a[4] + b[4]), jax.nn.sigmoid(a[5] + b[5]), jnp.tanh(a[6] + b[6]), jax.nn.sigmoid(a[7] + b[7])]
    l2 = [jnp.tanh(l1[0] * l1[1]), jnp.tanh(l1[2] + l1[3]), jnp.tanh(l1[4] * l1[5]), jax.nn.sigmoid(l1[6] + l1[7])]
    new_c = jnp.tanh(l2[0] + c) * l2[1]
    return jnp.tanh(new_c * jnp.tanh(l2[2] + l2[3])), new_c


@program("recurrent", (4, 8, 256), (8, 256), (8, 256), ((256, 256),) * 8, ((256, 256),) * 8)
def nas_rnn(xs, h, c, wx, wh):
    wx, wh = scaled((wx, wh))
    for x in xs:
        h, c = nas_cell(x, h, c, wx, wh)
    return h


@program("recurrent", (32, 1, 128), (1, 128), (1, 128), ((128, 128),) * 8, ((128, 128),) * 8)
def nas_rnn_scan(xs, h, c, wx, wh):
    wx, wh = scaled((wx, wh))

    def step(state, x):
        h, c = nas_cell(x, *state, wx, wh)
        return (h, c), h

    return jax.lax.scan(step, (h, c), xs)


@program("recurrent", (64, 1, 128), (1, 128), (128, 128), (128, 128), (128,))
def rnn_scan(xs, h, wx, wh, b):
    wx, wh = scaled((wx, wh))

    def step(h, x):
        h = jnp.tanh(x @ wx + h @ wh + b)
        return h, h

    return jax.lax.scan(step, h, xs)


@program("recurrent", (64, 1, 96), (1, 128), (1, 128), (96, 512), (128, 512), (512,))
def lstm_scan(xs, h, c, wx, wh, b):
    wx, wh = scaled((wx, wh))

    def step(state, x):
        h, c = state
        i, f, g, o = jnp.split(x @ wx + h @ wh + b, 4, axis=-1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    return jax.lax.scan(step, (h, c), xs)


@program("recurrent", (64, 4, 96), (4, 128), ((96, 128),) * 3, ((128, 128),) * 3)
def gru_scan(xs, h, wx, wh):
    wx, wh = scaled((wx, wh))

    def step(h, x):
        r = jax.nn.sigmoid(x @ wx[0] + h @ wh[0])
        z = jax.nn.sigmoid(x @ wx[1] + h @ wh[1])
        n = jnp.tanh(x @ wx[2] + r * (h @ wh[2]))
        h = (1 - z) * n + z * h
        return h, h

    return jax.lax.scan(step, h, xs)


@program("recurrent", (200, 16), (16,), (64,), (64, 16), (16, 64))
def state_space_scan(xs, _, h, b, c):
    def step(h, x):
        h = 0.9 * h + b @ x
        return h, c @ h

    return jax.lax.scan(step, h, xs)


# Attention and transformers


@program("attention", (4, 64, 32), (4, 64, 32), (4, 64, 32))
def softmax_attention(q, k, v):
    return jax.nn.softmax(jnp.einsum("htd,hsd->hts", q, k) / q.shape[-1] ** 0.5) @ v


@program("attention", (4, 256, 32), (4, 256, 32), (4, 256, 32))
def linear_attention(q, k, v):
    """Without a softmax, as many read it first: (q k') v."""
    q, k = jax.nn.elu(q) + 1, jax.nn.elu(k) + 1
    return (q @ jnp.swapaxes(k, -1, -2)) @ v / q.shape[1]


@program("attention", (64, 128), (128, 128), (128, 128), (128, 128), (128, 128))
def multi_head_attention(x, wq, wk, wv, wo):
    heads = lambda y: y.reshape(64, 4, 32).transpose(1, 0, 2)  # noqa: E731
    q, k, v = heads(x @ wq), heads(x @ wk), heads(x @ wv)
    mask = jnp.tril(jnp.ones((64, 64), bool))
    scores = jnp.where(mask, q @ k.transpose(0, 2, 1) / 32**0.5, -1e9)
    return (jax.nn.softmax(scores) @ v).transpose(1, 0, 2).reshape(64, 128) @ wo


@program("attention", (1, 128), (512, 128), (512, 128), ((128, 128),) * 4)
def decode_step(x, keys, values, w):
    """One token against a cache."""
    q, o = x @ w[0], w[3]
    shares = jax.nn.softmax(q @ keys.T / 128**0.5)
    return (shares @ values) @ o, x @ w[1], x @ w[2]


def layer_norm(x, g, b):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b


@program("attention", (32, 64), ((64, 64),) * 4, (64, 256), (256, 64), (64,), (64,))
def transformer_block(x, w, w1, w2, g, b):
    y = layer_norm(x, g, b)
    shares = jax.nn.softmax((y @ w[0]) @ (y @ w[1]).T / 8)
    x = x + shares @ (y @ w[2]) @ w[3]
    return x + jax.nn.gelu(layer_norm(x, g, b) @ w1) @ w2


@program("attention", (8, 256), (256, 256), (256, 8), (8, 256))
def low_rank_adapter(x, w, a, b):
    """LoRA with its update written as a matrix."""
    return x @ w + 0.5 * (x @ (a @ b))


# Losses and training


@program("training", (64, 32), (32, 64), (64,), (64, 10), (10,), (64, 10))
def mlp_gradient(x, w1, b1, w2, b2, y):
    def loss(w1, b1, w2, b2):
        return ((jax.nn.relu(x @ w1 + b1) @ w2 + b2 - y) ** 2).mean()

    return jax.grad(loss, (0, 1, 2, 3))(w1, b1, w2, b2)


@program("training", (128, 100), (128,))
def cross_entropy_gradient(logits, labels):
    one_hot = jax.nn.one_hot(labels.astype(int), 100)
    return jax.grad(lambda x: -(jax.nn.log_softmax(x) * one_hot).sum(-1).mean())(logits)


@program("training", (128, 64), (128, 64))
def contrastive_loss(a, b):
    a, b = (x / jnp.linalg.norm(x, axis=-1, keepdims=True) for x in (a, b))
    scores = a @ b.T / 0.07
    return (jax.nn.logsumexp(scores, 1) + jax.nn.logsumexp(scores, 0) - 2 * jnp.diag(scores)).mean()


@program("training", (64, 32), (64, 32), (64, 128), (64, 128))
def variational_bound(mean, log_var, x, decoded):
    divergence = -0.5 * (1 + log_var - mean**2 - jnp.exp(log_var)).sum(-1)
    return (((x - decoded) ** 2).sum(-1) + divergence).mean()


@program("training", ((128, 128),) * 2, ((128, 128),) * 2, ((128, 128),) * 2, ((128, 128),) * 2)
def adam_step(w, g, m, v):
    out = []
    for w, g, m, v in zip(w, g, m, v):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        out.append((w - 1e-3 * (m / 0.1) / (jnp.sqrt(jnp.abs(v) / 0.001) + 1e-8), m, v))
    return out


@program("training", (4, 16, 16, 8), (3, 3, 8, 16), (16,), (16,))
def convolution_block(x, w, g, b):
    y = jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    mean, var = y.mean((0, 1, 2)), y.var((0, 1, 2))
    return jax.nn.relu((y - mean) / jnp.sqrt(var + 1e-5) * g + b)


@program("training", (32, 64), (64, 4), ((64, 64),) * 4)
def mixture_of_experts(x, gate, experts):
    shares = jax.nn.softmax(x @ gate)
    return sum(shares[:, i:i + 1] * jnp.tanh(x @ w) for i, w in enumerate(experts))


# Physics and numerics


@program("physics", (256, 3), (256,))
def gravity(x, mass):
    d = x[None, :, :] - x[:, None, :]
    r2 = (d**2).sum(-1) + 0.01
    return (mass[None, :, None] * d / (r2 * jnp.sqrt(r2))[..., None]).sum(1)


@program("physics", (128, 3))
def lennard_jones_forces(x):
    def energy(x):
        d = x[:, None] - x[None, :]
        r2 = (d**2).sum(-1) + 0.5
        s6 = 1 / r2**3
        return (jnp.triu(jnp.ones((128, 128)), 1) * 4 * (s6 * s6 - s6)).sum()

    return -jax.grad(energy)(x)


@program("physics", (128, 128))
def heat_steps(u):
    def step(_, u):
        return u + 0.1 * (jnp.roll(u, 1, 0) + jnp.roll(u, -1, 0) + jnp.roll(u, 1, 1) + jnp.roll(u, -1, 1) - 4 * u)

    return jax.lax.fori_loop(0, 10, step, u)


@program("physics", (9, 64, 64))
def lattice_boltzmann(f):
    e = np.array([(0, 0), (1, 0), (0, 1), (-1, 0), (0, -1), (1, 1), (-1, 1), (-1, -1), (1, -1)])
    w = np.array([4 / 9] + [1 / 9] * 4 + [1 / 36] * 4, np.float32)
    f = f * 0.01 + 1
    rho = f.sum(0)
    u = jnp.einsum("qd,qxy->dxy", e.astype(np.float32), f) / rho
    eu = jnp.einsum("qd,dxy->qxy", e.astype(np.float32), u)
    equal = w[:, None, None] * rho * (1 + 3 * eu + 4.5 * eu**2 - 1.5 * (u**2).sum(0))
    f = f - (f - equal) / 0.6
    return jnp.stack([jnp.roll(f[q], tuple(e[q]), (0, 1)) for q in range(9)])


@program("physics", (1024,), (1024,), (1024,), (1024,))
def black_scholes(s, k, t, v):
    s, k, t, v = jnp.exp(0.1 * s), jnp.exp(0.1 * k), jnp.exp(t), jnp.exp(0.1 * v)
    d1 = (jnp.log(s / k) + (0.03 + v * v / 2) * t) / (v * jnp.sqrt(t))
    d2 = d1 - v * jnp.sqrt(t)
    return s * jax.scipy.stats.norm.cdf(d1) - k * jnp.exp(-0.03 * t) * jax.scipy.stats.norm.cdf(d2)


@program("physics", (256, 8), (128, 8), (128,))
def kernel_regression(x, z, alpha):
    d2 = ((x[:, None, :] - z[None, :, :]) ** 2).sum(-1)
    return jnp.exp(-0.5 * d2) @ alpha


@program("physics", (32,), (32, 32), (16, 32), (16,))
def kalman_update(x, p, h, z):
    p = p @ p.T + jnp.eye(32)
    s = h @ p @ h.T + jnp.eye(16)
    gain = p @ h.T @ jnp.linalg.inv(s)
    keep = jnp.eye(32) - gain @ h
    return x + gain @ (z - h @ x), keep @ p @ keep.T + gain @ gain.T


@program("physics", (16, 16), (16, 4), (16, 16), (4, 4))
def riccati_steps(a, b, q, r):
    a, q, r = 0.2 * a, q @ q.T, r @ r.T + jnp.eye(4)

    def step(p, _):
        gain = jnp.linalg.inv(r + b.T @ p @ b) @ (b.T @ p @ a)
        return q + a.T @ p @ a - a.T @ p @ b @ gain, None

    return jax.lax.scan(step, q, None, length=20)[0]


@program("physics", (64, 64), (64,), (64,))
def sinkhorn(cost, a, b):
    kernel, a, b = jnp.exp(-jnp.abs(cost)), jax.nn.softmax(a), jax.nn.softmax(b)

    def step(state, _):
        u, v = state
        u = a / (kernel @ v)
        return (u, b / (kernel.T @ u)), None

    (u, v), _ = jax.lax.scan(step, (a, b), None, length=30)
    return u[:, None] * kernel * v


@program("physics", (128, 128), (128,))
def conjugate_gradients(a, b):
    matrix = a @ a.T + 10 * jnp.eye(128)

    def step(state, _):
        x, r, p = state
        q = matrix @ p
        alpha = r @ r / (p @ q)
        x, new = x + alpha * p, r - alpha * q
        return (x, new, new + new @ new / (r @ r) * p), None

    return jax.lax.scan(step, (jnp.zeros(128), b, b), None, length=10)[0][0]


@program("physics", (256, 256), (256,))
def page_rank(links, start):
    links = jnp.abs(links)
    links = links / links.sum(0)
    return jax.lax.fori_loop(0, 20, lambda _, x: 0.85 * links @ x + 0.15 / 256, jax.nn.softmax(start))


@program("physics", (64, 64), (64, 64))
def ising_energy(spins, field):
    spins = jnp.sign(spins)
    around = sum(jnp.roll(spins, shift, axis) for shift in (1, -1) for axis in (0, 1))
    return -(0.5 * spins * around + field * spins).sum()


@program("physics", (2, 2, 2, 2, 2, 2, 2, 2), ((2, 2),) * 8)
def quantum_layer(state, gates):
    for qubit, gate in enumerate(gates):
        state = jnp.moveaxis(jnp.tensordot(gate, state, axes=(1, qubit)), 0, qubit)
    return state


# What textbooks write


@program("algebra", (1000, 3), (3, 3), (3, 3), (3, 3))
def rotated_points(x, a, b, c):
    return x @ a @ b @ c


@program("algebra", (400, 32), (32, 32), (32,))
def mahalanobis(x, precision, mean):
    d = x - mean
    return jnp.diag(d @ precision @ d.T)


@program("algebra", (128, 128), (128, 128), (128, 128), (128,))
def chain_on_a_vector(a, b, c, x):
    return jnp.linalg.multi_dot([a, b]) @ c @ x


@program("algebra", (128, 128), (128, 32), (32, 16))
def graph_convolution(adjacency, x, w):
    """D^(-1/2) A D^(-1/2) X W, with its diagonal matrices."""
    adjacency = jnp.abs(adjacency) + jnp.eye(128)
    d = jnp.diag(1 / jnp.sqrt(adjacency.sum(1)))
    return jax.nn.relu(d @ adjacency @ d @ x @ w)


@program("algebra", (64, 64), (64, 64), (64,), (64,))
def gaussian_divergence(p, s, m1, m2):
    d = m1 - m2
    return 0.5 * (jnp.trace(p @ s) + d @ p @ d - 64)


@program("algebra", (500, 20), (500,), (500,))
def weighted_least_squares(x, weights, y):
    w = jnp.diag(jax.nn.softplus(weights))
    return jnp.linalg.solve(x.T @ w @ x + jnp.eye(20), x.T @ w @ y)


@program("algebra", (200, 50), (300, 50))
def cosine_similarities(a, b):
    dots = (a[:, None, :] * b[None, :, :]).sum(-1)
    return dots / (jnp.linalg.norm(a, axis=1)[:, None] * jnp.linalg.norm(b, axis=1)[None, :])


@program("algebra", (64, 64), (64, 64))
def cosine_transform(basis, image):
    return basis @ image @ basis.T


@program("algebra", (256, 64), (256, 64), (64,))
def bilinear_score(a, b, w):
    return jnp.sum(a @ jnp.diag(w) * b, axis=1)


@program("algebra", (64, 256), (64, 256), (256, 64))
def siamese_difference(a, b, w):
    """The same layer for two inputs, and their distance."""
    return jnp.abs(a @ w - b @ w).sum(-1)


@program("algebra", (300, 300), (300, 300))
def mean_of_product(a, b):
    return (a @ b).mean(axis=0)


def exported(name):
    """StableHLO of a program, as MLIR text."""
    _, function, arguments = PROGRAMS[name]
    with jax.enable_x64(jax.tree.leaves(arguments)[0].dtype == jnp.float64):
        return jax.export.export(jax.jit(function), platforms=["cpu"])(*arguments).mlir_module()
