// Mirage's JSON of muGraphs: a list of muGraphs, each a list of kernel operators; edges are found by the
// tensors' guids. Thread graphs, which its project does not save, are written as it writes block graphs:
// `tb_customized_op` with a `tgraph` of `th_` operators between `stensor`s. Where there are several loops,
// forloop_range and forloop_dim are lists. Both forms are read: the list, and the older object whose
// `generated_graphs` have neither accumulators (they are put in) nor output operators (what nothing uses is
// an output).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// Throws InputError: file, which muGraph, which operator, what was expected. Every muGraph that is returned
/// has passed check_spec, except that shared memory is not limited.
std::vector<MuGraph> parse_mirage_json(std::string_view text, const std::string& file,
                                       const MuOpTable& ops = standard_mu_ops());
std::vector<MuGraph> read_mirage_json(const std::string& path);

/// The list form, one muGraph a line. `element_type`: Mirage's number, 940 for float16.
std::string write_mirage_json(const std::vector<MuGraph>& graphs, int element_type = 940);

}  // namespace isomer::mugraph
