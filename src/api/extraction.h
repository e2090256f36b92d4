// Extraction from outside: the flat problem with its names, the extractors that there are, costs and
// extractors that are functions of the caller, and what comes of it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/egraph.h"
#include "extract/egraph_json.h"
#include "extract/extract.h"

namespace isomer::api {

/// What choosing came to. `picks`: by class, the number of a node or -1.
struct Choice {
  std::vector<int64_t> picks;
  bool found = false;
  double cost = 0, tree_cost = 0, bound = 0;
  bool optimal = false;
  std::string stop_reason;
  double seconds = 0;  ///< CPU
};

/// Classes, nodes, costs, operands and roots (extract/problem.h), by numbers from 0, and what they are
/// called. Nodes stand class by class where an e-graph gave them.
class ExtractionProblem {
 public:
  explicit ExtractionProblem(extract::SerializedEGraph file) : file_(std::move(file)) {}
  /// As the extraction gym and egraph-serialize write them.
  static ExtractionProblem load(const std::string& path);
  void save(const std::string& path) const;
  /// Class id -> e-node id, as `isomer extract -o` writes it and `isomer import` reads it.
  void save_choice(const std::string& path, const std::vector<int64_t>& picks) const;

  const extract::Problem& flat() const { return file_.problem; }
  const extract::SerializedEGraph& file() const { return file_; }

  /// An extractor of `isomer extract --help`, by name.
  Choice solve(const std::string& extractor, double seconds, uint64_t seed, const StopToken& stop) const;
  /// What the independent judge (extract/check.h) says of picks. Throws UsageError with the fault it finds.
  Choice check(const std::vector<int64_t>& picks) const;

 private:
  extract::SerializedEGraph file_;
};

/// They are given values: what they keep is theirs.
using CostFunction = std::function<double(Operator)>;
using Chooser = std::function<std::vector<int64_t>(ExtractionProblem)>;

struct ExtractOptions {
  std::string cost = "ast-size";  ///< unless there is a function
  /// Asked once for operators that are alike; at least 0, infinity for what must not be picked.
  CostFunction cost_function{};
  std::string extractor = "auto";  ///< unless there is a function
  Chooser chooser{};
  double seconds = 10;
  uint64_t seed = 1;
  bool weights_free = true;  ///< what weights alone give is folded when it is written
};

struct Extraction {
  Graph graph;
  Choice choice;
  std::vector<uint32_t> nodes;          ///< e-nodes that were picked
  std::map<std::string, size_t> rules;  ///< that made them, and how many
};

/// The e-graph as a flat problem: what the roots reach, may be picked, and can be written in the operator set
/// of a program that came as ONNX.
ExtractionProblem problem_of(EGraph& egraph, const ExtractOptions& options);
/// Throws InputError where nothing can be extracted, UsageError where a function gives what is no choice.
Extraction extract(EGraph& egraph, const ExtractOptions& options, const StopToken& stop);
/// A page on which the e-graph can be read, with what extraction chooses (report/egraph_page.h).
std::string page_of(EGraph& egraph, const ExtractOptions& options, const StopToken& stop);
/// The cost alone: no program is built.
double extracted_cost(EGraph& egraph, const ExtractOptions& options, const StopToken& stop);

}  // namespace isomer::api
