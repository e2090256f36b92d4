#include "extract/egraph_json.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>
#include <unordered_map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "support/errors.h"
#include "support/files.h"

namespace isomer::extract {

namespace {

using Json = nlohmann::json;

struct RawNode {
  std::string id;
  std::string op;
  std::string eclass;
  double cost = 1;
  double use = 0;
  std::string operator_text;
  int64_t value = -1;
  std::vector<std::string> children;
  bool has_op = false;
  bool has_class = false;
};

struct RawClass {
  std::string id, type, values;
};

/// Takes the parser's events as they come: no tree of the whole file is built, and no key is lost to another
/// one of the same name.
class Events : public nlohmann::json_sax<Json> {
 public:
  Events(std::string_view text, std::string file, std::string resource)
      : text_(text), file_(std::move(file)), resource_(std::move(resource)) {}

  std::vector<RawNode> nodes;
  std::vector<RawClass> classes;
  std::vector<std::string> roots;
  std::string program;
  bool has_nodes = false;
  bool has_roots = false;
  bool has_resource = false;

  [[noreturn]] void fail(const std::string& message) const { throw InputError({file_, 0, 0}, message); }

  bool null() override { return scalar("null"); }
  bool boolean(bool) override {
    if (at_ == At::kNode && key_ == "subsumed") return true;
    return scalar("a boolean");
  }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override {
    if (skipped_ == 0 && at_ == At::kNode && key_ == "value")
      nodes.back().value = static_cast<int64_t>(value);
    return number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    if (skipped_ > 0) return true;
    if (at_ == At::kChildren) {
      nodes.back().children.push_back(value);
    } else if (at_ == At::kRoots) {
      roots.push_back(value);
    } else if (at_ == At::kNode && key_ == "op") {
      nodes.back().op = value;
      nodes.back().has_op = true;
    } else if (at_ == At::kNode && key_ == "eclass") {
      nodes.back().eclass = value;
      nodes.back().has_class = true;
    } else if (at_ == At::kNode && key_ == "operator") {
      nodes.back().operator_text = value;
    } else if (at_ == At::kTop && key_ == "program") {
      program = value;
    } else if (at_ == At::kClass && key_ == "type") {
      classes.back().type = value;
    } else if (at_ == At::kClass && key_ == "values") {
      classes.back().values = value;
    } else {
      return scalar("a string");
    }
    return true;
  }
  bool binary(binary_t&) override { return scalar("binary data"); }
  bool start_object(std::size_t) override {
    if (skipped_ == 0 && at_ == At::kTop && key_ == "class_data") {
      at_ = At::kClasses;
    } else if (skipped_ == 0 && at_ == At::kClasses) {
      classes.push_back({key_, {}, {}});
      at_ = At::kClass;
    } else if (skipped_ > 0 || ignored()) {
      ++skipped_;
    } else if (at_ == At::kStart) {
      at_ = At::kTop;
    } else if (at_ == At::kTop && key_ == "nodes") {
      if (has_nodes) fail("expected one member \"nodes\", found a second one");
      has_nodes = true;
      at_ = At::kNodes;
    } else if (at_ == At::kNodes) {
      nodes.push_back({});
      nodes.back().id = key_;
      at_ = At::kNode;
    } else {
      scalar("an object");
    }
    return true;
  }
  bool key(string_t& value) override {
    if (skipped_ == 0) key_ = value;
    return true;
  }
  bool end_object() override {
    if (skipped_ > 0) {
      --skipped_;
    } else if (at_ == At::kNode) {
      const RawNode& n = nodes.back();
      if (!n.has_op) fail(fmt::format("node \"{}\": expected a member \"op\"", n.id));
      if (!n.has_class) fail(fmt::format("node \"{}\": expected a member \"eclass\"", n.id));
      at_ = At::kNodes;
    } else if (at_ == At::kClass) {
      at_ = At::kClasses;
    } else if (at_ == At::kNodes || at_ == At::kClasses) {
      at_ = At::kTop;
    } else {
      at_ = At::kEnd;
    }
    return true;
  }
  bool start_array(std::size_t) override {
    if (skipped_ > 0 || ignored()) {
      ++skipped_;
    } else if (at_ == At::kTop && key_ == "root_eclasses") {
      if (has_roots) fail("expected one member \"root_eclasses\", found a second one");
      has_roots = true;
      at_ = At::kRoots;
    } else if (at_ == At::kNode && key_ == "children") {
      nodes.back().children.clear();
      at_ = At::kChildren;
    } else {
      scalar("an array");
    }
    return true;
  }
  bool end_array() override {
    if (skipped_ > 0) {
      --skipped_;
    } else {
      at_ = at_ == At::kChildren ? At::kNode : At::kTop;
    }
    return true;
  }
  bool parse_error(std::size_t byte, const std::string&, const Json::exception& error) override {
    InputPosition where{file_, 1, 1};
    for (size_t i = 0; i + 1 < byte && i < text_.size(); ++i) {
      where.column = text_[i] == '\n' ? 1 : where.column + 1;
      where.line += text_[i] == '\n';
    }
    // The library's message without its own number and position.
    std::string_view what = error.what();
    if (const size_t end = what.find("] "); end != std::string_view::npos) what.remove_prefix(end + 2);
    if (what.starts_with("parse error at")) what.remove_prefix(std::min(what.find(": ") + 2, what.size()));
    throw InputError(where, fmt::format("expected JSON: {}", what));
  }

  /// Of costs, and of what is bounded: whatever is selected, a node a class, adds up to a number.
  void require_finite_sums(const std::unordered_map<std::string_view, ClassId>& class_number) const {
    std::vector<double> cost(class_number.size()), use(class_number.size());
    for (const RawNode& n : nodes) {
      const size_t c = class_number.at(n.eclass).index();
      cost[c] = std::max(cost[c], std::abs(n.cost));
      use[c] = std::max(use[c], n.use);
    }
    const auto require = [&](const std::vector<double>& most, std::string_view member) {
      if (!std::isfinite(std::accumulate(most.begin(), most.end(), 0.0)))
        fail(fmt::format("member \"{}\" of the nodes: expected numbers whose sum is finite", member));
    };
    require(cost, "cost");
    require(use, resource_);
  }

 private:
  enum class At : uint8_t { kStart, kTop, kNodes, kNode, kChildren, kClasses, kClass, kRoots, kEnd };

  // A member that the format does not name.
  bool ignored() const {
    return at_ == At::kClasses || at_ == At::kClass ||
           (at_ == At::kTop && key_ != "nodes" && key_ != "root_eclasses") ||
           (at_ == At::kNode && key_ != "op" && key_ != "eclass" && key_ != "cost" && key_ != "children" &&
            !is_resource());
  }
  bool is_resource() const { return !resource_.empty() && key_ == resource_; }

  bool number(double value) {
    if (skipped_ == 0 && at_ == At::kNode && key_ == "cost") {
      if (!std::isfinite(value)) fail(fmt::format("node \"{}\": expected a finite cost", nodes.back().id));
      nodes.back().cost = value;
      if (!is_resource()) return true;
    }
    if (skipped_ == 0 && at_ == At::kNode && is_resource()) {
      if (!std::isfinite(value) || value < 0)
        fail(fmt::format("node \"{}\", member \"{}\": expected a finite number >= 0", nodes.back().id, key_));
      nodes.back().use = value;
      has_resource = true;
      return true;
    }
    return scalar("a number");
  }

  // Whatever arrives here is ignored, or of the wrong type for its place.
  bool scalar(const char* what) const {
    if (skipped_ > 0 || ignored()) return true;
    switch (at_) {
      case At::kStart:
        fail(fmt::format("expected an object with \"nodes\" and \"root_eclasses\", found {}", what));
      case At::kTop:
        fail(fmt::format("member \"{}\": expected an {}, found {}", key_,
                         key_ == "nodes" ? "object" : "array", what));
      case At::kNodes: fail(fmt::format("node \"{}\": expected an object, found {}", key_, what));
      case At::kNode:
        fail(fmt::format(
            "node \"{}\", member \"{}\": expected {}, found {}", nodes.back().id, key_,
            key_ == "cost" || is_resource() ? "a number" : (key_ == "children" ? "an array" : "a string"),
            what));
      case At::kChildren:
        fail(fmt::format("node \"{}\": expected children to be strings, found {}", nodes.back().id, what));
      case At::kRoots: fail(fmt::format("member \"root_eclasses\": expected strings, found {}", what));
      case At::kClasses:
      case At::kClass:
      case At::kEnd: break;
    }
    return true;
  }

  std::string_view text_;
  std::string file_;
  std::string resource_;  // another member of nodes that is wanted, or empty
  std::string key_;
  At at_ = At::kStart;
  int skipped_ = 0;  // depth inside a member that is ignored
};

/// "3 14"; empty where it is something else.
std::vector<int64_t> numbers_in(const std::string& text) {
  std::vector<int64_t> out;
  std::istringstream words(text);
  for (int64_t n; words >> n;) out.push_back(n);
  return words.eof() ? out : std::vector<int64_t>();
}

}  // namespace

SerializedEGraph parse_egraph_json(std::string_view text, const std::string& file,
                                   const std::string& resource) {
  Events events(text, file, resource);
  Json::sax_parse(text, &events);
  if (!events.has_nodes) events.fail("expected a member \"nodes\"");
  if (!events.has_roots) events.fail("expected a member \"root_eclasses\"");
  if (!resource.empty() && !events.has_resource)
    events.fail(
        fmt::format("expected nodes with a number \"{}\", which is to be bounded, found none", resource));

  SerializedEGraph result;
  result.program = events.program;
  ProblemBuilder builder;
  std::unordered_map<std::string_view, ClassId> class_number;
  std::unordered_map<std::string_view, ClassId> class_of_node;
  for (const RawNode& n : events.nodes) {
    auto [known, is_new] = class_number.try_emplace(n.eclass);
    if (is_new) {
      known->second = builder.add_class();
      result.class_names.push_back(n.eclass);
    }
    if (!class_of_node.emplace(n.id, known->second).second) {
      events.fail(fmt::format("node \"{}\": expected every node id once, found it twice", n.id));
    }
  }
  events.require_finite_sums(class_number);
  std::vector<ClassId> children;
  for (const RawNode& n : events.nodes) {
    children.clear();
    for (const std::string& child : n.children) {
      const auto known = class_of_node.find(child);
      if (known == class_of_node.end()) {
        events.fail(fmt::format("node \"{}\": expected its children to be nodes of this file, found \"{}\"",
                                n.id, child));
      }
      children.push_back(known->second);
    }
    builder.add_node(class_of_node.at(n.id), n.cost, children);
    result.node_names.push_back(n.id);
    result.ops.push_back(n.op);
    result.operators.push_back(n.operator_text);
    result.values.push_back(n.value);
    if (!resource.empty()) result.use.push_back(n.use);
  }
  for (const std::string& root : events.roots) {
    const auto known = class_number.find(root);
    if (known == class_number.end()) {
      result.stale_roots.push_back(root);
    } else {
      builder.add_root(known->second);
    }
  }
  if (result.stale_roots.size() == events.roots.size()) {
    events.fail(events.roots.empty()
                    ? std::string("expected at least one root in \"root_eclasses\"")
                    : fmt::format("expected a root that some node names as its eclass; \"{}\" is none",
                                  events.roots[0]));
  }
  result.problem = builder.build();
  result.types.resize(class_number.size());
  result.held.resize(class_number.size());
  for (const RawClass& c : events.classes) {
    const auto known = class_number.find(c.id);
    if (known == class_number.end()) continue;
    result.types[known->second.index()] = c.type;
    result.held[known->second.index()] = numbers_in(c.values);
  }
  return result;
}

SerializedEGraph read_egraph_json(const std::string& path, const std::string& resource) {
  return parse_egraph_json(read_file(path), path, resource);
}

}  // namespace isomer::extract
