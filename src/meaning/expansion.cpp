#include "meaning/expansion.h"

#include "ir/attempt.h"
#include "ir/layout.h"

namespace isomer::meaning {
namespace {

std::shared_ptr<const ir::Graph> written_out(const ir::OpInstance& op) {
  ir::Builder body(op.ctx);
  std::vector<ir::ValueId> operands;
  for (ir::TypeId type : op.inputs) operands.push_back(body.input("", ir::without_layout(op.ctx, type)));
  const ir::Attempt attempt(body);
  const ir::ValueId result = op.op.expand(body, op, operands);
  return attempt ? std::make_shared<const ir::Graph>(body.finish({result})) : nullptr;
}

}  // namespace

std::vector<uint64_t> instance_key(const ir::OpInstance& op) {
  std::vector<uint64_t> key{reinterpret_cast<uintptr_t>(&op.op), op.output.v};
  key.reserve(3 + op.attrs.size() + op.inputs.size());  // and one for who adds to it
  for (ir::AttrId a : op.attrs) key.push_back(a.v);
  for (ir::TypeId t : op.inputs) key.push_back(t.v);
  return key;
}

std::shared_ptr<const ir::Graph> expand(const ir::OpInstance& op) {
  const std::vector<uint64_t> key = instance_key(op);
  if (const auto* known = op.ctx.remembered(key)) return *known;
  std::shared_ptr<const ir::Graph> body = written_out(op);
  op.ctx.remember(key, body);
  return body;
}

}  // namespace isomer::meaning
