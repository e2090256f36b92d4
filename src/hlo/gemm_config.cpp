#include "hlo/gemm_config.h"

#include <algorithm>
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
  const auto whole = static_cast<int64_t>(value);
  if (static_cast<double>(whole) == value) return whole;
  return value;
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
  if (!read(dims, "lhs_batch_dimensions", out.left_batch) ||
      !read(dims, "lhs_contracting_dimensions", out.left_contracting) ||
      !read(dims, "rhs_batch_dimensions", out.right_batch) ||
      !read(dims, "rhs_contracting_dimensions", out.right_contracting))
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

std::string printed(const GemmConfig& config) {
  Json out;
  out["alpha_real"] = number(config.alpha);
  out["alpha_imag"] = 0;
  out["beta"] = number(config.beta);
  Json& dims = out["dot_dimension_numbers"];
  dims["lhs_contracting_dimensions"] = texts(config.left_contracting);
  dims["rhs_contracting_dimensions"] = texts(config.right_contracting);
  dims["lhs_batch_dimensions"] = texts(config.left_batch);
  dims["rhs_batch_dimensions"] = texts(config.right_batch);
  out["precision_config"]["operand_precision"] = config.precision;
  out["epilogue"] = "DEFAULT";
  return out.dump();
}

}  // namespace isomer::hlo
