"""Layers, and the losses of agents, beyond what networks.py and decisions.py have of them. Of a size they give cases (name, function,
arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def flax(n):
    import flax.linen as nn

    rows, image, sequence = jnp.ones((n, 2 * n)), jnp.ones((1, n + 4, n + 4, 3)), jnp.ones((2, n, 2 * n))
    models = {"embed": (nn.Embed(7, n), jnp.arange(n)), "local": (nn.ConvLocal(2, (3,)), sequence), "instance_norm": (nn.InstanceNorm(), image), "prelu": (nn.PReLU(), rows),
              "self_attention": (nn.SelfAttention(num_heads=2), sequence), "conv_1d": (nn.Conv(n, (3,), padding="CAUSAL"), sequence), "conv_dilated": (nn.Conv(n, (3, 3), kernel_dilation=2), image),
              "conv_circular": (nn.Conv(n, (3, 3), padding="CIRCULAR"), image), "transposed_1d": (nn.ConvTranspose(n, (3,), strides=(2,)), sequence),
              "general": (nn.DenseGeneral(n, axis=(1, 2)), sequence), "bidirectional": (nn.Bidirectional(nn.RNN(nn.GRUCell(n)), nn.RNN(nn.GRUCell(n))), sequence),
              "backward": (nn.RNN(nn.LSTMCell(n), reverse=True, keep_order=True), sequence), "conv_lstm": (nn.RNN(nn.ConvLSTMCell(2, (3,))), jnp.ones((1, 2, n, 3))),
              **{cell: (nn.RNN(getattr(nn, cell)(n)), sequence) for cell in ("MGUCell", "SimpleCell", "OptimizedLSTMCell")},
              **{f"dense_{name}": (nn.Sequential([nn.Dense(n), getattr(nn, name), nn.Dense(2)]), rows) for name in ("elu", "gelu", "selu", "swish", "softplus", "hard_tanh", "log_softmax")}}
    for name, (model, x) in models.items():
        parameters = jax.tree.map(lambda s: jnp.ones(s.shape, s.dtype), jax.eval_shape(model.init, KEY, x))
        yield name, model.apply, (parameters, x)

        def trained(parameters, x, model=model):
            def step(parameters, _):
                slope = jax.grad(lambda p: jnp.mean(model.apply(p, x) ** 2))(parameters)
                return jax.tree.map(lambda p, g: p - 0.1 * g, parameters, slope), None
            return jax.lax.scan(step, parameters, length=2)[0]
        yield f"{name}_trained", trained, (parameters, x)


def equinox(n):
    import equinox as eqx

    row, line, cube = jnp.ones(2 * n), jnp.ones((3, n + 4)), jnp.ones((2, n + 2, n + 2, n + 2))
    models = {"conv_3d": (eqx.nn.Conv3d(2, n, 3, key=KEY), cube), "transposed_1d": (eqx.nn.ConvTranspose1d(3, n, 3, key=KEY), line), "transposed_3d": (eqx.nn.ConvTranspose3d(2, 2, 2, key=KEY), cube),
              "avg_pool_1d": (eqx.nn.AvgPool1d(2), line), "max_pool_1d": (eqx.nn.MaxPool1d(2, 2), line), "avg_pool_3d": (eqx.nn.AvgPool3d(2), cube), "max_pool_3d": (eqx.nn.MaxPool3d(2, 2), cube),
              "adaptive_1d": (eqx.nn.AdaptiveMaxPool1d(2), line), "adaptive_3d": (eqx.nn.AdaptiveAvgPool3d(2), cube), "weight_norm": (eqx.nn.WeightNorm(eqx.nn.Linear(2 * n, n, key=KEY)), row),
              "rotary": (eqx.nn.RotaryPositionalEmbedding(4), jnp.ones((n, 4))), "embedding": (eqx.nn.Embedding(7, n, key=KEY), jnp.asarray(2)), "dilated": (eqx.nn.Conv1d(3, n, 3, dilation=2, key=KEY), line),
              "sequential": (eqx.nn.Sequential([eqx.nn.Linear(2 * n, n, key=KEY), eqx.nn.Lambda(jax.nn.gelu), eqx.nn.LayerNorm(n), eqx.nn.Linear(n, 2, key=KEY)]), row)}
    for name, (model, x) in models.items():
        arrays, rest = eqx.partition(model, eqx.is_array)
        yield name, lambda a, x, r=rest: eqx.combine(a, r)(x), (arrays, x)


def rlax(n):
    import rlax

    q, v, r = jnp.linspace(0.1, 0.9, n), jnp.linspace(0.0, 1.0, n), jnp.full(n, 0.5)
    table, actions, logits = jnp.linspace(0.0, 1.0, 3 * n).reshape(n, 3), jnp.arange(n) % 3, jnp.linspace(0.1, 2.0, 3 * n).reshape(n, 3)
    atoms, one = jnp.linspace(-1.0, 1.0, n), jnp.asarray(1)
    of_rows = {
        "categorical_td": lambda x: rlax.categorical_td_learning(atoms, x, r[0], r[0], atoms, x * 2),
        "quantile": lambda x: rlax.quantile_regression_loss(x, r, x * 2, 1.0),
        "persistent_q": lambda x: rlax.persistent_q_learning(x, one, r[0], r[0], x, 0.5),
        "qv_max": lambda x: rlax.qv_max(x[0], r[0], r[0], x),
        "discounted": lambda x: rlax.discounted_returns(x, r, x),
        "n_step": lambda x: rlax.n_step_bootstrapped_returns(x, r, x, 2),
        "leaky": lambda x: rlax.leaky_vtrace(x, x * 2, r, r, r, 0.9),
        "vtrace_advantage": lambda x: rlax.vtrace_td_error_and_advantage(x, x * 2, r, r, r).pg_advantage,
        "squared": lambda x: rlax.l2_loss(x),
        "log": lambda x: rlax.log_loss(rlax.sigmoid(x), r),
        "expm1": lambda x: rlax.signed_expm1(x),
        "logp1": lambda x: rlax.signed_logp1(x),
        "clip": lambda x: rlax.clip_gradient(x, -0.1, 0.1) ** 2,
        "softmax": lambda x: rlax.softmax().probs(x),
        "greedy": lambda x: rlax.greedy().probs(x),
        "epsilon_greedy": lambda x: rlax.epsilon_greedy(0.1).entropy(x),
        "clipped_softmax": lambda x: rlax.clipped_entropy_softmax(1.0, 0.5).entropy(x),
        "gaussian": lambda x: rlax.gaussian_diagonal().logprob(x, x * 0.5, r),
        "squashed": lambda x: rlax.squashed_gaussian().entropy(x, r),
        "dpg": lambda x: rlax.dpg_loss(x, x * 2),
        "identity": lambda x: rlax.SIGNED_HYPERBOLIC_PAIR.apply_inv(rlax.SIGNED_HYPERBOLIC_PAIR.apply(x)),
        "muzero": lambda x: rlax.muzero_pair(5, -1.0, 1.0, rlax.SIGNED_HYPERBOLIC_PAIR).apply(x)}
    for name, function in of_rows.items():
        yield name, function, (q,)
    of_tables = {
        "q_lambda": lambda t: rlax.q_lambda(t, actions, r, r, t * 2, 0.9),
        "sarsa_lambda": lambda t: rlax.sarsa_lambda(t, actions, r, r, t * 2, actions, 0.9),
        "retrace": lambda t: rlax.retrace(t, t * 2, actions, actions, r, r, jax.nn.softmax(t), r, 0.9),
        "off_policy": lambda t: rlax.general_off_policy_returns_from_action_values(t[1:], actions[1:], r[1:], r[1:], r[1:], jax.nn.softmax(t[1:])),
        "n_step_q": lambda t: rlax.transformed_n_step_q_learning(t, actions, t * 2, actions, r, r, 2),
        "qpg": lambda t: rlax.qpg_loss(t, t * 2),
        "rm": lambda t: rlax.rm_loss(t, t * 2),
        "rpg": lambda t: rlax.rpg_loss(t, t * 2),
        "policy_gradient": lambda t: rlax.policy_gradient_loss(t, actions, v, r),
        "entropy": lambda t: rlax.entropy_loss(t, r),
        "categorical_divergence": lambda t: rlax.categorical_kl_divergence(t, t * 2),
        "cross_entropy": lambda t: rlax.categorical_cross_entropy(jax.nn.softmax(t[0]), t[1]),
        "index": lambda t: rlax.batched_index(t, actions),
        "ratios": lambda t: rlax.categorical_importance_sampling_ratios(t, t * 2, actions),
        "intrinsic": lambda t: rlax.episodic_memory_intrinsic_rewards(t, 2, 0.5)[0],
        "features": lambda t: rlax.feature_control_rewards(t),
        "lambda_q": lambda t: rlax.transformed_q_lambda(t, actions, r, r, t * 2, 0.9)}
    for name, function in of_tables.items():
        yield f"table_{name}", function, (logits if name in ("rm", "rpg") else table,)
