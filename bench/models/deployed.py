"""Networks as they are deployed today: decoders with a cache, windows of attention, stacks of dilated convolutions.

Apart from the papers' networks, which published figures speak of; make_models.py writes both. Provenance of the structures (random weights; no file, weight or code of anybody else):
  llama_prefill, llama_decode   a decoder with RMSNorm, rotary positions, grouped queries and SwiGLU as Hugging Face
                                exports it, 8 layers of 1024; decode: one token, 512 in the cache, which comes and goes
                                as inputs and outputs
  gpt2_decode                   GPT-2 (12 layers of 768), one token, 512 in the cache
  swin_tiny                     Swin-T of torchvision: windows of 7, shifted by 3
  convnext_tiny                 ConvNeXt-T of torchvision
  wavenet                       dilated gated convolutions (30 layers, 64 channels), 1,024 samples
  dlrm                          26 tables, products of all pairs, batch 128
  unet_block                    residual block with a time embedding, then self-attention and a gated feed-forward part,
                                as in the U-Nets of diffusion models
"""

import math

import numpy as np

from netbuilder import Net


# ---- decoders --------------------------------------------------------------------------------
def _rotated(net: Net, x, cos, sin):
    """x [n, heads, s, d]: halves turned by the angles of the positions."""
    d = net.shape[x][-1]
    low, high = net.slice(x, 0, d // 2, -1), net.slice(x, d // 2, d, -1)
    turned = net.concat([net.unary("Neg", high), low], -1)
    return net.add(net.mul(x, cos), net.mul(turned, sin))


def _repeated(net: Net, x, times):
    """[n, groups, s, d] -> [n, groups * times, s, d]: each head of keys or values for several queries."""
    n, g, s, d = net.shape[x]
    x = net.op("Unsqueeze", [x, net.const([2], np.int64)], (n, g, 1, s, d))
    x = net.op("Expand", [x, net.const([n, g, times, s, d], np.int64)], (n, g, times, s, d))
    return net.reshape(x, (n, g * times, s, d))


def _softmax_of(net: Net, q, k, v, mask=None):
    """q, k, v [n, heads, s, d]; back to [n, s, heads * d]."""
    d = net.shape[q][-1]
    scores = net.matmul(q, net.transpose(k, (0, 1, 3, 2)))
    scores = net.binary("Div", scores, net.const(math.sqrt(d)))
    if mask is not None:
        scores = net.add(scores, mask)
    return net.merge_heads(net.matmul(net.softmax(scores), v))


def llama(net: Net, layers, hidden, heads, groups, inner, tokens, cached, vocab):
    d = hidden // heads
    ids = net.input("input_ids", (1, tokens), (0, vocab))
    x = net.gather(net.weight((vocab, hidden), 0.5), ids)
    angle = np.arange(cached, cached + tokens)[:, None] / 10000 ** (np.arange(0, d, 2) / d)
    angle = np.concatenate([angle, angle], 1)
    cos, sin = net.const(np.cos(angle), stem="cos"), net.const(np.sin(angle), stem="sin")
    mask = net.const(np.triu(np.full((tokens, tokens), -1e9), 1), stem="mask") if tokens > 1 else None
    kept = []
    for i in range(layers):
        y = net.rmsnorm(x)
        q, k, v = (net.heads(net.dense(y, n * d, bias=False), n) for n in (heads, groups, groups))
        q, k = _rotated(net, q, cos, sin), _rotated(net, k, cos, sin)
        if cached:
            past = [net.input(f"past_{what}_{i}", (1, groups, cached, d)) for what in ("key", "value")]
            k, v = net.concat([past[0], k], 2), net.concat([past[1], v], 2)
            kept += [k, v]
        y = _softmax_of(net, q, _repeated(net, k, heads // groups), _repeated(net, v, heads // groups), mask)
        x = net.add(x, net.dense(y, hidden, bias=False))
        y = net.rmsnorm(x)
        gated = net.mul(net.silu(net.dense(y, inner, bias=False)), net.dense(y, inner, bias=False))
        x = net.add(x, net.dense(gated, hidden, bias=False))
    net.output(net.dense(net.rmsnorm(x), vocab, bias=False), *kept)


def gpt2_decode(net: Net, layers, hidden, heads, cached, vocab):
    def conv1d(x, out):  # the library's name for a product with a bias
        n, s, k = net.shape[x]
        ins = [net.reshape(x, (n * s, k)), net.weight((k, out), math.sqrt(1 / k)),
               net.weight((out,), 0.02, normal=False, stem="b")]
        return net.reshape(net.op("Gemm", ins, (n * s, out), alpha=1.0, beta=1.0), (n, s, out))

    ids = net.input("input_ids", (1, 1), (0, vocab))
    table = net.weight((vocab, hidden), 0.5)
    x = net.add(net.gather(table, ids), net.weight((1, 1, hidden), 0.5))
    kept = []
    for i in range(layers):
        q, k, v = (net.heads(y, heads) for y in net.split(conv1d(net.layernorm(x), 3 * hidden), 3, 2))
        past = [net.input(f"past_{what}_{i}", (1, heads, cached, hidden // heads)) for what in ("key", "value")]
        k, v = net.concat([past[0], k], 2), net.concat([past[1], v], 2)
        kept += [k, v]
        x = net.add(x, conv1d(_softmax_of(net, q, k, v), hidden))
        x = net.add(x, conv1d(net.gelu_tanh(conv1d(net.layernorm(x), 4 * hidden)), hidden))
    net.output(net.matmul(net.layernorm(x), net.transpose(table, (1, 0))), *kept)


# ---- images ----------------------------------------------------------------------------------
def swin(net: Net, image, width, depths, heads, window, classes):
    def rolled(x, by):
        for axis in (1, 2):
            size = net.shape[x][axis]
            cut = by % size
            x = net.concat([net.slice(x, cut, size, axis), net.slice(x, 0, cut, axis)], axis)
        return x

    def windows(x):
        _, h, w, c = net.shape[x]
        x = net.reshape(x, (1, h // window, window, w // window, window, c))
        return net.reshape(net.transpose(x, (0, 1, 3, 2, 4, 5)), (h * w // window**2, window**2, c))

    def unwindowed(x, h, w):
        x = net.reshape(x, (1, h // window, w // window, window, window, net.shape[x][-1]))
        return net.reshape(net.transpose(x, (0, 1, 3, 2, 4, 5)), (1, h, w, -1))

    def shift_mask(h, w, shift):
        region = np.zeros((h, w))
        for i, rows in enumerate((slice(0, -window), slice(-window, -shift), slice(-shift, None))):
            for j, columns in enumerate((slice(0, -window), slice(-window, -shift), slice(-shift, None))):
                region[rows, columns] = 3 * i + j
        region = region.reshape(h // window, window, w // window, window).transpose(0, 2, 1, 3).reshape(-1, window**2)
        return np.where(region[:, None, :] == region[:, :, None], 0.0, -100.0)[:, None]

    def attention(x, count, shift):
        _, h, w, c = net.shape[x]
        y = windows(rolled(x, shift) if shift else x)
        n, s, _ = net.shape[y]
        qkv = net.transpose(net.reshape(net.dense(y, 3 * c), (n, s, 3, count, c // count)), (2, 0, 3, 1, 4))
        q, k, v = (net.gather(qkv, net.const(i, np.int64)) for i in range(3))
        scores = net.matmul(net.mul(q, net.const((c // count) ** -0.5)), net.transpose(k, (0, 1, 3, 2)))
        scores = net.add(scores, net.weight((1, count, s, s), 0.2, stem="positions"))
        if shift:
            scores = net.add(scores, net.const(shift_mask(h, w, shift), stem="mask"))
        y = net.dense(net.merge_heads(net.matmul(net.softmax(scores), v)), c)
        y = unwindowed(y, h, w)
        return rolled(y, -shift) if shift else y

    def merged(x):
        _, h, w, c = net.shape[x]
        steps = lambda i, j: net.op("Slice", [x, *(net.const(v, np.int64) for v in ([i, j], [h, w], [1, 2], [2, 2]))],
                                    (1, h // 2, w // 2, c))
        x = net.concat([steps(0, 0), steps(1, 0), steps(0, 1), steps(1, 1)], -1)
        return net.dense(net.layernorm(x), 2 * c, bias=False)

    x = net.conv(net.input("image", (1, 3, image, image)), width, 4, 4, 0, gain=1.0)
    x = net.layernorm(net.transpose(x, (0, 2, 3, 1)))
    for stage, (depth, count) in enumerate(zip(depths, heads)):
        if stage:
            x = merged(x)
        for i in range(depth):
            small = net.shape[x][1] <= window
            x = net.add(x, attention(net.layernorm(x), count, 0 if small or i % 2 == 0 else window // 2))
            c = net.shape[x][-1]
            x = net.add(x, net.dense(net.gelu(net.dense(net.layernorm(x), 4 * c)), c))
    x = net.transpose(net.layernorm(x), (0, 3, 1, 2))
    net.output(net.fc(net.flatten(net.global_avgpool(x)), classes))


def convnext(net: Net, image, widths, depths, classes):
    last, first = (0, 2, 3, 1), (0, 3, 1, 2)
    normed = lambda x: net.transpose(net.layernorm(net.transpose(x, last), 1e-6), first)
    x = normed(net.conv(net.input("image", (1, 3, image, image)), widths[0], 4, 4, 0, gain=1.0))
    for stage, (c, depth) in enumerate(zip(widths, depths)):
        if stage:
            x = net.conv(normed(x), c, 2, 2, 0, gain=1.0)
        for _ in range(depth):
            y = net.transpose(net.conv(x, c, 7, 1, 3, groups=c, gain=1.0), last)
            y = net.dense(net.gelu(net.dense(net.layernorm(y, 1e-6), 4 * c)), c)
            y = net.transpose(y, first)
            x = net.add(x, net.mul(y, net.weight((c, 1, 1), 0.1, 0.3, False, "scale")))
    x = net.global_avgpool(x)
    x = net.transpose(net.layernorm(net.transpose(x, last), 1e-6), first)
    net.output(net.fc(net.flatten(x), classes))


def unet_block(net: Net, channels, side, heads, groups):
    def group_norm(x):
        n, c, h, w = net.shape[x]
        ones, zeros = net.const(np.ones(groups), stem="ones"), net.const(np.zeros(groups), stem="zeros")
        y = net.op("InstanceNormalization", [net.reshape(x, (n, groups, -1)), ones, zeros],
                   (n, groups, c // groups * h * w), epsilon=1e-5)
        scale = net.weight((c, 1, 1), 0.1, 1.0, False, "gamma")
        return net.add(net.mul(net.reshape(y, (n, c, h, w)), scale), net.weight((c, 1, 1), 0.05, 0.0, False, "beta"))

    x, time = net.input("x", (1, channels, side, side)), net.input("time", (1, 4 * channels))
    y = net.conv(net.silu(group_norm(x)), channels, 3, 1, 1, gain=1.0)
    y = net.add(y, net.reshape(net.fc(net.silu(time), channels), (1, channels, 1, 1)))
    x = net.add(x, net.conv(net.silu(group_norm(y)), channels, 3, 1, 1, gain=1.0))
    y = net.conv(group_norm(x), channels, 1, 1, 0, gain=1.0)
    y = net.reshape(net.transpose(y, (0, 2, 3, 1)), (1, side * side, channels))
    y = net.add(y, net.self_attention(net.layernorm(y), heads))
    both = net.dense(net.layernorm(y), 8 * channels)
    value, gate = net.split(both, 2, 2)
    y = net.add(y, net.dense(net.mul(value, net.gelu(gate)), channels))
    y = net.transpose(net.reshape(y, (1, side, side, channels)), (0, 3, 1, 2))
    net.output(net.add(x, net.conv(y, channels, 1, 1, 0, gain=1.0)))


# ---- sound, recommendation ---------------------------------------------------------------------
def wavenet(net: Net, layers, cycle, channels, skip, length, classes):
    def conv1d(x, out, k=1, dilation=1):
        n, c, t = net.shape[x]
        if k > 1:  # causal
            pads = net.const([0, 0, (k - 1) * dilation, 0, 0, 0], np.int64)
            x = net.op("Pad", [x, pads], (n, c, t + (k - 1) * dilation))
        ins = [x, net.weight((out, c, k), math.sqrt(1 / (c * k))), net.weight((out,), 0.05, normal=False, stem="b")]
        return net.op("Conv", ins, (n, out, t), kernel_shape=[k], dilations=[dilation], strides=[1], pads=[0, 0], group=1)

    x, total = conv1d(net.input("sound", (1, 1, length)), channels), None
    for i in range(layers):
        dilation = 2 ** (i % cycle)
        y = net.mul(net.unary("Tanh", conv1d(x, channels, 2, dilation)),
                    net.unary("Sigmoid", conv1d(x, channels, 2, dilation)))
        part = conv1d(y, skip)
        total = part if total is None else net.add(total, part)
        x = net.add(x, conv1d(y, channels))
    net.output(conv1d(net.relu(conv1d(net.relu(total), skip)), classes))


def dlrm(net: Net, batch, tables, rows, width, bottom, top):
    x = net.input("dense", (batch, 13))
    for out in (*bottom, width):
        x = net.relu(net.fc(x, out, 2.0))
    parts = [x] + [net.gather(net.weight((rows, width), 0.3), net.input(f"index_{i}", (batch,), (0, rows)))
                   for i in range(tables)]
    all_ = net.reshape(net.concat(parts, 1), (batch, tables + 1, width))
    pairs = net.reshape(net.matmul(all_, net.transpose(all_, (0, 2, 1))), (batch, -1))
    below = [i * (tables + 1) + j for i in range(tables + 1) for j in range(i)]
    x = net.concat([x, net.gather(pairs, net.const(below, np.int64, "below"), 1)], 1)
    for out in top:
        x = net.relu(net.fc(x, out, 2.0))
    net.output(net.unary("Sigmoid", net.fc(x, 1)))


_LLAMA = dict(layers=8, hidden=1024, heads=16, groups=4, inner=2816, vocab=32000)
_SMALL = dict(layers=2, hidden=64, heads=4, groups=2, inner=96, vocab=128)
DEPLOYED = {  # name: (function, paper size, ci size)
    "convnext_tiny": (convnext, dict(image=224, widths=(96, 192, 384, 768), depths=(3, 3, 9, 3), classes=1000),
                      dict(image=32, widths=(16, 32), depths=(1, 2), classes=10)),
    "dlrm": (dlrm, dict(batch=128, tables=26, rows=10000, width=64, bottom=(512, 256), top=(512, 256)),
             dict(batch=4, tables=5, rows=20, width=16, bottom=(32,), top=(32, 16))),
    "gpt2_decode": (gpt2_decode, dict(layers=12, hidden=768, heads=12, cached=512, vocab=50257),
                    dict(layers=2, hidden=64, heads=4, cached=12, vocab=128)),
    "llama_decode": (llama, dict(**_LLAMA, tokens=1, cached=512), dict(**_SMALL, tokens=1, cached=12)),
    "llama_prefill": (llama, dict(**_LLAMA, tokens=128, cached=0), dict(**_SMALL, tokens=12, cached=0)),
    "swin_tiny": (swin, dict(image=224, width=96, depths=(2, 2, 6, 2), heads=(3, 6, 12, 24), window=7, classes=1000),
                  dict(image=32, width=16, depths=(2, 2), heads=(2, 4), window=4, classes=10)),
    "unet_block": (unet_block, dict(channels=320, side=32, heads=8, groups=32), dict(channels=32, side=8, heads=4, groups=8)),
    "wavenet": (wavenet, dict(layers=30, cycle=10, channels=64, skip=256, length=1024, classes=256),
                dict(layers=4, cycle=3, channels=8, skip=16, length=40, classes=12)),
}
