#include "support/id_table.h"

#include <gtest/gtest.h>

#include <unordered_map>
#include <vector>

#include "support/ids.h"
#include "support/rng.h"

namespace isomer {
namespace {

struct NumberTag;
using Number = Id<NumberTag>;

// Few hashes for many ids, so that groups fill up and are probed beyond.
TEST(IdTable, HoldsWhatAMapHolds) {
  IdTable<Number> table;
  std::unordered_map<uint32_t, uint64_t> held;  // id to hash
  Rng rng(3);
  for (uint32_t step = 0; step < 4000; ++step) {
    const uint64_t hash = rng.below(200) * 0x9E3779B97F4A7C15ull;
    if (step % 3 != 2) {
      table.insert_growing(hash, Number(step), [&](Number id) { return held.at(id.v); });
      held.emplace(step, hash);
    } else if (!held.empty()) {
      const auto [id, of] = *held.begin();
      table.erase(of, Number(id));
      held.erase(id);
    }
    ASSERT_EQ(table.size(), held.size());
  }
  for (const auto& [id, of] : held)
    EXPECT_EQ(table.find(of, [&](Number n) { return n.v == id; }), Number(id));
  EXPECT_FALSE(table.find(1, [](Number) { return false; }).valid());
}

}  // namespace
}  // namespace isomer
