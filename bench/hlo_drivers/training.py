"""Packages that minimise, beyond what optimisers.py has of them: whole steps of training, parts of optimisers, losses, schedules,
projections. Of a size they give cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)
TRAINED = """adabelief adadelta adafactor adagrad adam adamax adamaxw adamw adan amsgrad fromage lamb lars lion nadam nadamw noisy_sgd novograd
optimistic_adam_v2 optimistic_gradient_descent radam rmsprop rprop sgd sign_sgd signum sm3 yogi contrib.acprop contrib.ademamix contrib.adopt
contrib.dadapt_adamw contrib.dog contrib.dowg contrib.madgrad contrib.muon contrib.prodigy contrib.schedule_free_adamw
contrib.schedule_free_sgd contrib.simplified_ademamix contrib.cocob""".split()
PARTS = """scale_by_adadelta scale_by_adam scale_by_adamax scale_by_adan scale_by_amsgrad scale_by_belief scale_by_distance_over_gradients
scale_by_factored_rms scale_by_lbfgs scale_by_lion scale_by_novograd scale_by_optimistic_gradient scale_by_param_block_norm
scale_by_param_block_rms scale_by_radam scale_by_rms scale_by_rss scale_by_sign scale_by_sm3 scale_by_stddev
scale_by_trust_ratio scale_by_yogi centralize zero_nans keep_params_nonnegative normalize_by_update_norm set_to_zero contrib.normalize
contrib.scale_by_acprop contrib.scale_by_ademamix contrib.scale_by_adopt""".split()
PARTS_OF = {"clip": (0.5,), "clip_by_block_rms": (0.5,), "adaptive_grad_clip": (0.1,), "add_decayed_weights": (0.1,), "ema": (0.9,), "trace": (0.9,),
            "apply_every": (2,), "scale": (0.3,), "add_noise": (0.1, 0.5, KEY)}
LOSSES = """binary_dice_loss dice_loss multiclass_generalized_dice_loss cosine_similarity hinge_loss l2_loss perceptron_loss
poly_loss_cross_entropy ranking_softmax_loss safe_softmax_cross_entropy softmax_cross_entropy sparsemax_loss generalized_kl_divergence
kl_divergence_with_log_targets convex_kl_divergence""".split()
LOSSES_OF_LABELS = "multiclass_hinge_loss multiclass_perceptron_loss multiclass_sparsemax_loss softmax_cross_entropy_with_integer_labels ntxent".split()
PROJECTIONS = {"box": (0.0, 1.0), "halfspace": (1.0, 2.0), "hypercube": (), "hyperplane": (1.0, 2.0), "l1_ball": (1.0,), "l1_sphere": (1.0,), "l2_ball": (1.0,),
               "l2_sphere": (1.0,), "linf_ball": (1.0,), "non_negative": (), "simplex": (2.0,)}


def of_name(module, name):
    for piece in name.split("."):
        module = getattr(module, piece)
    return module


def loss_of(parameters, rows):
    hidden = jnp.tanh(rows @ parameters["w"] + parameters["b"])
    return jnp.mean((hidden - 0.5) ** 2)


def optax(n):
    import optax

    parameters = {"w": jnp.ones((n, 2 * n)), "b": jnp.ones(2 * n)}
    rows, row = jnp.linspace(0.1, 0.9, 5 * n).reshape(5, n), jnp.linspace(0.1, 0.9, n)
    for name, of in {**dict.fromkeys(PARTS, ()), **PARTS_OF}.items():
        def change(gradients, parameters, name=name, of=of):
            part = of_name(optax, name)(*of)
            return part.update(gradients, part.init(parameters), parameters)[0]
        yield f"part_{name}", change, (parameters, parameters)
    yield from optax_losses(rows, row)
    yield from optax_schedules()
    yield from optax_rest(n, parameters, rows, row)
    yield from optax_trained(parameters, rows)


def optax_losses(rows, row):
    import optax

    for name in LOSSES:
        yield f"loss_{name}", lambda x, y, m=name: getattr(optax.losses, m)(x, y), (rows, rows * 0.5)
    for name in LOSSES_OF_LABELS:
        yield f"loss_{name}", lambda x, m=name: getattr(optax.losses, m)(x, jnp.arange(5) % 3), (rows,)
    yield "loss_triplet", lambda x: optax.losses.triplet_margin_loss(x, x + 0.1, x * x), (rows,)
    yield "loss_smooth_labels", lambda x: optax.losses.smooth_labels(x, 0.1), (rows,)
    yield "loss_fenchel_young", lambda x: optax.losses.make_fenchel_young_loss(jax.nn.logsumexp)(x, x * 0.5), (row,)
    for name, of in PROJECTIONS.items():
        def project(x, name=name, of=of):
            with_vector = name in ("halfspace", "hyperplane")
            return getattr(optax.projections, f"projection_{name}")(x, *((x + 1.0, 1.0) if with_vector else of))
        yield f"projection_{name}", project, (row,)


def optax_schedules():
    import optax

    for name, make in {
            "exponential": lambda: optax.exponential_decay(0.1, 3, 0.5), "stairs": lambda: optax.exponential_decay(0.1, 3, 0.5, staircase=True),
            "polynomial": lambda: optax.polynomial_schedule(0.1, 0.01, 2, 10), "linear": lambda: optax.linear_schedule(0.1, 0.01, 10),
            "pieces": lambda: optax.piecewise_constant_schedule(0.1, {2: 0.5, 5: 0.1}), "interpolated": lambda: optax.piecewise_interpolate_schedule("cosine", 0.1, {2: 0.5, 5: 0.1}),
            "one_cycle": lambda: optax.cosine_onecycle_schedule(10, 0.1), "linear_one_cycle": lambda: optax.linear_onecycle_schedule(10, 0.1),
            "warm_exponential": lambda: optax.warmup_exponential_decay_schedule(0.0, 0.1, 3, 5, 0.5), "warm_constant": lambda: optax.warmup_constant_schedule(0.0, 0.1, 3),
            "restarts": lambda: optax.sgdr_schedule([{"init_value": 0.0, "peak_value": 0.1, "decay_steps": 5, "warmup_steps": 2, "end_value": 0.0}] * 2),
            "joined": lambda: optax.join_schedules([optax.constant_schedule(0.1), optax.cosine_decay_schedule(0.1, 5)], [3])}.items():
        yield f"schedule_{name}", lambda s, m=make: m()(s), (jnp.asarray(3),)
        yield f"schedule_{name}_of_float", lambda s, m=make: m()(s), (jnp.asarray(3.0),)


def optax_rest(n, parameters, rows, row):
    import optax

    square = jnp.eye(n) * 3 + 0.1
    yield "hessian_product", lambda p, x: optax.second_order.hvp(lambda p, x, _: loss_of(p, x), jnp.ones(2 * n * n + 2 * n), p, x, x), (parameters, rows)
    yield "power_iteration", lambda a: optax.power_iteration(a, num_iters=5), (square,)
    yield "root", lambda a: optax.matrix_inverse_pth_root(a, 2), (square,)
    yield "nnls", lambda a: optax.nnls(a, row, 5), (square,)
    yield "assignment", optax.assignment.hungarian_algorithm, (rows,)
    yield "perturbed", lambda k, x: optax.perturbations.make_perturbed_fun(lambda x: x * x, 4, 0.1)(k, x), (KEY, row)
    for name in ("add", "mul", "sub", "div", "vdot"):
        yield f"tree_{name}", getattr(optax.tree_utils, f"tree_{name}"), (parameters, parameters)
    for name in ("norm", "sum", "max", "min"):
        yield f"tree_{name}", getattr(optax.tree_utils, f"tree_{name}"), (parameters,)
    for name, make in {"accumulated": lambda: optax.MultiSteps(optax.adam(0.1), 2), "careful": lambda: optax.apply_if_finite(optax.sgd(0.1), 2),
                       "masked": lambda: optax.masked(optax.adam(0.1), {"w": True, "b": False}), "chained": lambda: optax.chain(optax.clip(0.5), optax.adam(0.1), optax.scale(0.5)),
                       "looked_ahead": lambda: optax.contrib.sam(optax.sgd(0.1), optax.sgd(0.1)), "injected": lambda: optax.inject_hyperparams(optax.adam)(0.1)}.items():
        def wrapped(gradients, parameters, make=make):
            optimiser = make()
            return optimiser.update(gradients, optimiser.init(parameters), parameters)[0]
        yield f"wrapped_{name}", wrapped, (parameters, parameters)


def optax_trained(parameters, rows):
    """Three steps of training, a scan."""
    import optax

    for name in TRAINED:
        def train(parameters, rows, name=name):
            optimiser = of_name(optax, name)(**({} if name.endswith("cocob") else {"learning_rate": 0.01}))

            def step(carried, _):
                parameters, state = carried
                gradients = jax.grad(loss_of)(parameters, rows)
                updates, state = optimiser.update(gradients, state, parameters)
                return (optax.apply_updates(parameters, updates), state), None
            return jax.lax.scan(step, (parameters, optimiser.init(parameters)), length=3)[0][0]
        yield f"train_{name}", train, (parameters, rows)


def line_searched(a, x):
    """A problem of least squares that is not linear."""
    return a @ x + 0.1 * jnp.sin(x) - 1


def jaxopt(n):
    import jaxopt

    x, a = jnp.linspace(0.1, 0.9, n), jnp.eye(n) * 3 + 0.1
    rows, labels = jnp.linspace(0.1, 0.9, 3 * n).reshape(n, 3), jnp.arange(n) % 3

    def bowl(x):
        return jnp.sum(line_searched(a, x) ** 2)
    for search in ("backtracking", "zoom", "hager-zhang"):
        yield f"bfgs_{search}", lambda x, s=search: jaxopt.BFGS(bowl, maxiter=3, linesearch=s).run(x).params, (x,)
        yield f"lbfgs_{search}", lambda x, s=search: jaxopt.LBFGS(bowl, maxiter=3, linesearch=s).run(x).params, (x,)
        yield f"cg_{search}", lambda x, s=search: jaxopt.NonlinearCG(bowl, maxiter=3, linesearch=s).run(x).params, (x,)
    for method in ("polak-ribiere", "fletcher-reeves", "hestenes-stiefel"):
        yield f"conjugate_{method}", lambda x, m=method: jaxopt.NonlinearCG(bowl, maxiter=3, method=m).run(x).params, (x,)
    yield "lbfgsb", lambda x: jaxopt.LBFGSB(bowl, maxiter=3).run(x, bounds=(x * 0, x + 1)).params, (x,)
    yield "polyak", lambda x: jaxopt.PolyakSGD(bowl, maxiter=3).run(x).params, (x,)
    yield "armijo", lambda x: jaxopt.ArmijoSGD(bowl, maxiter=3).run(x).params, (x,)
    yield "coordinate", lambda x: jaxopt.BlockCoordinateDescent(jaxopt.objective.least_squares, jaxopt.prox.prox_lasso, maxiter=3).run(x, hyperparams_prox=0.1, data=(a, x)).params, (x,)
    yield "broyden", lambda x: jaxopt.Broyden(lambda x: line_searched(a, x), maxiter=3).run(x).params, (x,)
    for name in ("solve_cg", "solve_normal_cg", "solve_gmres", "solve_bicgstab", "solve_lu", "solve_cholesky", "solve_inv", "solve_qr"):
        iterative = name in ("solve_cg", "solve_normal_cg", "solve_gmres", "solve_bicgstab")
        yield name, lambda a, b, m=name, k=iterative: getattr(jaxopt.linear_solve, m)(lambda v: a @ v, b, **({"maxiter": 3} if k else {})), (a, x)
    for name, loss in {"binary_logistic": lambda x: jaxopt.loss.binary_logistic_loss(1, x), "hinge": lambda x: jaxopt.loss.binary_hinge_loss(1, x), "sparsemax": lambda x: jaxopt.loss.binary_sparsemax_loss(1, x),
                       "huber": lambda x: jaxopt.loss.huber_loss(1.0, x)}.items():
        yield f"loss_{name}", jax.vmap(loss), (x,)
    for name in ("multiclass_logistic_loss", "multiclass_sparsemax_loss", "multiclass_hinge_loss", "multiclass_perceptron_loss"):
        yield name, lambda r, m=name: jax.vmap(getattr(jaxopt.loss, m))(labels, r), (rows,)
    for name in ("projection_box", "projection_hypercube", "projection_linf_ball", "projection_l1_sphere", "projection_non_negative", "projection_transport", "projection_birkhoff"):
        def project(x, name=name):
            of = {"projection_box": ((0.2, 0.5),), "projection_transport": ((jnp.ones(n) / n, jnp.ones(n) / n),)}.get(name, ())
            return getattr(jaxopt.projection, name)(jnp.outer(x, x) if name.endswith(("transport", "birkhoff")) else x, *of)
        yield name, project, (x,)
    for name in ("prox_non_negative_lasso", "prox_non_negative_ridge", "prox_group_lasso", "prox_none"):
        yield name, getattr(jaxopt.prox, name), (x,)
    yield "isotonic", jaxopt.isotonic.isotonic_l2_pav, (x,)


def optimistix(n):
    import optimistix as optx

    x, a = jnp.linspace(0.1, 0.9, n), jnp.eye(n) * 3 + 0.1

    def bowl(x, _):
        return jnp.sum(line_searched(a, x) ** 2)
    for name in ("BFGS", "LBFGS", "DFP", "NelderMead", "NonlinearCG", "GradientDescent"):
        def minimise(x, name=name):
            of = (0.1, 1e-3, 1e-3) if name == "GradientDescent" else (1e-3, 1e-3)
            return optx.minimise(bowl, getattr(optx, name)(*of), x, max_steps=4, throw=False).value
        yield f"minimise_{name}", minimise, (x,)
    for name in ("polak_ribiere", "fletcher_reeves", "hestenes_stiefel", "dai_yuan"):
        yield name, lambda x, m=name: optx.minimise(bowl, optx.NonlinearCG(1e-3, 1e-3, method=getattr(optx, m)), x, max_steps=4, throw=False).value, (x,)
    for name in ("GaussNewton", "LevenbergMarquardt", "IndirectLevenbergMarquardt", "Dogleg", "BFGS"):
        yield f"roots_{name}", lambda x, m=name: optx.root_find(lambda x, _: line_searched(a, x), getattr(optx, m)(1e-3, 1e-3), x, max_steps=4, throw=False).value, (x,)
        yield f"fixed_{name}", lambda x, m=name: optx.fixed_point(lambda x, _: jnp.cos(x), getattr(optx, m)(1e-3, 1e-3), x, max_steps=4, throw=False).value, (x,)
    for name in ("two_norm", "rms_norm", "max_norm"):
        yield name, lambda x, m=name: getattr(optx, m)(x), (x,)
