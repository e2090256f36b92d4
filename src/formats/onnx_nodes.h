// The nodes of an ONNX file as a list, values by name, nothing translated: what is said to people about a
// place in a model, and what names a runtime can be asked for.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace isomer::formats {

/// An operator of a body.
struct OnnxInner {
  std::string op;
  bool to_bool = false;  ///< a Cast to bools: it asks of each number whether it is 0
};

struct OnnxNode {
  std::string op;                    ///< "Softmax"; of other domains "com.microsoft.Attention"
  std::vector<std::string> inputs;   ///< with the outer values that subgraphs use; absent ones left out
  std::vector<std::string> outputs;  ///< absent ones left out
  std::map<std::string, int64_t> integers;  ///< attributes of that kind
  std::string name;                         ///< of the node; often empty
  bool random = false;                      ///< draws random numbers without a seed (onnx_random.h)
  bool first = true;                        ///< whether the first of its inputs is given
  std::vector<OnnxInner> within = {};       ///< operators of its bodies, and of bodies in these
};

struct OnnxNodes {
  std::vector<OnnxNode> nodes;  ///< operands before users
  std::vector<std::string> inputs, outputs;
  int64_t opset = 0;  ///< of the default domain; 0 where the file imports none
};

/// How the result of that number holds places of elements of the node's first operand, if it does.
enum class Places : uint8_t { kNone, kOfOne, kOfSeveral };
Places places_in(const OnnxNode& node, size_t result);
/// Whether it is a Loop or a Scan; whether it is a Loop that is told how many rounds at most.
bool goes_round(const OnnxNode& node);
bool counts_rounds(const OnnxNode& node);
/// Whether it hands the values of its operand on, be it as another type.
bool hands_on(const OnnxNode& node);

/// Throws InputError for what is no ONNX file.
OnnxNodes list_onnx_nodes(const std::string& path);

}  // namespace isomer::formats
