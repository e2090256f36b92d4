"""Packages of physics, geometry, images and numbers. A function a package; of a size it gives cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def diffrax(n):
    import diffrax as dfx

    y = jnp.ones(n)
    term = dfx.ODETerm(lambda t, y, _: -y + jnp.sin(t) * jnp.sum(y))
    for name in ("Euler", "Heun", "Midpoint", "Ralston", "Bosh3", "Tsit5", "Dopri5", "Dopri8", "ImplicitEuler", "Kvaerno3", "Kvaerno5"):
        implicit = name.startswith(("Implicit", "Kvaerno"))

        def solve(y, solver=getattr(dfx, name)(), implicit=implicit):
            control = dfx.PIDController(rtol=1e-3, atol=1e-3) if implicit else dfx.ConstantStepSize()
            return dfx.diffeqsolve(term, solver, 0.0, 1.0, 0.1, y, stepsize_controller=control, max_steps=16, throw=False).ys
        yield name, solve, (y,)
    for name in ("EulerHeun", "Heun", "ReversibleHeun"):
        def noisy(y, k, solver=getattr(dfx, name)()):
            path = dfx.VirtualBrownianTree(0.0, 1.0, 1e-2, (), k)
            terms = dfx.MultiTerm(term, dfx.ControlTerm(lambda t, y, _: 0.1 * y, path))
            return dfx.diffeqsolve(terms, solver, 0.0, 1.0, 0.1, y, max_steps=16, throw=False).ys
        yield f"sde_{name}", noisy, (y, KEY)
    times = jnp.linspace(0.0, 1.0, n)
    yield "linear", lambda v: dfx.LinearInterpolation(times, v).evaluate(0.3), (jnp.ones((n, 2)),)
    yield "hermite", lambda v: dfx.backward_hermite_coefficients(times, v), (jnp.ones((n, 2)),)


def jax_md(n):
    from jax_md import energy, partition, quantity, simulate, smap, space

    displacement, shift = space.periodic(4.0)
    r = jax.random.uniform(KEY, (n, 2)) * 4
    cube = jax.random.uniform(KEY, (n, 3)) * 4
    for name in ("soft_sphere_pair", "lennard_jones_pair", "morse_pair", "gupta_gold55"):
        if not hasattr(energy, name):
            continue
        made = getattr(energy, name)(displacement)
        for dims, x in (("2d", r), ("3d", cube)):
            yield f"{name}_{dims}", lambda x, e=made: e(x), (x,)
            yield f"{name}_{dims}_force", lambda x, e=made: quantity.force(e)(x), (x,)
    e = energy.soft_sphere_pair(displacement)
    for name, make in {"nve": lambda: simulate.nve(e, shift, 0.01), "nvt": lambda: simulate.nvt_langevin(e, shift, 0.01, 0.1), "brownian": lambda: simulate.brownian(e, shift, 0.01, 0.1)}.items():
        init, step = make()
        yield name, lambda k, x, i=init, s=step: s(i(k, x, 0.1) if name == "nve" else i(k, x)).position, (jax.random.PRNGKey(0), r)
    yield "distance", lambda x: space.map_product(space.metric(displacement))(x, x), (r,)
    yield "pair_correlation", lambda x: quantity.pair_correlation(displacement, jnp.linspace(0.1, 1.0, 5), 0.1)(x), (r,)
    yield "shifted", lambda x: shift(x, x * 0.1), (r,)
    yield "bond", lambda x: smap.bond(lambda d, **_: d * d, space.metric(displacement), jnp.array([[0, 1], [1, 2]]))(x), (r,)
    del partition


def ott_jax(n):
    from ott.geometry import costs, geometry, pointcloud
    from ott.problems.linear import linear_problem
    from ott.solvers.linear import sinkhorn
    from ott.tools import sinkhorn_divergence, soft_sort

    x, y = jax.random.normal(KEY, (n, 2)), jax.random.normal(KEY, (n + 1, 2)) + 1
    solver = sinkhorn.Sinkhorn(max_iterations=20)
    for name in ("SqEuclidean", "Euclidean", "Cosine", "PNormP", "ElasticL1"):
        try:
            cost = getattr(costs, name)(*({"PNormP": (1.5,), "ElasticL1": (0.1,)}.get(name, ())))
        except (TypeError, AttributeError):
            continue
        yield f"cost_{name}", lambda x, y, c=cost: c.all_pairs(x, y), (x, y)
        yield f"sinkhorn_{name}", lambda x, y, c=cost: solver(linear_problem.LinearProblem(pointcloud.PointCloud(x, y, cost_fn=c, epsilon=0.1))).reg_ot_cost, (x, y)
    yield "matrix", lambda m: solver(linear_problem.LinearProblem(geometry.Geometry(cost_matrix=m, epsilon=0.1))).f, (jnp.ones((n, n)),)
    yield "divergence", lambda x, y: sinkhorn_divergence.sinkhorn_divergence(pointcloud.PointCloud, x, y, epsilon=0.1)[0], (x, y)
    yield "soft_sort", lambda v: soft_sort.sort(v), (x[:, 0],)
    yield "soft_rank", lambda v: soft_sort.ranks(v), (x[:, 0],)
    yield "kernel", lambda x, y: pointcloud.PointCloud(x, y, epsilon=0.1).kernel_matrix, (x, y)


def dm_pix(n):
    import dm_pix as pix

    a = jnp.full((n + 8, n + 8, 3), 0.5)
    for name in ("adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation"):
        yield name, lambda a, f=getattr(pix, name): f(a, 0.3), (a,)
    for name in ("flip_left_right", "flip_up_down", "rot90", "rgb_to_hsv", "hsv_to_rgb", "rgb_to_hsl", "hsl_to_rgb", "rgb_to_grayscale", "identity"):
        if hasattr(pix, name):
            yield name, getattr(pix, name), (a,)
    yield "blur", lambda a: pix.gaussian_blur(a, 1.0, 3), (a,)
    yield "solarize", lambda a: pix.solarize(a, 0.4), (a,)
    yield "ssim", lambda a: pix.ssim(a, a * 0.9, filter_size=5), (a,)
    for name in ("mae", "mse", "psnr", "rmse", "simse"):
        yield name, lambda a, f=getattr(pix, name): f(a[None], a[None] * 0.9), (a,)
    yield "depth_to_space", lambda a: pix.depth_to_space(jnp.concatenate([a, a[..., :1]], -1), 2), (a,)
    yield "rotate", lambda a: pix.rotate(a, 0.3), (a,)
    yield "affine", lambda a: pix.affine_transform(a, jnp.eye(3)), (a,)
    yield "resized", lambda a: pix.center_crop(a, n, n), (a,)
    for name in ("random_crop", "random_brightness", "random_contrast", "random_flip_left_right", "random_hue", "random_saturation", "random_gamma"):
        extra = {"random_crop": ((n, n, 3),), "random_brightness": (0.2,), "random_hue": (0.2,)}.get(name, () if "flip" in name else (0.5, 1.5))
        yield name, lambda k, a, f=getattr(pix, name), e=extra: f(k, a, *e), (KEY, a)


def jaxlie(n):
    import jaxlie

    for name, width in (("SO2", 1), ("SO3", 3), ("SE2", 3), ("SE3", 6)):
        group = getattr(jaxlie, name)
        t = jnp.full((n, width), 0.3)
        yield f"{name}_exp", lambda t, g=group: g.exp(t).parameters(), (t,)
        yield f"{name}_exp_log", lambda t, g=group: g.exp(t).log(), (t,)
        yield f"{name}_inverse", lambda t, g=group: (g.exp(t).inverse() @ g.exp(t * 2)).as_matrix(), (t,)
        yield f"{name}_apply", lambda t, g=group: g.exp(t) @ jnp.ones((n, 2 if name.endswith("2") else 3)), (t,)
        yield f"{name}_adjoint", lambda t, g=group: g.exp(t).adjoint(), (t,)
        yield f"{name}_sample", lambda k, g=group: g.sample_uniform(k, (n,)).parameters(), (KEY,)
        yield f"{name}_interpolate", lambda t, g=group: jaxlie.manifold.rminus(g.exp(t), g.exp(t * 2)), (t,)
    yield "rpy", lambda r: jax.vmap(lambda r: jaxlie.SO3.from_rpy_radians(*r).as_matrix())(r), (jnp.ones((n, 3)),)


def interpax(n):
    import interpax

    x, q = jnp.linspace(0.0, 1.0, n), jnp.linspace(0.1, 0.9, 5)
    for method in ("nearest", "linear", "cubic", "cubic2", "catmull-rom", "cardinal", "monotonic", "monotonic-0", "akima"):
        yield method, lambda f, m=method: interpax.interp1d(q, x, f, method=m), (x * x,)
        if not method.startswith(("monotonic", "akima")):
            yield f"{method}_2d", lambda f, m=method: interpax.interp2d(q, q, x, x, f, method=m), (jnp.outer(x, x),)
            yield f"{method}_3d", lambda f, m=method: interpax.interp3d(q, q, q, x, x, x, f, method=m), (x[:, None, None] * jnp.outer(x, x),)
    yield "fft", lambda f: interpax.fft_interp1d(f, 2 * n), (x,)


def quadax(n):
    import quadax

    limits = jnp.array([0.0, 1.0])

    def f(t, w):
        return jnp.sum(jnp.sin(w * t))
    w = jnp.linspace(1.0, 2.0, n)
    for name in ("quadgk", "quadcc", "quadts", "romberg", "rombergts"):
        yield name, lambda w, q=getattr(quadax, name): q(lambda t: f(t, w), limits)[0], (w,)
    for name in ("fixed_quadgk", "fixed_quadcc", "fixed_quadts"):
        yield name, lambda w, q=getattr(quadax, name): q(lambda t: jax.vmap(f, (0, None))(jnp.atleast_1d(t), w), 0.0, 1.0)[0], (w,)
    yield "trapezoid", lambda y: quadax.trapezoid(y), (w,)
    yield "simpson", lambda y: quadax.simpson(y), (w,)
    yield "cumulative", lambda y: quadax.cumulative_trapezoid(y), (w,)


def jax_cosmo(n):
    import jax_cosmo as jc

    scale = jnp.linspace(0.2, 1.0, n)

    def universe(h):
        return jc.Cosmology(Omega_c=0.25, Omega_b=0.05, h=h, sigma8=0.8, n_s=0.96, Omega_k=0.0, w0=-1.0, wa=0.0)
    for name in ("radial_comoving_distance", "angular_diameter_distance", "H", "Esqr", "Omega_m_a", "Omega_de_a", "w", "f_de", "growth_factor", "growth_rate", "dchioverda"):
        yield name, lambda h, a, f=getattr(jc.background, name): f(universe(h), a), (jnp.asarray(0.7), scale)
    yield "linear_power", lambda h, k: jc.power.linear_matter_power(universe(h), k), (jnp.asarray(0.7), scale)
    yield "nonlinear_power", lambda h, k: jc.power.nonlinear_matter_power(universe(h), k), (jnp.asarray(0.7), scale)
    yield "smail", lambda z: jc.redshift.smail_nz(1.0, 2.0, 1.0)(z), (scale,)


def matfree(n):
    from matfree import decomp, stochtrace

    a, v = jnp.eye(n) * 3 + 0.1, jnp.ones(n)
    for name, make in {"tridiag_sym": decomp.tridiag_sym(2), "bidiag": decomp.bidiag(2), "hessenberg": decomp.hessenberg(2, reortho="full")}.items():
        yield name, lambda a, v, m=make: jax.tree.leaves(m(lambda s, p: p @ s, v, a)), (a, v)
    for name in ("sampler_normal", "sampler_signs", "sampler_sphere"):
        yield name, lambda k, make=getattr(stochtrace, name): make(v, num=3)(k), (KEY,)


def quax(n):
    import equinox as eqx
    import quax
    from quax.examples import lora, zero

    w, x = jnp.ones((n, 2 * n)), jnp.ones(2 * n)
    yield "lora", lambda w, x: quax.quaxify(jnp.dot)(lora.LoraArray(w, rank=2, key=KEY), x), (w, x)
    yield "linear", lambda x: quax.quaxify(lora.loraify(eqx.nn.Linear(2 * n, n, key=KEY), rank=2, key=KEY))(x), (x,)
    yield "zero", lambda x: quax.quaxify(lambda a, b: a + b)(x, zero.Zero((2 * n,), x.dtype)), (x,)


def chex(n):
    import chex

    x, y = jnp.ones((n, 3)), jnp.ones((n, 3)) * 2

    @chex.dataclass
    class State:
        position: jax.Array
        velocity: jax.Array

    def moved(s):
        return s.replace(position=s.position + 0.1 * s.velocity, velocity=s.velocity * 0.9)
    state = State(position=x, velocity=y)
    yield "moved", moved, (state,)
    yield "steps", lambda s: jax.lax.fori_loop(0, 5, lambda _, s: moved(s), s), (state,)
    yield "checked", lambda x: jnp.where(jnp.isfinite(x), x, 0.0) if chex.assert_rank(x, 2) is None else x, (x,)
    yield "energy", lambda s: 0.5 * jnp.sum(s.velocity ** 2) + jnp.sum(jnp.cos(s.position)), (state,)
    yield "mean", lambda s: jax.tree.map(lambda a: a.mean(0), s), (state,)
