// What `bench hlo --table 2` prints.
#pragma once

#include <cstdint>
#include <vector>

#include "evaluation/hlo_searches.h"

namespace isomer::cli {

/// `at`: numbers of evaluations at which searches are compared.
void print_searches(const evaluation::HloSearches& all, const evaluation::HloSearchesOptions& options,
                    const std::vector<uint64_t>& at);
void print_searches_json(const evaluation::HloSearches& all, const evaluation::HloSearchesOptions& options,
                         const std::vector<uint64_t>& at);

}  // namespace isomer::cli
