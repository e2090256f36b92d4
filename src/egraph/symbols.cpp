#include "egraph/symbols.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "support/errors.h"

namespace isomer::egraph {

uint32_t SymbolTable::intern(std::string_view name) {
  if (const auto known = index_.find(name); known != index_.end()) return known->second;
  const uint32_t op = static_cast<uint32_t>(names_.size());
  names_.emplace_back(name);
  index_.emplace(names_.back(), op);
  return op;
}

namespace {

constexpr int kMaxDepth = 1000;

/// Reads one line of S-expressions.
class Reader {
 public:
  Reader(std::string_view text, SymbolTable& symbols, std::vector<std::string>& variables,
         const std::string& file, int line)
      : text_(text), symbols_(symbols), variables_(variables), file_(file), line_(line) {}

  Pattern pattern() {
    Pattern result;
    // Even a bare variable is the root, hence last.
    term(result, 0);
    return result;
  }

  void end() {
    skip_space();
    if (at_ < text_.size())
      fail(fmt::format("expected the end of the line, found '{}'", text_.substr(at_, 20)));
  }

  /// The arrow between two sides: true for "<=>".
  bool arrow() {
    skip_space();
    if (text_.substr(at_).starts_with("=>")) {
      at_ += 2;
      return false;
    }
    if (text_.substr(at_).starts_with("<=>")) {
      at_ += 3;
      return true;
    }
    fail("expected => or <=> between the two sides of a rule");
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({file_, line_, static_cast<int>(at_) + 1}, message);
  }

 private:
  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }

  std::string_view atom() {
    const size_t start = at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ' || c == '\t' || c == '\r' || c == '(' || c == ')') break;
      if (text_.substr(at_).starts_with("=>") || text_.substr(at_).starts_with("<=>")) break;
      ++at_;
    }
    if (at_ == start) fail("expected a name, a number, ?variable or (");
    return text_.substr(start, at_ - start);
  }

  uint32_t term(Pattern& p, int depth) {
    if (depth > kMaxDepth) fail(fmt::format("expected at most {} nested terms", kMaxDepth));
    skip_space();
    if (at_ >= text_.size()) fail("expected a term, found the end of the line");
    if (text_[at_] != '(') {
      const std::string_view name = atom();
      if (name[0] != '?') return p.apply(symbols_.intern(name), {}, {}, 0);
      if (name.size() == 1) fail("expected a variable's name after ?");
      const auto known = std::ranges::find(variables_, name.substr(1));
      const uint32_t v = static_cast<uint32_t>(known - variables_.begin());
      if (known == variables_.end()) variables_.emplace_back(name.substr(1));
      return p.variable(v);
    }
    ++at_;
    skip_space();
    const uint32_t op = symbols_.intern(atom());
    std::vector<uint32_t> children;
    for (skip_space(); at_ < text_.size() && text_[at_] != ')'; skip_space()) {
      children.push_back(term(p, depth + 1));
    }
    if (at_ >= text_.size()) fail("expected ) before the end of the line");
    ++at_;
    return p.apply(op, std::move(children), {}, 0);
  }

  std::string_view text_;
  SymbolTable& symbols_;
  std::vector<std::string>& variables_;
  const std::string& file_;
  int line_;
  size_t at_ = 0;
};

template <class F>
void for_each_line(std::string_view text, F&& f) {
  int number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find_first_not_of(" \t") != std::string_view::npos) f(line, number);
    at = end + 1;
  }
}

}  // namespace

Pattern parse_pattern(std::string_view text, SymbolTable& symbols, std::vector<std::string>& variables,
                      const std::string& file, int line) {
  Reader reader(text, symbols, variables, file, line);
  Pattern pattern = reader.pattern();
  reader.end();
  return pattern;
}

std::vector<Rewrite> parse_rule(std::string_view text, SymbolTable& symbols, const std::string& file,
                                int line) {
  std::vector<std::string> variables;
  Reader reader(text, symbols, variables, file, line);
  Rewrite rule{std::to_string(line), reader.pattern(), {}};
  const size_t known = variables.size();
  const bool both = reader.arrow();
  rule.right = reader.pattern();
  if (variables.size() > known) {
    reader.fail(fmt::format("expected the right side to use only variables of the left side, found ?{}",
                            variables[known]));
  }
  reader.end();
  std::vector<Rewrite> rules{rule};
  if (both) {
    std::vector<bool> in_right(variables.size(), false);
    for (const PatternNode& node : rule.right.nodes) {
      if (node.is_variable) in_right[node.variable] = true;
    }
    for (size_t v = 0; v < variables.size(); ++v) {
      if (!in_right[v]) {
        reader.fail(fmt::format(
            "expected both sides of <=> to use the same variables, ?{} is on the left only", variables[v]));
      }
    }
    rules.push_back({rule.name + " reversed", rule.right, rule.left});
  }
  return rules;
}

std::vector<Rewrite> parse_rules(std::string_view text, SymbolTable& symbols, const std::string& file) {
  std::vector<Rewrite> rules;
  for_each_line(text, [&](std::string_view line, int number) {
    if (line[0] == ';' || line[0] == '#') return;
    for (Rewrite& rule : parse_rule(line, symbols, file, number)) rules.push_back(std::move(rule));
  });
  return rules;
}

std::vector<DagNode> parse_dag(std::string_view text, SymbolTable& symbols, const std::string& file) {
  std::vector<DagNode> dag;
  for_each_line(text, [&](std::string_view line, int number) {
    DagNode node{};
    size_t at = line.find_first_of(" \t");
    node.op = symbols.intern(line.substr(0, at));
    while (at < line.size()) {
      at = line.find_first_not_of(" \t", at);
      if (at == std::string_view::npos) break;
      const size_t end = std::min(line.find_first_of(" \t", at), line.size());
      uint32_t child = 0;
      const auto [last, error] = std::from_chars(line.data() + at, line.data() + end, child);
      if (error != std::errc() || last != line.data() + end || child >= dag.size()) {
        throw InputError({file, number, static_cast<int>(at) + 1},
                         fmt::format("expected the number of an earlier line (0 to {}), found '{}'",
                                     static_cast<int64_t>(dag.size()) - 1, line.substr(at, end - at)));
      }
      node.children.push_back(child);
      at = end;
    }
    dag.push_back(std::move(node));
  });
  if (dag.empty()) throw InputError({file, 1, 1}, "expected at least one node");
  return dag;
}

}  // namespace isomer::egraph
