#include "support/build_identity.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace isomer {
namespace {

std::string output_of(const std::string& command) {
  std::string out;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) out += static_cast<char>(c);
  pclose(pipe);
  return out;
}

// Run by itself, in another process at other addresses, this prints the identity.
TEST(BuildIdentity, DISABLED_Print) { std::printf("identity=%016lx\n", build_identity()); }

TEST(BuildIdentity, TheSameInEveryProcessOfOneBuild) {
  ASSERT_NE(build_identity(), 0u);
  char own[32];
  std::snprintf(own, sizeof own, "identity=%016lx", build_identity());
  const std::string other =
      output_of("/proc/" + std::to_string(getpid()) +
                "/exe --gtest_also_run_disabled_tests --gtest_filter=BuildIdentity.DISABLED_Print 2>&1");
  EXPECT_NE(other.find(own), std::string::npos) << other;
}

}  // namespace
}  // namespace isomer
