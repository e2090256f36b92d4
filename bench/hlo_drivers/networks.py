"""Packages of layers and models. A function a package; of a size it gives cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def flax(n):
    import flax.linen as nn

    class Block(nn.Module):
        @nn.compact
        def __call__(self, x):
            y = nn.MultiHeadDotProductAttention(num_heads=2)(nn.LayerNorm()(x))
            return x + y + nn.Dense(x.shape[-1])(nn.gelu(nn.Dense(4 * n)(nn.RMSNorm()(x + y))))

    class Recurrent(nn.Module):
        cell: type

        @nn.compact
        def __call__(self, x):
            return nn.RNN(self.cell(n))(x)

    rows, image = jnp.ones((n, 2 * n)), jnp.ones((2, n + 4, n + 4, 3))
    sequence = jnp.ones((2, n, 2 * n))
    models = {
        "dense": (nn.Dense(n), rows), "layer_norm": (nn.LayerNorm(), rows), "group_norm": (nn.GroupNorm(num_groups=3), image),
        "rms_norm": (nn.RMSNorm(), rows), "conv": (nn.Conv(n, (3, 3)), image), "conv_strided": (nn.Conv(n, (3, 3), strides=2), image),
        "depthwise": (nn.Conv(6, (3, 3), feature_group_count=3), image), "transposed": (nn.ConvTranspose(n, (2, 2), strides=(2, 2)), image),
        "batch_norm": (nn.BatchNorm(use_running_average=True), rows), "attention": (nn.MultiHeadDotProductAttention(num_heads=2), sequence),
        "einsum": (nn.Einsum((2 * n, n), "...a,ab->...b"), rows), "block": (Block(), sequence), "lstm": (Recurrent(nn.LSTMCell), sequence),
        "gru": (Recurrent(nn.GRUCell), sequence), "mlp": (nn.Sequential([nn.Dense(n), nn.relu, nn.Dense(3)]), rows),
        "weight_norm": (nn.WeightNorm(nn.Dense(n)), rows), "dense_general": (nn.DenseGeneral((2, n)), rows),
    }
    for name, (model, x) in models.items():
        parameters = jax.eval_shape(model.init, KEY, x)
        parameters = jax.tree.map(lambda s: jnp.ones(s.shape, s.dtype), parameters)
        yield name, model.apply, (parameters, x)
        yield f"{name}_init", model.init, (KEY, x)
    yield "max_pool", lambda x: nn.max_pool(x, (2, 2), (2, 2)), (image,)
    yield "avg_pool", lambda x: nn.avg_pool(x, (3, 3), (1, 1)), (image,)


def equinox(n):
    import equinox as eqx

    row, image, sequence = jnp.ones(2 * n), jnp.ones((3, n + 4, n + 4)), jnp.ones((n, 4))
    models = {
        "mlp": (eqx.nn.MLP(2 * n, 3, n, 2, key=KEY), row), "linear": (eqx.nn.Linear(2 * n, n, key=KEY), row),
        "conv": (eqx.nn.Conv2d(3, n, 3, key=KEY), image), "conv_1d": (eqx.nn.Conv1d(n, 3, 2, key=KEY), sequence),
        "transposed": (eqx.nn.ConvTranspose2d(3, n, 2, stride=2, key=KEY), image), "layer_norm": (eqx.nn.LayerNorm(2 * n), row),
        "group_norm": (eqx.nn.GroupNorm(3, 3), image), "rms_norm": (eqx.nn.RMSNorm(2 * n), row),
        "max_pool": (eqx.nn.MaxPool2d(2, 2), image), "avg_pool": (eqx.nn.AvgPool2d(3), image),
        "adaptive_pool": (eqx.nn.AdaptiveAvgPool2d(2), image), "prelu": (eqx.nn.PReLU(), row),
    }
    for name, (model, x) in models.items():
        arrays, rest = eqx.partition(model, eqx.is_array)
        yield name, lambda arrays, x, rest=rest: eqx.combine(arrays, rest)(x), (arrays, x)
    for name, cell in (("gru", eqx.nn.GRUCell(4, n, key=KEY)), ("lstm", eqx.nn.LSTMCell(4, n, key=KEY))):
        arrays, rest = eqx.partition(cell, eqx.is_array)
        start = (jnp.ones(n), jnp.ones(n)) if name == "lstm" else jnp.ones(n)

        def unroll(arrays, xs, start=start, rest=rest):
            cell = eqx.combine(arrays, rest)
            return jax.lax.scan(lambda s, x: (cell(x, s), 0.0), start, xs)[0]

        yield name, unroll, (arrays, sequence)
    attention = eqx.nn.MultiheadAttention(2, 4, key=KEY)
    arrays, rest = eqx.partition(attention, eqx.is_array)
    yield "attention", lambda a, x: eqx.combine(a, rest)(x, x, x), (arrays, sequence)


def dm_haiku(n):
    import haiku as hk

    rows, image = jnp.ones((n, 2 * n)), jnp.ones((2, n + 4, n + 4, 3))
    models = {
        "mlp": (lambda x: hk.nets.MLP([n, n, 3])(x), rows), "layer_norm": (lambda x: hk.LayerNorm(-1, True, True)(x), rows),
        "conv": (lambda x: hk.Conv2D(n, 3)(x), image), "depthwise": (lambda x: hk.DepthwiseConv2D(2, 3)(x), image),
        "separable": (lambda x: hk.SeparableDepthwiseConv2D(2, 3)(x), image), "transposed": (lambda x: hk.Conv2DTranspose(n, 3, 2)(x), image),
        "lstm": (lambda x: hk.dynamic_unroll(hk.LSTM(n), x, hk.LSTM(n).initial_state(None))[0], rows),
        "gru": (lambda x: hk.dynamic_unroll(hk.GRU(n), x, hk.GRU(n).initial_state(None))[0], rows),
        "attention": (lambda x: hk.MultiHeadAttention(2, n, w_init_scale=1.0)(x, x, x), rows), "vector": (lambda x: hk.Linear(n)(x), rows),
        "max_pool": (lambda x: hk.max_pool(x, 2, 2, "SAME"), image),
        "group_norm": (lambda x: hk.GroupNorm(3)(x), image), "instance_norm": (lambda x: hk.InstanceNorm(True, True)(x), image),
        "vq": (lambda x: hk.nets.VectorQuantizer(2 * n, 5, 0.25)(x, True)["quantize"], rows),
    }
    for name, (model, x) in models.items():
        transformed = hk.without_apply_rng(hk.transform_with_state(model))
        parameters, state = jax.tree.map(lambda s: jnp.ones(s.shape, s.dtype), jax.eval_shape(transformed.init, KEY, x))
        yield name, lambda p, x, t=transformed, s=state: t.apply(p, s, x)[0], (parameters, x)


def objax(n):
    import objax

    x, image = jnp.ones((n, 2 * n)), jnp.ones((2, 3, n + 4, n + 4))
    yield "cross_entropy", lambda x, y: objax.functional.loss.cross_entropy_logits(x, y), (x, x)
    yield "sparse", lambda x: objax.functional.loss.cross_entropy_logits_sparse(x, jnp.zeros(n, int)), (x,)
    yield "sigmoid_entropy", lambda x: objax.functional.loss.sigmoid_cross_entropy_logits(x, x * 0 + 1), (x,)
    yield "mean_squared", lambda x: objax.functional.loss.mean_squared_error(x, x + 1), (x,)
    yield "average_pool", lambda x: objax.functional.average_pool_2d(x, 2, 2), (image,)
    yield "max_pool", lambda x: objax.functional.max_pool_2d(x, 2, 2), (image,)
    yield "batch_to_space", lambda x: objax.functional.space_to_batch(x, 2) if (n % 2) == 0 else objax.functional.flatten(x), (image,)
    yield "upsample", lambda x: objax.functional.upsample_2d(x, 2), (image,)
    yield "interpolate", lambda x: objax.functional.interpolate(x, (n, n)), (image,)
    yield "channel_to_space", lambda x: objax.functional.leaky_relu(x, 0.1) + objax.functional.celu(x), (image,)


def penzai(n):
    from penzai import pz

    a = pz.nx.wrap(jnp.ones((n, 2 * n)), "rows", "columns")
    b = pz.nx.wrap(jnp.ones((2 * n, 3)), "columns", "out")
    yield "softmax", lambda a: pz.nx.nmap(jax.nn.softmax)(a.untag("columns")).tag("columns").unwrap("rows", "columns"), (a,)
    yield "product", lambda a, b: pz.nx.nmap(jnp.dot)(a.untag("columns"), b.untag("columns")).unwrap("rows", "out"), (a, b)
    yield "outer", lambda a: (a.untag("columns").tag("other") * a).unwrap("rows", "columns", "other"), (a,)
    yield "mean", lambda a: pz.nx.nmap(jnp.var)(a.untag("rows")).unwrap("columns"), (a,)
    yield "sort", lambda a: pz.nx.nmap(jnp.sort)(a.untag("rows")).tag("rows").unwrap("rows", "columns"), (a,)


def e3nn_jax(n):
    import e3nn_jax as e3nn

    x = e3nn.IrrepsArray("2x0e + 1x1o + 1x2e", jnp.ones((n, 10)))
    y = e3nn.IrrepsArray("0e + 1o", jnp.ones((n, 4)))
    points = jnp.ones((n, 3))
    yield "tensor_product", lambda x, y: e3nn.tensor_product(x, y).array, (x, y)
    yield "square", lambda x: e3nn.tensor_square(x).array, (y,)
    yield "harmonics", lambda p: e3nn.spherical_harmonics("0e + 1o + 2e + 3o", p, True).array, (points,)
    yield "norm", lambda x: e3nn.norm(x).array, (x,)
    yield "gate", lambda x: e3nn.gate(x).array, (e3nn.IrrepsArray("3x0e + 1x1o", jnp.ones((n, 6))),)
    yield "bessel", lambda r: e3nn.bessel(r, n, 2.0), (jnp.ones(5),)
    yield "soft_one_hot", lambda r: e3nn.soft_one_hot_linspace(r, start=0.0, end=2.0, number=n, basis="smooth_finite", cutoff=True), (jnp.ones(5),)
    yield "activation", lambda x: e3nn.scalar_activation(x, even_act=jax.nn.gelu).array, (e3nn.IrrepsArray("4x0e", jnp.ones((n, 4))),)
    yield "rotation", lambda a, x: x.transform_by_angles(a, 0.2, 0.3).array, (jnp.ones(()), x)
    yield "scatter", lambda x: e3nn.scatter_sum(x.array, dst=jnp.arange(n) % 3, output_size=3), (x,)


def jraph(n):
    import jraph

    def graph(nodes):
        return jraph.GraphsTuple(nodes=nodes, edges=jnp.ones((2 * n, 3)), senders=jnp.arange(2 * n) % n, receivers=(jnp.arange(2 * n) * 3) % n,
                                 n_node=jnp.array([n]), n_edge=jnp.array([2 * n]), globals=jnp.ones((1, 2)))
    w, x = jnp.ones((4, 5)), jnp.ones((n, 4))
    ids = jnp.arange(n) % 3

    def concatenated(*parts):
        return jnp.concatenate(parts, -1)

    yield "network", lambda x: jraph.GraphNetwork(concatenated, concatenated, lambda *p: concatenated(*p))(graph(x)).nodes, (x,)
    yield "interaction", lambda x: jraph.InteractionNetwork(lambda e, s, r: e[:, :1] * (s - r), concatenated)(graph(x)).nodes, (x,)
    yield "convolution", lambda x, w: jraph.GraphConvolution(lambda v: v @ w, add_self_edges=True)(graph(x)).nodes, (x, w)
    yield "attention", lambda x: jraph.GAT(lambda v: v, lambda s, r, e: jnp.sum(s * r, -1, keepdims=True))(graph(x)).nodes, (x,)
    yield "deep_sets", lambda x: jraph.DeepSets(lambda v, g: concatenated(v, g), lambda v: jnp.tanh(v))(graph(x)).globals, (x,)
    yield "softmax", lambda x: jraph.segment_softmax(x, ids, 3), (x[:, 0],)
    yield "normalise", lambda x: jraph.segment_normalize(x, ids, 3), (x,)
    yield "variance", lambda x: jraph.segment_variance(x, ids, 3), (x,)
    yield "minimum", lambda x: jraph.segment_min(x, ids, 3) + jraph.segment_max_or_constant(x, ids, 3), (x,)


def flowjax(n):
    import equinox as eqx
    from flowjax import bijections, distributions

    x = jnp.linspace(-1.0, 1.0, n)
    for name, b in {"affine": bijections.Affine(x, x * x + 1), "tanh": bijections.Tanh((n,)), "exp": bijections.Exp((n,)), "softplus": bijections.SoftPlus((n,)),
                    "permute": bijections.Permute(jnp.arange(n)[::-1]), "triangular": bijections.TriangularAffine(x, jnp.eye(n) + 1),
                    "spline": bijections.Vmap(bijections.RationalQuadraticSpline(knots=4, interval=2), axis_size=n),
                    "planar": bijections.Planar(KEY, dim=n), "leaky": bijections.LeakyTanh(2.0, (n,))}.items():
        arrays, rest = eqx.partition(b, eqx.is_array)
        yield name, lambda a, x, r=rest: eqx.combine(a, r).transform_and_log_det(x), (arrays, x)
    for name, d in {"normal": distributions.Normal(x), "student": distributions.StudentT(x * 0 + 3), "laplace": distributions.Laplace(x),
                    "cauchy": distributions.Cauchy(x), "gumbel": distributions.Gumbel(x), "logistic": distributions.Logistic(x)}.items():
        arrays, rest = eqx.partition(d, eqx.is_array)
        yield name, lambda a, x, r=rest: eqx.combine(a, r).log_prob(x), (arrays, x)
        yield f"{name}_sample", lambda a, k, r=rest: eqx.combine(a, r).sample(k, (3,)), (arrays, KEY)
