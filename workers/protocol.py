"""The protocol that every worker speaks, whatever runtime it drives.

A frame is a 4-byte little-endian length and that many bytes of JSON (UTF-8). Requests come on standard input:

    {"id": 7, "op": "run", ...}

and each gets exactly one answer, in order, on standard output, after any number of progress frames:

    {"id": 7, "progress": {...}}
    {"id": 7, "ok": true, ...}
    {"id": 7, "ok": false, "kind": "refused" | "missing" | "bug", "error": "..."}

"refused" is the runtime's (or the request's) fault, "missing" a runtime that is not installed, "bug" ours.
{"op": "cancel"} has no answer; it asks the request at work to come to its end with what it has.
{"op": "stop"} and the end of the input end the worker.

Tensors never travel in frames. A reference is one of

    {"file": PATH, "dtype": "f32", "shape": [2, 3], "offset": 0}     raw little-endian, row-major bytes
    {"npy": PATH}       {"npz": PATH, "name": NAME}       {"strings": [...], "shape": [...]}

with names of element types as in Isomer's textual form. Standard library and numpy only.
"""

import gc
import json
import os
import select
import struct
import sys
import traceback

import numpy as np

from element_types import NAME_OF, NUMPY_OF

MAX_FRAME = 1 << 28


class Refused(Exception):
    """The request cannot be done; the text says why, and the worker lives on."""


class Missing(Exception):
    """A runtime that the request needs is not installed."""


class Channel:
    """Frames over standard input and output. What libraries print on standard output goes to standard error."""

    def __init__(self):
        sys.stdout.flush()
        self.source = os.dup(0)
        self.sink = os.dup(1)
        os.dup2(2, 1)
        null = os.open(os.devnull, os.O_RDONLY)
        os.dup2(null, 0)
        os.close(null)
        self.cancelled = False

    def _read(self, count):
        parts = []
        while count:
            part = os.read(self.source, min(count, 1 << 20))
            if not part:
                return None
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def receive(self):
        """The next request, or None at the end of the input."""
        head = self._read(4)
        if head is None:
            return None
        (length,) = struct.unpack("<I", head)
        if length > MAX_FRAME:
            raise ValueError(f"a frame of {length} bytes; at most {MAX_FRAME} are allowed")
        body = self._read(length)
        return None if body is None else json.loads(body)

    def send(self, message):
        body = json.dumps(message, allow_nan=False).encode()
        data = memoryview(struct.pack("<I", len(body)) + body)
        while data:
            data = data[os.write(self.sink, data):]

    def asked_to_cancel(self):
        """True once a cancel frame has come in; looked at between the steps of a long request."""
        while not self.cancelled and select.select([self.source], [], [], 0)[0]:
            message = self.receive()
            if message is None or message.get("op") in ("cancel", "stop"):
                self.cancelled = True
        return self.cancelled


def serve(channel, handlers):
    """Answers requests until stop or the end of the input. handlers: op -> function(request, progress)."""
    gc.freeze()  # what is imported stays: collecting between loads need not look at it
    while True:
        request = channel.receive()
        if request is None or request.get("op") == "stop":
            return
        if request.get("op") == "cancel":
            continue
        number = request.get("id")
        channel.cancelled = False

        def progress(**what):
            channel.send({"id": number, "progress": what})

        try:
            handler = handlers.get(request.get("op"))
            if handler is None:
                raise Refused(f"no request {request.get('op')!r}; there are {', '.join(sorted(handlers))}")
            answer = {"id": number, "ok": True, **handler(request, progress)}
        except Refused as error:
            answer = {"id": number, "ok": False, "kind": "refused", "error": str(error)}
        except Missing as error:
            answer = {"id": number, "ok": False, "kind": "missing", "error": str(error)}
        except MemoryError:
            answer = {"id": number, "ok": False, "kind": "refused", "error": "out of memory"}
        except Exception:  # noqa: BLE001: a bug of the worker is an answer too
            answer = {"id": number, "ok": False, "kind": "bug", "error": traceback.format_exc(limit=8)}
        channel.send(answer)


def read_tensor(reference):
    """The array that a reference stands for."""
    try:
        if "strings" in reference:
            return np.array(reference["strings"], dtype=object).reshape(reference["shape"])
        if "npy" in reference:
            return np.load(reference["npy"], allow_pickle=False)
        if "npz" in reference:
            with np.load(reference["npz"], allow_pickle=False) as archive:
                return archive[reference["name"]]
        kind = NUMPY_OF.get(reference["dtype"])
        if kind is None:
            raise Refused(f"arrays of {reference['dtype']} cannot be handed over")
        shape = tuple(reference["shape"])
        count = int(np.prod(shape, dtype=np.int64))
        flat = np.fromfile(reference["file"], dtype=kind, count=count, offset=reference.get("offset", 0))
        if flat.size != count:
            raise Refused(f"{reference['file']}: {flat.size} elements, expected {count}")
        return flat.reshape(shape)
    except (OSError, KeyError, ValueError) as error:
        raise Refused(f"tensor {reference}: {error}") from error


def write_tensor(array, path):
    """Writes raw bytes to `path`; returns the reference."""
    if array.dtype == object or array.dtype.kind in "US":
        return {"strings": [str(item) for item in array.ravel()], "shape": list(array.shape)}
    if array.dtype not in NAME_OF:
        raise Refused(f"arrays of {array.dtype} cannot be handed over")
    np.ascontiguousarray(array).tofile(path)
    return {"file": path, "dtype": NAME_OF[array.dtype], "shape": list(array.shape), "offset": 0}
