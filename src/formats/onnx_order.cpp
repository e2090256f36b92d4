#include "formats/onnx_order.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <queue>
#include <unordered_map>

#include "formats/onnx_scope.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

constexpr int kOutside = -1;  // an input or an initializer

class Order {
 public:
  Order(const onnx::GraphProto& graph, const std::string& file) : graph_(graph), file_(file) {}

  std::vector<int> run() {
    define_all();
    const int n = graph_.node_size();
    std::vector<std::vector<int>> users(static_cast<size_t>(n));
    std::vector<int> missing(static_cast<size_t>(n));
    for (int i = 0; i < n; ++i)
      for (const std::string& name : uses(i)) {
        const auto it = maker_.find(name);
        if (it == maker_.end())
          fail(fmt::format("{}: its input '{}' is not defined", describe(graph_.node(i), i), name));
        if (it->second == kOutside) continue;
        users[static_cast<size_t>(it->second)].push_back(i);
        ++missing[static_cast<size_t>(i)];
      }
    for (const auto& output : graph_.output())
      if (!maker_.contains(output.name()))
        fail(fmt::format("graph output '{}' is not defined: no node, input or initializer has that name",
                         output.name()));

    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (int i = 0; i < n; ++i)
      if (missing[static_cast<size_t>(i)] == 0) ready.push(i);
    std::vector<int> order;
    while (!ready.empty()) {
      const int i = ready.top();
      ready.pop();
      order.push_back(i);
      for (int user : users[static_cast<size_t>(i)])
        if (--missing[static_cast<size_t>(user)] == 0) ready.push(user);
    }
    if (order.size() < static_cast<size_t>(n)) fail_cycle(missing);
    return order;
  }

 private:
  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_, 0, 0}, message); }

  void define(const std::string& name, int maker, const std::string& who) {
    if (name.empty()) fail(fmt::format("{} has no name", who));
    if (!maker_.emplace(name, maker).second)
      fail(fmt::format("{}: the value '{}' is defined already", who, name));
  }

  void define_all() {
    for (const auto& input : graph_.input())
      define(input.name(), kOutside, fmt::format("graph input '{}'", input.name()));
    std::unordered_map<std::string, int> constants;
    const auto add_constant = [&](const std::string& name) {
      const std::string who = fmt::format("initializer '{}'", name);
      if (!constants.emplace(name, 0).second)
        fail(fmt::format("{}: the value '{}' is defined already", who, name));
      maker_.emplace(name, kOutside);  // an input of that name is what the initializer is the default of
    };
    for (const auto& tensor : graph_.initializer()) add_constant(tensor.name());
    for (const auto& tensor : graph_.sparse_initializer()) add_constant(tensor.values().name());
    for (int i = 0; i < graph_.node_size(); ++i)
      for (const std::string& name : graph_.node(i).output())
        if (!name.empty()) define(name, i, describe(graph_.node(i), i));
  }

  std::vector<std::string> uses(int i) const {
    std::vector<std::string> names = captured_names(graph_.node(i));
    for (const std::string& name : graph_.node(i).input())
      if (!name.empty()) names.push_back(name);
    return names;
  }

  /// Walks back along missing inputs until a node comes up twice: that one is on a circle.
  [[noreturn]] void fail_cycle(const std::vector<int>& missing) const {
    std::vector<bool> seen(missing.size());
    int at = 0;
    while (missing[static_cast<size_t>(at)] == 0) ++at;
    while (!seen[static_cast<size_t>(at)]) {
      seen[static_cast<size_t>(at)] = true;
      for (const std::string& name : uses(at)) {
        const int maker = maker_.at(name);
        if (maker != kOutside && missing[static_cast<size_t>(maker)] > 0) {
          at = maker;
          break;
        }
      }
    }
    fail(fmt::format("{}: the graph has a cycle through this node; expected an acyclic graph",
                     describe(graph_.node(at), at)));
  }

  const onnx::GraphProto& graph_;
  const std::string& file_;
  std::unordered_map<std::string, int> maker_;
};

}  // namespace

std::string describe(const onnx::NodeProto& node, int index) {
  return node.name().empty() ? fmt::format("node {} ({})", index, node.op_type())
                             : fmt::format("node '{}' ({})", node.name(), node.op_type());
}

std::vector<int> node_order(const onnx::GraphProto& graph, const std::string& file) {
  return Order(graph, file).run();
}

}  // namespace isomer::formats
