"""Makes the bad ONNX files of this folder and, beside each, NAME.expected: words that the message must contain, one a
line. tests/formats/onnx_errors_test.cpp reads both. Run it again after a change:

    python tests/error/onnx/make_bad_models.py
"""
import os

import onnx
from onnx import TensorProto, helper

HERE = os.path.dirname(os.path.abspath(__file__))
F32 = TensorProto.FLOAT


def info(name, shape=(2, 3), kind=F32):
    return helper.make_tensor_value_info(name, kind, shape)


def model(nodes, inputs=None, outputs=None, initializers=(), opset=17):
    graph = helper.make_graph(nodes, "bad", inputs or [info("x")], outputs or [info("y")], list(initializers))
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    made.ir_version = 8
    return made


def relu(source="x", target="y", name="relu"):
    return helper.make_node("Relu", [source], [target], name=name)


def weights(name="w", shape=(2, 3), values=6):
    return helper.make_tensor(name, F32, shape, bytes(4 * values), raw=True)


def bad_files():
    good = model([helper.make_node("Add", ["x", "w"], ["y"], name="add")], initializers=[weights(shape=(2, 3))]).SerializeToString()
    yield "empty", b"", ["not an ONNX model", "empty"]
    yield "truncated", good[: len(good) * 2 // 3], ["truncated", "bytes"]
    yield "text", b"This is no model, but a line of text.\n", ["not an ONNX model"]
    headless = onnx.ModelProto(ir_version=8)
    headless.opset_import.add(version=17)
    yield "no_graph", headless.SerializeToString(), ["no graph"]
    # A bit in the length of the graph's field: it claims more bytes than there are.
    flipped = bytearray(good)
    at = good.index(b"\x3a", 2)
    flipped[at + 1] ^= 0x10
    yield "bit_flip", bytes(flipped), ["truncated"]

    cycle = [helper.make_node("Add", ["x", "b"], ["a"], name="first"), helper.make_node("Relu", ["a"], ["b"], name="second"), relu("a")]
    yield "cycle", model(cycle).SerializeToString(), ["cycle", "first", "acyclic"]
    yield "self_cycle", model([helper.make_node("Add", ["x", "y"], ["y"], name="loop")]).SerializeToString(), ["cycle", "'loop' (Add)"]
    yield "undefined_input", model([relu("z")]).SerializeToString(), ["node 'relu' (Relu)", "input 'z' is not defined"]
    yield "undefined_capture", model([helper.make_node(
        "If", ["c"], ["y"], name="branch",
        then_branch=helper.make_graph([relu("nowhere", "t", "then")], "t", [], [info("t")]),
        else_branch=helper.make_graph([relu("x", "e", "else")], "e", [], [info("e")]))],
        inputs=[info("x"), info("c", (), TensorProto.BOOL)]).SerializeToString(), ["node 'branch' (If)", "input 'nowhere' is not defined"]
    yield "duplicate_value", model([relu(name="one"), relu(name="two")]).SerializeToString(), ["node 'two' (Relu)", "'y' is defined already"]
    yield "duplicate_initializer", model([relu()], initializers=[weights(), weights()]).SerializeToString(), ["initializer 'w'", "defined already"]
    yield "missing_output", model([relu(target="z")]).SerializeToString(), ["graph output 'y' is not defined"]
    yield "short_initializer", model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[weights(values=6)]).SerializeToString().replace(
        b"\x08\x02\x08\x03\x10\x01\x42\x01w", b"\x08\x02\x08\x05\x10\x01\x42\x01w"), ["tensor 'w'", "expected 40 bytes of data for f32[2,5], got 24"]
    long = weights("w", (2, 3), 6)
    long.raw_data = bytes(4 * 2000)
    yield "long_initializer", model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[long]).SerializeToString(), [
        "tensor 'w'", "expected 24 bytes of data for f32[2,3], got 8000"]
    huge = weights("w", (2, 3), 6)
    del huge.dims[:]
    huge.dims.extend([1 << 40, 1 << 40])
    yield "huge_initializer", model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[huge]).SerializeToString(), ["tensor 'w'", "expected fewer elements"]
    negative = weights("w", (2, 3), 6)
    negative.dims[0] = -2
    yield "negative_dimension", model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[negative]).SerializeToString(), [
        "tensor 'w'", "expected dimensions of at least 0, got -2"]
    yield "wrong_output_type", model([relu()], outputs=[info("y", kind=TensorProto.INT64)]).SerializeToString(), [
        "graph output 'y'", "declared as i64[2,3]", "f32[2,3]"]
    yield "wrong_matmul", model([helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], initializers=[weights(shape=(2, 3))]).SerializeToString(), [
        "node 'product' (MatMul)", "expected"]
    yield "wrong_broadcast", model([helper.make_node("Add", ["x", "w"], ["y"], name="add")], initializers=[weights(shape=(2, 2), values=4)]).SerializeToString(), [
        "node 'add' (Add)", "expected shapes that broadcast together, got f32[2,3] f32[2,2]"]
    yield "wrong_reshape", model([helper.make_node("Reshape", ["x", "s"], ["y"], name="reshape")],
                                 initializers=[helper.make_tensor("s", TensorProto.INT64, (2,), [4, 2])]).SerializeToString(), ["node 'reshape' (Reshape)", "expected"]
    unimported = model([helper.make_node("Magic", ["x"], ["y"], name="magic", domain="elsewhere")])
    yield "unimported_domain", unimported.SerializeToString(), ["node 'magic' (Magic)", "opset import", "elsewhere"]
    unnamed = model([helper.make_node("", ["x"], ["y"], name="nothing")])
    yield "no_operator", unnamed.SerializeToString(), ["node 'nothing'", "expected an operator"]

    bodies = b""
    for _ in range(257):
        bodies = field(1, field(5, field(6, bodies)))  # graph of a node with an attribute that is a graph
    yield "nested_bodies", field(7, bodies), ["graphs (bodies of If, Loop, Scan) are nested deeper than 256, the most that is read"]
    types = field(1, b"\x08\x01")
    for _ in range(256):
        types = field(4, field(1, types))  # a sequence of such
    yield "nested_types", field(7, field(11, field(2, types))), ["types are nested deeper than 256, the most that is read"]

    for name, location, words in [("external_missing", "nowhere.bin", ["tensor 'w'", "'nowhere.bin' is missing"]),
                                  ("external_outside", "../text.onnx", ["tensor 'w'", "within the model's folder"]),
                                  ("external_absolute", "/etc/hostname", ["tensor 'w'", "within the model's folder"]),
                                  ("external_short", "text.onnx", ["tensor 'w'", "expected 24 bytes of external data at byte 20"])]:
        tensor = weights()
        tensor.ClearField("raw_data")
        tensor.data_location = TensorProto.EXTERNAL
        for key, value in [("location", location), ("offset", "20"), ("length", "24")]:
            tensor.external_data.add(key=key, value=value)
        yield name, model([helper.make_node("Add", ["x", "w"], ["y"])], initializers=[tensor]).SerializeToString(), words


def field(number, data):
    """A field of protobuf's wire format: messages so deep are beyond the onnx package."""
    def varint(value):
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)
    return varint(number << 3 | 2) + varint(len(data)) + data


def main():
    for name, data, words in bad_files():
        with open(os.path.join(HERE, name + ".onnx"), "wb") as f:
            f.write(data)
        with open(os.path.join(HERE, name + ".expected"), "w") as f:
            f.write("\n".join(words) + "\n")


if __name__ == "__main__":
    main()
