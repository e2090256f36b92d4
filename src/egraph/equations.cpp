#include "egraph/equations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "support/errors.h"

namespace isomer::egraph {
namespace {

constexpr int kMaxDepth = 1000;

class EquationReader {
 public:
  EquationReader(std::string_view text, SymbolTable& symbols, const std::string& file)
      : text_(text), symbols_(symbols), file_(file) {}

  std::vector<Equation> run() {
    std::vector<Equation> out;
    for (skip_space(); at_ < text_.size(); skip_space()) {
      Equation e;
      term(e.left, 0);
      skip_space();
      if (!take("==")) fail("expected == between the two sides of an equation");
      term(e.right, 0);
      out.push_back(std::move(e));
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError({file_, line_, static_cast<int>(at_ - line_begin_) + 1}, what);
  }
  void skip_space() {
    for (; at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0; ++at_) {
      if (text_[at_] != '\n') continue;
      ++line_;
      line_begin_ = at_ + 1;
    }
  }
  bool take(std::string_view mark) {
    if (!text_.substr(at_).starts_with(mark)) return false;
    at_ += mark.size();
    return true;
  }
  static bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

  uint32_t term(Pattern& p, int depth) {
    if (depth > kMaxDepth) fail(fmt::format("expected at most {} nested terms", kMaxDepth));
    skip_space();
    const size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (at_ == begin) fail("expected a name or a number");
    const uint32_t op = symbols_.intern(text_.substr(begin, at_ - begin));
    std::vector<uint32_t> children;
    if (take("(")) {
      do {
        children.push_back(term(p, depth + 1));
        skip_space();
      } while (take(","));
      if (!take(")")) fail("expected , or ) after an argument");
    }
    return p.apply(op, std::move(children), {}, 0);
  }

  std::string_view text_;
  SymbolTable& symbols_;
  const std::string& file_;
  size_t at_ = 0, line_begin_ = 0;
  int line_ = 1;
};

}  // namespace

std::vector<Equation> parse_equations(std::string_view text, SymbolTable& symbols, const std::string& file) {
  return EquationReader(text, symbols, file).run();
}

size_t Proofs::count() const { return static_cast<size_t>(std::ranges::count(proved, true)); }

Proofs prove(const std::vector<Equation>& equations, const std::vector<Rewrite>& axioms,
             const ProveOptions& options) {
  const double begin = thread_cpu_seconds();
  const RulePlan plan(axioms);
  AddScratch scratch;
  Proofs out;
  out.proved.assign(equations.size(), false);
  struct Open {
    size_t equation;
    ClassId left, right;
  };
  for (;;) {
    NoAnalysis none;
    EGraph<NoAnalysis> g(none);
    const auto add = [&](const Pattern& term) {
      return as_class(add_pattern(g, term, Subst{}, nullptr, scratch));
    };
    std::vector<Open> open;
    open.reserve(equations.size());
    for (size_t i = 0; i < equations.size(); ++i)
      if (!out.proved[i]) open.push_back({i, ClassId(), ClassId()});
    if (open.empty()) break;
    // Terms share most of what they are made of; what the axioms add is several times that.
    g.reserve(std::min<size_t>(options.nodes, 8 * open.size() + 64));
    for (Open& o : open) {
      o.left = add(equations[o.equation].left);
      o.right = add(equations[o.equation].right);
    }
    RunOptions run_options;
    run_options.limits.nodes = options.nodes;
    run_options.limits.iterations = std::min(options.iterations, options.first_iterations << out.runs.size());
    run_options.scheduler = options.scheduler;
    run_options.threads = options.threads;
    run_options.reached = [&](const Store& store) {
      return std::ranges::all_of(open, [&](const Open& o) { return store.same(o.left, o.right); });
    };
    run_options.trim = false;
    out.runs.push_back(run(g, axioms, plan, run_options));
    size_t met = 0;
    for (const Open& o : open) {
      out.proved[o.equation] = g.same(o.left, o.right);
      met += out.proved[o.equation];
    }
    if (met == 0 && run_options.limits.iterations == options.iterations) break;
  }
  out.cpu_seconds = thread_cpu_seconds() - begin;
  return out;
}

}  // namespace isomer::egraph
