"""ONNX models of a few nodes as bytes, without the onnx package: enough of protobuf's wire format for calibration.

Field numbers are those of onnx.proto (ModelProto, GraphProto, NodeProto, ValueInfoProto).
"""

FLOAT = 1


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def number(field, value):
    return varint(field << 3) + varint(value)


def message(field, *parts):
    body = b"".join(part.encode() if isinstance(part, str) else part for part in parts)
    return varint(field << 3 | 2) + varint(len(body)) + body


def node(op, inputs, outputs):
    return message(1, *(message(1, i) for i in inputs), *(message(2, o) for o in outputs), message(4, op))


def value(field, name, shape):
    """A float32 tensor; field 11 of a graph holds inputs, field 12 outputs."""
    dims = b"".join(message(1, number(1, size)) for size in shape)
    return message(field, message(1, name), message(2, message(1, number(1, FLOAT), message(2, dims))))


def model(nodes, inputs, outputs):
    """nodes: (op, inputs, outputs); inputs, outputs: name -> shape. Opset 13."""
    graph = (b"".join(node(*n) for n in nodes) + message(2, "calibration")
             + b"".join(value(11, *i) for i in inputs.items())
             + b"".join(value(12, *o) for o in outputs.items()))
    return number(1, 7) + message(7, graph) + message(8, number(2, 13))
