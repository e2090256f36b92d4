// The hash of a program as a graph: equal for modules that compute the same in the same way, whatever their
// instructions and computations are called and in whichever order the text has them. HloEnv tells states of
// its search by such a hash; ours goes over the graph twice.
//
// Upwards an instruction hashes its opcode, shape (layouts too), attributes and operands: what it computes.
// Downwards it adds what its users are, so that a value that two users share differs from two equal values
// with a user each. A computation is the sum over its instructions, those that nobody uses included; a callee
// counts by its hash. Left out are names, metadata, statistics and origins, and attributes that say what
// their absence says too. Parameters count by their numbers. A constant that the text leaves out (`{...}`)
// counts by its shape alone.
#pragma once

#include <cstdint>
#include <vector>

#include "hlo/module.h"

namespace isomer::hlo {

uint64_t dag_hash(const Module& module);
/// Of one computation, without the module's attributes.
uint64_t dag_hash(const Module& module, ComputationId computation);
/// Upwards alone, of each instruction: equal in any two modules where they compute the same in the same way.
std::vector<uint64_t> term_hashes(const Module& module);
/// Of each instruction without its operands, those that stand in no computation too: opcode, shape, contents,
/// attributes.
std::vector<uint64_t> own_hashes(const Module& module);

}  // namespace isomer::hlo
