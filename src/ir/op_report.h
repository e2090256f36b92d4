// How much of a table, and of programs, has a meaning: operators and nodes counted by meaning kind.
// Procedural and opaque ones are those that no algebra reaches, so they are watched apart.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/op_table.h"

namespace isomer::ir {

class OpReport {
 public:
  explicit OpReport(const OpTable& table);

  /// Counts the nodes of a graph (bodies of opaque nodes are not entered).
  void add(const Graph& graph);

  struct Row {
    std::string op;  ///< opaque nodes: "opaque FORMAT:NAME", NAME being what the format calls the operator
    MeaningKind kind;
    int64_t count;
  };
  /// Operators of the nodes seen, the most frequent first, equal counts by name.
  std::vector<Row> rows() const;
  /// Operators of this kind in the table, and nodes of this kind seen.
  int64_t declared(MeaningKind kind) const { return declared_[static_cast<size_t>(kind)]; }
  int64_t counted(MeaningKind kind) const { return counted_[static_cast<size_t>(kind)]; }
  int64_t nodes() const;

  /// Two tables for people: kinds (declared, nodes), operators (kind, nodes).
  std::string text() const;
  /// One object: graphs, nodes, kinds {NAME: {declared, nodes}}, operators [{op, kind, count}].
  std::string json() const;

 private:
  static constexpr size_t kKinds = static_cast<size_t>(MeaningKind::kOpaque) + 1;
  std::array<int64_t, kKinds> declared_{};
  std::array<int64_t, kKinds> counted_{};
  std::map<std::string, Row> rows_;
  int64_t graphs_ = 0;
};

}  // namespace isomer::ir
