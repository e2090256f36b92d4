"""Packages of distributions, samplers and processes. A function a package; of a size it gives cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def _both(name, distribution, x, parameters):
    """Density and draws of distribution(*parameters)."""
    yield f"{name}_log_prob", lambda x, *p: distribution(*p).log_prob(x), (x, *parameters)
    yield f"{name}_sample", lambda k, *p: distribution(*p).sample(k, (2,)), (KEY, *parameters)


def numpyro(n):
    import numpyro.distributions as d

    x, unit = jnp.linspace(0.1, 0.9, n), jnp.full(n, 0.5)
    families = {"Normal": (unit, x), "Cauchy": (unit, x), "Laplace": (unit, x), "Gumbel": (unit, x), "Logistic": (unit, x), "StudentT": (x + 2, unit, x), "LogNormal": (unit, x),
                "Gamma": (x, unit), "InverseGamma": (x, unit), "Beta": (x, unit), "Exponential": (x,), "HalfNormal": (x,), "HalfCauchy": (x,), "Weibull": (x, unit), "Pareto": (x, unit),
                "Uniform": (x - 1, x + 1), "Kumaraswamy": (x, unit), "Chi2": (x,), "VonMises": (unit, x), "SoftLaplace": (unit, x), "AsymmetricLaplace": (unit, x, x), "Dirichlet": (x,),
                "TruncatedNormal": (unit, x), "BetaProportion": (unit, x), "Gompertz": (x, unit)}
    for name, parameters in families.items():
        yield from _both(name, getattr(d, name), x / jnp.sum(x) if name == "Dirichlet" else x, parameters)
    whole = jnp.arange(n) % 2
    for name, parameters in {"BernoulliProbs": (x,), "BernoulliLogits": (x,), "Poisson": (x,), "Geometric": (x,), "NegativeBinomial2": (x, unit)}.items():
        made = getattr(d, name, None) or getattr(d, name + "Probs")
        yield from _both(name, made, whole, parameters)
    yield from _both("MultivariateNormal", lambda c: d.MultivariateNormal(jnp.zeros(n), covariance_matrix=c), x, (jnp.eye(n) * 2,))
    yield from _both("LowRank", lambda c: d.LowRankMultivariateNormal(jnp.zeros(n), jnp.ones((n, 2)), c), x, (x,))
    yield from _both("Mixture", lambda p: d.MixtureSameFamily(d.Categorical(probs=p), d.Normal(jnp.arange(n) * 1.0, 1.0)), jnp.ones(()), (x / x.sum(),))
    for name in ("StickBreakingTransform", "SigmoidTransform", "SoftplusTransform", "OrderedTransform", "ExpTransform"):
        yield name, lambda x, t=getattr(d.transforms, name)(): t.log_abs_det_jacobian(x, t(x)), (x,)


def distrax(n):
    import distrax as d

    x, unit = jnp.linspace(0.1, 0.9, n), jnp.full(n, 0.5)
    for name, parameters in {"Normal": (unit, x), "Laplace": (unit, x), "Logistic": (unit, x), "Gumbel": (unit, x), "Gamma": (x, unit), "Beta": (x, unit), "Uniform": (x - 1, x + 1),
                             "LogStddevNormal": (unit, x), "MultivariateNormalDiag": (unit, x), "VonMises": (unit, x)}.items():
        yield f"{name}_log_prob", lambda x, *p, m=getattr(d, name): m(*p).log_prob(x), (x, *parameters)
        yield f"{name}_sample", lambda k, *p, m=getattr(d, name): m(*p).sample(seed=k, sample_shape=(2,)), (KEY, *parameters)
    for name in ("Categorical", "Bernoulli", "OneHotCategorical", "Softmax"):
        yield f"{name}_entropy", lambda x, m=getattr(d, name): m(x).entropy(), (x,)
        yield f"{name}_sample", lambda k, x, m=getattr(d, name): m(x).sample(seed=k), (KEY, x)
    yield "kl", lambda x: d.Normal(x, 1.0).kl_divergence(d.Normal(0.0, x)), (x,)
    for name in ("Tanh", "Sigmoid", "Inverse"):
        bijector = d.Inverse(d.Tanh()) if name == "Inverse" else getattr(d, name)()
        yield f"bijector_{name}", lambda x, b=bijector: b.forward_and_log_det(x), (x,)
    yield "spline", lambda x: d.RationalQuadraticSpline(jnp.ones(13), 0.0, 1.0).forward_and_log_det(x), (x,)
    yield "hmm", lambda x: d.HMM(d.Categorical(jnp.ones(3)), d.Categorical(jnp.ones((3, 3))), d.Normal(jnp.arange(3.0), 1.0)).forward(x)[0], (x,)


def blackjax(n):
    import blackjax

    def density(x):
        return -0.5 * jnp.sum(x * x) - jnp.sum(jnp.log1p(x * x))
    x, mass = jnp.ones(n), jnp.ones(n)
    samplers = {"hmc": lambda: blackjax.hmc(density, 0.1, mass, 3), "nuts": lambda: blackjax.nuts(density, 0.1, mass), "mala": lambda: blackjax.mala(density, 0.1),
                "random_walk": lambda: blackjax.additive_step_random_walk(density, blackjax.mcmc.random_walk.normal(mass)), "barker": lambda: blackjax.barker_proposal(density, 0.1),
                "ghmc": lambda: blackjax.ghmc(density, 0.1, mass, 0.5, 0.1), "mclmc": lambda: blackjax.mclmc(density, 1.0, 0.1),
                "elliptical": lambda: blackjax.elliptical_slice(density, mean=jnp.zeros(n), cov=jnp.eye(n))}
    for name, make in samplers.items():
        sampler = make()

        def step(key, x, sampler=sampler):
            try:
                state = sampler.init(x)
            except TypeError:
                state = sampler.init(x, key)
            return sampler.step(key, state)[0].position
        yield name, step, (KEY, x)
    yield "ess", blackjax.diagnostics.effective_sample_size, (jnp.ones((2, 8 * n)),)
    yield "rhat", blackjax.diagnostics.potential_scale_reduction, (jnp.ones((2, 8 * n)),)


def tinygp(n):
    from tinygp import GaussianProcess, kernels

    x, y = jnp.linspace(0.0, 1.0, n), jnp.ones(n)
    for name in ("ExpSquared", "Exp", "Matern32", "Matern52", "RationalQuadratic", "Cosine", "ExpSineSquared"):
        def made(s, m=getattr(kernels, name), name=name):
            extra = {"alpha": 1.5} if name == "RationalQuadratic" else {"gamma": 0.5} if name == "ExpSineSquared" else {}
            return s * m(scale=s, **extra)
        yield name, lambda s, x, y, m=made: GaussianProcess(m(s), x, diag=0.1).log_probability(y), (jnp.ones(()), x, y)
        yield f"{name}_condition", lambda s, x, y, m=made: GaussianProcess(m(s), x, diag=0.1).condition(y, x + 0.1).gp.loc, (jnp.ones(()), x, y)
    for name in ("SHO", "Matern32", "Matern52", "Celerite", "Exp", "Cosine"):
        kernel = getattr(kernels.quasisep, name)
        arguments = {"SHO": (1.0, 2.0), "Celerite": (1.0, 0.5, 0.3, 0.1)}.get(name, (1.0,))
        yield f"quasisep_{name}", lambda x, y, k=kernel, a=arguments: GaussianProcess(k(*a), x, diag=0.1).log_probability(y), (x, y)


def dynamax(n):
    from dynamax import hidden_markov_model as hmm
    from dynamax import linear_gaussian_ssm as lgssm

    for name, states in (("two", 2), ("some", n)):
        start, moves, seen = jnp.ones(states) / states, jnp.ones((states, states)) / states, jnp.ones((2 * n, states))
        for job in ("hmm_filter", "hmm_smoother", "hmm_posterior_mode", "hmm_two_filter_smoother"):
            yield f"{job}_{name}", lambda a, b, c, f=getattr(hmm, job): f(a, b, c), (start, moves, seen)
    for name, model in (("gaussian", hmm.GaussianHMM(2, n)), ("diagonal", hmm.DiagonalGaussianHMM(2, n)), ("poisson", hmm.PoissonHMM(2, n)), ("categorical", hmm.SphericalGaussianHMM(2, n))):
        parameters, _ = model.initialize(KEY)
        yield name, lambda p, y, m=model: m.marginal_log_prob(p, y), (parameters, jnp.ones((6, n)))
    model = lgssm.LinearGaussianSSM(2, n)
    parameters, _ = model.initialize(KEY)
    yield "kalman", lambda p, y: lgssm.lgssm_filter(p, y).marginal_loglik, (parameters, jnp.ones((6, n)))
    yield "kalman_smoother", lambda p, y: lgssm.lgssm_smoother(p, y).smoothed_means, (parameters, jnp.ones((6, n)))
    yield "kalman_sample", lambda p, k: model.sample(p, k, 5), (parameters, KEY)


def gpjax(n):
    import gpjax as gpx

    x, y = jnp.linspace(0.0, 1.0, n)[:, None], jnp.ones((n, 1))
    for name in ("RBF", "Matern12", "Matern32", "Matern52", "Periodic", "RationalQuadratic", "PoweredExponential", "Linear", "Polynomial", "White", "ArcCosine"):
        kernel = getattr(gpx.kernels, name)()
        yield name, lambda x, k=kernel: k.gram(x).to_dense(), (x,)
        yield f"{name}_cross", lambda x, k=kernel: k.cross_covariance(x, x + 0.1), (x,)

        def likelihood(x, y, k=kernel):
            data = gpx.Dataset(X=x, y=y)
            posterior = gpx.gps.Prior(mean_function=gpx.mean_functions.Zero(), kernel=k) * gpx.likelihoods.Gaussian(num_datapoints=n)
            return gpx.objectives.conjugate_mll(posterior, data)
        yield f"{name}_likelihood", likelihood, (x, y)
