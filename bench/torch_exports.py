#!/usr/bin/env python3
"""torch_exports.py FOLDER [NAME ...]: networks as people export them, by both of PyTorch's exporters, into FOLDER, with exports.json, which
`zoo.py --also FOLDER/exports.json` reads.

Each network is a usual building of its field, small enough to be timed in seconds, with weights drawn anew. "static"
files have fixed sizes, "dynamic" ones a symbol for the batch and whatever else people leave open; "half" ones are in
16 bits, "int8" ones are quantised afterwards by ONNX Runtime. Needs torch and onnxscript beside requirements-bench.txt;
they are in no requirements file, since torch alone is larger than all else together.
"""

import argparse
import json
import logging
import sys
import warnings
from pathlib import Path

import torch
from torch import nn
from torch.nn import functional as F


class Perceptron(nn.Module):
    """A classifier of features: norms of the batch between products."""

    def __init__(self):
        super().__init__()
        sizes = [512, 1024, 1024, 256, 10]
        layers = []
        for before, after in zip(sizes, sizes[1:]):
            layers += [nn.Linear(before, after), nn.BatchNorm1d(after), nn.ReLU(), nn.Dropout(0.1)]
        self.layers = nn.Sequential(*layers[:-3], nn.Softmax(-1))

    def forward(self, x):
        return self.layers(x)


class Residual(nn.Module):
    def __init__(self, width, step=1):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(width, width * step, 3, step, 1, bias=False), nn.BatchNorm2d(width * step), nn.ReLU(),
                                   nn.Conv2d(width * step, width * step, 3, 1, 1, bias=False), nn.BatchNorm2d(width * step))
        self.short = nn.Identity() if step == 1 else nn.Conv2d(width, width * step, 1, step)

    def forward(self, x):
        return F.relu(self.inner(x) + self.short(x))


class ResidualNet(nn.Module):
    """A small residual classifier of images (He et al., 2016)."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 32, 3, 2, 1), nn.BatchNorm2d(32), nn.ReLU(), Residual(32), Residual(32, 2), Residual(64),
                                    Residual(64, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, 100))

    def forward(self, x):
        return self.layers(x)


class Separable(nn.Module):
    """Depthwise blocks with squeeze and excitation (Howard et al., 2019)."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2d(3, 24, 3, 2, 1)
        self.blocks = nn.ModuleList(nn.ModuleDict({
            "wide": nn.Sequential(nn.Conv2d(24, 96, 1), nn.BatchNorm2d(96), nn.Hardswish()),
            "deep": nn.Sequential(nn.Conv2d(96, 96, 5, 1, 2, groups=96), nn.BatchNorm2d(96), nn.Hardswish()),
            "gate": nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(96, 24, 1), nn.ReLU(), nn.Conv2d(24, 96, 1), nn.Hardsigmoid()),
            "thin": nn.Sequential(nn.Conv2d(96, 24, 1), nn.BatchNorm2d(24))}) for _ in range(4))

    def forward(self, x):
        x = self.stem(x)
        for block in self.blocks:
            y = block["deep"](block["wide"](x))
            x = x + block["thin"](y * block["gate"](y))
        return x.mean((2, 3))


class UNet(nn.Module):
    """Segmentation: down, up by transposed convolution and by interpolation, with what was seen on the way (Ronneberger et al., 2015)."""

    def __init__(self):
        super().__init__()
        self.down = nn.ModuleList([self.twice(3, 16), self.twice(16, 32), self.twice(32, 64)])
        self.up = nn.ModuleList([nn.ConvTranspose2d(64, 32, 2, 2), nn.Sequential(nn.Upsample(scale_factor=2, mode="bilinear"), nn.Conv2d(32, 16, 1))])
        self.after = nn.ModuleList([self.twice(64, 32), self.twice(32, 16)])
        self.last = nn.Conv2d(16, 2, 1)

    @staticmethod
    def twice(before, after):
        return nn.Sequential(nn.Conv2d(before, after, 3, padding=1), nn.GroupNorm(4, after), nn.SiLU(), nn.Conv2d(after, after, 3, padding=1), nn.ReLU())

    def forward(self, x):
        a = self.down[0](x)
        b = self.down[1](F.max_pool2d(a, 2))
        c = self.down[2](F.max_pool2d(b, 2))
        b = self.after[0](torch.cat([self.up[0](c), b], 1))
        return self.last(self.after[1](torch.cat([self.up[1](b), a], 1))).sigmoid()


class Encoder(nn.Module):
    """A text encoder with a mask of padding and mean pooling (Vaswani et al., 2017)."""

    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(5000, 192), nn.Embedding(512, 192)
        layer = nn.TransformerEncoderLayer(192, 6, 768, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.TransformerEncoder(layer, 3, enable_nested_tensor=False)

    def forward(self, ids, mask):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1]))
        x = self.layers(x, src_key_padding_mask=mask == 0)
        weights = mask.unsqueeze(-1).to(x.dtype)
        return F.normalize((x * weights).sum(1) / weights.sum(1).clamp(min=1e-6))


class Norm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(width) + 0.5)

    def forward(self, x):
        return self.weight * (x.float() * torch.rsqrt(x.float().pow(2).mean(-1, keepdim=True) + 1e-6)).to(x.dtype)


class Decoder(nn.Module):
    """A step of a language model with caches: root mean square norms, turned positions, grouped queries, gated products."""

    def __init__(self, layers=2, width=256, heads=8, groups=2):
        super().__init__()
        self.heads, self.groups, self.size = heads, groups, width // heads
        self.words = nn.Embedding(4000, width)
        self.layers = nn.ModuleList(nn.ModuleDict({
            "norm": Norm(width), "q": nn.Linear(width, width, bias=False), "k": nn.Linear(width, groups * self.size, bias=False),
            "v": nn.Linear(width, groups * self.size, bias=False), "o": nn.Linear(width, width, bias=False), "norm2": Norm(width),
            "gate": nn.Linear(width, 3 * width, bias=False), "up": nn.Linear(width, 3 * width, bias=False),
            "down": nn.Linear(3 * width, width, bias=False)}) for _ in range(layers))
        self.last = Norm(width)
        self.register_buffer("rate", 1 / 10000 ** (torch.arange(0, self.size, 2) / self.size))

    def turned(self, x, at):
        angle = torch.cat([at[:, None] * self.rate] * 2, -1)
        low, high = x.chunk(2, -1)
        return x * angle.cos() + torch.cat([-high, low], -1) * angle.sin()

    def forward(self, ids, keys, values):
        x = self.words(ids)
        batch, count = ids.shape
        at = torch.arange(keys.shape[3], keys.shape[3] + count).to(x.dtype)
        new_keys, new_values = [], []
        for number, layer in enumerate(self.layers):
            y = layer["norm"](x)
            q, k, v = (layer[name](y).reshape(batch, count, -1, self.size).transpose(1, 2) for name in "qkv")
            q, k = self.turned(q, at), torch.cat([keys[number], self.turned(k, at)], 2)
            v = torch.cat([values[number], v], 2)
            new_keys.append(k)
            new_values.append(v)
            k, v = (z.repeat_interleave(self.heads // self.groups, 1) for z in (k, v))
            scores = (q @ k.transpose(-1, -2)) / self.size**0.5
            x = x + layer["o"]((scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, count, -1))
            y = layer["norm2"](x)
            x = x + layer["down"](F.silu(layer["gate"](y)) * layer["up"](y))
        return self.last(x) @ self.words.weight.T, torch.stack(new_keys), torch.stack(new_values)


class Patches(nn.Module):
    """A transformer of images with a class token (Dosovitskiy et al., 2021)."""

    def __init__(self):
        super().__init__()
        self.cut = nn.Conv2d(3, 128, 16, 16)
        self.token, self.places = nn.Parameter(torch.randn(1, 1, 128)), nn.Parameter(torch.randn(1, 50, 128))
        self.norms = nn.ModuleList(nn.LayerNorm(128) for _ in range(7))
        self.attention = nn.ModuleList(nn.MultiheadAttention(128, 4, batch_first=True) for _ in range(3))
        self.products = nn.ModuleList(nn.Sequential(nn.Linear(128, 512), nn.GELU(approximate="tanh"), nn.Linear(512, 128)) for _ in range(3))
        self.head = nn.Linear(128, 1000)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1) + self.places
        for number in range(3):
            y = self.norms[2 * number](x)
            x = x + self.attention[number](y, y, y, need_weights=False)[0]
            x = x + self.products[number](self.norms[2 * number + 1](x))
        return self.head(self.norms[6](x)[:, 0])


class Speech(nn.Module):
    """Convolutions over time, then a recurrent network in both directions."""

    def __init__(self):
        super().__init__()
        self.front = nn.Sequential(nn.Conv1d(80, 128, 5, 2, 2), nn.BatchNorm1d(128), nn.ReLU(), nn.Conv1d(128, 128, 5, 2, 2), nn.LeakyReLU(0.1))
        self.recurrent = nn.LSTM(128, 96, 2, batch_first=True, bidirectional=True)
        self.head = nn.Linear(192, 40)

    def forward(self, x):
        return self.head(self.recurrent(self.front(x).transpose(1, 2))[0]).log_softmax(-1)


class Series(nn.Module):
    """Forecasting: gated units over time, the last state, quantiles."""

    def __init__(self):
        super().__init__()
        self.recurrent = nn.GRU(16, 64, batch_first=True)
        self.head = nn.Sequential(nn.LayerNorm(64), nn.Linear(64, 3 * 24))

    def forward(self, x):
        scale = x.abs().mean(1, keepdim=True) + 1e-3
        y = self.head(self.recurrent(x / scale)[0][:, -1]).reshape(-1, 24, 3)
        return torch.cumsum(F.softplus(y), -1) * scale[:, :, :1]


class Experts(nn.Module):
    """A mixture of experts, all computed and weighted by the best two, and an einsum (Shazeer et al., 2017)."""

    def __init__(self):
        super().__init__()
        self.gate = nn.Linear(128, 8)
        self.first, self.second = nn.Parameter(torch.randn(8, 128, 256) / 11), nn.Parameter(torch.randn(8, 256, 128) / 16)

    def forward(self, x):
        best, which = self.gate(x).topk(2, -1)
        weight = torch.zeros(x.shape[0], 8).scatter(1, which, best.softmax(-1))
        y = F.gelu(torch.einsum("bi,eih->beh", x, self.first))
        return torch.einsum("beh,eho,be->bo", y, self.second, weight)


class Boxes(nn.Module):
    """A detector's head: anchors, decoded boxes, the best scores first (Redmon et al., 2016)."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 32, 3, 4, 1), nn.SiLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.SiLU())
        self.head = nn.Conv2d(64, 3 * 9, 1)

    def forward(self, x):
        y = self.head(self.body(x))
        batch, _, rows, columns = y.shape
        y = y.view(batch, 3, 9, rows, columns).permute(0, 1, 3, 4, 2)
        row, column = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        centre = (y[..., :2].sigmoid() * 2 - 0.5 + torch.stack([column, row], -1)) * 8
        size = (y[..., 2:4].sigmoid() * 2) ** 2 * 16
        boxes = torch.cat([centre - size / 2, centre + size / 2], -1).reshape(batch, -1, 4)
        scores = (y[..., 4:5].sigmoid() * y[..., 5:].sigmoid()).reshape(batch, -1, 4)
        best, which = scores.max(-1)
        return boxes, best, which


# name: network, inputs by name, sizes that are left open in the dynamic file {input: {axis: symbol}}, sizes to try, ranges of integers.
WORDS, MASK = [0, 5000], [1, 2]
NETWORKS = {
    "perceptron": (Perceptron, {"x": (4, 512)}, {"x": {0: "b"}}, [{"b": 4}, {"b": 1}, {"b": 2}, {"b": 33}], {}),
    "residual": (ResidualNet, {"x": (1, 3, 96, 96)}, {"x": {0: "b"}}, [{"b": 1}, {"b": 2}, {"b": 3}, {"b": 5}], {}),
    "separable": (Separable, {"x": (1, 3, 64, 64)}, {"x": {0: "b", 2: "h", 3: "w"}},
                  [{"b": 1, "h": 64, "w": 64}, {"b": 2, "h": 48, "w": 64}, {"b": 1, "h": 33, "w": 70}, {"b": 3, "h": 96, "w": 32}], {}),
    "unet": (UNet, {"x": (1, 3, 64, 64)}, {"x": {0: "b"}}, [{"b": 1}, {"b": 2}, {"b": 3}, {"b": 4}], {}),
    "encoder": (Encoder, {"ids": (2, 32), "mask": (2, 32)}, {"ids": {0: "b", 1: "s"}, "mask": {0: "b", 1: "s"}},
                [{"b": 2, "s": 32}, {"b": 1, "s": 17}, {"b": 3, "s": 64}, {"b": 1, "s": 5}], {"ids": WORDS, "mask": MASK}),
    "decoder": (Decoder, {"ids": (1, 3), "keys": (2, 1, 2, 40, 32), "values": (2, 1, 2, 40, 32)},
                {"ids": {1: "s"}, "keys": {3: "past"}, "values": {3: "past"}},
                [{"s": 3, "past": 40}, {"s": 2, "past": 7}, {"s": 5, "past": 100}, {"s": 4, "past": 13}], {"ids": [0, 4000]}),
    "patches": (Patches, {"x": (1, 3, 112, 112)}, {"x": {0: "b"}}, [{"b": 1}, {"b": 2}, {"b": 3}, {"b": 4}], {}),
    "speech": (Speech, {"x": (1, 80, 120)}, {"x": {0: "b", 2: "t"}}, [{"b": 1, "t": 120}, {"b": 2, "t": 64}, {"b": 1, "t": 33}, {"b": 3, "t": 90}], {}),
    "series": (Series, {"x": (2, 48, 16)}, {"x": {0: "b", 1: "t"}}, [{"b": 2, "t": 48}, {"b": 1, "t": 24}, {"b": 5, "t": 100}, {"b": 3, "t": 7}], {}),
    "experts": (Experts, {"x": (8, 128)}, {"x": {0: "b"}}, [{"b": 8}, {"b": 2}, {"b": 3}, {"b": 17}], {}),
    "boxes": (Boxes, {"x": (1, 3, 128, 128)}, {"x": {0: "b", 2: "h", 3: "w"}},
              [{"b": 1, "h": 128, "w": 128}, {"b": 2, "h": 64, "w": 96}, {"b": 1, "h": 72, "w": 40}, {"b": 3, "h": 64, "w": 64}], {}),
}
HALF = ("perceptron", "patches", "decoder")  # also in 16 bits
INT8 = ("perceptron", "residual", "encoder")  # also in 8 bits


def example(shapes: dict, values: dict, dtype=torch.float32) -> tuple:
    made = torch.Generator().manual_seed(0)
    return tuple(torch.randint(*values[name], shape, generator=made) if name in values else torch.randn(shape, generator=made).to(dtype)
                 for name, shape in shapes.items())


def export(name: str, exporter: str, dynamic: bool, target: Path, dtype=torch.float32) -> None:
    make, shapes, open_axes, _, values = NETWORKS[name]
    torch.manual_seed(0)
    network = make().eval().to(dtype)
    inputs = example(shapes, values, dtype)
    how = {"input_names": list(shapes), "dynamo": exporter == "dynamo"}
    if dynamic and exporter == "dynamo":
        how["dynamic_shapes"] = tuple({axis: torch.export.Dim.DYNAMIC for axis in open_axes.get(n, {})} for n in shapes)
        how["external_data"] = False
    elif exporter == "dynamo":
        how["external_data"] = False
    elif dynamic:
        how["dynamic_axes"] = open_axes
    torch.onnx.export(network, inputs, str(target), **how)


def quantised(source: Path, target: Path, name: str) -> None:
    from onnxruntime.quantization import CalibrationDataReader, QuantFormat, quantize_dynamic, quantize_static

    class Reader(CalibrationDataReader):
        def __init__(self):
            _, shapes, _, _, values = NETWORKS[name]
            self.left = iter([{n: x.numpy() for n, x in zip(shapes, example(shapes, values))} for _ in range(4)])

        def get_next(self):
            return next(self.left, None)

    if name == "residual":  # weights and activations, as pairs of QuantizeLinear and DequantizeLinear
        quantize_static(str(source), str(target), Reader(), quant_format=QuantFormat.QDQ)
    else:
        quantize_dynamic(str(source), str(target))


def about(name: str, file: str, dynamic: bool) -> dict:
    _, shapes, open_axes, sizes, values = NETWORKS[name]
    entry = {"file": file, "sizes": sizes if dynamic else [{}]}
    entry["shapes"] = {n: [open_axes.get(n, {}).get(axis, size) if dynamic else size for axis, size in enumerate(shape)]
                       for n, shape in shapes.items()}
    if values:
        entry["values"] = values
    return entry


def plan() -> list[tuple]:
    """(network, exporter, whether dynamic, kind): every network by both, static by one, dynamic by the other, and by turns."""
    out = []
    for number, name in enumerate(NETWORKS):
        for exporter in ("script", "dynamo"):
            out.append((name, exporter, (number + (exporter == "dynamo")) % 2 == 0, ""))
    return out + [(name, "dynamo", False, "half") for name in HALF] + [(name, "script", False, "int8") for name in INT8]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    entries, failed = {}, 0
    for name, exporter, dynamic, kind in plan():
        if args.names and name not in args.names:
            continue
        words = [name, exporter, "dynamic" if dynamic else "static"] + ([kind] if kind else [])
        file = args.folder / ("_".join(words) + ".onnx")
        try:
            if kind == "int8":
                source = args.folder / "source.onnx"
                export(name, exporter, dynamic, source)
                quantised(source, file, name)
                source.unlink()
            else:
                export(name, exporter, dynamic, file, torch.float16 if kind == "half" else torch.float32)
            entries[file.stem] = about(name, file.name, dynamic)
            print(file.name, flush=True)
        except Exception as error:  # noqa: BLE001: an exporter's failure is its own
            failed += 1
            print(f"{file.name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", file=sys.stderr)
    (args.folder / "exports.json").write_text(json.dumps({"torch==" + torch.__version__: {"licence": "ours", "models": entries}}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
