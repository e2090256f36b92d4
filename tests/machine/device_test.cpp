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

TEST(Devices, SayWhatCodeIsMadeForWithASource) {
  for (const char* name : {"a100", "h100"}) {
    const Device* device = find_device(name);
    ASSERT_NE(device, nullptr) << name;
    ASSERT_NE(device->gpu, nullptr) << name;
    EXPECT_FALSE(device->gpu->fitted.source.empty()) << name;
    EXPECT_LT(device->gpu->limits.block_shared_bytes, device->gpu->limits.shared_bytes) << name;
  }
}

// The limits of each compute capability are those of CUDA's programming guide, written down once more.
TEST(Devices, AGpuIsTakenForTheOneThatItsNameBeginsAs) {
  struct Case {
    const char* name;
    int64_t shared_kib;
    const Gpu* like;
    bool warpgroups;
  };
  for (const Case& c : {Case{"sm_80", 163, &kA100Gpu, false},
                        {"sm_86", 99, &kA100Gpu, false},
                        {"sm_87", 163, &kA100Gpu, false},
                        {"sm_89", 99, &kA100Gpu, false},
                        {"sm_90", 227, &kH100Gpu, false},
                        {"sm_90a", 227, &kH100Gpu, true},
                        {"sm_100", 227, &kH100Gpu, false},
                        {"sm_120", 99, &kH100Gpu, false}}) {
    const Gpu gpu = gpu_named(c.name);
    EXPECT_EQ(gpu.limits.block_shared_bytes, c.shared_kib * 1024) << c.name;
    EXPECT_EQ(gpu.limits.multiprocessors, c.like->limits.multiprocessors) << c.name;
    EXPECT_EQ(gpu.fitted.memory_bytes, c.like->fitted.memory_bytes) << c.name;
    EXPECT_EQ(gpu.warpgroups, c.warpgroups) << c.name;
  }
}

TEST(Devices, ThisProcessorHasTheCachesThatWereRead) {
  const Caches here = caches_here();
  EXPECT_EQ(this_cpu().l1_bytes, here.l1_bytes.value_or(Cpu{}.l1_bytes));
  EXPECT_EQ(this_cpu().l2_bytes, here.l2_bytes.value_or(Cpu{}.l2_bytes));
}

TEST(Devices, HaveLevelsWhereKernelsAreMadeForThem) {
  for (const Machine& machine :
       {*find_device("a100")->machine, *find_device("cpu")->machine, machine_of(this_cpu())}) {
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
