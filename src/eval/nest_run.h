// Runs a compiled loop nest for one output element, over any value domain; the slow reference that defines
// what operators mean. `Source` yields elements of operands: number(input, linear) and integer(input,
// linear).
#pragma once

#include <algorithm>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/evaluation_cut.h"
#include "eval/hits.h"
#include "eval/scalar_run.h"
#include "ir/constant_data.h"
#include "meaning/nest.h"
#include "support/deadline.h"
#include "support/errors.h"

namespace isomer::eval {

/// A program asks for an element that its operand does not have, or puts one where its result has none (an
/// index out of range).
class ReadOutOfBounds : public InputError {
 public:
  using InputError::InputError;
};

/// Throws ReadOutOfBounds that names the node and the index.
[[noreturn]] void fail_out_of_bounds(std::string_view what, const meaning::CompiledRead& read,
                                     std::span<const int64_t> index);
/// Of an element that is put at `place` of a dimension that has `extent`.
[[noreturn]] void fail_out_of_bounds(std::string_view what, size_t dimension, int64_t place, int64_t extent);

/// Places that are in no dimension: what is put there is lost, or they are refused, as indices are. Who asks
/// for elements one by one (sampler.h, of programs too large to be evaluated whole) does not see them: lost.
enum class Strays : uint8_t { kLost, kRefused };

template <class D, class Source>
class NestRunner {
 public:
  using Number = typename D::Number;

  /// `what`: of whom errors speak; it must outlive this. `until`, if any, is looked at every so many steps;
  /// EvaluationCut once it has passed.
  NestRunner(D& domain, const meaning::CompiledNest& nest, std::string_view what, Source& source,
             const Deadline* until = nullptr)
      : domain_(domain),
        nest_(nest),
        what_(what),
        source_(source),
        until_(until),
        vars_(nest.extents.size()) {
    size_t registers = nest.result.code.size();
    for (const meaning::ScalarProgram& p : nest.bodies) registers = std::max(registers, p.code.size());
    for (const meaning::ScalarProgram& p : nest.initials) registers = std::max(registers, p.code.size());
    numbers_.resize(registers);
    integers_.resize(registers);
    acc_numbers_.resize(nest.bodies.size());
    acc_integers_.resize(nest.bodies.size());
    for (const meaning::CompiledRead& read : nest.reads) fills_.push_back(domain.constant(read.fill));
    for (const ir::Combiner c : nest.combiners)
      identities_.push_back(domain.constant(meaning::identity_number(c)));
    add_constants(nest.result);
    for (const meaning::ScalarProgram& p : nest.bodies) add_constants(p);
    for (const meaning::ScalarProgram& p : nest.initials) add_constants(p);
  }

  /// Output element by row-major number.
  Number number(int64_t linear) {
    evaluate(linear);
    return numbers_[nest_.result.code.size() - 1];
  }
  int64_t integer(int64_t linear) {
    evaluate(linear);
    return stored_as(domain_, nest_.dtype, integers_[nest_.result.code.size() - 1]);
  }

  /// Only the last step, for accumulators (one number) that somebody else computed.
  Number finish(int64_t linear, Number accumulator) { return number(linear, {accumulator, 0}); }

  /// An element before the last step.
  struct Accumulated {
    Number number{};
    int64_t integer = 0;
  };
  /// Of all elements of a nest that has hits (hits.h): each update is looked at once.
  std::vector<Accumulated> scattered(std::span<const Hit> hits, Strays strays) {
    std::ranges::fill(vars_, 0);
    std::vector<Accumulated> all(static_cast<size_t>(nest_.outputs));
    for (size_t i = 0; i < all.size(); ++i) {
      look_at_the_clock();
      set_output(static_cast<int64_t>(i));
      start(0);
      all[i] = {acc_numbers_[0], acc_integers_[0]};
    }
    if (all.empty() || nest_.reductions == 0) return all;
    std::ranges::fill(vars_, 0);
    meaning::ScalarProgram places = nest_.bodies[0];  // up to where the last place is known
    size_t needed = 0;
    for (const Hit& hit : hits) needed = std::max(needed, hit.place + 1);
    places.code.resize(needed);
    std::vector<int64_t> around = nest_.extents;  // the hits' variables do not walk
    for (const Hit& hit : hits) around[hit.variable] = 1;
    do {
      look_at_the_clock();
      if (go_to_place(places, hits, strays)) {
        Accumulated& here = all[static_cast<size_t>(output_here())];
        if (std::any_of(vars_.begin() + static_cast<ptrdiff_t>(nest_.space.size()), vars_.end(),
                        [](int64_t v) { return v != 0; }))
          keep(here);  // steps without a hit did so
        acc_numbers_[0] = here.number;
        acc_integers_[0] = here.integer;
        step_all();
        here = {acc_numbers_[0], acc_integers_[0]};
      }
      for (const Hit& hit : hits) vars_[hit.variable] = 0;
    } while (next_point(around));
    for (Accumulated& a : all) keep(a);
    return all;
  }
  Number number(int64_t linear, const Accumulated& accumulated) {
    finish_with(linear, accumulated);
    return numbers_[nest_.result.code.size() - 1];
  }
  int64_t integer(int64_t linear, const Accumulated& accumulated) {
    finish_with(linear, accumulated);
    return stored_as(domain_, nest_.dtype, integers_[nest_.result.code.size() - 1]);
  }

  /// Offset of a read at these loop variables, or -1 where it is out of bounds and guarded.
  int64_t locate(const meaning::CompiledRead& read, std::span<const int64_t> vars) {
    if (read.in_bounds) return read.linear.at(vars);
    for (const ir::IndexExpr& zero : read.zero)
      if (index(zero) != 0) return -1;
    int64_t linear = 0;
    for (size_t d = 0; d < read.extents.size(); ++d) {
      const int64_t i = read.affine ? read.dims[d].at(vars) : index(read.index[d]);
      if (i < 0 || i >= read.extents[d]) {
        if (!read.guarded) out_of_bounds(read);
        return -1;
      }
      linear = linear * read.extents[d] + i;
    }
    return linear;
  }

  // What a scalar program asks for (run_scalar).
  Number number_of(int32_t number) {
    const meaning::CompiledRead& read = nest_.reads[static_cast<size_t>(number)];
    const int64_t at = locate(read, vars_);
    return at < 0 ? fills_[static_cast<size_t>(number)] : source_.number(read.input, at);
  }
  int64_t integer_of(int32_t number) {
    const meaning::CompiledRead& read = nest_.reads[static_cast<size_t>(number)];
    const int64_t at = locate(read, vars_);
    return at < 0 ? static_cast<int64_t>(read.fill) : source_.integer(read.input, at);
  }
  bool is_valid(int32_t number) { return locate(nest_.reads[static_cast<size_t>(number)], vars_) >= 0; }
  Number accumulated_number(int32_t number) const { return acc_numbers_[static_cast<size_t>(number)]; }
  int64_t accumulated_integer(int32_t number) const { return acc_integers_[static_cast<size_t>(number)]; }
  int64_t variable(int32_t number) const { return vars_[static_cast<size_t>(number)]; }

 private:
  /// Constants are converted to the domain once (program 0: the result).
  void add_constants(const meaning::ScalarProgram& program) {
    first_constant_.push_back(constants_.size());
    for (const auto& in : program.code)
      constants_.push_back(in.op == ir::ScalarOp::kConst ? domain_.constant(in.value) : Number{});
  }

  void set_output(int64_t linear) {
    for (size_t i = nest_.space.size(); i-- > 0;) {
      vars_[i] = linear % nest_.space[i];
      linear /= nest_.space[i];
    }
  }

  void finish_with(int64_t linear, const Accumulated& accumulated) {
    set_output(linear);
    acc_numbers_[0] = accumulated.number;
    acc_integers_[0] = accumulated.integer;
    run(nest_.result, 0);
  }

  /// What a step that changes nothing makes of it.
  void keep(Accumulated& a) {
    const ir::DType kept_as = nest_.kept_as[0];
    if (kept_as == ir::DType::kUndefined) return;
    if (nest_.bodies[0].sort == meaning::Sort::kNumber)
      a.number = domain_.cast(kept_as, a.number);
    else
      a.integer = stored_as(domain_, kept_as, a.integer);
  }

  int64_t output_here() const {
    int64_t linear = 0;
    for (size_t i = 0; i < nest_.space.size(); ++i) linear = linear * nest_.space[i] + vars_[i];
    return linear;
  }

  /// To where the update at these variables goes; false where that is nowhere.
  bool go_to_place(const meaning::ScalarProgram& places, std::span<const Hit> hits, Strays strays) {
    run(places, 1);
    for (const Hit& hit : hits) {
      const int64_t place = known(domain_, integers_[hit.place]), extent = nest_.space[hit.variable];
      if (place < 0 || place >= extent) {
        if (strays == Strays::kRefused) fail_out_of_bounds(what_, hit.variable, place, extent);
        return false;
      }
      vars_[hit.variable] = place;
    }
    return true;
  }

  /// The next point of all variables, the last one fastest; false after the last point.
  bool next_point(std::span<const int64_t> extents) {
    for (size_t i = vars_.size(); i-- > 0;) {
      if (++vars_[i] < extents[i]) return true;
      vars_[i] = 0;
    }
    return false;
  }

  void look_at_the_clock() {
    constexpr uint32_t kBetween = 1 << 15;  // milliseconds
    if (until_ == nullptr || ++steps_ % kBetween != 0) return;
    if (until_->passed()) throw EvaluationCut();
  }

  void evaluate(int64_t linear) {
    look_at_the_clock();
    set_output(linear);
    if (!nest_.bodies.empty()) reduce();
    run(nest_.result, 0);
  }

  void reduce() {
    const size_t rank = nest_.space.size();
    for (size_t i = rank; i < vars_.size(); ++i) vars_[i] = 0;
    for (size_t a = 0; a < nest_.bodies.size(); ++a) start(a);
    const int64_t steps = steps_here();
    for (int64_t r = 0; r < steps; ++r) {
      look_at_the_clock();
      if (nest_.plain) {
        for (size_t a = 0; a < nest_.bodies.size(); ++a) {
          run(nest_.bodies[a], a + 1);
          combine(a, nest_.bodies[a].code.size() - 1);
        }
      } else {
        step_all();
      }
      for (size_t i = vars_.size(); i-- > rank;) {
        if (++vars_[i] < nest_.extents[i]) break;
        vars_[i] = 0;
      }
    }
  }

  /// Of the whole reduction domain, or up to the output's place in it.
  int64_t steps_here() const {
    if (nest_.scan.up_to < 0) return nest_.reductions;
    const int64_t extent = nest_.reduce[0], each = nest_.reductions / std::max<int64_t>(extent, 1);
    const int64_t place = vars_[static_cast<size_t>(nest_.scan.up_to)];
    return std::clamp<int64_t>(nest_.scan.mirrored ? extent - place : place + 1, 0, extent) * each;
  }

  /// All accumulators take a step at once: each sees the others as they were.
  void step_all() {
    next_numbers_.resize(acc_numbers_.size());
    next_integers_.resize(acc_integers_.size());
    for (size_t a = 0; a < nest_.bodies.size(); ++a) {
      run(nest_.bodies[a], a + 1);
      const size_t reg = nest_.bodies[a].code.size() - 1;
      const ir::DType kept_as = nest_.kept_as[a];
      if (nest_.bodies[a].sort == meaning::Sort::kNumber) {
        const Number next = combine_numbers(domain_, nest_.combiners[a], acc_numbers_[a], numbers_[reg]);
        next_numbers_[a] = kept_as == ir::DType::kUndefined ? next : domain_.cast(kept_as, next);
      } else {
        const int64_t next = combine_integers(domain_, nest_.combiners[a], acc_integers_[a], integers_[reg]);
        next_integers_[a] = kept_as == ir::DType::kUndefined ? next : stored_as(domain_, kept_as, next);
      }
    }
    acc_numbers_.swap(next_numbers_);
    acc_integers_.swap(next_integers_);
  }

  void start(size_t a) {
    if (const meaning::ScalarProgram& initial = nest_.initials[a]; !initial.code.empty()) {
      run(initial, 1 + nest_.bodies.size() + a);
      acc_numbers_[a] = numbers_[initial.code.size() - 1];
      acc_integers_[a] = integers_[initial.code.size() - 1];
      return;
    }
    acc_numbers_[a] = identities_[a];
    acc_integers_[a] = meaning::identity_integer(nest_.combiners[a]);
  }

  void combine(size_t a, size_t reg) {
    const ir::Combiner c = nest_.combiners[a];
    if (nest_.bodies[a].sort == meaning::Sort::kInteger)
      acc_integers_[a] = combine_integers(domain_, c, acc_integers_[a], integers_[reg]);
    else
      acc_numbers_[a] = combine_numbers(domain_, c, acc_numbers_[a], numbers_[reg]);
  }

  int64_t index(const ir::IndexExpr& e) {
    return index_value(e, vars_,
                       [&](int64_t read) { return known(domain_, integer_of(static_cast<int32_t>(read))); });
  }

  [[noreturn]] void out_of_bounds(const meaning::CompiledRead& read) {
    std::vector<int64_t> at;
    for (size_t d = 0; d < read.extents.size(); ++d)
      at.push_back(read.affine ? read.dims[d].at(vars_) : index(read.index[d]));
    fail_out_of_bounds(what_, read, at);
  }

  void run(const meaning::ScalarProgram& program, size_t which) {
    run_scalar(domain_, program, constants_.data() + first_constant_[which], numbers_.data(),
               integers_.data(), *this);
  }

  D& domain_;
  const meaning::CompiledNest& nest_;
  std::string_view what_;
  Source& source_;
  const Deadline* until_;
  uint32_t steps_ = 0;
  std::vector<int64_t> vars_;
  std::vector<Number> constants_;
  std::vector<size_t> first_constant_;
  std::vector<Number> fills_;
  std::vector<Number> identities_;
  std::vector<Number> numbers_;
  std::vector<int64_t> integers_;
  std::vector<Number> acc_numbers_;
  std::vector<int64_t> acc_integers_;
  std::vector<Number> next_numbers_;  // while accumulators take a step together
  std::vector<int64_t> next_integers_;
};

}  // namespace isomer::eval
