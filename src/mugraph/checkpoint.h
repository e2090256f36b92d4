// What a search has finished, in a file, so that a search that was killed goes on where it was: the
// expansions of kernel graphs, each by the number of its kernel graph and its part.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "mugraph/generate.h"
#include "support/store.h"

namespace isomer::mugraph {

class Checkpoint {
 public:
  /// Entries of searches that differ in what they look at do not meet: `search` tells them apart.
  Checkpoint(const std::string& file, uint64_t search);
  ~Checkpoint() { flush(); }
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;

  /// Not while another thread puts.
  std::optional<Expansion> get(uint64_t kernel_graph, std::optional<size_t> part);
  /// Kept within a second or so, and by flush. From any thread.
  void put(uint64_t kernel_graph, std::optional<size_t> part, const Expansion& expansion);
  void flush();

 private:
  void write();

  Store store_;
  std::string space_;
  std::mutex mutex_;
  std::vector<Store::Entry> pending_;
  double last_ = 0;
};

}  // namespace isomer::mugraph
