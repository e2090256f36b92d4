// What XLA's calls of a library's matrix product (target "__cublas$gemm") say in their backend_config:
// alpha * a.b + beta * c, of these dimensions. An operand without batch dimensions where the other has some
// is the same matrix for all of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hlo/dot_dims.h"
#include "hlo/module.h"

namespace isomer::hlo {

constexpr std::string_view kGemmTarget = "__cublas$gemm";

struct GemmConfig {
  double alpha = 1, beta = 0;
  DotDims dims;
  std::vector<std::string> precision = {"DEFAULT", "DEFAULT"};  ///< of the operands
};

/// Nothing where it says what this does not hold (complex factors, an epilogue).
std::optional<GemmConfig> read_gemm_config(std::string_view text);
/// Of a call of the library, where this holds what it says.
std::optional<GemmConfig> gemm_config_of(const Module& module, InstructionId id);
/// Whether each operand, of these ranks, has one contracted dimension and no dimension twice.
bool fits_matrices(const GemmConfig& config, size_t left_rank, size_t right_rank);
/// Empty where none is said.
std::string_view custom_call_target(const Module& module, InstructionId id);
/// In braces, as XLA writes it.
std::string printed(const GemmConfig& config);

}  // namespace isomer::hlo
