// Cases as files: a shared object each, inputs, what evaluation computes, and of what size each element of it
// is summed (rounding_size.h). What runs them where it may be said: gpu_cases.py, aarch64_cases.py.
#pragma once

#include <bit>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "conformance/drawn_cases.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/run_text.h"
#include "eval/tensor_bytes.h"
#include "ir/op_table.h"
#include "native/rounding_size.h"
#include "native/shared_object.h"
#include "support/errors.h"

namespace isomer::native {

using Values = std::vector<eval::Value<double>>;
using Sizes = std::vector<eval::ElementSizes>;

class CaseFiles {
 public:
  explicit CaseFiles(std::string folder) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    data_.open(folder_ + "/data.bin", std::ios::binary);
  }

  /// Of that name, for the processor that `options` name.
  void add(const std::string& op, const codegen::LoopProgram& loops, const SharedObjectOptions& options,
           const ir::Graph& graph, const Values& inputs, const Sizes& sizes) {
    const std::string name = fmt::format("{}.so", list_.size());
    write_shared_object(loops, graph.context(), options, folder_ + "/" + name);
    eval::Float64 domain;
    const Values expected = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs));
    nlohmann::ordered_json one = {{"op", op}, {"file", name}};
    one[options.gpu.empty() ? "cpu" : "gpu"] = options.gpu.empty() ? options.cpu : options.gpu;
    one["inputs"] = described(inputs);
    one["outputs"] = described(expected);
    for (const eval::ElementSizes& of : sizes) write_sizes(of);
    list_.push_back(std::move(one));
  }
  size_t count() const { return list_.size(); }
  void write() {
    data_.close();
    std::ofstream(folder_ + "/cases.json") << list_.dump();
  }

 private:
  nlohmann::ordered_json described(const Values& values) {
    nlohmann::ordered_json out = nlohmann::ordered_json::array();
    for (const auto& v : values) {
      const std::vector<std::byte> bytes = eval::to_bytes(*v.tensor);
      out.push_back(
          {{"type", ir::name(v.tensor->dtype)}, {"shape", v.tensor->sizes}, {"bytes", bytes.size()}});
      data_.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    }
    return out;
  }
  /// As bf16, rounded up.
  void write_sizes(const eval::ElementSizes& sizes) {
    std::vector<uint16_t> halves;
    constexpr uint32_t kBelow = 0xffff, kHalf = 16;
    for (const float size : sizes)
      halves.push_back(static_cast<uint16_t>((std::bit_cast<uint32_t>(size) + kBelow) >> kHalf));
    data_.write(reinterpret_cast<const char*>(halves.data()),
                static_cast<std::streamsize>(halves.size() * sizeof(uint16_t)));
  }

  std::string folder_;
  std::ofstream data_;
  nlohmann::ordered_json list_ = nlohmann::ordered_json::array();
};

/// Each operator so many times at random attributes, shapes and types: add(op, graph, inputs). Those of which
/// an InputError says that no code is generated; any other error goes up.
template <class Add>
std::set<std::string> each_operator(Rng& rng, int draws, const Add& add) {
  std::set<std::string> without;
  conformance::for_each_case(
      rng, draws, [&](const std::string& op, const ir::Graph& graph, const Values& inputs) {
        try {
          add(op, graph, inputs);
        } catch (const InputError& e) {
          if (!std::string_view(e.what()).starts_with("no code ") &&
              std::string_view(e.what()).find(": no code is generated for ") == std::string_view::npos)
            throw;
          without.insert(op);
        }
      });
  return without;
}

/// Drawn for a program that sums products: smaller than 1, so that roundings of scores are not all of their
/// exponentials.
inline Values small_inputs(const ir::Graph& graph, Rng& rng) {
  constexpr double kSmaller = 0.25;
  Values out;
  for (const ir::ValueId v : graph.inputs()) {
    auto drawn = eval_test::random_tensor(graph.type(v).dtype, ir::sizes(graph.type(v).shape), rng);
    for (double& x : drawn.numbers) x *= kSmaller;
    out.push_back(eval::make_value(std::move(drawn)));
  }
  return out;
}

}  // namespace isomer::native
