// Extraction as an integer program (Yang et al., TENSAT, MLSys 2021, section 5.1), in two formulations.
//
// Theirs: a column for every e-node; for every e-node i and child class m a row, sum of x over m >= x_i; and,
// against cycles, an ordering variable for every class with a big-M row for every child edge.
//
// Ours: a class c has a column y_c = sum of its x (one column if it has one node), and for each child class m
// one row, sum of x over the nodes of c that need m <= y_m: fewer rows and a tighter relaxation. Nothing is
// said about cycles outside cyclic components; inside, pairs of classes that need each other get a row at
// once, and the rest is added when a solution asks for it (separation.h). Ordering variables, real or
// integer, in cyclic components or everywhere, can be had instead, for comparison.
#pragma once

#include <span>
#include <vector>

#include "extract/components.h"
#include "extract/problem.h"
#include "support/ilp.h"

namespace isomer::extract {

enum class Ordering : uint8_t {
  kCuts,     ///< no variables: rows against the cycles that solutions have
  kReal,     ///< a position in [0, 1] for each class, as in the paper's default
  kInteger,  ///< a position in 0 .. classes - 1
};

struct Formulation {
  bool aggregated = true;  ///< one row for each class and child class; false: for each e-node and child class
  Ordering ordering = Ordering::kCuts;
  bool order_everywhere = false;  ///< outside cyclic components too
};

/// A row: the sum of its entries is at most `at_most`.
struct Cut {
  std::vector<ilp::Entry> entries;
  double at_most = 0;
  double violation = 0;  ///< by the point that it was made for
};

/// The problem must outlive the model, and every class of it must have a node.
class CoverModel {
 public:
  explicit CoverModel(const Problem& problem, const Formulation& formulation = {});

  const Problem& problem() const { return problem_; }
  const ilp::Model& model() const { return model_; }
  const Components& components() const { return parts_; }
  /// Columns of a node and of a class; the same if the class has one node.
  int32_t column(NodeId n) const { return node_column_[n.index()]; }
  int32_t column(ClassId c) const { return class_column_[c.index()]; }
  /// Whether a solution may be cyclic although it keeps all rows.
  bool cycles_possible() const { return cycles_possible_; }

  /// The point of a valid selection.
  std::vector<double> values(const Selection& selection) const;
  /// The heaviest node of each class that the roots lead to; may be cyclic.
  Selection picks(std::span<const double> x) const;
  /// Forbids the cycle through these classes, in order: arcs picked <= sum of all y but the first.
  Cut cycle_cut(std::span<const ClassId> cycle) const;

 private:
  void add_class(ClassId c);
  void add_child_rows(ClassId c);
  void forbid_pairs(ClassId c);
  void forbid_unused();
  void add_positions();
  std::vector<int32_t> needing(ClassId c, ClassId m) const;

  const Problem& problem_;
  Formulation formulation_;
  Components parts_;
  ilp::Model model_;
  std::vector<int32_t> node_column_;
  std::vector<int32_t> class_column_;
  std::vector<int32_t> position_;  // column by class; -1 where it has none
  std::vector<bool> is_root_;
  bool negative_ = false;
  bool cycles_possible_ = false;
};

}  // namespace isomer::extract
