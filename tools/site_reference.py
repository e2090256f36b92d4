"""The reference pages of the documentation site, made of what the program, the rule files and the Python package say.

Each function returns {name of a page: its text}. Nothing is described here a second time.
"""

import ast
import inspect
import json
import re
import subprocess
from pathlib import Path

from sandbox import ROOT

FIRST_MODULES, NO_MODULES = ("optimize", "native"), ("command",)  # of the package; what nobody imports
QUICK = "The rules of this site were not checked when it was built (`--quick`): names and texts alone."


def output_of(program: Path, *words: str, statuses: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run([program, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode not in statuses:
        raise SystemExit(f"isomer {' '.join(words)}: status {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def plain(text: str) -> str:
    """Text that Markdown shows as it is, but for words in backticks."""
    return re.sub(r"`[^`]*`|([\\`*_{}\[\]<>|#$~])", lambda m: f"\\{m[1]}" if m[1] else m[0], text)


def with_contents(title: str, text: str, pages: list[str]) -> str:
    return f"# {title}\n\n{text}\n\n```{{toctree}}\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"


# ---- the command line: from --help, which is made from the options as they are declared -------------------------


def help_entries(lines: list[str]) -> list[tuple[str, str]]:
    """(name, description) of an indented list of CLI11's help; a long name has its description in the next line."""
    entries = []
    for line in lines:
        if re.match(r"  \S", line):
            name, _, text = line.strip().partition("  ")
            entries.append((name, text.strip()))
        elif line.startswith("    ") and entries:
            entries[-1] = (entries[-1][0], f"{entries[-1][1]} {line.strip()}".strip())
    return entries


def help_sections(text: str) -> tuple[str, str, dict[str, list[tuple[str, str]]]]:
    """What a command is for, its usage, and its lists by their titles."""
    head, _, rest = text.partition("Usage: ")
    usage, _, rest = rest.partition("\n")
    sections, title = {}, ""
    for line in rest.splitlines():
        if re.match(r"\S.*:$", line):
            title = line[:-1]
            sections[title] = []
        elif line.startswith("  ") and title:
            sections[title].append(line)
    return head.strip(), usage.strip(), {title: help_entries(lines) for title, lines in sections.items()}


def command_text(program: Path, words: list[str], depth: int) -> str:
    """The command and all below it."""
    about, usage, sections = help_sections(output_of(program, *words, "--help"))
    below = sections.pop("Subcommands", [])
    out = f"{'#' * min(depth, 4)} isomer {' '.join(words)}\n\n{plain(about[:1].upper() + about[1:])}.\n\n"
    if not below:
        out += f"```text\n{usage}\n```\n\n"
    for title, entries in sections.items():
        shown = [(name, text) for name, text in entries if not name.startswith("-h,")]
        if shown:
            out += f"**{plain(title)}**\n\n"
            out += "".join(f"`{name}`\n: {plain(text) or '&nbsp;'}\n\n" for name, text in shown)
    return out + "".join(command_text(program, [*words, name], depth + 1) for name, _ in below)


def command_pages(program: Path) -> dict[str, str]:
    _, _, sections = help_sections(output_of(program, "--help"))
    commands = [name for name, _ in sections["Subcommands"]]
    pages = {f"command_{name}": command_text(program, [name], 1) for name in commands}
    text = ("Made from the options as the program declares them; `--help` after any command prints the same. `isomer MODEL.onnx` is short for "
            "`isomer optimize MODEL.onnx`.")
    return {"commands": with_contents("The command line", text, list(pages)), **pages}


# ---- operators: from isomer operators --json --------------------------------------------------------------------


def operator_entry(op: dict) -> str:
    attributes = ", ".join(f"{a['name']}: {'|'.join(a['choices']) or a['kind']}{'?' if a['optional'] else ''}"
                           for a in op["attributes"])
    least, most = op["least_operands"], op["most_operands"]
    operands = f"{least} or more" if most is None else str(least) if least == most else f"{least} to {most}"
    formats = ", ".join(f"{f['format']} {f['name']}" for f in op["formats"]) or "none"
    return (f"`{op['operator']}{{{attributes}}}`\n: {plain(op['doc'])}\n\n"
            f"  *operands {operands}; stands in a {', '.join(op['levels'])}; names in formats: {plain(formats)}*\n\n")


def operator_pages(program: Path) -> dict[str, str]:
    operators = json.loads(output_of(program, "operators", "--json"))["operators"]
    out = ("# All operators\n\nMade from their declarations; `isomer operators` prints the same. [The operators by family](../operators.md) has the conventions "
           "and what belongs together. An attribute with `?` may be left out.\n\n")
    for meaning in dict.fromkeys(op["meaning"] for op in operators):
        members = sorted((op for op in operators if op["meaning"] == meaning), key=lambda op: op["operator"])
        out += f"## {meaning[:1].upper() + meaning[1:]} ({len(members)})\n\n" + "".join(map(operator_entry, members))
    return {"operators": out}


# ---- rules: from the rule files, and from isomer rules check --json ---------------------------------------------


def verdict_rows(verdicts: list[dict]) -> str:
    rows = [f"| `{v['rule']}` | {v['verdict']} | {v['instances']} | {v['measured_stability']} | {plain(v['arithmetic'])} |\n"
            for v in verdicts]
    return ("| rule | verdict | instances | rounding, measured | arithmetic |\n| --- | --- | --: | --- | --- |\n"
            + "".join(rows) + "\n")


def rule_page(file: Path, judged: dict | None) -> str:
    text = file.read_text()
    about = re.match(r"(?:#[^\n]*\n)*", text)[0]
    out = f"# {file.name}\n\n{plain(re.sub(r'^# ?', '', about, flags=re.M).strip())}\n\n"
    out += verdict_rows(judged["list"]) if judged else f"{QUICK}\n\n"
    return out + f"## The rules\n\n```text\n{text[len(about):].strip()}\n```\n"


def rule_pages(program: Path, instances: int, known: Path) -> dict[str, str]:
    """`instances` 0: without verdicts. Those of a build are kept in the file `known`."""
    key = [instances, *(str(path.stat().st_mtime_ns) for path in sorted(program.parent.glob("libisomer.so*")))]
    kept = json.loads(known.read_text()) if known.exists() else {}
    pages, judged = {}, {}
    for file in sorted((ROOT / "rules").glob("*.rules")):
        judgement = None
        if instances:
            entry = [*key, file.read_text()]
            judgement = kept.get(file.name)
            if judgement is None or judgement["of"] != entry:
                found = output_of(program, "rules", "check", str(file), "--instances", str(instances), "--json", statuses=(0, 4))
                judgement = {**json.loads(found), "of": entry}
            judged[file.name] = judgement
        pages[f"rules_{file.stem}"] = rule_page(file, judgement)
    if judged:
        known.write_text(json.dumps(judged))
    text = ("The rules that are shipped, by file. [The rule language](../rule_language.md) says how they are written, and how they are checked. ")
    text += (f"When this site was built each was checked at {instances} instances; `isomer rules check` takes 512, and [the results](../results.md) say "
             "what came of that." if instances else QUICK)
    return {"rules": with_contents("The rewrite rules", text, list(pages)), **pages}


# ---- Python: from the sources and the stubs of the package ------------------------------------------------------


def docstring_text(node: ast.AST) -> str:
    text = inspect.cleandoc(ast.get_docstring(node) or "")
    aligned = re.search(r"\S {3,}\S|^ ", text, re.M)
    return "" if not text else f"```text\n{text}\n```\n\n" if aligned else f"{plain(text)}\n\n"


def signature(node: ast.FunctionDef) -> str:
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"```python\ndef {node.name}({ast.unparse(node.args)}){returns}\n```\n\n"


def is_public(node: ast.AST) -> bool:
    return isinstance(node, (ast.FunctionDef, ast.ClassDef)) and not node.name.startswith("_")


def class_text(node: ast.ClassDef) -> str:
    out = f"### {node.name}\n\n{docstring_text(node)}"
    seen = []
    for member in node.body:
        if isinstance(member, ast.AnnAssign):
            seen.append(f"`{ast.unparse(member.target)}`: `{ast.unparse(member.annotation)}`")
        if not is_public(member):
            continue
        if any(ast.unparse(d) == "property" for d in member.decorator_list):
            seen.append(f"`{member.name}`: `{ast.unparse(member.returns)}`" if member.returns else f"`{member.name}`")
        elif not any(ast.unparse(d).endswith(".setter") for d in member.decorator_list):
            out += signature(member) + docstring_text(member)
    return out + (f"Fields: {', '.join(seen)}.\n\n" if seen else "")


def module_text(name: str) -> str:
    tree = ast.parse((ROOT / f"python/isomer/{name}.py").read_text())
    out = f"## isomer.{name}\n\n{docstring_text(tree)}"
    for node in filter(is_public, tree.body):
        out += class_text(node) if isinstance(node, ast.ClassDef) else f"### {name}.{node.name}\n\n{signature(node)}{docstring_text(node)}"
    return out


def public_modules() -> list[str]:
    names = sorted(path.stem for path in (ROOT / "python/isomer").glob("[a-z]*.py"))
    return [*FIRST_MODULES, *(name for name in names if name not in (*FIRST_MODULES, *NO_MODULES))]


ALSO_STUBBED = ("Gain", "RuntimeRefusal", "StopFlag")  # what others return or take


def stubbed(package: ast.Module) -> set[str]:
    """Names of the compiled module that the package shows."""
    return {*ALSO_STUBBED, *(name.name for node in package.body if isinstance(node, ast.ImportFrom) and node.module == "_isomer"
                             for name in node.names)}


def python_pages() -> dict[str, str]:
    package = ast.parse((ROOT / "python/isomer/__init__.py").read_text())
    stubs = ast.parse((ROOT / "python/isomer/_isomer.pyi").read_text())
    out = ("# The Python interface\n\nMade from the package's own text. What stands in `isomer.optimize`, `isomer.native` and `isomer.errors` is "
           "in `isomer` as well. [Python](../python.md) says how it is used, [`isomer optimize`](command_optimize.md) what the keywords mean.\n\n")
    out += docstring_text(package) + "".join(map(module_text, public_modules())) + "## What they return and take\n\n"
    out += "".join(class_text(node) for node in stubs.body if isinstance(node, ast.ClassDef) and node.name in stubbed(package))
    return {"python": out}
