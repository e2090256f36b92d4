// An e-graph of tensors as a picture (support/search_record.h).
#pragma once

#include <functional>
#include <span>

#include "rewrite/tensor_egraph.h"
#include "support/search_record.h"

namespace isomer::recipes {

/// `picked`: e-nodes of the program that is to stand out. At most `most` nodes: those that are not picked and
/// farthest from the results are left out.
EGraphPicture picture(const rewrite::TensorEGraph& program, std::span<const egraph::NodeId> picked,
                      size_t most = 4000);

/// Shown a program's e-graph as it begins and as it ends, with the e-nodes that the result is made of.
using EGraphViewer = std::function<void(const rewrite::TensorEGraph&, std::span<const egraph::NodeId>)>;

}  // namespace isomer::recipes
