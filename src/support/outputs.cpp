#include "support/outputs.h"

#include <fmt/format.h>

#include "support/atomic_file.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer {

void require_apart(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    const NamedFile& out = outputs[i];
    if (out.path.empty()) continue;
    for (const NamedFile& in : inputs)
      if (!in.path.empty() && same_file(out.path, in.path))
        throw UsageError(fmt::format("{} {}: this is {}, which is read; expected the name of another file",
                                     out.option, out.path, in.path));
    for (const NamedFile& other : outputs.first(i))
      if (!other.path.empty() && same_file(out.path, other.path))
        throw UsageError(fmt::format("{} {} and {} {} are one file; expected two", other.option, other.path,
                                     out.option, out.path));
  }
}

void check_outputs(std::span<const NamedFile> outputs, std::span<const NamedFile> inputs) {
  require_apart(outputs, inputs);
  for (const NamedFile& out : outputs)
    if (!out.path.empty()) check_writable(out.path);
}

}  // namespace isomer
