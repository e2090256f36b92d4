"""Notebooks as the tests run them: code cells in their order. They are kept without outputs."""

import json


def code_cells(path):
    """Source and tags of each."""
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            assert (cell["outputs"], cell["execution_count"]) == ([], None), f"{path}: it is kept without outputs"
            yield "".join(cell["source"]), cell["metadata"].get("tags", [])
