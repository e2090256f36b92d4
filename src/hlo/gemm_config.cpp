#include "hlo/gemm_config.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

namespace isomer::hlo {
namespace {

using Json = nlohmann::ordered_json;

bool has_only(const Json& object, std::initializer_list<std::string_view> keys) {
  return object.is_object() && std::ranges::all_of(object.items(), [&](const auto& item) {
           return std::ranges::find(keys, std::string_view(item.key())) != keys.end();
         });
}

/// Whole numbers, which protocol buffers write as strings.
bool read(const Json& dims, const char* key, std::vector<int64_t>& out) {
  if (!dims.contains(key)) return true;
  for (const Json& item : dims[key]) {
    const std::string text = item.is_string() ? item.get<std::string>() : item.dump();
    if (text.empty() || !std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; }) ||
        text.size() > 2)
      return false;
    out.push_back(std::stoll(text));
  }
  return true;
}

Json texts(const std::vector<int64_t>& numbers) {
  Json out = Json::array();
  for (const int64_t n : numbers) out.push_back(std::to_string(n));
  return out;
}

/// 1 as 1, not as 1.0.
Json number(double value) {
  constexpr double kAllWhole = int64_t{1} << 53;
  const bool is_whole = std::abs(value) < kAllWhole && std::trunc(value) == value;
  if (!is_whole || (value == 0 && std::signbit(value))) return value;
  return static_cast<int64_t>(value);
}

}  // namespace

std::optional<GemmConfig> read_gemm_config(std::string_view text) {
  const Json all = Json::parse(text, nullptr, false);
  if (!has_only(
          all, {"alpha_real", "alpha_imag", "beta", "dot_dimension_numbers", "precision_config", "epilogue"}))
    return std::nullopt;
  GemmConfig out;
  const auto real = [&](const char* key) { return all.value(key, Json(0)); };
  if (!real("alpha_real").is_number() || !real("beta").is_number() || real("alpha_imag") != Json(0))
    return std::nullopt;
  out.alpha = real("alpha_real").get<double>();
  out.beta = real("beta").get<double>();
  if (all.value("epilogue", Json("DEFAULT")) != Json("DEFAULT")) return std::nullopt;
  const Json dims = all.value("dot_dimension_numbers", Json::object());
  if (!has_only(dims, {"lhs_batch_dimensions", "lhs_contracting_dimensions", "rhs_batch_dimensions",
                       "rhs_contracting_dimensions"}))
    return std::nullopt;
  if (!read(dims, "lhs_batch_dimensions", out.dims.left_batch) ||
      !read(dims, "lhs_contracting_dimensions", out.dims.left_contracting) ||
      !read(dims, "rhs_batch_dimensions", out.dims.right_batch) ||
      !read(dims, "rhs_contracting_dimensions", out.dims.right_contracting))
    return std::nullopt;
  const Json precision = all.value("precision_config", Json::object());
  if (!has_only(precision, {"operand_precision"})) return std::nullopt;
  if (precision.contains("operand_precision")) {
    out.precision.clear();
    for (const Json& word : precision["operand_precision"]) {
      if (!word.is_string()) return std::nullopt;
      out.precision.push_back(word.get<std::string>());
    }
  }
  return out;
}

std::string_view custom_call_target(const Module& module, InstructionId id) {
  const auto target = module.find(id, AttributeName::kCustomCallTarget);
  return target ? module.text(TextId(static_cast<uint32_t>((*target)[0]))) : std::string_view();
}

std::optional<GemmConfig> gemm_config_of(const Module& module, InstructionId id) {
  const auto config = module.find(id, AttributeName::kBackendConfig);
  if (!config || custom_call_target(module, id) != kGemmTarget) return std::nullopt;
  return read_gemm_config(module.text(TextId(static_cast<uint32_t>((*config)[0]))));
}

bool fits_matrices(const GemmConfig& config, size_t left_rank, size_t right_rank) {
  const auto fits = [](std::vector<int64_t> dims, const std::vector<int64_t>& contracting, size_t rank) {
    dims.insert(dims.end(), contracting.begin(), contracting.end());
    std::ranges::sort(dims);
    return contracting.size() == 1 && std::ranges::adjacent_find(dims) == dims.end() && dims.front() >= 0 &&
           dims.back() < static_cast<int64_t>(rank);
  };
  return fits(config.dims.left_batch, config.dims.left_contracting, left_rank) &&
         fits(config.dims.right_batch, config.dims.right_contracting, right_rank);
}

std::string printed(const GemmConfig& config) {
  Json out;
  out["alpha_real"] = number(config.alpha);
  out["alpha_imag"] = 0;
  out["beta"] = number(config.beta);
  Json& dims = out["dot_dimension_numbers"];
  dims["lhs_contracting_dimensions"] = texts(config.dims.left_contracting);
  dims["rhs_contracting_dimensions"] = texts(config.dims.right_contracting);
  dims["lhs_batch_dimensions"] = texts(config.dims.left_batch);
  dims["rhs_batch_dimensions"] = texts(config.dims.right_batch);
  out["precision_config"]["operand_precision"] = config.precision;
  out["epilogue"] = "DEFAULT";
  return out.dump();
}

}  // namespace isomer::hlo
