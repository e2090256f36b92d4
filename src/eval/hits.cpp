#include "eval/hits.h"

#include <algorithm>

namespace isomer::eval {
namespace {

using ir::IndexExpr;
using ir::ScalarOp;
using Instr = meaning::ScalarProgram::Instr;

class Finder {
 public:
  explicit Finder(const meaning::CompiledNest& nest) : nest_(nest), code_(nest.bodies[0].code) {}

  std::vector<Hit> run() {
    const Instr& last = code_.back();
    if (last.op != ScalarOp::kSelect || at(last.c).op != ScalarOp::kAcc) return {};
    conditions(last.a);
    // What decides about a place must be known before it.
    std::vector<Hit> known;
    for (const Hit& hit : hits_)
      if (std::ranges::none_of(hits_, [&](const Hit& other) { return decides(other.variable, hit.place); }))
        known.push_back(hit);
    return known;
  }

 private:
  const Instr& at(int32_t reg) const { return code_[static_cast<size_t>(reg)]; }

  void conditions(int32_t reg) {
    const Instr& in = at(reg);
    if (in.op == ScalarOp::kAnd) {
      conditions(in.a);
      conditions(in.b);
    } else if (in.op == ScalarOp::kEqual && in.sort == meaning::Sort::kInteger) {
      if (!is_hit(in.a, in.b)) is_hit(in.b, in.a);
    }
  }

  bool is_hit(int32_t variable, int32_t place) {
    const Instr& in = at(variable);
    const auto number = static_cast<size_t>(in.index);
    if (in.op != ScalarOp::kVar || number >= nest_.space.size()) return false;
    if (std::ranges::any_of(hits_, [&](const Hit& h) { return h.variable == number; })) return false;
    hits_.push_back({number, static_cast<size_t>(place)});
    return true;
  }

  bool decides(size_t variable, size_t reg) const {
    const Instr& in = code_[reg];
    switch (in.op) {
      case ScalarOp::kVar: return static_cast<size_t>(in.index) == variable;
      case ScalarOp::kAcc: return true;
      case ScalarOp::kRead:
      case ScalarOp::kValid: return decides_read(variable, static_cast<size_t>(in.index));
      default: break;
    }
    return std::ranges::any_of(std::initializer_list<int32_t>{in.a, in.b, in.c}, [&](int32_t operand) {
      return operand >= 0 && decides(variable, static_cast<size_t>(operand));
    });
  }
  bool decides_read(size_t variable, size_t read) const {
    const meaning::CompiledRead& r = nest_.reads[read];
    const auto asks = [&](const IndexExpr& e) { return decides_index(variable, e); };
    return std::ranges::any_of(r.index, asks) || std::ranges::any_of(r.zero, asks);
  }
  bool decides_index(size_t variable, const IndexExpr& e) const {
    switch (e.kind()) {
      case IndexExpr::Kind::kConst: return false;
      case IndexExpr::Kind::kVar: return static_cast<size_t>(e.value()) == variable;
      case IndexExpr::Kind::kLoad: return decides_read(variable, static_cast<size_t>(e.value()));
      case IndexExpr::Kind::kAdd:
      case IndexExpr::Kind::kMin:
      case IndexExpr::Kind::kMax: return decides_index(variable, e.lhs()) || decides_index(variable, e.rhs());
      case IndexExpr::Kind::kMulConst:
      case IndexExpr::Kind::kFloorDiv:
      case IndexExpr::Kind::kMod: return decides_index(variable, e.lhs());
    }
    return true;
  }

  const meaning::CompiledNest& nest_;
  const std::vector<Instr>& code_;
  std::vector<Hit> hits_;
};

}  // namespace

std::vector<Hit> hits_of(const meaning::CompiledNest& nest) {
  if (nest.bodies.size() != 1 || nest.combiners[0] != ir::Combiner::kStep || nest.scan.up_to >= 0 ||
      nest.initials[0].code.empty())
    return {};
  return Finder(nest).run();
}

}  // namespace isomer::eval
