"""Packages of environments, planning and reinforcement learning. A function a package; of a size it gives cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)
OLD_KEY = jax.random.PRNGKey(0)


def rlax(n):
    import rlax

    q, a, one = jnp.ones(n), jnp.asarray(1), jnp.ones(())
    r, series = jnp.ones(n), jnp.linspace(0.0, 1.0, n + 1)
    yield "q_learning", lambda q: rlax.q_learning(q, a, one, one, q + 1), (q,)
    yield "double_q", lambda q: rlax.double_q_learning(q, a, one, one, q + 1, q), (q,)
    yield "sarsa", lambda q: rlax.sarsa(q, a, one, one, q, a), (q,)
    yield "expected_sarsa", lambda q: rlax.expected_sarsa(q, a, one, one, q, jax.nn.softmax(q)), (q,)
    yield "td", lambda v: rlax.td_learning(v, one, one, v + 1), (one,)
    yield "td_lambda", lambda v: rlax.td_lambda(v[:-1], r, r, v[1:], 0.9), (series,)
    yield "lambda_returns", lambda v: rlax.lambda_returns(r, r, v[1:], 0.9), (series,)
    yield "gae", lambda v: rlax.truncated_generalized_advantage_estimation(r, r, 0.9, v), (series,)
    yield "vtrace", lambda v: rlax.vtrace(v[:-1], v[1:], r, r, r), (series,)
    yield "policy_gradient", lambda q: rlax.policy_gradient_loss(q[None], jnp.zeros(1, int), jnp.ones(1), jnp.ones(1)), (q,)
    yield "entropy", lambda q: rlax.entropy_loss(q[None], jnp.ones(1)), (q,)
    yield "clipped", lambda r: rlax.clipped_surrogate_pg_loss(r, r * 2, 0.2), (r,)
    yield "huber", lambda x: rlax.huber_loss(x, 1.0), (series,)
    yield "two_hot", lambda x: rlax.transform_to_2hot(x, 0.0, 1.0, 7), (series,)
    yield "squash", lambda x: rlax.signed_hyperbolic(x) + rlax.signed_parabolic(x), (series,)
    yield "l2_project", lambda p: rlax.categorical_l2_project(series, p, series * 0.5), (series,)
    yield "cross_replica", lambda x: rlax.logit(x * 0.5 + 0.2), (series,)


def mctx(n):
    import mctx

    def root(logits):
        return mctx.RootFnOutput(prior_logits=logits, value=jnp.zeros(logits.shape[0]), embedding=jnp.zeros((logits.shape[0], 2)))

    def recurrent(parameters, key, action, embedding):
        size = action.shape[0]
        out = mctx.RecurrentFnOutput(reward=jnp.ones(size) * action, discount=jnp.ones(size), prior_logits=jnp.ones((size, n)), value=embedding[:, 0])
        return out, embedding + 1
    logits = jnp.ones((2, n))
    for simulations in (3, 6):
        yield f"muzero_{simulations}", lambda x, k, s=simulations: mctx.muzero_policy((), k, root(x), recurrent, s).action_weights, (logits, KEY)
        yield f"gumbel_{simulations}", lambda x, k, s=simulations: mctx.gumbel_muzero_policy((), k, root(x), recurrent, s).action_weights, (logits, KEY)


def gymnax(n):
    import gymnax

    for name in ("CartPole-v1", "Acrobot-v1", "Pendulum-v1", "MountainCar-v0", "MountainCarContinuous-v0", "Catch-bsuite", "DeepSea-bsuite", "DiscountingChain-bsuite", "MemoryChain-bsuite", "UmbrellaChain-bsuite",
                 "MNISTBandit-bsuite", "SimpleBandit-bsuite", "FourRooms-misc", "MetaMaze-misc", "PointRobot-misc", "BernoulliBandit-misc", "GaussianBandit-misc", "Reacher-misc", "Swimmer-misc", "Pong-misc",
                 "Asterix-MinAtar", "Breakout-MinAtar", "Freeway-MinAtar", "SpaceInvaders-MinAtar"):
        try:
            env, settings = gymnax.make(name)
            _, state = env.reset(OLD_KEY, settings)
        except Exception:  # noqa: BLE001: some need data that are not there
            continue
        action = jnp.zeros(env.action_space(settings).shape, env.action_space(settings).dtype)
        keys = jax.random.split(OLD_KEY, n)
        yield f"{name}_reset", lambda ks, e=env, s=settings: jax.vmap(lambda k: e.reset(k, s))(ks)[0], (keys,)
        yield f"{name}_step", lambda ks, st, a, e=env, s=settings: jax.vmap(lambda k: e.step(k, st, a, s))(ks)[0], (keys, state, action)


def pgx(n):
    import pgx

    for name in ("tic_tac_toe", "connect_four", "2048", "othello", "hex", "kuhn_poker", "leduc_holdem", "go_9x9", "animal_shogi", "backgammon", "play2048", "minatar-asterix"):
        try:
            env = pgx.make(name)
        except Exception:  # noqa: BLE001
            continue
        keys = jax.random.split(OLD_KEY, n)
        yield f"{name}_init", lambda ks, e=env: jax.vmap(e.init)(ks).observation, (keys,)
        state = jax.vmap(env.init)(keys)
        yield f"{name}_step", lambda s, a, e=env: jax.vmap(lambda s: e.step(s, a, OLD_KEY))(s).rewards, (state, jnp.asarray(1))


def jumanji(n):
    import jumanji

    for name in ("Game2048-v1", "Snake-v1", "TSP-v1", "Knapsack-v1", "Maze-v0", "Minesweeper-v0", "GraphColoring-v1", "RubiksCube-v0", "CVRP-v1", "JobShop-v0", "Cleaner-v0", "SlidingTilePuzzle-v0", "Tetris-v0"):
        try:
            env = jumanji.make(name)
            keys = jax.random.split(OLD_KEY, n)
            state, _ = jax.eval_shape(env.reset, OLD_KEY)
            action = env.action_spec.generate_value()
        except Exception:  # noqa: BLE001: some need data that are not there
            continue
        yield f"{name}_reset", lambda ks, e=env: jax.vmap(e.reset)(ks)[1].reward, (keys,)

        def episode(ks, a, e=env):
            return jax.vmap(lambda k: e.step(e.reset(k)[0], a)[1].reward)(ks)
        yield f"{name}_step", episode, (keys, jnp.asarray(action))


def flashbax(n):
    import flashbax

    item = {"x": jnp.ones(n), "r": jnp.ones(())}
    buffers = {"item": flashbax.make_item_buffer(16, 2, 2), "flat": flashbax.make_flat_buffer(16, 2, 2), "prioritised": flashbax.make_prioritised_flat_buffer(16, 2, 2),
               "trajectory": flashbax.make_trajectory_buffer(1, 2, 2, 2, 1, max_length_time_axis=8)}
    for name, buffer in buffers.items():
        yield f"{name}_init", buffer.init, (item,)
        state = jax.eval_shape(buffer.init, item)
        state = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), state)
        if name != "trajectory":
            yield f"{name}_add", lambda s, i, b=buffer: b.add(s, i), (state, item)
        yield f"{name}_sample", lambda s, k, b=buffer: b.sample(s, k).experience, (state, KEY)


def brax(n):
    from brax import envs

    from brax import math as rotation

    x, q = jnp.ones((n, 3)), jnp.ones((n, 4))
    for name in ("quat_mul", "quat_inv", "quat_to_3x3", "quat_to_euler", "normalize", "euler_to_quat"):
        function = getattr(rotation, name, None)
        if function is None:
            continue
        arguments = (q, q) if name == "quat_mul" else (x,) if name in ("normalize", "euler_to_quat") else (q,)
        yield name, lambda *a, f=function: jax.vmap(f)(*a), arguments
    for name in ("fast", "inverted_pendulum", "reacher"):
        if n > 4:
            continue
        env = envs.get_environment(name, backend="positional") if name != "fast" else envs.get_environment(name)
        yield f"{name}_reset", lambda k, e=env: e.reset(k).obs, (OLD_KEY,)
        state = jax.tree.map(lambda s: jnp.zeros(s.shape, s.dtype), jax.eval_shape(env.reset, OLD_KEY))
        yield f"{name}_step", lambda s, a, e=env: e.step(s, a).obs, (state, jnp.zeros(env.action_size))
