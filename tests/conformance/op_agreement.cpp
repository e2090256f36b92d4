// Writes what op_agreement.py holds against ONNX Runtime: for each operator that ONNX can spell, models of
// that one operator at random attributes, shapes and element types, random inputs, and what the interpreter
// makes of them.
//
//   op_agreement FOLDER [CASES_PER_OPERATOR] [SEED] [OPERATOR]
//
// FOLDER gets NUMBER.onnx, data.bin (inputs in their own element types, expected outputs as f64 or i64) and
// index.json. Each model is also read back: it must hold no opaque node and compute the same values. Fails
// when an operator with an ONNX spelling has no random cases.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>

#include "conformance/drawn_cases.h"
#include "conformance/op_cases.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/tensor_bytes.h"
#include "formats/onnx.h"
#include "ir/constant_data.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::conformance {
namespace {

using nlohmann::json;
using Value = eval::Value<double>;
using Tensor = eval::Tensor<double>;

constexpr int64_t kOpsets[] = {10, 11, 12, 13, 14, 15, 17, 18, 20, 22, 23, 24};
constexpr int64_t kNewest[] = {26, 28};  // for what the others have no word for

class Files {
 public:
  explicit Files(std::filesystem::path folder)
      : folder_(std::move(folder)), data_(folder_ / "data.bin", std::ios::binary) {}

  void model(int number, const std::string& bytes) {
    std::ofstream(folder_ / fmt::format("{}.onnx", number), std::ios::binary) << bytes;
  }
  /// Where the bytes lie in data.bin.
  int64_t append(const void* bytes, size_t size) {
    data_.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(size));
    at_ += static_cast<int64_t>(size);
    return at_ - static_cast<int64_t>(size);
  }
  void index(const json& all) { std::ofstream(folder_ / "index.json") << all.dump(1); }

 private:
  std::filesystem::path folder_;
  std::ofstream data_;
  int64_t at_ = 0;
};

json store_input(Files& files, const std::string& name, const Tensor& t) {
  const std::vector<std::byte> bytes = eval::to_bytes(t);
  return {{"name", name},
          {"dtype", ir::name(t.dtype)},
          {"sizes", t.sizes},
          {"offset", files.append(bytes.data(), bytes.size())}};
}

json store_output(Files& files, const std::string& name, const Tensor& t) {
  const bool real = ir::is_float(t.dtype);
  const auto at = real ? files.append(t.numbers.data(), 8 * t.numbers.size())
                       : files.append(t.integers.data(), 8 * t.integers.size());
  return {{"name", name}, {"dtype", ir::name(t.dtype)}, {"sizes", t.sizes}, {"offset", at}};
}

bool same_values(const std::vector<Value>& a, const std::vector<Value>& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Tensor &x = *a[i].tensor, &y = *b[i].tensor;
    // What an operator set has no name for is written in other words, whose constants are rounded.
    double largest = 1;
    for (double v : y.numbers)
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    const double tolerance = largest * (ir::bit_width(x.dtype) < 32 ? 1e-2 : 1e-6);
    const auto same = [&](double u, double v) {
      return u == v || (std::isnan(u) && std::isnan(v)) || std::abs(u - v) <= tolerance;
    };
    if (x.dtype != y.dtype || x.sizes != y.sizes || x.integers != y.integers) return false;
    if (!std::equal(x.numbers.begin(), x.numbers.end(), y.numbers.begin(), y.numbers.end(), same))
      return false;
  }
  return true;
}

/// Empty, or what is wrong with the model when it is read again.
std::string reread(const std::string& bytes, const std::vector<Value>& inputs,
                   const std::vector<Value>& expected) {
  try {
    ir::Context ctx(ir::standard_ops());
    const auto model = formats::read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "case", {{}, true});
    for (size_t i = 0; i < model.graph.size(); ++i)
      if (model.graph.def(ir::ValueId(i)).kind == ir::MeaningKind::kOpaque)
        return "reads back opaque: " + (model.notes.empty() ? std::string("no note") : model.notes[0]);
    eval::Float64 domain;
    if (!same_values(eval::evaluate(domain, model.graph, std::span<const Value>(inputs)), expected))
      return "reads back as another function";
  } catch (const std::exception& e) {
    return std::string("does not read back: ") + e.what();
  }
  return {};
}

class Campaign {
 public:
  Campaign(std::filesystem::path folder, uint64_t seed) : files_(std::move(folder)), rng_(seed) {}

  /// Returns whether it found a case to write.
  bool one(const std::string& op, const Draw& draw) {
    for (int attempt = 0; attempt < 200; ++attempt) {
      ir::Context ctx(ir::standard_ops());
      const Case c = draw(rng_);
      const auto graph = build_case(ctx, op, c);
      if (!graph) continue;
      const bool contrib = rng_.chance(0.5);  // the runtime's own operators, where there is one
      const int64_t opset = any_opset(*graph, contrib);
      if (opset == 0) continue;
      write(op, c, *graph, {opset, contrib});
      return true;
    }
    return false;
  }

  void finish() { files_.index(all_); }
  int count() const { return static_cast<int>(all_.size()); }

 private:
  int64_t any_opset(const ir::Graph& graph, bool contrib) {
    const size_t start = rng_.below(std::size(kOpsets));
    for (size_t i = 0; i < std::size(kOpsets); ++i) {
      const int64_t opset = kOpsets[(start + i) % std::size(kOpsets)];
      if (formats::unspellable(graph, {opset, contrib}).empty()) return opset;
    }
    for (const int64_t opset : kNewest)
      if (formats::unspellable(graph, {opset, contrib}).empty()) return opset;
    return 0;
  }

  void write(const std::string& op, const Case& c, const ir::Graph& graph, formats::Dialect dialect) {
    std::vector<Value> inputs;
    for (const Operand& o : c.operands) inputs.push_back(draw_value(o, rng_));
    eval::Float64 domain;
    const std::vector<Value> expected = eval::evaluate(domain, graph, std::span<const Value>(inputs));
    const auto envelope = formats::OnnxEnvelope::plain(graph, dialect.opset);
    const std::string bytes = formats::write_onnx_bytes(graph, *envelope, dialect.contrib);
    json entry = {{"number", count()},
                  {"op", op},
                  {"opset", dialect.opset},
                  {"text", ir::print(graph)},
                  {"inputs", json::array()},
                  {"outputs", json::array()},
                  {"reread", reread(bytes, inputs, expected)}};
    const auto input_names = envelope->input_names(), output_names = envelope->output_names();
    for (size_t i = 0; i < inputs.size(); ++i)
      entry["inputs"].push_back(store_input(files_, input_names[i], *inputs[i].tensor));
    for (size_t i = 0; i < expected.size(); ++i)
      entry["outputs"].push_back(store_output(files_, output_names[i], *expected[i].tensor));
    files_.model(count(), bytes);
    all_.push_back(std::move(entry));
  }

  Files files_;
  Rng rng_;
  json all_ = json::array();
};

bool is_spelled(const ir::OpDef& def) {
  return std::ranges::any_of(def.spellings, [](const ir::Spelling& s) { return s.format == "onnx"; });
}

int run(int argc, char** argv) {
  if (argc < 2) throw UsageError("op_agreement FOLDER [CASES_PER_OPERATOR] [SEED] [OPERATOR]");
  const int cases = argc > 2 ? std::stoi(argv[2]) : 12;
  const std::string only = argc > 4 ? argv[4] : "";
  std::filesystem::create_directories(argv[1]);
  Campaign campaign(argv[1], argc > 3 ? std::stoull(argv[3]) : 1);
  const ir::OpTable& table = ir::standard_ops();
  int missing = 0;
  for (size_t i = 0; i < table.size(); ++i) {
    const ir::OpDef& def = table.get(ir::OpId(i));
    const auto draw = op_cases().find(def.name);
    if (!only.empty() && def.name != only) continue;
    if (draw == op_cases().end()) {
      if (!is_spelled(def)) continue;
      fmt::print(stderr, "{}: spelled in ONNX, but has no random cases\n", def.name);
      ++missing;
      continue;
    }
    for (int n = 0; n < cases; ++n) {
      if (campaign.one(def.name, draw->second)) continue;
      fmt::print(stderr, "{}: none of 200 random cases can be written\n", def.name);
      ++missing;
      break;
    }
  }
  campaign.finish();
  fmt::print("{} cases\n", campaign.count());
  return missing == 0 ? 0 : 1;
}

}  // namespace
}  // namespace isomer::conformance

int main(int argc, char** argv) {
  try {
    return isomer::conformance::run(argc, argv);
  } catch (const std::exception& e) {
    std::cerr << e.what() << "\n";
    return 2;
  }
}
