#include "rewrite/explain_chain.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

#include "support/errors.h"
#include "support/limits.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::CongruenceClosure;
using egraph::NodeId;

namespace {

using Edge = CongruenceClosure::Edge;

/// Equality of two terms that is being played: how far along its path, and the equalities of the children
/// while the path is at a congruence.
struct Goal {
  TermId from, to;
  std::vector<Edge> path;
  size_t at = 0;
  bool open = false;
  std::vector<uint32_t> below;  ///< by child; kSame where the children are one term
  TermId now;
  uint32_t seen = 0;  ///< last round that reached it
};
constexpr uint32_t kSame = 0xFFFFFFFFu;

/// Of the time: a chain with superfluous steps is better than none.
constexpr double kLeaveOutShare = 0.5;

/// Plays a proof as steps on whole programs, from the inputs on. Equal equalities are one goal: who comes to
/// it later takes it as far as it has been led.
class Player {
 public:
  Player(TermBank& bank, const CongruenceClosure& proof) : bank_(bank), proof_(proof) {}

  /// False when it takes more than `most` steps, or goes on when the deadline comes.
  bool play(const std::vector<TermId>& from, const std::vector<TermId>& to, size_t most,
            const Deadline& until, std::vector<ChainStep>& steps) {
    std::vector<uint32_t> roots;
    for (size_t i = 0; i < from.size(); ++i) roots.push_back(from[i] == to[i] ? kSame : goal(from[i], to[i]));
    refresh(roots);
    while (const auto next = choose()) {
      if (steps.size() == most || until.passed()) return false;
      const Edge edge = goals_[*next].path[goals_[*next].at];
      ChainStep step;
      step.instance = edge.label;
      step.backward = edge.backward;
      for (uint32_t g : reached_) {
        Goal& other = goals_[g];
        if (other.at == other.path.size()) continue;
        const Edge& e = other.path[other.at];
        if (e.label != edge.label || e.backward != edge.backward) continue;
        ++other.at;
        if (std::ranges::none_of(step.places, [&](const ChainPlace& p) { return p.before == e.from; }))
          step.places.push_back({e.from, e.to, {}});
      }
      refresh(roots);
      for (size_t i = 0; i < from.size(); ++i)
        step.roots.push_back(roots[i] == kSame ? from[i] : goals_[roots[i]].now);
      steps.push_back(std::move(step));
    }
    return true;
  }

 private:
  uint32_t goal(TermId from, TermId to) {
    const auto [it, fresh] = index_.try_emplace({from, to}, static_cast<uint32_t>(goals_.size()));
    if (fresh) {
      Goal made;
      made.from = made.now = from;
      made.to = to;
      made.path = proof_.explain(from, to);
      goals_.push_back(std::move(made));
    }
    return it->second;
  }

  /// Opens congruences, closes those that are complete, and says what each goal's term is now.
  void refresh(const std::vector<uint32_t>& roots) {
    ++round_;
    reached_.clear();
    std::vector<uint32_t> open;
    for (uint32_t r : roots)
      if (r != kSame) open.push_back(r);
    while (!open.empty()) {
      const uint32_t g = open.back();
      if (goals_[g].seen == round_ || advance(g, open)) {
        open.pop_back();
        if (goals_[g].seen != round_) reached_.push_back(g);
        goals_[g].seen = round_;
      }
    }
  }

  /// False when goals below it have to be refreshed first; these are pushed.
  bool advance(uint32_t g, std::vector<uint32_t>& open) {
    for (;;) {
      if (goals_[g].at == goals_[g].path.size()) {
        goals_[g].now = goals_[g].to;
        return true;
      }
      const Edge edge = goals_[g].path[goals_[g].at];
      if (edge.label != CongruenceClosure::kCongruence) {
        goals_[g].now = edge.from;
        return true;
      }
      children_.assign(bank_.children(edge.from).begin(), bank_.children(edge.from).end());
      const auto to = bank_.children(edge.to);
      if (!goals_[g].open) {
        std::vector<uint32_t> below;
        for (size_t k = 0; k < to.size(); ++k)
          below.push_back(children_[k] == to[k] ? kSame : goal(children_[k], to[k]));
        goals_[g].below = std::move(below);
        goals_[g].open = true;
      }
      bool ready = true;
      for (size_t k = 0; k < to.size(); ++k) {
        const uint32_t b = goals_[g].below[k];
        if (b == kSame) continue;
        children_[k] = goals_[b].now;
        if (goals_[b].seen == round_) continue;
        open.push_back(b);
        ready = false;
      }
      if (!ready) return false;
      if (!std::ranges::equal(children_, to)) {
        goals_[g].now = bank_.term(bank_.op(edge.from), bank_.payload(edge.from), children_);
        return true;
      }
      goals_[g].open = false;
      ++goals_[g].at;
    }
  }

  /// The lowest goal that a rule application leads on; of equal ones that of the earliest application.
  std::optional<uint32_t> choose() const {
    std::optional<uint32_t> best;
    const auto key = [&](uint32_t g) {
      const Edge& e = goals_[g].path[goals_[g].at];
      return std::tuple(bank_.height(e.from), e.label, e.from);
    };
    for (uint32_t g : reached_) {
      const Goal& candidate = goals_[g];
      if (candidate.at == candidate.path.size() ||
          candidate.path[candidate.at].label == CongruenceClosure::kCongruence)
        continue;
      if (!best || key(g) < key(*best)) best = g;
    }
    return best;
  }

  TermBank& bank_;
  const CongruenceClosure& proof_;
  std::vector<Goal> goals_;
  std::map<std::pair<TermId, TermId>, uint32_t> index_;
  std::vector<uint32_t> reached_;
  std::vector<TermId> children_;
  uint32_t round_ = 0;
};

}  // namespace

class ChainFinder {
 public:
  ChainFinder(const Saturation& saturation, const ExplainOptions& options)
      : saturation_(saturation),
        eg_(saturation.program()),
        ctx_(eg_.context()),
        options_(options),
        bank_(std::make_shared<TermBank>()) {}

  std::optional<RewriteChain> find(const TensorExtraction& result, std::string& why) {
    state_source();
    for (uint32_t i = 0; i < saturation_.alternatives().applications().size() && !over(why); ++i)
      if (!state(i)) {
        why = "the e-graph has nodes that no rule application made";
        return std::nullopt;
      }
    if (!read_result(result)) {
      why = "the result has values that the e-graph does not know";
      return std::nullopt;
    }
    if (over(why)) return std::nullopt;
    std::vector<uint32_t> all(equations_.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    CongruenceClosure everything(*bank_);
    close(everything, all);
    if (!proves(everything)) {
      why = "the recorded rule applications do not account for the result";
      return std::nullopt;
    }
    RewriteChain chain;
    chain.instances = needed(everything);
    chain.minimal = leave_out(chain.instances);
    if (over(why)) return std::nullopt;
    CongruenceClosure proof(*bank_);
    close(proof, chain.instances);
    chain.instances = needed(proof);

    if (!Player(*bank_, proof).play(from_, to_, options_.most_steps, options_.until, chain.steps)) {
      if (over(why)) return std::nullopt;
      why = "the chain has more than " + std::to_string(options_.most_steps) + " steps";
      return std::nullopt;
    }
    finish(chain, proof);
    return chain;
  }

 private:
  struct Equal {
    TermId left, right;
  };

  bool over(std::string& why) const {
    if (!options_.until.passed()) return false;
    why = options_.until.reason() == StopReason::kInterrupted ? "interrupted" : "no time was left for it";
    return true;
  }

  /// The program's values as terms, under the numbers of their e-nodes.
  void state_source() {
    const ir::Graph& source = eg_.source();
    std::vector<TermId> children;
    source_term_.resize(source.size());
    for (size_t i = 0; i < source.size(); ++i) {
      const ir::ValueId v(i);
      const ClassId c = eg_.first_class(v);
      if (!c.valid()) continue;
      children.clear();
      for (ir::ValueId o : source.operands(v)) children.push_back(source_term_[o.index()]);
      source_term_[i] = bank_->term(source.op(v).v, source.payload(v).v, children);
      term_of_.emplace(c.v, source_term_[i]);
    }
    for (ir::ValueId o : source.outputs()) from_.push_back(source_term_[o.index()]);
  }

  TermId of_node(uint32_t node) const {
    const auto it = term_of_.find(node);
    return it == term_of_.end() ? TermId() : it->second;
  }

  /// Application `i` as equations between exact terms. False when it refers to unknown nodes.
  bool state(uint32_t i) {
    const Application& application = saturation_.alternatives().applications()[i];
    const Equation says =
        saturation_.alternatives().source_of(application).equation(ctx_, application.instance);
    std::vector<TermId> variables, left, right;
    for (size_t v = 0; v < says.tensors.size(); ++v) {
      variables.push_back(of_node(application.nodes[v]));
      if (!variables.back().valid()) return false;
    }
    const auto terms = [&](const ExactFragment& side, std::vector<TermId>& made) {
      side.fragment.build<TermId>(variables, made,
                                  [&](size_t k, const FragmentNode& n, std::span<const TermId> children) {
                                    return bank_->term(n.op.v, side.payloads[k].v, children);
                                  });
    };
    terms(says.before, left);
    terms(says.after, right);
    for (size_t j = 0; j < right.size(); ++j)
      if (!says.after.fragment.nodes[j].is_variable)
        term_of_.emplace(application.nodes[variables.size() + j], right[j]);
    std::vector<Equal> equations;
    for (size_t r = 0; r < says.before.fragment.roots.size(); ++r)
      equations.push_back({left[says.before.fragment.roots[r]], right[says.after.fragment.roots[r]]});
    equations_.push_back(std::move(equations));
    return true;
  }

  /// The outputs of what was extracted, as terms.
  bool read_result(const TensorExtraction& result) {
    const EGraph& g = eg_.graph();
    std::unordered_map<uint32_t, NodeId> pick;
    for (NodeId n : result.nodes) pick.emplace(g.class_of(n).v, n);
    std::unordered_map<uint32_t, TermId> made;
    for (ClassId root : eg_.roots()) {
      std::vector<ClassId> open{root};
      while (!open.empty()) {
        const ClassId c = open.back();
        const auto it = pick.find(c.v);
        if (it == pick.end()) return false;
        const size_t before = open.size();
        std::vector<TermId> children;
        for (ClassId child : g.children(it->second)) {
          const auto known = made.find(g.find(child).v);
          if (known == made.end())
            open.push_back(g.find(child));
          else
            children.push_back(known->second);
        }
        if (open.size() > before) continue;
        open.pop_back();
        made.try_emplace(c.v, bank_->term(g.op(it->second), g.payload(it->second), children));
      }
      to_.push_back(made.at(root.v));
    }
    return to_.size() == from_.size();
  }

  void close(CongruenceClosure& closure, const std::vector<uint32_t>& instances) const {
    for (TermId t : from_) closure.mention(t);
    for (TermId t : to_) closure.mention(t);
    for (uint32_t i : instances)
      for (const Equal& e : equations_[i])
        if (e.left != e.right) closure.equate(e.left, e.right, i);
  }

  bool proves(const CongruenceClosure& closure) const {
    for (size_t i = 0; i < from_.size(); ++i)
      if (!closure.same(from_[i], to_[i])) return false;
    return true;
  }

  /// The applications on the proof of all outputs, ascending.
  std::vector<uint32_t> needed(const CongruenceClosure& closure) const {
    std::set<uint32_t> out;
    std::set<std::pair<TermId, TermId>> seen;
    std::vector<std::pair<TermId, TermId>> open;
    for (size_t i = 0; i < from_.size(); ++i) open.emplace_back(from_[i], to_[i]);
    while (!open.empty()) {
      const auto [a, b] = open.back();
      open.pop_back();
      if (a == b || !seen.emplace(a, b).second) continue;
      for (const Edge& e : closure.explain(a, b)) {
        if (e.label != CongruenceClosure::kCongruence) {
          out.insert(e.label);
          continue;
        }
        for (size_t k = 0; k < bank_->children(e.from).size(); ++k)
          open.emplace_back(bank_->children(e.from)[k], bank_->children(e.to)[k]);
      }
    }
    return {out.begin(), out.end()};
  }

  /// Takes out applications without which the outputs are still proved equal, in chunks of halving size. True
  /// when no single one is left that could go.
  bool leave_out(std::vector<uint32_t>& instances) const {
    const double end = thread_cpu_seconds() + options_.seconds;
    const Deadline until = options_.until.part(kLeaveOutShare);
    for (size_t chunk = std::max<size_t>(1, instances.size() / 2);; chunk = std::max<size_t>(1, chunk / 2)) {
      for (size_t i = instances.size(); i > 0;) {
        const size_t begin = i > chunk ? i - chunk : 0;
        if (thread_cpu_seconds() > end || until.passed()) return false;
        std::vector<uint32_t> rest(instances.begin(), instances.begin() + static_cast<ptrdiff_t>(begin));
        rest.insert(rest.end(), instances.begin() + static_cast<ptrdiff_t>(i), instances.end());
        CongruenceClosure closure(*bank_);
        close(closure, rest);
        if (proves(closure)) instances = std::move(rest);
        i = begin;
      }
      // What could not go from a larger set cannot go from a smaller one either.
      if (chunk == 1) return true;
    }
  }

  void finish(RewriteChain& chain, CongruenceClosure& proof) {
    const ir::Graph& source = eg_.source();
    chain.eg_ = &eg_;
    chain.first_roots_ = from_;
    // Most roots are those of the step before.
    const std::vector<TermId>* last = &from_;
    for (const ChainStep& step : chain.steps) {
      for (size_t i = 0; i < step.roots.size(); ++i)
        if (step.roots[i] != (*last)[i]) proof.mention(step.roots[i]);
      last = &step.roots;
    }
    for (TermId t : source_term_)
      if (t.valid()) proof.mention(t);
    chain.types_.resize(bank_->size());
    chain.source_of_.resize(bank_->size());
    std::unordered_map<uint32_t, ir::ValueId> by_class;
    for (size_t i = 0; i < source.size(); ++i)
      if (const TermId t = source_term_[i]; t.valid()) {
        by_class.emplace(proof.representative(t).v, ir::ValueId(i));
        chain.source_of_[t.index()] = ir::ValueId(i);
      }
    for (uint32_t t = 0; t < bank_->size(); ++t) {
      if (!proof.mentioned(TermId(t))) continue;
      const auto it = by_class.find(proof.representative(TermId(t)).v);
      if (it == by_class.end()) continue;
      chain.types_[t] = source.type_id(it->second);
      if (!chain.source_of_[t].valid()) chain.source_of_[t] = it->second;
    }
    const auto users = named_users();
    for (ChainStep& step : chain.steps)
      for (ChainPlace& p : step.places) {
        const ir::ValueId v = chain.source_of_[p.before.index()];
        const ir::ValueId w = v.valid() ? v : chain.source_of_[p.after.index()];
        if (w.valid()) p.where = source.name(w).empty() ? users[w.index()] : source.name(w);
      }
    chain.bank_ = bank_;
  }

  /// For each value of the source, the name of the nearest named value that uses it, or nothing.
  std::vector<std::string> named_users() const {
    const ir::Graph& source = eg_.source();
    std::vector<std::string> out(source.size());
    for (size_t i = source.size(); i-- > 0;) {
      const std::string& own = source.name(ir::ValueId(i)).empty() ? out[i] : source.name(ir::ValueId(i));
      for (ir::ValueId o : source.operands(ir::ValueId(i))) out[o.index()] = own;
    }
    return out;
  }

  const Saturation& saturation_;
  const TensorEGraph& eg_;
  ir::Context& ctx_;
  ExplainOptions options_;
  std::shared_ptr<TermBank> bank_;
  std::vector<TermId> source_term_;
  std::unordered_map<uint32_t, TermId> term_of_;  // by e-node
  std::vector<std::vector<Equal>> equations_;     // by application
  std::vector<TermId> from_, to_;
};

std::optional<RewriteChain> explain_chain(const Saturation& saturation, const TensorExtraction& result,
                                          std::string& why, const ExplainOptions& options) {
  REQUIRE(result.found, "there is no result to explain");
  return ChainFinder(saturation, options).find(result, why);
}

}  // namespace isomer::rewrite
