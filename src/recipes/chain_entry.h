// A step of a chain of rewrites as records and reports tell it.
#pragma once

#include "rewrite/explain_chain.h"
#include "support/run_record.h"

namespace isomer::recipes {

/// Without a cost (NaN).
RewriteEntry chain_entry(const rewrite::Saturation& saturation, const rewrite::ChainStep& step);

}  // namespace isomer::recipes
