// The extraction gym's faster-greedy-dag, plainly, as the baseline that our heuristics are measured by: every
// class keeps the set of classes that its best known pick needs, with their costs; nodes are looked at from
// the leaves up, and again whenever a child class became cheaper, until nothing changes. A node's set is the
// union of its children's sets and its own class; a node whose set already holds its own class is passed
// over. No preprocessing. Sets are sorted vectors.
//
// Promise: a valid selection wherever there is one. Sets are not repaired when a class below changes.
#pragma once

#include "extract/problem.h"

namespace isomer::extract {

Selection faster_greedy_dag(const Problem& problem);

}  // namespace isomer::extract
