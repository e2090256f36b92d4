// A model whose results a runtime cannot keep in wider types than they have.
#pragma once

#include <string>

namespace isomer::formats {

/// The file with an Identity behind every result of a node, bodies of control flow included, and nothing else
/// changed, as one message. A runtime without a kernel for float16 computes in float32 between casts, and
/// drops a cast down and up again even where it is told to rewrite nothing: the operator that reads the
/// result then sees digits that float16 does not have. With an Identity between the casts it cannot. Throws
/// InputError for what is no ONNX file; weights in other files are not brought along.
std::string with_results_rounded(const std::string& path);

}  // namespace isomer::formats
