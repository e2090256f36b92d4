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

# name: class in torch_networks.py, inputs by name, sizes that are left open in the dynamic file {input: {axis: symbol}}, sizes to try, ranges of integers.
WORDS, MASK = [0, 5000], [1, 2]
NETWORKS = {
    "perceptron": ("Perceptron", {"x": (4, 512)}, {"x": {0: "b"}}, [{"b": 4}, {"b": 1}, {"b": 2}, {"b": 33}], {}),
    "residual": ("ResidualNet", {"x": (1, 3, 96, 96)}, {"x": {0: "b"}}, [{"b": 1}, {"b": 2}, {"b": 3}, {"b": 5}], {}),
    "separable": ("Separable", {"x": (1, 3, 64, 64)}, {"x": {0: "b", 2: "h", 3: "w"}},
                  [{"b": 1, "h": 64, "w": 64}, {"b": 2, "h": 48, "w": 64}, {"b": 1, "h": 33, "w": 70}, {"b": 3, "h": 96, "w": 32}], {}),
    "unet": ("UNet", {"x": (1, 3, 64, 64)}, {"x": {0: "b"}}, [{"b": 1}, {"b": 2}, {"b": 3}, {"b": 4}], {}),
    "encoder": ("Encoder", {"ids": (2, 32), "mask": (2, 32)}, {"ids": {0: "b", 1: "s"}, "mask": {0: "b", 1: "s"}},
                [{"b": 2, "s": 32}, {"b": 1, "s": 17}, {"b": 3, "s": 64}, {"b": 1, "s": 5}], {"ids": WORDS, "mask": MASK}),
    "decoder": ("Decoder", {"ids": (1, 3), "keys": (2, 1, 2, 40, 32), "values": (2, 1, 2, 40, 32)},
                {"ids": {1: "s"}, "keys": {3: "past"}, "values": {3: "past"}},
                [{"s": 3, "past": 40}, {"s": 2, "past": 7}, {"s": 5, "past": 100}, {"s": 4, "past": 13}], {"ids": [0, 4000]}),
    "patches": ("Patches", {"x": (1, 3, 112, 112)}, {"x": {0: "b"}}, [{"b": 1}, {"b": 2}, {"b": 3}, {"b": 4}], {}),
    "speech": ("Speech", {"x": (1, 80, 120)}, {"x": {0: "b", 2: "t"}}, [{"b": 1, "t": 120}, {"b": 2, "t": 64}, {"b": 1, "t": 33}, {"b": 3, "t": 90}], {}),
    "series": ("Series", {"x": (2, 48, 16)}, {"x": {0: "b", 1: "t"}}, [{"b": 2, "t": 48}, {"b": 1, "t": 24}, {"b": 5, "t": 100}, {"b": 3, "t": 7}], {}),
    "experts": ("Experts", {"x": (8, 128)}, {"x": {0: "b"}}, [{"b": 8}, {"b": 2}, {"b": 3}, {"b": 17}], {}),
    "boxes": ("Boxes", {"x": (1, 3, 128, 128)}, {"x": {0: "b", 2: "h", 3: "w"}},
              [{"b": 1, "h": 128, "w": 128}, {"b": 2, "h": 64, "w": 96}, {"b": 1, "h": 72, "w": 40}, {"b": 3, "h": 64, "w": 64}], {}),
}
HALF = ("perceptron", "patches", "decoder")  # also in 16 bits
INT8 = ("perceptron", "residual", "encoder")  # also in 8 bits


def example(shapes: dict, values: dict, half: bool = False) -> tuple:
    import torch
    dtype = torch.float16 if half else torch.float32
    made = torch.Generator().manual_seed(0)
    return tuple(torch.randint(*values[name], shape, generator=made) if name in values else torch.randn(shape, generator=made).to(dtype)
                 for name, shape in shapes.items())


def export(name: str, exporter: str, dynamic: bool, target: Path, half: bool = False) -> None:
    import torch
    import torch_networks
    made_by, shapes, open_axes, _, values = NETWORKS[name]
    torch.manual_seed(0)
    network = getattr(torch_networks, made_by)().eval().to(torch.float16 if half else torch.float32)
    inputs = example(shapes, values, half)
    how = {"input_names": list(shapes), "dynamo": exporter == "dynamo"}
    if exporter == "dynamo":
        how["external_data"] = False
        if dynamic:
            how["dynamic_shapes"] = tuple({axis: torch.export.Dim.DYNAMIC for axis in open_axes.get(n, {})} for n in shapes)
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
    import torch
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
                export(name, exporter, dynamic, file, kind == "half")
            entries[file.stem] = about(name, file.name, dynamic)
            print(file.name, flush=True)
        except Exception as error:  # noqa: BLE001: an exporter's failure is its own
            failed += 1
            print(f"{file.name}: {type(error).__name__}: {str(error).splitlines()[0][:200]}", file=sys.stderr)
    (args.folder / "exports.json").write_text(json.dumps({"torch==" + torch.__version__: {"licence": "ours", "models": entries}}, indent=1))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
