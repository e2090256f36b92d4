// A model as a shared object: rewritten where that makes it faster (recipes/rewrite_for_code.h), compiled,
// and held to the evaluation of the model before it gets its name.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "isomer/compile.h"
#include "recipes/load.h"
#include "recipes/native_trial.h"
#include "recipes/rewrite_for_code.h"
#include "support/deadline.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

/// What a user may ask for meanwhile.
struct CompileStops {
  StopToken search;   ///< no other program is looked for any more
  StopToken writing;  ///< nothing is written: an Error of status 130
};

/// As isomer::compile_model.
CompileResult compile(const CompileOptions& options, const CompileStops& stops, ProgressSink& progress);

/// What code is made of, where another program than the one that was read is looked for.
struct ProgramForCode {
  RewrittenForCode found;  ///< its decision says why none is looked for, too
  double seconds = 0;

  const ir::Graph& graph(const Program& read) const { return found.graph ? *found.graph : read.graph; }
  /// The result with what it says of this.
  CompileResult told_in(CompileResult out) const;
};
/// `example` is of the program; it may be null where nothing is looked for, as without `check`.
ProgramForCode program_for_code(const Program& program, const Example* example, const CompileOptions& options,
                                const StopToken& stop, ProgressSink& progress);

/// What is compiled, held to what was read, in words (found_check.h): until then, but for two seconds at
/// least. Throws VerificationError where it is wrong.
std::string held_to(const ir::Graph& read, const ir::Graph& compiled, const Deadline& until);

struct InterfaceNames {
  std::vector<std::string> inputs, outputs;  ///< none: the graph's own
};
/// Of a file that has names; none of others.
InterfaceNames names_of(const Program& program);
/// InputError, naming the input, where a size is not known: no code is generated then.
void require_known_sizes(const ir::Graph& graph);
/// Of a graph that is there already, as it is; `options.input` and `options.dims` are not looked at. It is
/// held to the example; by default to one of its own. `abandon`: as CompileStops::writing.
CompileResult compile_graph(const ir::Graph& graph, const InterfaceNames& names,
                            const CompileOptions& options, const Example* example = nullptr,
                            const StopToken& abandon = {});

}  // namespace isomer::recipes
