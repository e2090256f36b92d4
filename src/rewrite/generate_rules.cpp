#include "rewrite/generate_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <set>
#include <tuple>

#include "egraph/equations.h"
#include "ir/op_table.h"
#include "ir/taso_words.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "rewrite/term_enumeration.h"

namespace isomer::rewrite {
namespace {

constexpr uint32_t kNone = TermEnumeration::kNone;

std::vector<uint32_t> numbering(const std::vector<uint32_t>& order) {
  std::vector<uint32_t> number(order.empty() ? 0 : *std::ranges::max_element(order) + 1, 0);
  for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
  return number;
}

/// The equation of two terms with variables numbered by occurrence: one text for all ways of naming them.
struct Pair {
  std::string left, right;
  size_t operators = 0;
  size_t variables = 0;
  bool forward = false, backward = false;  ///< which directions bind all variables

  bool operator<(const Pair& o) const {
    if (operators != o.operators) return operators < o.operators;
    if (variables != o.variables) return variables > o.variables;  // the general before the special
    return std::tie(left, right) < std::tie(o.left, o.right);
  }
};

Pair canonical_pair(const TermEnumeration& all, uint32_t a, uint32_t b) {
  const auto named = [&](uint32_t l, uint32_t r) {
    std::vector<uint32_t> order;
    all.occurrences(l, order);
    all.occurrences(r, order);
    const std::vector<uint32_t> number = numbering(order);
    return std::pair(all.text(l, number), all.text(r, number));
  };
  const auto one = named(a, b), other = named(b, a);
  // Of "a = b" and "b = a" the one that reads first; sides keep their places in it.
  const bool swap = std::pair(other.second, other.first) < one;
  const uint32_t l = swap ? b : a, r = swap ? a : b;
  const auto& text = swap ? other : one;
  const uint32_t vl = all.terms()[l].variables, vr = all.terms()[r].variables;
  return {text.first,
          text.second,
          all.terms()[a].operators.size() + all.terms()[b].operators.size(),
          static_cast<size_t>(std::popcount(vl | vr)),
          (vr & ~vl) == 0,
          (vl & ~vr) == 0};
}

/// Both directions, where they bind their variables, as rewrites over symbols.
void add_rewrites(const std::string& left, const std::string& right, bool forward, bool backward,
                  egraph::SymbolTable& symbols, std::vector<egraph::Rewrite>& out) {
  if (forward) out.push_back(egraph::parse_rule(left + "=>" + right, symbols)[0]);
  if (backward) out.push_back(egraph::parse_rule(right + "=>" + left, symbols)[0]);
}

/// The same with variables as constants: what is to be proved.
egraph::Equation equation(const std::string& left, const std::string& right, egraph::SymbolTable& symbols) {
  const auto ground = [&](std::string text) {
    std::erase(text, '?');
    std::vector<std::string> none;
    return egraph::parse_pattern(text, symbols, none);
  };
  return {ground(left), ground(right)};
}

/// Few steps, small e-graphs: what needs more is no consequence that a rule set should be relied on for.
egraph::ProveOptions short_proofs() {
  egraph::ProveOptions out;
  out.nodes = 20'000;
  out.iterations = 6;
  out.first_iterations = 3;
  return out;
}

/// Goes through candidates from the smallest on and keeps those that do not follow from what is kept.
class Basis {
 public:
  explicit Basis(egraph::SymbolTable& symbols) : symbols_(symbols) {
    // What cutting undoes joining means, which rules with splits are judged by.
    for (const char* rank : {"2", "4"})
      for (const char* axis : {"0", "1"})
        for (int part : {0, 1})
          known_.push_back(egraph::parse_rule(fmt::format("(split_{} (split {} (concat {} {} ?x ?y)))=>?{}",
                                                          part, axis, axis, rank, part == 0 ? "x" : "y"),
                                              symbols)[0]);
  }

  /// `holds`: what is asked of a candidate before others may follow from it.
  template <class Holds>
  std::vector<Pair> run(const std::vector<Pair>& open, uint64_t& followed, const Limits& limits,
                        Holds&& holds) {
    LimitWatch watch(limits);
    constexpr size_t kChunk = 256;
    std::vector<Pair> kept;
    for (size_t begin = 0; begin < open.size(); begin += kChunk) {
      std::vector<Pair> chunk(
          open.begin() + static_cast<std::ptrdiff_t>(begin),
          open.begin() + static_cast<std::ptrdiff_t>(std::min(open.size(), begin + kChunk)));
      drop_proved(chunk, followed);
      while (!chunk.empty() && watch.check_now() == StopReason::kRunning) {
        const Pair next = chunk.front();
        chunk.erase(chunk.begin());
        if (!holds(next)) continue;
        add_rewrites(next.left, next.right, next.forward, next.backward, symbols_, known_);
        kept.push_back(next);
        drop_proved(chunk, followed);
      }
    }
    return kept;
  }
  std::vector<egraph::Rewrite>& known() { return known_; }

 private:
  void drop_proved(std::vector<Pair>& chunk, uint64_t& followed) const {
    std::vector<egraph::Equation> equations;
    for (const Pair& p : chunk) equations.push_back(equation(p.left, p.right, symbols_));
    const egraph::Proofs proofs = egraph::prove(equations, known_, short_proofs());
    size_t at = 0;
    followed += std::erase_if(chunk, [&](const Pair&) { return static_cast<bool>(proofs.proved[at++]); });
  }

  egraph::SymbolTable& symbols_;
  std::vector<egraph::Rewrite> known_;
};

/// Rules of two roots: two terms that are the halves of one.
std::vector<std::vector<std::string>> joined_rules(const TermEnumeration& all, int operators) {
  std::vector<std::vector<std::string>> out;
  std::set<std::vector<std::string>> seen;
  for (uint32_t t = 0; t < all.terms().size(); ++t) {
    const auto& whole = all.terms()[t];
    if (whole.first != t || whole.op == kNone || whole.operators.size() + 1 > static_cast<size_t>(operators))
      continue;
    for (size_t axis : {0, 1}) {
      const auto [a, b] = all.halves(t, axis);
      if (a == kNone || b == kNone || a == b) continue;
      const auto &first = all.terms()[a], &second = all.terms()[b];
      std::vector<uint32_t> both;
      std::ranges::set_union(first.operators, second.operators, std::back_inserter(both));
      if (first.op == kNone || second.op == kNone || both.size() > static_cast<size_t>(operators)) continue;
      if (((whole.variables) & ~(first.variables | second.variables)) != 0) continue;
      std::vector<uint32_t> order;
      all.occurrences(a, order);
      all.occurrences(b, order);
      const std::vector<uint32_t> number = numbering(order);
      const std::string split = fmt::format("(split {} {})", axis, all.text(t, number));
      std::vector<std::string> rule = {fmt::format("{}=>(split_0 {})", all.text(a, number), split),
                                       fmt::format("{}=>(split_1 {})", all.text(b, number), split)};
      if (seen.insert(rule).second) out.push_back(std::move(rule));
    }
  }
  return out;
}

std::pair<std::string, std::string> sides(const std::string& arrow) {
  const size_t at = arrow.find("=>");
  return {arrow.substr(0, at), arrow.substr(at + 2)};
}

/// Rewrites of rules in TENSAT's notation, in both directions where variables allow.
void add_rules(const std::vector<std::vector<std::string>>& rules, egraph::SymbolTable& symbols,
               std::vector<egraph::Rewrite>& out) {
  const auto variables = [](const std::string& text) {
    std::set<std::string> found;
    for (size_t at = text.find('?'); at != std::string::npos; at = text.find('?', at + 1))
      found.insert(text.substr(at, text.find_first_of(" )", at) - at));
    return found;
  };
  for (const auto& rule : rules)
    for (const std::string& arrow : rule) {
      const auto [left, right] = sides(arrow);
      const auto l = variables(left), r = variables(right);
      add_rewrites(left, right, std::ranges::includes(l, r), std::ranges::includes(r, l), symbols, out);
    }
}

/// Variables renamed in order of occurrence through all arrows.
std::string renamed(const std::vector<std::string>& arrows) {
  std::vector<std::string> names;
  std::string out;
  for (const std::string& arrow : arrows) {
    for (size_t at = 0; at < arrow.size();) {
      if (arrow[at] != '?') {
        out += arrow[at++];
        continue;
      }
      const size_t end = std::min(arrow.find_first_of(" )=", at), arrow.size());
      const std::string name = arrow.substr(at, end - at);
      auto known = std::ranges::find(names, name);
      if (known == names.end()) known = names.insert(names.end(), name);
      out += fmt::format("?{}", known - names.begin());
      at = end;
    }
    out += '\n';
  }
  return out;
}

std::string reversed(const std::string& arrow) {
  const auto [left, right] = sides(arrow);
  return right + "=>" + left;
}

/// A part of a pair, as "(split_0 ...)" is one.
bool is_part(std::string_view term) {
  const ir::TasoWord* word = ir::find_taso_word(term.substr(1, term.find_first_of(" )") - 1));
  return word != nullptr && word->index >= 0;
}

/// Operators of both sides of a pattern, equal ones counted once.
size_t operators_of(const std::string& text) {
  std::set<std::string> terms;
  std::vector<size_t> open;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '(') open.push_back(at);
    if (text[at] != ')' || open.empty()) continue;
    const std::string term = text.substr(open.back(), at + 1 - open.back());
    open.pop_back();
    if (!is_part(term)) terms.insert(term);
  }
  return terms.size();
}

}  // namespace

namespace {

verify::Verdict verdict_of(const ir::OpTable& ops, const std::vector<std::string>& arrows,
                           const GenerateOptions& options) {
  const std::string text = fmt::format("{}", fmt::join(arrows, "\n"));
  const RuleSet parsed = arrows.size() == 1 ? parse_tensat_single(ops, text, "generated")
                                            : parse_tensat_multi(ops, text, "generated");
  ir::Context ctx(ops);
  RuleCheckOptions check;
  check.seed = options.seed;
  check.instances = options.instances;
  return check_rule(ctx, parsed.rules[0], check).verdict;
}

}  // namespace

GeneratedRules generate_rules(const ir::OpTable& ops, const GenerateOptions& options) {
  const double begin = thread_cpu_seconds();
  LimitWatch watch(options.limits);
  const auto left = [&] {
    Limits limits = options.limits;
    limits.seconds = watch.remaining();
    return limits;
  };
  GeneratedRules out;
  egraph::SymbolTable symbols;
  const auto note = [&](const std::string& what) {
    if (options.note) options.note(what);
  };
  using Kind = TermEnumeration::Kind;
  std::vector<Pair> pairs;
  std::vector<std::vector<std::string>> joined;
  out.stop_reason = StopReason::kSaturated;
  for (const Kind kind : {Kind::kMatrices, Kind::kImages}) {
    if (kind == Kind::kMatrices ? !options.matrices : !options.images) continue;
    TermEnumeration all(ops, kind, options.variables, options.seed);
    const StopReason stop = all.run(options.operators, left());
    if (stop != StopReason::kSaturated) out.stop_reason = stop;
    out.terms += all.terms().size();
    out.distinct += all.distinct();
    std::set<Pair> found;
    for (uint32_t t = 0; t < all.terms().size(); ++t)
      if (all.terms()[t].first != t) found.insert(canonical_pair(all, t, all.terms()[t].first));
    pairs.insert(pairs.end(), found.begin(), found.end());
    for (auto& rule : joined_rules(all, options.operators)) joined.push_back(std::move(rule));
    note(fmt::format("{}: {} terms, {} results, {} pairs", kind == Kind::kMatrices ? "matrices" : "images",
                     all.terms().size(), all.distinct(), found.size()));
  }
  std::set<Pair> distinct(pairs.begin(), pairs.end());
  out.candidates = distinct.size() + joined.size();
  Basis basis(symbols);
  // A rule that holds at the shapes of the search only is counted, and nothing follows from it.
  const auto judge = [&](std::vector<std::string> arrows) {
    if (arrows[0].starts_with('?')) return;  // would match everything
    verify::Verdict verdict = verdict_of(ops, arrows, options);
    if (verdict.kind == verify::VerdictKind::kRefuted)
      ++out.refuted;
    else if (!verdict.equivalent())
      ++out.unknown;
    else
      out.rules.push_back({std::move(arrows), std::move(verdict)});
  };
  basis.run(std::vector<Pair>(distinct.begin(), distinct.end()), out.follow, left(), [&](const Pair& p) {
    const size_t before = out.rules.size();
    if (p.forward) judge({p.left + "=>" + p.right});
    if (p.backward && renamed({p.right + "=>" + p.left}) != renamed({p.left + "=>" + p.right}))
      judge({p.right + "=>" + p.left});
    return out.rules.size() > before;
  });
  note(fmt::format("{} rules that do not follow from each other", out.rules.size()));
  for (const std::vector<std::string>& arrows : joined)
    if (watch.check_now() == StopReason::kRunning) judge(arrows);
  if (const StopReason stop = watch.check_now(); stop != StopReason::kRunning) out.stop_reason = stop;
  out.cpu_seconds = thread_cpu_seconds() - begin;
  return out;
}

Coverage cover(const std::vector<std::vector<std::string>>& others,
               const std::vector<GeneratedRule>& generated, const GenerateOptions& options) {
  Coverage out;
  egraph::SymbolTable symbols;
  std::vector<std::vector<std::string>> ours;
  std::set<std::string> same;
  for (const GeneratedRule& rule : generated) {
    ours.push_back(rule.arrows);
    same.insert(renamed(rule.arrows));
    if (rule.arrows.size() == 1)
      same.insert(renamed({reversed(rule.arrows[0])}));
    else
      same.insert(renamed({rule.arrows[1], rule.arrows[0]}));
  }
  Basis with_ours(symbols), with_theirs(symbols);
  add_rules(ours, symbols, with_ours.known());
  add_rules(others, symbols, with_theirs.known());
  const auto all_follow = [&](const std::vector<std::string>& arrows,
                              const std::vector<egraph::Rewrite>& known) {
    std::vector<egraph::Equation> equations;
    for (const std::string& arrow : arrows) {
      const auto [left, right] = sides(arrow);
      equations.push_back(equation(left, right, symbols));
    }
    egraph::ProveOptions how = short_proofs();
    how.iterations = 12;
    return egraph::prove(equations, known, how).count() == equations.size();
  };
  for (const std::vector<std::string>& rule : others) {
    CoveredRule c;
    if (same.contains(renamed(rule))) {
      c.how = CoveredRule::How::kSame;
    } else if (all_follow(rule, with_ours.known())) {
      c.how = CoveredRule::How::kFollows;
    } else {
      size_t most = 0;
      for (const std::string& arrow : rule) {
        const auto [left, right] = sides(arrow);
        most = std::max({most, operators_of(left), operators_of(right)});
      }
      c.reason = most > static_cast<size_t>(options.operators)
                     ? fmt::format("a side has {} operators", most)
                     : "does not follow from the generated rules within 20,000 e-nodes and 12 iterations";
    }
    out.rules.push_back(std::move(c));
  }
  for (const GeneratedRule& rule : generated)
    out.follows_there.push_back(all_follow(rule.arrows, with_theirs.known()));
  return out;
}

}  // namespace isomer::rewrite
