#include "report/machine.h"

#include <sys/utsname.h>

#include <fstream>
#include <thread>

#include "support/memory.h"
#include "support/units.h"

namespace isomer::report {

std::vector<std::pair<std::string, std::string>> describe_machine() {
  std::vector<std::pair<std::string, std::string>> out;
  std::ifstream cpuinfo("/proc/cpuinfo");
  for (std::string line; std::getline(cpuinfo, line);)
    if (line.starts_with("model name")) {
      const size_t colon = line.find(": ");
      if (colon != std::string::npos) out.emplace_back("processor", line.substr(colon + 2));
      break;
    }
  if (const unsigned cores = std::thread::hardware_concurrency(); cores > 0)
    out.emplace_back("cores", std::to_string(cores));
  if (const uint64_t bytes = physical_bytes(); bytes > 0) out.emplace_back("memory", format_bytes(bytes));
  utsname name{};
  if (uname(&name) == 0)
    out.emplace_back("system", std::string(name.sysname) + " " + name.release + " " + name.machine);
  return out;
}

}  // namespace isomer::report
