// Reader of rule files (docs/rule_language.md), and of TENSAT's two kinds of rule files.
#pragma once

#include <string>
#include <string_view>

#include "ir/op_table.h"
#include "rewrite/rule.h"

namespace isomer::rewrite {

/// All rules of a rule file. A rule with <=> gives two, the second one named NAME.reverse. Throws InputError
/// with file, line, column and what was expected.
RuleSet parse_rules(const ir::OpTable& ops, std::string_view text, const std::string& file);

/// TENSAT's files; lines that begin with # are comments. Rules that join channels or kernels get the
/// condition that convolutions have one group: without it they are wrong, which TASO and TENSAT overlook.
/// Single-pattern rules, one a line, LEFT=>RIGHT; named PREFIX1, PREFIX2, ... by line.
RuleSet parse_tensat_single(const ir::OpTable& ops, std::string_view text, const std::string& file,
                            const std::string& prefix = "taso");
/// Multi-pattern rules: lines 2i-1 and 2i are one rule. Its split has no position; the position is
/// made explicit here: the extent along the axis of what the first left side matched, since split_0 is that
/// value.
RuleSet parse_tensat_multi(const ir::OpTable& ops, std::string_view text, const std::string& file,
                           const std::string& prefix = "taso-multi");

/// TASO's own file (graph_subst.pb, protocol buffers; `bytes` is its content): rules that map one output
/// first, named and conditioned as by parse_tensat_single, then those that map several. As in TENSAT, a rule
/// about convolutions of 3x3 kernels is taken for one about kernels of any size. InputError names the rule
/// (from 1) and the operator.
RuleSet parse_taso(const ir::OpTable& ops, std::string_view bytes, const std::string& file,
                   const std::string& prefix = "taso");

/// By the file's name: our language (.rules), TASO's file (.pb), else TENSAT's single or (its name contains
/// "multi") multi-pattern rules.
RuleSet load_rules(const ir::OpTable& ops, const std::string& path);

}  // namespace isomer::rewrite
