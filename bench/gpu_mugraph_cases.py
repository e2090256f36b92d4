"""The programs of Mirage's figure 7 at batch 1 (bench/mugraphs.py has them for processors) as torch computes them."""


def attention(torch, F, q, k, v):
    e = torch.exp(q @ k)
    return (e / e.sum(-1, keepdim=True)) @ v


class Fused:
    """The same function where no exponential overflows. Torch takes keys the other way round: so they are laid before."""

    @staticmethod
    def prepared(q, k, v):
        return q[None], k.transpose(-1, -2).contiguous()[None], v[None]

    @staticmethod
    def run(F, q, k, v):
        return F.scaled_dot_product_attention(q, k, v, scale=1.0)


def rms(x):
    return x / (x * x).mean(-1, keepdim=True).sqrt()


ATTENTION = (["hsd", "hdn", "hnd"], attention, Fused)
# By program: dimensions of its inputs, what it computes, a faster statement of it.
PROGRAMS = {
    "mha": ATTENTION, "gqa": ATTENTION, "mqa": ATTENTION,
    "rmsnorm": (["mk", "kn"], lambda torch, F, x, w: rms(x) @ w, None),
    "gated_mlp": (["mk", "kn", "kn"], lambda torch, F, x, w1, w2: F.silu(x @ w1) * (x @ w2), None),
    "lora": (["mk", "kn", "kr", "rn"], lambda torch, F, x, w, a, b: x @ w + (x @ a) @ b, None),
    "mlp": (["mk", "kr", "rn", "mn"], lambda torch, F, x, w1, w2, y: torch.exp(x @ w1) @ w2 + y, None),
    "ntrans": (["mk", "mk", "mk"], lambda torch, F, h, x, alpha: rms(x + alpha * (rms(h) + x)), None),
}
TYPES = ("f16", "f32")
CASES = [(f"{program}_{q}", program, {"h": h, "s": s * q, "d": 64, "n": 4096}) for q in (1, 32) for program, h, s in (("mha", 32, 1), ("gqa", 2, 8), ("mqa", 1, 32))]
CASES += [("mlp", "mlp", {"m": 1, "k": 4096, "r": 16, "n": 4096}), ("lora", "lora", {"m": 16, "k": 256, "r": 16, "n": 4096}),
          ("rmsnorm", "rmsnorm", {"m": 2, "k": 4096, "n": 6144}), ("gated_mlp", "gated_mlp", {"m": 8, "k": 4096, "n": 4096}),
          ("ntrans", "ntrans", {"m": 8, "k": 4096})]
# Files of tests/data/mugraphs that are saved muGraphs of a program above.
SAVED = {"rmsnorm_bs1": "rmsnorm", "hopper_rmsnorm_bs1": "rmsnorm", "hopper_rmsnorm_bs16": "rmsnorm", "gqa_bs1": "gqa", "eval_gqa_bs16": "gqa", "mha_bs1": "mha",
         "mqa_bs1": "mqa", "single_mqa_bs1": "mqa", "lora": "lora", "hopper_lora_bs16": "lora", "gated_mlp": "gated_mlp",
         "single_gated_mlp": "gated_mlp", "eval_gated_mlp_bs16": "gated_mlp", "ntrans_bs1": "ntrans", "eval_norm_transformer_bs1": "ntrans",
         "eval_norm_transformer_bs8": "ntrans", "eval_norm_transformer_bs16": "ntrans"}
