"""Packages that minimise, solve and fit. A function a package; of a size it gives cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def bowl(x, *_):
    return jnp.sum((x - 1.0) ** 2) + 0.1 * jnp.sum(jnp.cos(3 * x))


def matrix(n):
    return jnp.eye(n) * 3 + jnp.ones((n, n)) * 0.1


def optax(n):
    import optax

    parameters = {"w": jnp.ones((n, 2 * n)), "b": jnp.ones(n)}
    optimisers = ["adabelief", "adadelta", "adafactor", "adagrad", "adam", "adamax", "adamaxw", "adamw", "amsgrad", "fromage", "lamb", "lars",
                  "lion", "nadam", "nadamw", "novograd", "optimistic_gradient_descent", "radam", "rmsprop", "rprop", "sgd", "sm3", "yogi"]
    for name in optimisers:
        try:
            optimiser = getattr(optax, name)(0.01)
        except TypeError:
            continue

        def step(parameters, gradients, optimiser=optimiser):
            updates, _ = optimiser.update(gradients, optimiser.init(parameters), parameters)
            return optax.apply_updates(parameters, updates)
        yield name, step, (parameters, parameters)
    rows, labels = jnp.ones((n, 5)), jnp.arange(n) % 5
    losses = {"squared": lambda x: optax.squared_error(x, x + 1), "huber": lambda x: optax.huber_loss(x, x + 1), "log_cosh": lambda x: optax.log_cosh(x, x + 1),
              "softmax": lambda x: optax.softmax_cross_entropy_with_integer_labels(x, labels), "sigmoid": lambda x: optax.sigmoid_binary_cross_entropy(x, x * 0),
              "hinge": lambda x: optax.hinge_loss(x, x * 0 + 1), "kl": lambda x: optax.kl_divergence(jax.nn.log_softmax(x), jax.nn.softmax(x + 1)),
              "cosine": lambda x: optax.cosine_distance(x, x + 1),
              "focal": lambda x: optax.sigmoid_focal_loss(x, x * 0), "ctc": lambda x: optax.ctc_loss(x[None], jnp.zeros((1, n)), labels[None], jnp.zeros((1, n)))}
    for name, loss in losses.items():
        yield f"loss_{name}", loss, (rows,)
    yield "clip", lambda g: optax.clip_by_global_norm(1.0).update(g, optax.EmptyState())[0], (parameters,)
    yield "projection", lambda x: optax.projections.projection_simplex(x), (rows[0],)
    yield "average", lambda a, b: optax.incremental_update(a, b, 0.1), (parameters, parameters)
    yield "cosine_schedule", optax.cosine_decay_schedule(0.1, 10), (jnp.asarray(3),)
    yield "warm_up", optax.warmup_cosine_decay_schedule(0.0, 0.1, 3, 10), (jnp.asarray(3),)


def jaxopt(n):
    import jaxopt

    x, a = jnp.ones(n), matrix(n)
    for name in ("GradientDescent", "BFGS", "LBFGS", "NonlinearCG"):
        yield name, lambda x, s=getattr(jaxopt, name): s(bowl, maxiter=5).run(x).params, (x,)
    yield "projected", lambda x: jaxopt.ProjectedGradient(bowl, jaxopt.projection.projection_simplex, maxiter=5).run(x).params, (x,)
    yield "proximal", lambda x: jaxopt.ProximalGradient(bowl, jaxopt.prox.prox_lasso, maxiter=5).run(x, hyperparams_prox=0.1).params, (x,)
    yield "gauss_newton", lambda x: jaxopt.GaussNewton(lambda x: a @ x - 1, maxiter=5).run(x).params, (x,)
    yield "levenberg", lambda x: jaxopt.LevenbergMarquardt(lambda x: a @ x - 1, maxiter=5).run(x).params, (x,)
    yield "fixed_point", lambda x: jaxopt.FixedPointIteration(lambda x: jnp.cos(x), maxiter=5).run(x).params, (x,)
    yield "anderson", lambda x: jaxopt.AndersonAcceleration(lambda x: jnp.cos(x), maxiter=5).run(x).params, (x,)
    yield "bisection", lambda x: jaxopt.Bisection(lambda t: t ** 3 - jnp.sum(x), 0.0, 5.0, maxiter=5, check_bracket=False).run().params, (x,)
    yield "cg", lambda a, b: jaxopt.linear_solve.solve_cg(lambda v: a @ v, b, maxiter=5), (a, x)
    for name in ("projection_simplex", "projection_l1_ball", "projection_l2_ball", "projection_l2_sphere", "projection_non_negative"):
        yield name, getattr(jaxopt.projection, name), (x,)
    for name in ("prox_lasso", "prox_ridge", "prox_elastic_net", "prox_group_lasso"):
        yield name, getattr(jaxopt.prox, name), (x,)
    yield "logistic", lambda w: jaxopt.objective.l2_multiclass_logreg(w, 0.1, (a, jnp.arange(n) % 3)), (jnp.ones((n, 3)),)
    yield "lasso", lambda w: jaxopt.objective.least_squares(w, (a, x)), (x,)


def optimistix(n):
    import optimistix as optx

    x, a = jnp.ones(n), matrix(n)
    for name in ("BFGS", "LBFGS", "DFP", "GradientDescent", "NonlinearCG"):
        solver = getattr(optx, name)(**({"learning_rate": 0.1} if name == "GradientDescent" else {}), rtol=1e-3, atol=1e-3)
        yield name, lambda x, s=solver: optx.minimise(bowl, s, x, max_steps=8, throw=False).value, (x,)
    yield "NelderMead", lambda x: optx.minimise(bowl, optx.NelderMead(1e-3, 1e-3), x, max_steps=8, throw=False).value, (x,)
    for name in ("GaussNewton", "LevenbergMarquardt", "Dogleg"):
        yield name, lambda x, s=getattr(optx, name)(1e-3, 1e-3): optx.least_squares(lambda x, _: a @ x - jnp.cos(x), s, x, max_steps=8, throw=False).value, (x,)
    for name in ("Newton", "Chord"):
        yield name, lambda x, s=getattr(optx, name)(1e-3, 1e-3): optx.root_find(lambda x, _: a @ x - 1, s, x, max_steps=8, throw=False).value, (x,)
    yield "Bisection", lambda x: optx.root_find(lambda t, x: t ** 3 - jnp.sum(x), optx.Bisection(1e-3, 1e-3), jnp.asarray(0.5), args=x,
                                                options={"lower": 0.0, "upper": 5.0}, max_steps=8, throw=False).value, (x,)
    yield "FixedPoint", lambda x: optx.fixed_point(lambda x, _: jnp.cos(x), optx.FixedPointIteration(1e-3, 1e-3), x, max_steps=8, throw=False).value, (x,)


def lineax(n):
    import lineax as lx

    a, b = matrix(n), jnp.ones(n)
    positive = lx.positive_semidefinite_tag
    for name, solver, tags in (("LU", lx.LU(), ()), ("QR", lx.QR(), ()), ("SVD", lx.SVD(), ()), ("Cholesky", lx.Cholesky(), positive), ("CG", lx.CG(1e-3, 1e-3), positive),
                               ("GMRES", lx.GMRES(1e-3, 1e-3), ()), ("BiCGStab", lx.BiCGStab(1e-3, 1e-3), ()), ("Auto", lx.AutoLinearSolver(True), ())):
        yield name, lambda a, b, s=solver, t=tags: lx.linear_solve(lx.MatrixLinearOperator(a, t), b, s, throw=False).value, (a, b)
    yield "tridiagonal", lambda b: lx.linear_solve(lx.TridiagonalLinearOperator(b * 4, b[1:], b[1:]), b, lx.Tridiagonal(), throw=False).value, (b,)
    yield "diagonal", lambda b: lx.linear_solve(lx.DiagonalLinearOperator(b * 2), b, lx.Diagonal(), throw=False).value, (b,)
    yield "triangular", lambda a, b: lx.linear_solve(lx.MatrixLinearOperator(jnp.tril(a), lx.lower_triangular_tag), b, lx.Triangular(), throw=False).value, (a, b)
    yield "product", lambda a, b: (lx.MatrixLinearOperator(a) @ lx.DiagonalLinearOperator(b) + lx.IdentityLinearOperator(jax.eval_shape(lambda: b))).mv(b), (a, b)
    yield "jacobian", lambda b: lx.materialise(lx.JacobianLinearOperator(lambda x, _: jnp.sin(x) * jnp.sum(x), b)).as_matrix(), (b,)
    yield "normal", lambda a, b: lx.linear_solve(lx.MatrixLinearOperator(jnp.concatenate([a, a])), jnp.concatenate([b, b]), lx.Normal(lx.Cholesky()), throw=False).value, (a, b)


def evosax(n):
    from evosax.algorithms import distribution_based as algorithms

    start = jnp.ones(n)
    for name in ("Simple_ES", "Open_ES", "CMA_ES", "Sep_CMA_ES", "SNES", "xNES", "PGPE", "ARS", "iAMaLGaM_Full", "iAMaLGaM_Independent", "LM_MA_ES", "Rm_ES", "MA_ES", "ESMC", "SV_CMA_ES", "DiscoveredES"):
        found = getattr(algorithms, name.replace("_", ""), None) or getattr(algorithms, name, None)
        if found is None:
            continue
        try:
            algorithm = found(population_size=8, solution=start)
        except TypeError:
            continue
        settings = algorithm.default_params

        def generation(key, mean, algorithm=algorithm, settings=settings):
            state = algorithm.init(key, mean, settings)
            population, state = algorithm.ask(key, state, settings)
            state, _ = algorithm.tell(key, population, jax.vmap(bowl)(population), state, settings)
            return algorithm.get_mean(state)
        yield name, generation, (KEY, start)


def qdax(n):
    from qdax.core.containers.mapelites_repertoire import get_cells_indices
    from qdax.core.emitters import mutation_operators as mutation

    x = jnp.ones((4, n))
    yield "polynomial", lambda x, k: mutation.polynomial_mutation(x, k, proportion_to_mutate=0.5, eta=1.0, minval=-1.0, maxval=1.0), (x, KEY)
    yield "variation", lambda x, k: mutation.isoline_variation(x, x + 1, k, iso_sigma=0.1, line_sigma=0.2), (x, KEY)
    yield "crossover", lambda x, k: mutation.polynomial_crossover(x, x + 1, k, proportion_var_to_change=0.5), (x, KEY)
    yield "cells", lambda x: get_cells_indices(x, jnp.ones((6, n))), (x,)


def kfac_jax(n):
    import kfac_jax

    a, x = matrix(n), jnp.ones(n)
    yield "inverse", lambda a: kfac_jax.utils.psd_inv(a + jnp.eye(n)), (a,)
    yield "kronecker", lambda a: kfac_jax.utils.kronecker_product_axis_mul_v([a, a], jnp.ones((n, n))), (a,)
    yield "pi_adjusted", lambda a: kfac_jax.utils.pi_adjusted_kronecker_inverse(a, a, damping=jnp.asarray(0.1)), (a,)
    yield "product", lambda x: kfac_jax.utils.inner_product(x, x + 1) + kfac_jax.utils.norm(x), (x,)
    yield "average", lambda x: kfac_jax.utils.WeightedMovingAverage.zeros_array((n,)), (x,)


def tree_math(n):
    import tree_math as tm

    v = tm.Vector({"a": jnp.ones((n, 2)), "b": jnp.ones(n)})
    yield "arithmetic", lambda v: (2 * v + v * v - v / 3), (v,)
    yield "dot", lambda v: v @ v, (v,)
    yield "where", lambda v: tm.numpy.where(v > 0, v, -v), (v,)

    def conjugate_gradient(v):
        x, r = v * 0, v
        for _ in range(3):
            alpha = (r @ r) / (r @ (2 * r))
            x, r = x + alpha * r, r - alpha * 2 * r
        return x
    yield "cg", conjugate_gradient, (v,)
