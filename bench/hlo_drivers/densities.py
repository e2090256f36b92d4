"""Distributions beyond those that probability.py has, and what else is asked of one: mean, variance, entropy, quantiles, divergences.
Of a size they give cases (name, function, arguments)."""

import jax
import jax.numpy as jnp

KEY = jax.random.key(0)


def asked(name, make, x, parameters, questions=("log_prob",), draw=lambda d, k: d.sample(k, (2,))):
    """What a distribution of these parameters answers; methods of no argument are properties in some packages."""
    for question in questions:
        def answer(x, *parameters, question=question):
            said = getattr(make(*parameters), question)
            if question in ("mean", "variance", "entropy", "mode", "stddev"):
                return said() if callable(said) else said
            return said(x)
        yield f"{name}_{question}", answer, (x, *parameters)
    yield f"{name}_sample", lambda k, *p: draw(make(*p), k), (KEY, *parameters)


def numpyro(n):
    import numpyro.distributions as d

    x, unit, whole = jnp.linspace(0.1, 0.9, n), jnp.full(n, 0.5), jnp.arange(n) % 3
    moments = ("log_prob", "mean", "variance")
    for name, of in {"Dagum": (x + 3, unit, unit), "Levy": (unit * 0, x), "LogUniform": (x, x + 2), "LowerTruncatedPowerLaw": (-x - 1, x), "DoublyTruncatedPowerLaw": (x, x, x + 2),
                     "AsymmetricLaplaceQuantile": (unit, x, unit), "ProjectedNormal": (x,), "RelaxedBernoulliLogits": (x, unit), "MultivariateStudentT": (x[0] + 3, x, jnp.eye(n)),
                     "CirculantNormal": (x, jnp.ones(n))}.items():
        yield from asked(name, getattr(d, name), x, of, moments[:1])
    for name in ("Gumbel", "Kumaraswamy", "Logistic", "Gamma", "Beta", "Weibull", "LogNormal", "StudentT", "InverseGamma", "Laplace", "Normal", "Cauchy"):
        of = (x + 3, unit, unit) if name == "StudentT" else (x + 3, unit)
        yield from asked(name, getattr(d, name), x, of, ("mean", "variance", "cdf", "icdf", "entropy"))
    for name, of in {"BetaBinomial": (x, unit, jnp.full(n, 3)), "BinomialProbs": (x, jnp.full(n, 3)), "BinomialLogits": (x, jnp.full(n, 3)), "GammaPoisson": (x, unit), "GeometricLogits": (x,),
                     "NegativeBinomialProbs": (unit, x), "NegativeBinomialLogits": (unit, x), "ZeroInflatedPoisson": (unit, x), "OrderedLogistic": (x, jnp.linspace(0.0, 1.0, 3)),
                     "CategoricalProbs": (jnp.ones((n, 3)) / 3,), "CategoricalLogits": (jnp.ones((n, 3)),), "HurdlePoisson": (unit, x), "ZeroInflatedNegativeBinomial2": (unit, x, unit)}.items():
        yield from asked(name, getattr(d, name), whole, of, ("log_prob",))
    yield from numpyro_of_matrices(n)
    truncated = {"left": lambda m: d.LeftTruncatedDistribution(d.Normal(m, 1.0), low=0.0), "right": lambda m: d.RightTruncatedDistribution(d.Cauchy(m, 1.0), high=1.0),
                 "two_sided": lambda m: d.TwoSidedTruncatedDistribution(d.Logistic(m, 1.0), low=0.0, high=1.0), "folded": lambda m: d.FoldedDistribution(d.Normal(m, 1.0)),
                 "walk": lambda m: d.GaussianRandomWalk(m[0], n), "masked": lambda m: d.Normal(m, 1.0).mask(m > 0.4), "independent": lambda m: d.Normal(m, 1.0).to_event(1),
                 "transformed": lambda m: d.TransformedDistribution(d.Normal(m, 1.0), [d.transforms.ExpTransform(), d.transforms.AffineTransform(0.0, 2.0)]),
                 "zero_inflated": lambda m: d.ZeroInflatedDistribution(d.Poisson(m), gate=0.3)}
    for name, make in truncated.items():
        yield from asked(name, make, x, (x,))
    for name in ("Normal", "Laplace", "Gamma", "Beta", "Weibull"):
        def divergence(a, b, name=name):
            return d.kl_divergence(getattr(d, name)(a, b), (d.Gamma if name in ("Gamma", "Weibull") else getattr(d, name))(b, a))
        yield f"divergence_{name}", divergence, (x, unit)
    for name in ("positive", "unit_interval", "simplex", "ordered_vector", "lower_cholesky", "corr_cholesky", "positive_definite", "softplus_positive", "l1_ball"):
        size = n * (n + 1) // 2 if name in ("lower_cholesky", "positive_definite") else n * (n - 1) // 2 if name == "corr_cholesky" else n
        yield f"to_{name}", lambda x, m=name: d.biject_to(getattr(d.constraints, m))(x), (jnp.linspace(0.1, 0.9, size),)


def numpyro_of_matrices(n):
    import numpyro.distributions as d

    square, low = jnp.eye(n) * 2, jnp.eye(n)
    for name, make in {"Wishart": lambda a: d.Wishart(n + 2.0, a), "InverseWishart": lambda a: d.InverseWishart(n + 2.0, a), "MatrixNormal": lambda a: d.MatrixNormal(jnp.zeros((n, n)), a, a)}.items():
        yield from asked(name, make, square, (square,))
    for name, make in {"LKJCholesky": lambda c: d.LKJCholesky(n, c), "LKJ": lambda c: d.LKJ(n, c)}.items():
        yield from asked(name, make, low, (jnp.asarray(1.5),))
    yield from asked("Multinomial", lambda p: d.MultinomialProbs(p, 5), jnp.ones(n), (jnp.ones(n) / n,))
    yield from asked("DirichletMultinomial", lambda p: d.DirichletMultinomial(p, 5), jnp.ones(n), (jnp.ones(n),))


def distrax(n):
    import distrax as d

    x, unit, whole = jnp.linspace(0.1, 0.9, n), jnp.full(n, 0.5), jnp.arange(n) % 2

    def draw(of, key):
        return of.sample(seed=key, sample_shape=(2,))
    for name in ("Normal", "Laplace", "Logistic", "Gumbel", "Gamma", "Beta", "Uniform", "MultivariateNormalDiag"):
        of = (x - 1, x + 1) if name == "Uniform" else (unit, x)
        yield from asked(name, getattr(d, name), x, of, ("mean", "variance", "entropy", "stddev") + (("mode",) if name not in ("Uniform",) else ()), draw)
        if name in ("Normal", "Laplace", "Logistic", "Gumbel", "Uniform"):
            yield from ((f"{name}_{q}", lambda x, *p, m=getattr(d, name), q=q: getattr(m(*p), q)(x), (x, *of)) for q in ("cdf", "log_cdf", "survival_function"))
    for name, make in {"full": lambda a: d.MultivariateNormalFullCovariance(x, a), "tri": lambda a: d.MultivariateNormalTri(x, a),
                       "low_rank": lambda a: d.MultivariateNormalDiagPlusLowRank(x, unit, a[:, :1])}.items():
        yield from asked(f"normal_{name}", make, x, (jnp.eye(n) * 2,), ("log_prob", "entropy"), draw)
    for name in ("Categorical", "Bernoulli", "OneHotCategorical"):
        yield f"{name}_log_prob", lambda p, m=getattr(d, name): m(p).log_prob(jnp.asarray(1) if name == "Categorical" else whole), (x,)
        yield f"{name}_divergence", lambda p, m=getattr(d, name): m(p).kl_divergence(m(p * 0.5)), (x,)
    yield "dirichlet_log_prob", lambda p: d.Dirichlet(p).log_prob(p / p.sum()), (x,)
    yield "mixture_log_prob", lambda p: d.MixtureSameFamily(d.Categorical(p), d.Normal(p, 1.0)).log_prob(0.5), (x,)
    for name, make in {"block": lambda v: d.Block(d.Tanh(), 1), "chain": lambda v: d.Chain([d.Tanh(), d.ScalarAffine(v, v)]), "shift": lambda v: d.Shift(v), "gumbel": lambda v: d.GumbelCDF(),
                       "diagonal": lambda v: d.DiagLinear(v), "triangular": lambda v: d.TriangularLinear(jnp.diag(v)), "low_rank": lambda v: d.DiagPlusLowRankLinear(v, v[:, None], v[:, None]),
                       "upper_lower": lambda v: d.LowerUpperTriangularAffine(jnp.diag(v), v), "dense": lambda v: d.UnconstrainedAffine(jnp.diag(v), v),
                       "coupling": lambda v: d.MaskedCoupling(whole.astype(bool), lambda p: d.ScalarAffine(p, p * p), lambda z: jnp.sin(z) * v)}.items():
        yield f"{name}_forward", lambda v, x, m=make: m(v).forward_and_log_det(x), (x, x * 0.5)
        yield f"{name}_inverse", lambda v, x, m=make: m(v).inverse_and_log_det(x), (x, x * 0.5)
        yield f"{name}_transformed", lambda v, x, m=make: d.Transformed(d.MultivariateNormalDiag(v, v) if m(v).event_ndims_in else d.Normal(v, v), m(v)).log_prob(x), (x, x * 0.5)
    for name in ("Softmax", "Greedy"):
        yield f"{name}_of_preferences", lambda p, m=getattr(d, name): m(p).probs, (x,)
    yield "epsilon_greedy", lambda p: d.EpsilonGreedy(p, 0.1).entropy(), (x,)
