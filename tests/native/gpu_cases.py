"""Holds kernels of graphics processors to evaluation, operator by operator.

    gpu_cases.py PROGRAM            makes cases (gpu_cases.cpp), runs them if this machine has a processor for them
    gpu_cases.py --run FOLDER       runs cases that were made elsewhere
    gpu_cases.py --networks ISOMER FOLDER   makes cases of the networks of bench/models, small; what they compute is
                                    what ONNX Runtime says

Integers and bools must agree exactly, floats within four roundings of their type, relative to the size of what each element is
summed of (rounding_size.h); of networks, to the largest element. How much of that was used is said, and of how many cases zeros
would have passed.
Where ptxas is at hand (ISOMER_PTXAS names it, or it is in the path, or in the package nvidia-cuda-nvcc) all kernels are
assembled, too. Without a processor the last line says how many cases did not run."""
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "workers"))
import element_types  # noqa: E402

# Of what numpy lacks its bits.
TYPES = {**element_types.NUMPY_OF, "bf16": np.uint16,
         **{ours: np.uint8 for ours, _, kind in element_types.ROWS if kind is None and ours.startswith("f8")}}
# Shares of the size, shares of the largest element, and what is between numbers near 0.
OF_SIZE = {"f64": 1e-12, "f32": 2e-5, "f16": 4 * 2 ** -11, "bf16": 4 * 2 ** -8}
ROUNDINGS = {"f64": 1e-11, "f32": 1e-4, "f16": 2e-2, "bf16": 5e-2}
SMALLEST = {"f64": 2e-308, "f32": 2e-38, "f16": 6e-8, "bf16": 2e-38}


def processor():
    """The first one's number of a kind, as (9, 0); None: there is none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    count, numbers = ctypes.c_int(0), (ctypes.c_int(0), ctypes.c_int(0))
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value == 0:
        return None
    for attribute, number in zip((75, 76), numbers):
        driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, 0)
    return tuple(n.value for n in numbers)


def runs_here(case):
    """What is for sm_90a alone runs on that alone."""
    return not case.get("gpu", "").endswith("a") or processor() == (9, 0)


def ptxas():
    for path in (os.environ.get("ISOMER_PTXAS"), shutil.which("ptxas")):
        if path:
            return path
    for place in sys.path:
        for found in Path(place or ".").glob("nvidia/*/bin/ptxas"):
            return str(found)
    return None


def numbers(array, dtype):
    if dtype == "bf16":
        return (array.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return array.astype(np.float64)


def allowed(expected, dtype, sizes=None):
    """By element. `sizes`: of what each is summed; None: all by the largest element."""
    finite = np.abs(expected[np.isfinite(expected)])
    return (ROUNDINGS[dtype] * finite.max(initial=0) if sizes is None else OF_SIZE[dtype] * sizes) + SMALLEST[dtype]


def difference(got, expected, dtype, sizes=None):
    """None, or in words; the largest share of what is allowed."""
    if dtype not in ROUNDINGS:
        wrong = np.flatnonzero(got != expected)
        return (f"element {wrong[0]}: {got[wrong[0]]} instead of {expected[wrong[0]]}" if wrong.size else None), 0
    a, b = numbers(got, dtype), numbers(expected, dtype)
    with np.errstate(invalid="ignore"):
        share = np.abs(a - b) / allowed(b, dtype, sizes)
    share[(a == b) | (np.isnan(a) & np.isnan(b))] = 0
    wrong = np.flatnonzero(~(share <= 1))
    words = f"element {wrong[0]}: {a[wrong[0]]} instead of {b[wrong[0]]}, {share[wrong[0]]:.3g} of what is allowed" if wrong.size else None
    return words, share.max(initial=0)


def read_case(case, data, offset):
    """Inputs, what is expected, sizes (None: not known), and where the next case's data begins."""
    arrays, sizes = [], []
    for spec in case["inputs"] + case["outputs"]:
        arrays.append(np.frombuffer(data, TYPES[spec["type"]], int(np.prod(spec["shape"], dtype=np.int64)), offset).copy())
        offset += spec["bytes"]
    expected = arrays[len(case["inputs"]):]
    for spec, values in zip(case["outputs"], expected):
        known = spec["type"] in ROUNDINGS and ("gpu" in case or "cpu" in case)  # else a network's
        sizes.append(numbers(np.frombuffer(data, np.uint16, values.size, offset), "bf16") if known else None)
        offset += 2 * values.size if known else 0
    return arrays[:len(case["inputs"])], expected, sizes, offset


def tells_nothing(case, expected, sizes):
    """Whether zeros would pass for every result that is not zeros alone."""
    some = [(numbers(e, s["type"]), s["type"], size) for s, e, size in zip(case["outputs"], expected, sizes) if e.size and np.any(e)]
    return bool(some) and all(t in ROUNDINGS and bool(np.all(np.abs(v) <= allowed(v, t, size))) for v, t, size in some)


def run_case(folder, case, inputs, expected, sizes):
    """The difference, or the failure; by type the largest share of what is allowed."""
    library = ctypes.CDLL(str(folder / case["file"]))
    library.isomer_model_new.restype = ctypes.c_void_p
    library.isomer_model_error.restype = ctypes.c_char_p
    model = library.isomer_model_new(1)
    if not model:
        return library.isomer_model_error().decode(), {}
    results = [np.full_like(e, 1) for e in expected]
    at = lambda some: (ctypes.c_void_p * max(len(some), 1))(*[a.ctypes.data for a in some])  # noqa: E731
    library.isomer_model_run(ctypes.c_void_p(model), at(inputs), at(results))
    failure = library.isomer_model_error()
    library.isomer_model_delete(ctypes.c_void_p(model))
    if failure:
        return failure.decode(), {}
    shares = {}
    for spec, got, should, size in zip(case["outputs"], results, expected, sizes):
        wrong, share = difference(got, should, spec["type"], size)
        if wrong:
            return wrong, shares
        shares[spec["type"]] = max(share, shares.get(spec["type"], 0))
    return None, shares


def each_case(folder):
    cases, data, offset = json.loads((folder / "cases.json").read_text()), (folder / "data.bin").read_bytes(), 0
    for case in cases:
        *values, offset = read_case(case, data, offset)
        yield case, *values


def say_what_tells_nothing(folder):
    nothing = [case["op"] for case, _, expected, sizes in each_case(folder) if tells_nothing(case, expected, sizes)]
    print(f"zeros would pass in {len(nothing)} cases" + (f": {', '.join(nothing)}" if nothing else ""))


def run(folder):
    count = wrong = left = 0
    shares = {}
    for case, inputs, expected, sizes in each_case(folder):
        if not runs_here(case):
            left += 1
            continue
        count += 1
        why, used = run_case(folder, case, inputs, expected, sizes)
        for dtype, share in used.items():
            shares[dtype] = max(share, shares.get(dtype, 0))
        if why:
            wrong += 1
            print(f"{case['op']} ({case['file']}), {case['inputs']}: {why}")
    print(f"{count} cases run, {wrong} wrong" + (f"; {left} are for another processor" if left else ""))
    print("most of what is allowed: " + ", ".join(f"{t} {s:.2g}" for t, s in sorted(shares.items()) if t in ROUNDINGS))
    return wrong == 0


def ptx_of(path):
    data = path.read_bytes()
    begin = data.index(b"//\n// Generated by LLVM NVPTX")
    return data[begin:data.index(b"\0", begin)]


def assemble(folder, assembler):
    cases, wrong = json.loads((folder / "cases.json").read_text()), 0
    for case in cases:
        (folder / "kernels.ptx").write_bytes(ptx_of(folder / case["file"]))
        arch = case["gpu"] if case.get("gpu", "").endswith("a") else "sm_90"
        done = subprocess.run([assembler, f"-arch={arch}", "-o", folder / "kernels.cubin", folder / "kernels.ptx"],
                              capture_output=True)
        if done.returncode != 0 or b"wgmma" in done.stderr:  # it says so where it lets each product wait for the last
            wrong += 1
            print(f"{case['op']} ({case['file']}): ptxas refuses it: {done.stderr.decode(errors='replace')[:300]}")
    print(f"{len(cases)} cases assembled, {wrong} refused")
    return wrong == 0


def make_networks(program, folder):
    root = Path(__file__).parent.parent.parent
    sys.path[:0] = [str(root / "bench"), str(root / "workers"), str(root / "bench/models")]
    import onnxruntime
    from peers import feed_of
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run([sys.executable, root / "bench/models/make_models.py", folder, "--size", "ci"], check=True,
                   stdout=subprocess.DEVNULL)
    list_, name_of = [], element_types.NAME_OF
    with open(folder / "data.bin", "wb") as data:
        for name, entry in sorted(json.loads((folder / "manifest.json").read_text()).items()):
            path = folder / entry["file"]
            session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
            feed = feed_of(session, {i["name"]: i["range"] for i in entry["inputs"] if i.get("range")})
            inputs, outputs = [feed[i.name] for i in session.get_inputs()], session.run(None, feed)
            subprocess.run([program, "compile", path, "-o", path.with_suffix(".so"), "--gpu", "sm_80", "--no-check"],
                           check=True, stdout=subprocess.DEVNULL)
            path.unlink()

            def written(arrays):
                out = []
                for a in arrays:
                    data.write(np.ascontiguousarray(a).tobytes())
                    out.append({"type": name_of[a.dtype], "shape": list(a.shape), "bytes": a.nbytes})
                return out
            list_.append({"op": name, "file": path.with_suffix(".so").name, "inputs": written(inputs),
                          "outputs": written(outputs)})
    (folder / "cases.json").write_text(json.dumps(list_))
    print(f"{len(list_)} networks")
    return True


def main():
    if sys.argv[1] == "--networks":
        return 0 if make_networks(sys.argv[2], Path(sys.argv[3])) else 1
    if sys.argv[1] == "--run":
        return 0 if run(Path(sys.argv[2])) else 1
    with tempfile.TemporaryDirectory(prefix="isomer-") as name:
        folder = Path(name)
        made = subprocess.run([sys.argv[1], name], capture_output=True, text=True)
        print(made.stdout + made.stderr, end="")
        if made.returncode != 0:
            return 1
        say_what_tells_nothing(folder)
        assembler = ptxas()
        good = assemble(folder, assembler) if assembler else True
        if not assembler:
            print("no ptxas here: nothing was assembled")
        if processor():
            return 0 if run(folder) and good else 1
        print("no graphics processor here: no case was run")
        return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
