"""compared_names.py ROOT: reads what `isomer operators --json` prints, and names each place of src/ where a name of an
operator is compared with (== or !=) outside ir/ops: who asks for an operator's name asks for what its declaration
should say. The same words may mean something else there (an attribute's choice, a keyword): to tell is up to the reader.
"""

import json
import re
import sys
from pathlib import Path

COMPARED = re.compile(r'[=!]=\s*"([\w.]+)"|"([\w.]+)"\s*[=!]=')


def main() -> None:
    source = Path(sys.argv[1]) / "src"
    names = {o["operator"] for o in json.load(sys.stdin)["operators"]}
    for path in sorted(p for p in source.rglob("*") if p.suffix in (".h", ".cpp")):
        place = path.relative_to(source).as_posix()
        words = [a or b for a, b in COMPARED.findall(path.read_text())]
        found = [word for word in words if word in names]
        if found and not place.startswith("ir/ops/"):
            print(f"{place}: {' '.join(found)}")


if __name__ == "__main__":
    main()
