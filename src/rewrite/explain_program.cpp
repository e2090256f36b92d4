// The programs on the way of a chain of rewrites (explain_chain.h), rebuilt from its terms.
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rewrite/explain_chain.h"
#include "support/errors.h"

namespace isomer::rewrite {

ir::Graph RewriteChain::program(size_t count) const {
  REQUIRE(count <= steps.size(), "the chain has fewer steps");
  const ir::Graph& source = eg_->source();
  const std::vector<TermId>& roots = count == 0 ? first_roots_ : steps[count - 1].roots;
  ir::Builder builder(eg_->context(), source.title());
  std::unordered_map<uint32_t, ir::ValueId> made;
  std::map<std::pair<uint32_t, uint32_t>, ir::ValueId> inputs;
  for (ir::ValueId i : source.inputs())
    inputs.emplace(std::pair(source.op(i).v, source.payload(i).v),
                   builder.input(source.name(i), source.type_id(i)));
  std::vector<bool> named(source.size());
  std::vector<ir::ValueId> operands;
  const auto build = [&](TermId root) {
    std::vector<TermId> open{root};
    while (!open.empty()) {
      const TermId t = open.back();
      const size_t before = open.size();
      operands.clear();
      for (TermId c : bank_->children(t)) {
        const auto it = made.find(c.v);
        if (it == made.end())
          open.push_back(c);
        else
          operands.push_back(it->second);
      }
      if (open.size() > before) continue;
      open.pop_back();
      if (made.contains(t.v)) continue;
      const ir::OpId op(bank_->op(t));
      const ir::PayloadId payload(bank_->payload(t));
      if (const auto it = inputs.find({op.v, payload.v}); it != inputs.end()) {
        made.emplace(t.v, it->second);
        continue;
      }
      ir::ValueId v;
      const bool known = t.index() < source_of_.size() && source_of_[t.index()].valid();
      if (!builder.try_add(op, payload, operands, v)) {
        REQUIRE(known, "a value of the chain has no type");
        v = builder.add_typed(op, payload, operands, types_[t.index()]);
      }
      if (known && !named[source_of_[t.index()].index()]) {
        named[source_of_[t.index()].index()] = true;
        builder.set_name(v, source.name(source_of_[t.index()]));
      }
      made.emplace(t.v, v);
    }
  };
  for (TermId r : roots) build(r);
  std::vector<ir::ValueId> outputs;
  for (size_t i = 0; i < source.outputs().size(); ++i) outputs.push_back(made.at(roots[i].v));
  return builder.finish(std::move(outputs));
}

}  // namespace isomer::rewrite
