// All matches of the patterns of a code tree in a clean store, as tables.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "egraph/code_tree.h"

namespace isomer::egraph {

/// Matches of one pattern in one flat array: the root's class, then the bindings.
class Matches {
 public:
  Matches() = default;
  Matches(uint32_t class_variables, uint32_t attr_variables)
      : class_variables_(class_variables), stride_(1 + class_variables + attr_variables) {}

  size_t size() const { return data_.size() / stride_; }
  bool empty() const { return data_.empty(); }
  ClassId root(size_t i) const { return ClassId(data_[i * stride_]); }
  Subst subst(size_t i) const {
    return {std::span(data_).subspan(i * stride_ + 1, stride_ - 1), class_variables_};
  }
  uint32_t class_variables() const { return class_variables_; }
  void clear() { data_.clear(); }
  void truncate(size_t matches) { data_.resize(std::min(data_.size(), matches * stride_)); }
  /// Room for one more match; the caller fills root and bindings.
  std::span<uint32_t> append() {
    data_.resize(data_.size() + stride_);
    return std::span(data_).last(stride_);
  }
  void append(const Matches& more) { data_.insert(data_.end(), more.data_.begin(), more.data_.end()); }

 private:
  std::vector<uint32_t> data_;
  uint32_t class_variables_ = 0;
  uint32_t stride_ = 1;
};

struct MatchOptions {
  std::vector<SearchMode> modes;  ///< by pattern; empty: all in full
  std::vector<size_t> limits;     ///< most matches, by pattern; empty: no limits
  unsigned threads = 1;           ///< the result does not depend on it
};

struct MatchResult {
  std::vector<Matches> found;  ///< by pattern; in order of root nodes, at most its limit
  std::vector<bool> exceeded;  ///< there were more than the limit
};

/// Filtered nodes never take part. `language` may be null if no pattern looks at attribute slots.
MatchResult match(const Store& store, const Language* language, const CodeTree& tree,
                  const MatchOptions& options = {});

/// Only how many there are, by pattern, up to one more than its limit.
std::vector<uint64_t> count_matches(const Store& store, const Language* language, const CodeTree& tree,
                                    const std::vector<SearchMode>& modes, const std::vector<size_t>& limits);

/// All matches of all patterns in one root class.
std::vector<Matches> match_class(const Store& store, const Language* language, const CodeTree& tree,
                                 ClassId root);

/// Cuts the node ids into ranges that `threads` threads share, and calls work(range, first, last) for each,
/// `ranges` of them in all; which thread does which range is left to chance, so results go by range.
size_t search_ranges(const Store& store, unsigned threads);
void for_each_range(const Store& store, unsigned threads, size_t ranges,
                    const std::function<void(size_t range, NodeId first, NodeId last)>& work);

}  // namespace isomer::egraph
