// Why nodes of a file are kept as they are, each reason once. A reader of them wants the first cause: those
// come first that are a node's own, then those that follow from what another node yields.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

namespace isomer::formats {

class KeptCauses {
 public:
  /// `cause`: "Loop: its body ...". It is a cause of its own where one of the nodes that have it says so.
  void add(const std::string& cause, bool follows) {
    Nodes& nodes = by_cause_[cause];
    ++nodes.count;
    nodes.follow = nodes.follow && follows;
  }

  /// "2 x opaque Loop: its body ...".
  std::vector<std::string> notes() const {
    std::vector<std::string> out;
    for_each([&](const std::string& cause, int count) {
      out.push_back(fmt::format("{} x opaque {}", count, cause));
    });
    return out;
  }
  /// Of them; empty: there is none.
  std::string first() const {
    std::string out;
    for_each([&](const std::string& cause, int) {
      if (out.empty()) out = cause;
    });
    return out;
  }

 private:
  struct Nodes {
    int count = 0;
    bool follow = true;
  };
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const bool follow : {false, true})
      for (const auto& [cause, nodes] : by_cause_)
        if (nodes.follow == follow) visit(cause, nodes.count);
  }

  std::map<std::string, Nodes> by_cause_;
};

}  // namespace isomer::formats
