"""Reader of the rule language and of its expressions, written from docs/rule_language.md.

It shares nothing with the program that it judges. `parse_rules` turns the text of a rule file into Rule values;
`evaluate` gives the value of a condition or of a computed attribute, None where it has none.
"""
import re
from dataclasses import dataclass, field

DTYPES = {"f32": 1, "u8": 2, "i8": 3, "u16": 4, "i16": 5, "i32": 6, "i64": 7, "bool": 9, "f16": 10, "f64": 11,
          "u32": 12, "u64": 13, "bf16": 16}
DTYPE_NAMES = {number: name for name, number in DTYPES.items()}


class RuleError(Exception):
    """A rule file that is not in the language."""


@dataclass
class Node:
    """An operator with attributes (name to Expression) and operands, or a variable."""
    op: str | None
    attributes: dict = field(default_factory=dict)
    operands: list = field(default_factory=list)
    variable: str | None = None


@dataclass
class Rule:
    name: str
    left: list = field(default_factory=list)
    right: list = field(default_factory=list)
    lets: list = field(default_factory=list)
    conditions: list = field(default_factory=list)
    dtypes: list = field(default_factory=list)
    stability: str = "reassociates"

    def tensors(self):
        """Names of the tensor variables, in the order of the left sides."""
        out = []

        def walk(node):
            if node.variable is not None and node.variable not in out:
                out.append(node.variable)
            for operand in node.operands:
                walk(operand)
        for term in self.left:
            walk(term)
        return out


def check_left(node):
    """On a left side an attribute is a value or a variable."""
    for name, expression in node.attributes.items():
        values = expression[2] if expression[0] == "call" and expression[1] == "list" else [expression]
        if any(v[0] != "literal" for v in values) and expression[0] not in ("variable", "any"):
            raise RuleError(f"{node.op}: {name} is computed on a left side")
    for operand in node.operands:
        check_left(operand)


TOKEN = re.compile(r"""
    (?P<blank>[ \t\r\n]+|\#[^\n]*|//[^\n]*)
  | (?P<string>"(?:\\.|[^"\\])*")
  | (?P<variable>\?[A-Za-z0-9_]+)
  | (?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)
  | (?P<symbol>[A-Za-z_][A-Za-z0-9_.@:-]*)
  | (?P<mark><=>|=>|==|!=|<=|>=|&&|\|\||[(){}\[\],;=<>+\-*/!%])
""", re.VERBOSE)


def tokenize(text):
    """(kind, text) of each token. A minus before a digit belongs to the number unless an operand stands before it."""
    tokens, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            raise RuleError(f"no token at {text[at:at + 20]!r}")
        kind, word = match.lastgroup, match.group()
        if kind == "number" and word[0] == "-" and tokens:
            last_kind, last = tokens[-1]
            operand = last in (")", "]") if last_kind == "mark" else text[at - 1] != " "
            if operand:
                kind, word = "mark", "-"
        if kind != "blank":
            tokens.append((kind, word[1:] if kind == "variable" else word[1:-1] if kind == "string" else word))
        at += len(word) if kind == "mark" else match.end() - at
    return tokens


class Parser:
    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def peek(self, ahead=0):
        i = self.at + ahead
        return self.tokens[i] if i < len(self.tokens) else ("end", "")

    def next(self):
        token = self.peek()
        self.at += 1
        return token

    def take(self, mark):
        if self.peek() == ("mark", mark):
            self.at += 1
            return True
        return False

    def expect(self, mark):
        if not self.take(mark):
            raise RuleError(f"expected {mark!r}, found {self.tokens[self.at:self.at + 6]}")

    def symbol(self):
        kind, word = self.next()
        if kind != "symbol":
            raise RuleError(f"expected a name, found {word!r}")
        return word

    # Rules

    def rules(self):
        out = []
        while self.peek()[0] != "end":
            if self.symbol() != "rule":
                raise RuleError("expected 'rule'")
            name = self.symbol()
            if self.peek(1) == ("symbol", "each"):
                out += self.family(name)
            else:
                out += self.rule(name)
        return out

    def family(self, name):
        self.expect("{")
        self.next()
        letter, word = self.symbol(), self.symbol()
        if word != "in":
            raise RuleError("expected 'in'")
        members = []
        while True:
            member = [("symbol", self.symbol())]
            if self.peek() == ("mark", "{"):
                while member[-1] != ("mark", "}"):
                    member.append(self.next())
            members.append(member)
            if not self.take(","):
                break
        self.expect(";")
        body, depth = [], 1
        while depth:
            token = self.next()
            depth += {"{": 1, "}": -1}.get(token[1], 0) if token[0] == "mark" else 0
            body.append(token)
        out = []
        for member in members:
            tokens = [("mark", "{")]
            for token in body:
                if tokens[-1] == ("mark", "(") and token == ("symbol", letter):
                    tokens += member
                else:
                    tokens.append(token)
            out += Parser(tokens).rule(name.replace(letter, member[0][1], 1))
        return out

    def rule(self, name):
        rule, both = Rule(name), False
        self.expect("{")
        while not self.take("}"):
            if self.peek() == ("mark", "("):
                rule.left.append(self.term())
                if self.take("<=>"):
                    both = True
                else:
                    self.expect("=>")
                rule.right.append(self.term())
            else:
                self.statement(rule)
            if self.peek() != ("mark", "}"):
                self.expect(";")
        if not rule.left:
            raise RuleError(f"{name}: no arrow")
        for term in rule.left:
            check_left(term)
        if not both:
            return [rule]
        reverse = Rule(name + ".reverse", rule.right, rule.left, rule.lets, rule.conditions, rule.dtypes,
                       rule.stability)
        return [rule, reverse]

    def statement(self, rule):
        word = self.symbol()
        if word == "origin":
            self.next()
        elif word == "stability":
            rule.stability = self.symbol()
        elif word == "dtypes":
            rule.dtypes.append(self.symbol())
            while self.take(","):
                rule.dtypes.append(self.symbol())
        elif word == "let":
            name = self.next()[1]
            self.expect("=")
            rule.lets.append((name, self.expression()))
        elif word == "if":
            rule.conditions.append(self.expression())
            while self.take(","):
                rule.conditions.append(self.expression())
        elif word != "ordered":
            raise RuleError(f"unexpected {word!r}")

    def term(self):
        kind, word = self.peek()
        if kind == "variable":
            self.next()
            return Node(None, variable=word)
        self.expect("(")
        node = Node(self.symbol())
        if self.take("{"):
            while not self.take("}"):
                name = self.symbol()
                self.expect("=")
                if self.peek() == ("symbol", "_"):
                    self.next()
                    node.attributes[name] = ("any",)
                else:
                    node.attributes[name] = self.expression()
                if self.peek() != ("mark", "}"):
                    self.expect(",")
        while not self.take(")"):
            node.operands.append(self.term())
        return node

    # Expressions: ("literal", value), ("variable", name), ("root", i), ("call", name, arguments)

    LEVELS = [("||",), ("&&",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "/", "%")]

    def expression(self, level=0):
        if level == len(self.LEVELS):
            return self.primary()
        left = self.expression(level + 1)
        while self.peek()[0] == "mark" and self.peek()[1] in self.LEVELS[level]:
            mark = self.next()[1]
            left = ("call", mark, [left, self.expression(level + 1)])
        return left

    def primary(self):
        kind, word = self.next()
        if kind == "number":
            return ("literal", int(word) if re.fullmatch(r"-?\d+", word) else float(word))
        if kind == "string":
            return ("literal", word)
        if kind == "variable":
            return ("variable", word)
        if kind == "symbol":
            if re.fullmatch(r"root\d*", word):
                return ("root", int(word[4:] or 1) - 1)
            if word in DTYPES and self.peek() != ("mark", "("):
                return ("literal", DTYPES[word])
            self.expect("(")
            return ("call", word, self.items(")"))
        if word == "(":
            inner = self.expression()
            self.expect(")")
            return inner
        if word == "[":
            return ("call", "list", self.items("]"))
        if word == "!":
            return ("call", "!", [self.primary()])
        raise RuleError(f"expected a value, found {word!r}")

    def items(self, end):
        out = []
        while not self.take(end):
            out.append(self.expression())
            if self.peek() != ("mark", end):
                self.expect(",")
        return out


def parse_rules(text):
    return Parser(tokenize(text)).rules()


# Values of expressions

@dataclass
class Facts:
    """What conditions may ask of a tensor."""
    dtype: str
    shape: tuple
    constant: bool = False
    splat: float | None = None


@dataclass
class Scope:
    attributes: dict
    tensors: dict
    roots: list


def _product(values):
    out = 1
    for v in values:
        out *= v
    return out


def _is_permutation(p):
    return sorted(p) == list(range(len(p)))


def _arithmetic(mark, x, y):
    if isinstance(x, list) or isinstance(y, list) or isinstance(x, str) or isinstance(y, str):
        return None
    if isinstance(x, int) and isinstance(y, int):
        if mark in "/%" and y in (0, -1):
            return None
        quotient = 0 if mark not in "/%" else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return {"+": x + y, "-": x - y, "*": x * y, "%": x - quotient * y,
                "/": quotient if mark in "/%" and quotient * y == x else None}[mark]
    if mark == "%" or (mark == "/" and y == 0):
        return None
    return {"+": lambda: float(x) + y, "-": lambda: float(x) - y, "*": lambda: float(x) * y,
            "/": lambda: float(x) / y}[mark]()


def _compare(mark, x, y):
    number = lambda v: isinstance(v, (int, float))  # noqa: E731
    if mark in ("==", "!="):
        same = x == y if number(x) == number(y) else False
        return int(same == (mark == "=="))
    if not (number(x) and number(y)):
        return None
    return int({"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y}[mark])


def _same_axis(source, i, target):
    if not 0 <= i < len(source):
        return None
    before = _product(source[:i])
    if before <= 0:
        return None
    for k, size in enumerate(target):
        if size == source[i] and _product(target[:k]) == before:
            return k
    return None


def _keeps_order(shape, p):
    if len(p) != len(shape) or not _is_permutation(p):
        return None
    moved = [axis for axis in p if shape[axis] != 1]
    return int(moved == sorted(moved))


def _index(values, i):
    i = i + len(values) if i < 0 else i
    return i if 0 <= i < len(values) else None


def _slice(values, i, j):
    i, j = (k + len(values) if k < 0 else k for k in (i, j))
    return values[i:j] if 0 <= i <= j <= len(values) else None


def _replace(values, i, v):
    i = _index(values, i)
    return None if i is None else values[:i] + [v] + values[i + 1:]


LIST_FUNCTIONS = {
    "iota": lambda n: list(range(n)) if 0 <= n <= 64 else None,
    "is_permutation": lambda p: int(_is_permutation(p)),
    "is_identity": lambda p: int(p == list(range(len(p)))) if _is_permutation(p) else None,
    "inverse": lambda p: [p.index(i) for i in range(len(p))] if _is_permutation(p) else None,
    "compose": lambda p, q: ([p[i] for i in q] if len(p) == len(q) and _is_permutation(p) and _is_permutation(q)
                             else None),
    "near": lambda x, y: int(abs(x - y) <= 1e-6 * abs(y)),
    "integer": lambda v: int(v) if abs(v) <= 1e15 and v == int(v) else None,
    "min": min, "max": max,
    "clamp": lambda i, n: max(0, min(i + n if i < 0 else i, n)) if n >= 0 else None,
    "same_axis": _same_axis, "keeps_order": _keeps_order,
    "sum": sum, "contains": lambda l, v: int(v in l), "length": len, "product": _product,
    "join": lambda a, b: a + b,
    "at": lambda l, i: None if _index(l, i) is None else l[_index(l, i)],
    "slice": _slice, "replace": _replace,
}


def _of_tensor(function, facts, others, arguments, scope):
    shape = list(facts.shape)
    if function == "constant":
        return int(facts.constant)
    if function == "splat":
        return facts.splat
    if function in ("same_type", "same_shape"):
        return int(facts.dtype == others.dtype and facts.shape == others.shape)
    if function == "rank":
        return len(shape)
    if function == "dtype":
        return DTYPES[facts.dtype]
    if function == "shape":
        return shape
    if function == "elements":
        return _product(shape)
    if function == "dim":
        i = evaluate(arguments[1], scope)
        return None if not isinstance(i, int) or _index(shape, i) is None else shape[_index(shape, i)]
    raise RuleError(f"no function {function} of a tensor")


def _facts(expression, scope):
    if expression[0] == "root":
        return scope.roots[expression[1]]
    if expression[0] == "variable":
        return scope.tensors.get(expression[1])
    return None


def evaluate(expression, scope):
    """The value of an expression, or None. Scalars are written as ("scalar", value, dtype)."""
    kind = expression[0]
    if kind == "literal":
        return expression[1]
    if kind == "variable":
        return scope.attributes.get(expression[1])
    if kind != "call":
        return None
    _, function, arguments = expression
    if function in ("&&", "||"):
        a, b = (bool(evaluate(x, scope)) for x in arguments)
        return int(a and b if function == "&&" else a or b)
    if function == "absent":
        return int(scope.attributes.get(arguments[0][1]) is None)
    if function == "scalar":
        value, facts = evaluate(arguments[0], scope), _facts(arguments[1], scope)
        return None if value is None or facts is None else ("scalar", float(value), facts.dtype)
    facts = _facts(arguments[0], scope) if arguments else None
    if facts is not None:
        others = _facts(arguments[1], scope) if len(arguments) > 1 else None
        return _of_tensor(function, facts, others, arguments, scope)
    values = [evaluate(x, scope) for x in arguments]
    if any(v is None for v in values):
        return None
    if function == "!":
        return int(not values[0])
    if function == "list":
        return list(values)
    if function in "+-*/%":
        return _arithmetic(function, *values)
    if function in ("==", "!=", "<", "<=", ">", ">="):
        return _compare(function, *values)
    if function not in LIST_FUNCTIONS:
        raise RuleError(f"no function {function}")
    try:
        return LIST_FUNCTIONS[function](*values)
    except (TypeError, ValueError, AttributeError):
        return None
