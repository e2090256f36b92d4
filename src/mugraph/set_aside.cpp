#include "mugraph/set_aside.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "mugraph/spec.h"

namespace isomer::mugraph {
namespace {

/// The steps of a program as a graph: values are its inputs, then its steps.
class StepGraph {
 public:
  StepGraph(const Program& program, const std::vector<ProgramStep>& steps)
      : program_(program), steps_(steps), inputs_(program.inputs.size()), users_(inputs_ + steps.size()) {
    for (const ProgramStep& s : steps)
      for (const size_t o : s.operands) ++users_[o];
  }

  std::optional<SetAside> run() {
    const auto is_softmax = [](const ProgramStep& s) { return s.kind == StepKind::kSoftmax; };
    if (std::ranges::count_if(steps_, is_softmax) != 1) return std::nullopt;
    size_t v = std::ranges::find_if(steps_, is_softmax)->operands[0];
    SetAside out;
    while (const std::optional<size_t> before = operator_at(v, out)) {
      out_of_core_.insert(v);
      v = *before;
    }
    std::ranges::reverse(out.operators);
    if (out.operators.empty() || !is_product(v, out)) return std::nullopt;
    for (const size_t o : out_of_core_) stands_for_[o] = v;
    make_core(out);
    return out;
  }

 private:
  const ProgramStep* step(size_t v) const { return v < inputs_ ? nullptr : &steps_[v - inputs_]; }

  /// The input that a value only moves elements of.
  std::optional<size_t> leaf(size_t v) const {
    while (v >= inputs_ && moves(step(v)->kind)) v = step(v)->operands[0];
    return v < inputs_ ? std::optional(v) : std::nullopt;
  }

  /// Whether the input, as it is, is repeated where `dims` says more.
  bool fits(size_t input, const std::vector<std::string>& dims) const {
    const std::vector<std::string>& own = program_.inputs[input].dims;
    if (own.size() != dims.size()) return false;
    for (size_t d = 0; d < own.size(); ++d)
      if (own[d] != "1" && own[d] != dims[d]) return false;
    return true;
  }

  /// An elementwise operator on the way, of one value and an input: noted, and what it is made of.
  std::optional<size_t> operator_at(size_t v, SetAside& out) const {
    const ProgramStep* s = step(v);
    if (s == nullptr || s->kind != StepKind::kElementwise || s->operands.size() != 2 || users_[v] != 1)
      return std::nullopt;
    const std::optional<size_t> first = leaf(s->operands[0]), second = leaf(s->operands[1]);
    if (first.has_value() == second.has_value()) return std::nullopt;
    const size_t with = first ? *first : *second, from = s->operands[first ? 1 : 0];
    if (!fits(with, s->dims) || step(from)->dims != s->dims) return std::nullopt;
    out.operators.push_back({s->op, with, first.has_value()});
    return from;
  }

  /// Notes which inputs of the program it is of.
  bool is_product(size_t v, SetAside& out) const {
    const ProgramStep* s = step(v);
    if (s == nullptr || s->kind != StepKind::kProduct || users_[v] != 1) return false;
    const std::optional<size_t> left = leaf(s->operands[0]), right = leaf(s->operands[1]);
    if (!left || !right || *left == *right) return false;
    out.left = *left;
    out.right = *right;
    return true;
  }

  void make_core(SetAside& out) const {
    const std::vector<size_t> needed = values_of_core();
    std::map<size_t, size_t> number;
    for (const size_t v : needed) number.emplace(v, number.size());
    out.inputs.assign(needed.begin(), std::ranges::lower_bound(needed, inputs_));
    out.core.name = program_.name + " without what follows its first product";
    out.core.batch = program_.batch;
    for (const size_t i : out.inputs) {
      out.core.inputs.push_back(program_.inputs[i]);
      for (const std::string& dim : program_.inputs[i].dims) out.core.extents[dim] = program_.extents.at(dim);
    }
    auto steps = std::make_shared<std::vector<ProgramStep>>();
    for (const size_t v : needed) {
      if (v < inputs_) continue;
      ProgramStep& s = steps->emplace_back(*step(v));
      for (size_t& o : s.operands) o = number.at(in_core(o));
    }
    complete_program(out.core, steps);
    out.left = number.at(out.left);
    out.right = number.at(out.right);
  }

  size_t in_core(size_t v) const {
    const auto at = stands_for_.find(v);
    return at == stands_for_.end() ? v : at->second;
  }

  /// Those that the result is made of, in order: inputs first.
  std::vector<size_t> values_of_core() const {
    std::set<size_t> out;
    std::vector<size_t> todo = {inputs_ + steps_.size() - 1};
    while (!todo.empty()) {
      const size_t v = in_core(todo.back());
      todo.pop_back();
      if (!out.insert(v).second || v < inputs_) continue;
      for (const size_t o : step(v)->operands) todo.push_back(o);
    }
    return {out.begin(), out.end()};
  }

  const Program& program_;
  const std::vector<ProgramStep>& steps_;
  size_t inputs_;
  std::vector<int> users_;
  std::set<size_t> out_of_core_;
  std::map<size_t, size_t> stands_for_;  // of what is out of it, the product
};

/// Puts it back kernel by kernel.
class PuttingBack {
 public:
  PuttingBack(const MuGraph& core, const SetAside& aside, std::vector<Sizes> inputs)
      : core_(core), aside_(aside), place_(core.values.size()) {
    out_.ops = core.ops;
    out_.inputs = inputs.size();
    out_.values = std::move(inputs);
    for (size_t i = 0; i < core.inputs; ++i) place_[i] = static_cast<uint32_t>(aside.inputs[i]);
  }

  std::optional<MuGraph> run() {
    for (const KernelNode& node : core_.nodes)
      if (!(node.block ? block_kernel(node) : whole(node))) return std::nullopt;
    for (const uint32_t o : core_.outputs) out_.outputs.push_back(place_[o]);
    if (!put_ || !infer_sizes(out_).empty() || !check_spec(out_).empty()) return std::nullopt;
    return std::move(out_);
  }

 private:
  uint32_t new_value() {
    out_.values.emplace_back();
    return static_cast<uint32_t>(out_.values.size() - 1);
  }

  KernelNode with_operands(const KernelNode& node) const {
    KernelNode out = node;
    for (uint32_t& o : out.operands) o = place_[o];
    out.results.clear();
    return out;
  }

  /// In the order of the operator's operands.
  static std::vector<uint32_t> operands(const SetAside::Operator& o, uint32_t value, uint32_t with) {
    return o.with_first ? std::vector{with, value} : std::vector{value, with};
  }

  bool whole(const KernelNode& node) {
    KernelNode& copy = out_.nodes.emplace_back(with_operands(node));
    uint32_t last = new_value();
    copy.results = {last};
    if (is_product(node.op, node.operands)) {
      for (const SetAside::Operator& o : aside_.operators) {
        const uint32_t next = new_value();
        const auto with = static_cast<uint32_t>(o.with);
        out_.nodes.push_back({core_.ops->at(o.op), -1, nullptr, operands(o, last, with), {next}});
        last = next;
      }
      put_ = true;
    }
    place_[node.results[0]] = last;
    return true;
  }

  bool is_product(MuOpId op, const std::vector<uint32_t>& of) const {
    return core_.ops->get(op).def().is_matrix_product() && of.size() == 2 && of[0] == aside_.left &&
           of[1] == aside_.right;
  }

  /// Which dimension of the product a cut of one of its operands is a cut of; `reduced`: of the operand.
  static int cut_of(int left, int right, int reduced_left, int reduced_right) {
    if (left != kWhole && left != reduced_left) return left;
    return right == reduced_right ? kWhole : right;
  }

  /// How the tile of an operand of the size of the product is cut where the product is made of these tiles.
  BlockInput beside(const BlockInput& left, const BlockInput& right) const {
    const auto rank = static_cast<int>(core_.values[aside_.left].size());
    BlockInput out = left;
    for (size_t d = 0; d < out.imap.size(); ++d)
      out.imap[d] = cut_of(left.imap[d], right.imap[d], rank - 1, rank - 2);
    for (size_t l = 0; l < out.fmap.size(); ++l)
      out.fmap[l] = cut_of(left.fmap[l], right.fmap[l], rank - 1, rank - 2);
    return out;
  }

  /// The same for a tensor that is repeated where it has one element.
  BlockInput tile_of(const Sizes& tensor, BlockInput as) const {
    const auto keep = [&](int& dim) {
      if (dim != kWhole && tensor[static_cast<size_t>(dim)] == 1) dim = kWhole;
    };
    for (int& dim : as.imap) keep(dim);
    for (int& dim : as.fmap) keep(dim);
    return as;
  }

  /// What the products of a block are made of: the tiles' numbers, if it makes them.
  struct Product {
    uint32_t left = 0, right = 0;
  };
  std::optional<Product> product_in(const KernelNode& node) const {
    const BlockGraph& b = *node.block;
    for (const BlockNode& n : b.nodes) {
      if (n.thread || n.operands.size() != 2) continue;
      const uint32_t l = n.operands[0], r = n.operands[1];
      if (l < b.inputs.size() && r < b.inputs.size() &&
          is_product(n.op, {node.operands[l], node.operands[r]}))
        return Product{l, r};
    }
    return std::nullopt;
  }

  bool block_kernel(const KernelNode& node) {
    KernelNode copy = with_operands(node);
    if (const std::optional<Product> product = product_in(node)) {
      const BlockGraph& b = *node.block;
      // A part of its sum is not the product yet.
      if (b.inputs[product->left].tile.back() != core_.values[aside_.left].back()) return false;
      copy.block = std::make_shared<BlockGraph>(with_operators(b, *product, copy.operands));
      put_ = true;
    }
    for (const uint32_t r : node.results) copy.results.push_back(place_[r] = new_value());
    out_.nodes.push_back(std::move(copy));
    return true;
  }

  /// `operands`: of the kernel, which gets more.
  BlockGraph with_operators(const BlockGraph& b, const Product& product,
                            std::vector<uint32_t>& operands_of_kernel) const {
    BlockGraph out = b;
    const BlockInput as = beside(b.inputs[product.left], b.inputs[product.right]);
    std::vector<uint32_t> with;  // the tile of each operator
    for (const SetAside::Operator& o : aside_.operators) {
      with.push_back(static_cast<uint32_t>(out.inputs.size()));
      out.inputs.push_back(tile_of(out_.values[o.with], as));
      operands_of_kernel.push_back(static_cast<uint32_t>(o.with));
    }
    std::vector<uint32_t> tile(b.values());
    for (uint32_t v = 0; v < b.inputs.size(); ++v) tile[v] = v;
    out.nodes.clear();
    const auto add = [&](BlockNode n) {
      out.nodes.push_back(std::move(n));
      return static_cast<uint32_t>(out.values() - 1);
    };
    for (size_t i = 0; i < b.nodes.size(); ++i) {
      BlockNode n = b.nodes[i];
      const bool is_it = !n.thread && n.operands == std::vector{product.left, product.right} &&
                         core_.ops->get(n.op).def().is_matrix_product();
      for (uint32_t& o : n.operands) o = tile[o];
      uint32_t last = add(std::move(n));
      for (size_t k = 0; is_it && k < aside_.operators.size(); ++k) {
        const SetAside::Operator& o = aside_.operators[k];
        last = add({core_.ops->at(o.op), -1, operands(o, last, with[k]), {}});
      }
      tile[b.inputs.size() + i] = last;
    }
    for (BlockOutput& o : out.outputs) o.value = tile[o.value];
    return out;
  }

  const MuGraph& core_;
  const SetAside& aside_;
  std::vector<uint32_t> place_;  // of each value of the core
  MuGraph out_;
  bool put_ = false;
};

}  // namespace

std::optional<SetAside> set_aside(const Program& program, const std::vector<ProgramStep>& steps) {
  return StepGraph(program, steps).run();
}

std::optional<MuGraph> put_back(const MuGraph& core, const SetAside& aside, std::vector<Sizes> inputs) {
  return PuttingBack(core, aside, std::move(inputs)).run();
}

}  // namespace isomer::mugraph
