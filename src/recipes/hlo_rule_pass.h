// A file of rewrite rules (docs/rule_language.md) as a pass on modules of XLA: the entry computation as a
// program of the IR, each match of a rule there an alternative of an instruction, written as HLO from what
// its operators mean. So the rules that are checked by machine and serve ONNX models serve HLO as they are,
// with their conditions; nothing is stated twice.
//
// That passes of rules become alternatives which others decide is HloEnv's; that they are those of an
// e-graph, matched together (equal values are one there), is TENSAT's; between the two stands hlo_graph.h one
// way and program_writer.h the other.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "passes/pass.h"

namespace isomer::recipes {

/// `path`: as `isomer rules` reads it; the pass has its name. As for the main job, rules that are not shipped
/// are checked first, for a minute at most (rule_choice.h): what is wrong, unstable or was not reached is
/// left out. What the IR cannot say of the module is left alone. Kept as long as the file does not change.
/// Throws InputError where the file is no rules.
std::shared_ptr<const passes::Pass> hlo_rule_pass(const std::string& path);

/// Of those of these passes that are files of rules, what was left out and why: a line each.
std::vector<std::string> left_out_of(std::span<const std::shared_ptr<const passes::Pass>> passes);

/// Whether a pass of that name is a file of rules.
bool is_hlo_rule_file(const std::string& name);
/// A known pass, or a file of rules. Throws UsageError, InputError.
std::shared_ptr<const passes::Pass> hlo_pass(const std::string& name);
std::vector<std::shared_ptr<const passes::Pass>> hlo_passes(std::span<const std::string> names);

}  // namespace isomer::recipes
