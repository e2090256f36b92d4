// A model as a shared object, held to the evaluation of the model before it gets its name.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "isomer/compile.h"
#include "recipes/load.h"

namespace isomer::recipes {

/// As isomer::compile_model.
CompileResult compile(const CompileOptions& options);

/// Of a graph that is there already; `options.input` and `options.dims` are not looked at.
struct InterfaceNames {
  std::vector<std::string> inputs, outputs;  ///< none: the graph's own
};
/// Of a file that has names; none of others.
InterfaceNames names_of(const Program& program);
/// InputError, naming the input, where a size is not known: no code is generated then.
void require_known_sizes(const ir::Graph& graph);
/// `meant`: what it is held to, where that is another graph than what is compiled.
CompileResult compile_graph(const ir::Graph& graph, const InterfaceNames& names,
                            const CompileOptions& options, const ir::Graph* meant = nullptr);

}  // namespace isomer::recipes
