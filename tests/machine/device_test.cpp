// The table of devices: one row each, with what the figures are from.
#include "machine/device.h"

#include <gtest/gtest.h>

#include <set>

namespace isomer::machine {
namespace {

TEST(Devices, HaveNamesOfTheirOwnAndFiguresWithASource) {
  std::set<std::string_view> names;
  for (const Device& device : devices()) {
    EXPECT_TRUE(names.insert(device.name).second) << device.name;
    EXPECT_FALSE(device.what.empty());
    EXPECT_EQ(find_device(device.name), &device);
    if (device.profile) {
      EXPECT_EQ(device.profile->name, device.name);
      EXPECT_FALSE(device.profile->source.empty()) << device.name;
      EXPECT_GT(device.profile->flops_per_second, device.profile->bytes_per_second) << device.name;
    }
  }
  EXPECT_EQ(find_device("none"), nullptr);
}

TEST(Devices, HaveLevelsWhereKernelsAreMadeForThem) {
  for (const Machine& machine : {a100(), machine_of({}), machine_of(this_cpu())}) {
    EXPECT_GT(machine.multiprocessors, 0) << machine.name;
    EXPECT_GT(machine.block_shared_bytes, 0) << machine.name;
    EXPECT_GT(machine.matmul_flops_per_second, 0) << machine.name;
  }
}

TEST(Devices, ACpuIsAsFastAsItHasCores) {
  Cpu one, eight;
  one.cores = 1;
  eight.cores = 8;
  EXPECT_EQ(8 * machine_of(one).flops_per_second, machine_of(eight).flops_per_second);
  EXPECT_GT(this_cpu().cores, 0);
}

}  // namespace
}  // namespace isomer::machine
