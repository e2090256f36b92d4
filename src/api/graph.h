// A tensor program from outside: read, looked at, compared, written. A handle: copies are the same program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/operator.h"
#include "api/workspace.h"
#include "recipes/load.h"
#include "verify/verdict.h"

namespace isomer::api {

struct Node : Operator {
  uint32_t id = 0;
  std::string name;  ///< of the value; may be empty
  std::vector<uint32_t> inputs;
  std::string text;  ///< "transpose{perm=[1,0]}"
};

class Graph {
 public:
  Graph(std::shared_ptr<Workspace> workspace, recipes::Program program);

  /// Any program file (recipes/load.h). `dims`: sizes of dynamic dimensions by name.
  static Graph load(const std::string& path, const std::map<std::string, int64_t>& dims = {});
  /// The textual form (ir/print.h), in a workspace of its own or, `beside` a graph, in that one's.
  static Graph parse(const std::string& text, const Graph* beside = nullptr);
  /// The same model (names, operator set) with another graph of its context.
  Graph with(ir::Graph graph) const;

  size_t size() const { return ir().size(); }
  Node node(uint32_t id) const;
  std::vector<Node> nodes() const;
  std::vector<uint32_t> inputs() const;
  std::vector<uint32_t> outputs() const;
  std::string title() const { return ir().title(); }
  std::string text() const;
  /// How often each operator occurs.
  std::map<std::string, size_t> operators() const;
  /// The sum of its nodes' costs, by an analytic model.
  double cost(const std::string& model) const;

  /// ONNX, with weights folded, or the textual form, in which large constants are told by their hash alone.
  /// Throws InputError where it cannot be said.
  void save(const std::string& path) const;
  /// Both of one workspace: in the interpreter, no runtime is needed.
  verify::Verdict equivalent(const Graph& other, double seconds, const StopToken& stop) const;

  const ir::Graph& ir() const { return program_->graph; }
  const recipes::Program& program() const { return *program_; }
  const std::shared_ptr<Workspace>& workspace() const { return workspace_; }

 private:
  std::shared_ptr<Workspace> workspace_;
  std::shared_ptr<const recipes::Program> program_;
};

}  // namespace isomer::api
