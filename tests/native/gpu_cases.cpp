// gpu_cases FOLDER [SEED [DRAWS]]: writes each operator at random attributes, shapes and types, products for
// Hopper's own instructions and in parts, and kernels with a schedule, as shared objects for a graphics
// processor, with inputs and what evaluation computes: what gpu_cases.py runs where there is one. Prints how
// many there are, and of which operators there is no code; fails where a tile of products has no case.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstdlib>
#include <set>
#include <span>
#include <utility>

#include "codegen/generate.h"
#include "codegen/kernel_graphs.h"
#include "ir/print.h"
#include "native/case_files.h"

namespace {

using namespace isomer;
using native::Sizes;
using native::Values;

/// A product: `left` and `right` are turned before they meet where these say so.
struct ProductCase {
  const char* type;
  int64_t batch, rows, columns, sum;
  bool left_turned, right_turned;
  const char* after;  ///< "": nothing; else with a bias along the columns
};
constexpr ProductCase kProducts[] = {
    {"f16", 1, 128, 128, 64, false, false, ""},
    {"f16", 1, 128, 128, 64, false, true, ""},
    {"f16", 1, 128, 128, 64, true, false, ""},
    {"f16", 1, 128, 128, 64, true, true, ""},
    {"bf16", 1, 256, 384, 512, false, false, ""},
    {"bf16", 1, 256, 384, 512, true, true, "relu"},
    {"f16", 1, 200, 312, 264, false, false, "tanh"},
    {"f16", 1, 77, 72, 1032, false, true, "relu"},
    {"bf16", 1, 40, 56, 8, false, false, ""},
    {"f16", 3, 136, 88, 120, false, true, "relu"},
    {"f16", 5, 64, 64, 40, true, false, ""},
    {"bf16", 2, 333, 640, 96, false, false, "tanh"},
    {"f16", 1, 1000, 2048, 72, false, false, ""},
    {"f16", 1, 2048, 256, 328, true, false, "relu"},
    {"f16", 1, 2048, 2040, 72, false, true, ""},
    {"f16", 1, 64, 16000, 24, false, true, ""},
    {"bf16", 1, 60, 32000, 8, false, false, "relu"},
    {"f16", 1, 33000, 128, 24, false, false, ""},
    {"f16", 1, 16000, 64, 24, true, false, ""},
    // Sums in parts, by groups of warps, by warps and by threads.
    {"f16", 1, 64, 128, 2048, false, false, "relu"},
    {"bf16", 1, 100, 200, 2048, false, true, "tanh"},
    {"f16", 1, 16, 136, 2048, false, false, ""},
    {"bf16", 1, 8, 200, 3072, false, false, "relu"},
    {"f16", 2, 24, 136, 1024, true, true, "relu"},
    {"f32", 1, 16, 128, 2048, false, false, "relu"},
    {"f32", 1, 1, 200, 2048, false, false, "tanh"},
    {"f16", 1, 1, 200, 2048, false, false, "relu"},
    {"f16", 1, 2, 50, 4096, false, true, ""},
    {"f32", 1, 40, 1, 4096, false, false, ""},
    // The same, of 257, 386, 1027 and 411 terms: no part is of whole pieces of 16 bytes.
    {"f16", 1, 64, 128, 2056, false, false, "relu"},
    {"bf16", 1, 16, 136, 2316, false, true, ""},
    {"f32", 1, 8, 128, 2054, false, false, "tanh"},
    {"f16", 1, 1, 200, 2055, false, false, ""},
};

std::string shape_of(const ProductCase& c, int64_t m, int64_t n) {
  return c.batch > 1 ? fmt::format("[{},{},{}]", c.batch, m, n) : fmt::format("[{},{}]", m, n);
}
std::string result_type(const ProductCase& c) { return c.type + shape_of(c, c.rows, c.columns); }
/// `bare`: with the bias, but without the function after it.
std::string text_of(const ProductCase& c, bool bare = false) {
  const auto shape = [&](int64_t m, int64_t n) { return shape_of(c, m, n); };
  const char* turn = c.batch > 1 ? "[0,2,1]" : "[1,0]";
  std::string out = "graph {\n";
  const auto operand = [&](const char* name, int64_t m, int64_t n, bool turned) {
    out += fmt::format("%{}0 = input{{name=\"{}\"}} : {}{}\n", name, name, c.type,
                       turned ? shape(n, m) : shape(m, n));
    if (turned)
      out += fmt::format("%{0} = transpose{{perm={1}}}(%{0}0) : {2}{3}\n", name, turn, c.type, shape(m, n));
    return fmt::format("%{}{}", name, turned ? "" : "0");
  };
  const std::string a = operand("a", c.rows, c.sum, c.left_turned),
                    b = operand("b", c.sum, c.columns, c.right_turned);
  const std::string result = result_type(c);
  out += fmt::format("%m = matmul({}, {}) : {}\n", a, b, result);
  if (*c.after == 0) return out + "return %m }";
  return out + fmt::format(
                   "%c = input{{name=\"c\"}} : {0}[{1}]\n%w = broadcast{{shape={2}}}(%c) : {3}\n%s = add(%m, "
                   "%w) : {3}\n"
                   "%y = {4}(%s) : {3}\nreturn %{5} }}",
                   c.type, c.columns, shape(c.rows, c.columns), result, c.after, bare ? "s" : "y");
}

/// Writes cases, one after the other.
class Cases {
 public:
  explicit Cases(std::string folder) : files_(std::move(folder)) {}

  /// `sizes`: of what each element of each result is summed of (rounding_size.h). Throws InputError where
  /// there is no code.
  void add(const std::string& op, const std::string& gpu, const ir::Graph& graph, const Values& inputs,
           const Sizes& sizes) {
    native::SharedObjectOptions options;
    options.gpu = gpu;
    options.cpu = "x86-64";
    const codegen::LoopProgram loops = codegen::generate_for_gpu(graph, codegen::gpu_options_for(gpu));
    note_tiles(loops.body, {});
    files_.add(op, loops, options, graph, inputs, sizes);
  }
  size_t count() const { return files_.count(); }
  /// Rows and columns of blocks whose products are by groups of warps.
  const std::set<std::pair<int64_t, int64_t>>& tiles() const { return tiles_; }
  void write() { files_.write(); }

 private:
  void note_tiles(const std::vector<codegen::Statement>& body, std::vector<int64_t> threads) {
    for (const codegen::Statement& s : body) {
      const auto* loop = std::get_if<codegen::Loop>(&s.node);
      if (loop == nullptr) continue;
      if (loop->kind == codegen::LoopKind::kWarpgroup) {
        const auto& columns = std::get<codegen::Loop>(loop->body[0].node);
        tiles_.emplace(threads[0] * loop->end.value(), threads[1] * columns.end.value());
        continue;
      }
      std::vector<int64_t> inner = threads;
      if (loop->kind == codegen::LoopKind::kThread && loop->end.kind() == ir::IndexExpr::Kind::kConst)
        inner.push_back(loop->end.value());
      note_tiles(loop->body, std::move(inner));
    }
  }

  native::CaseFiles files_;
  std::set<std::pair<int64_t, int64_t>> tiles_;
};

/// Kernels that run as they say.
void add_kernels(Cases& cases, Rng& rng) {
  namespace graphs = codegen::kernel_graphs;
  std::vector<std::pair<std::string, std::string>> texts;  // the processor, what it is
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const int rows : {2, 3, 16}) {
      texts.emplace_back("sm_80", graphs::product(dtype, rows, true));
      texts.emplace_back("sm_80", graphs::product(dtype, rows, true, 8));
      texts.emplace_back("sm_80", graphs::attention(dtype, rows));
      texts.emplace_back("sm_80", graphs::online_attention(dtype, rows));
      texts.emplace_back("sm_80", graphs::two_kernels(dtype, rows));
    }
    texts.emplace_back("sm_80", graphs::two_loops(dtype));
    for (const char* gpu : {"sm_80", "sm_90a"}) texts.emplace_back(gpu, graphs::among_operators(dtype, 64));
  }
  for (const auto& [gpu, text] : texts) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, text);
    const Values inputs = native::small_inputs(graph, rng);
    cases.add("kernel", gpu, graph, inputs, eval::rounding_sizes(graph, inputs));
  }
}

/// Of what each element of a product is summed: it, of the sizes of its operands; then what comes after it.
Sizes sizes_of_product(const ProductCase& c, const Values& inputs) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph product = ir::parse_graph(ctx, text_of(c, true));
  Values positive;
  for (const auto& v : inputs) {
    eval::Tensor<double> t = *v.tensor;
    for (double& x : t.numbers) x = std::abs(x);
    positive.push_back(eval::make_value(std::move(t)));
  }
  eval::Float64 domain;
  const auto sum = eval::evaluate(domain, product, std::span<const eval::Value<double>>(inputs))[0].tensor,
             size = eval::evaluate(domain, product, std::span<const eval::Value<double>>(positive))[0].tensor;
  eval::Tensor<eval::Sized> sized{sum->dtype, sum->sizes, {}, {}};
  for (size_t i = 0; i < sum->numbers.size(); ++i)
    sized.numbers.push_back({sum->numbers[i], size->numbers[i]});
  if (*c.after == 0) return {eval::ElementSizes(size->numbers.begin(), size->numbers.end())};
  const ir::Graph rest = ir::parse_graph(
      ctx, fmt::format("graph {{ %s = input{{name=\"s\"}} : {0}\n%y = {1}(%s) : {0}\nreturn %y }}",
                       result_type(c), c.after));
  return eval::rounding_sizes(rest, {eval::make_value(std::move(sized))});
}

void add_products(Cases& cases, Rng& rng) {
  for (const ProductCase& c : kProducts) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, text_of(c));
    Values inputs;
    for (const ir::ValueId v : graph.inputs()) {
      const conformance::Operand o{graph.type(v).dtype, ir::sizes(graph.type(v).shape), -1, 1};
      inputs.push_back(conformance::draw_value(o, rng));
    }
    cases.add(fmt::format("matmul, {}", c.after), "sm_90a", graph, inputs, sizes_of_product(c, inputs));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return fmt::print(stderr, "gpu_cases FOLDER [SEED [DRAWS]]\n"), 2;
  const std::string folder = argv[1];
  Rng rng(argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1);
  const int draws = argc > 3 ? std::atoi(argv[3]) : 2;
  Cases cases(folder);
  // Whatever comes after sm_80 runs it, too.
  const auto without =
      native::each_operator(rng, draws, [&](const auto& op, const auto& graph, const auto& inputs) {
        cases.add(op, "sm_80", graph, inputs, eval::rounding_sizes(graph, inputs));
      });
  add_products(cases, rng);
  add_kernels(cases, rng);
  cases.write();
  fmt::print("{} cases; no code for {}\n", cases.count(), fmt::join(without, ", "));
  constexpr size_t kTiles = 7;  // that a product by groups of warps may have
  if (cases.tiles().size() == kTiles) return 0;
  fmt::print("only {} tiles of products by groups of warps: {}\n", cases.tiles().size(), cases.tiles());
  return 1;
}
