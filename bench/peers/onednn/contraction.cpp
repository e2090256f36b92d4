// One convolution or product by oneDNN, as a peer of bench/contractions.py (which compiles this file and
// calls it by ctypes). What oneDNN recommends is done: its own layout of weights where they are known
// beforehand, converted once. Images come and go as ONNX has them (row-major), as for the others; a
// convolution is built both ways, on row-major images and on images in oneDNN's own layout with the
// conversions at each run, and the faster one is kept.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <dnnl.hpp>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

using dnnl::memory;

const dnnl::engine& engine() {
  static const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
  return cpu;
}

dnnl::stream& stream() {
  static dnnl::stream one(engine());
  return one;
}

memory::desc row_major(const memory::dims& dims) {
  memory::dims strides(dims.size(), 1);
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<memory::dim>(dims[i], 1);
  return {dims, memory::data_type::f32, strides};
}

memory::desc any_layout(const memory::dims& dims) {
  return {dims, memory::data_type::f32, memory::format_tag::any};
}

// What a run reads and writes, as the caller lays it out. `weights` may be known beforehand, `bias` may be
// missing.
struct Operands {
  memory::desc source, weights, bias, result;
  const float* known_weights = nullptr;
};

class Contraction {
 public:
  template <class Description>
  Contraction(const Operands& operands, const Description& made)
      : source_(empty(operands.source)),
        weights_(empty(operands.weights)),
        bias_(empty(operands.bias)),
        result_(empty(operands.result)) {
    memory source = converted(source_, made.src_desc());
    memory weights = operands.known_weights ? packed(operands, made.weights_desc())
                                            : converted(weights_, made.weights_desc());
    bool apart = made.dst_desc() != operands.result;
    memory result = apart ? memory(made.dst_desc(), engine()) : result_;
    std::unordered_map<int, memory> arguments{
        {DNNL_ARG_SRC, source}, {DNNL_ARG_WEIGHTS, weights}, {DNNL_ARG_DST, result}};
    if (!operands.bias.is_zero()) arguments.emplace(DNNL_ARG_BIAS, bias_);
    steps_.emplace_back(dnnl::primitive(made), std::move(arguments));
    if (apart) convert(result, result_);
  }

  void run(const float* source, const float* weights, const float* bias, float* result) {
    source_.set_data_handle(const_cast<float*>(source));
    if (weights_) weights_.set_data_handle(const_cast<float*>(weights));
    if (bias_) bias_.set_data_handle(const_cast<float*>(bias));
    result_.set_data_handle(result);
    for (auto& [primitive, arguments] : steps_) primitive.execute(stream(), arguments);
    stream().wait();
  }

 private:
  static memory empty(const memory::desc& layout) {
    return layout.is_zero() ? memory() : memory(layout, engine(), nullptr);
  }

  memory converted(const memory& given, const memory::desc& wanted) {
    if (given.get_desc() == wanted) return given;
    memory out(wanted, engine());
    convert(given, out);
    return out;
  }

  void convert(const memory& from, const memory& to) {
    steps_.emplace_back(dnnl::reorder(from, to),
                        std::unordered_map<int, memory>{{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}});
  }

  static memory packed(const Operands& operands, const memory::desc& wanted) {
    memory from(operands.weights, engine(), const_cast<float*>(operands.known_weights)),
        out(wanted, engine());
    dnnl::reorder(from, out).execute(stream(), from, out);
    stream().wait();
    return out;
  }

  memory source_, weights_, bias_, result_;
  std::vector<std::pair<dnnl::primitive, std::unordered_map<int, memory>>> steps_;
};

double seconds_of(Contraction& one, const Operands& operands) {
  auto numbers = [](const memory::desc& layout) {
    return std::vector<float>(layout.get_size() / sizeof(float) + 1, 0.5F);
  };
  auto source = numbers(operands.source), weights = numbers(operands.weights),
       result = numbers(operands.result);
  auto bias = operands.bias.is_zero() ? std::vector<float>(1) : numbers(operands.bias);
  double least = 1e9;
  for (int i = 0; i < 5; ++i) {
    auto begin = std::chrono::steady_clock::now();
    one.run(source.data(), weights.data(), bias.data(), result.data());
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

std::string& problem() {
  static std::string text;
  return text;
}

template <class Make>
Contraction* made_or_null(const Make& make) {
  try {
    return make().release();
  } catch (const std::exception& error) {  // dnnl::error among them
    problem() = error.what();
    return nullptr;
  }
}

memory::dims dims(int rank, const int64_t* sizes) { return {sizes, sizes + rank}; }

}  // namespace

extern "C" {

const char* onednn_problem() { return problem().c_str(); }

// Row-major operands but for the steps of `a` and `b` (transposed ones). `bias_sizes` may be null; `known_b`
// too: then b comes at each run. Null if oneDNN refuses.
void* onednn_product(int rank, const int64_t* a, const int64_t* a_steps, const int64_t* b,
                     const int64_t* b_steps, const int64_t* bias_sizes, const int64_t* result,
                     const float* known_b) {
  return made_or_null([&] {
    auto f32 = memory::data_type::f32;
    Operands operands{memory::desc(dims(rank, a), f32, dims(rank, a_steps)),
                      memory::desc(dims(rank, b), f32, dims(rank, b_steps)),
                      bias_sizes ? row_major(dims(rank, bias_sizes)) : memory::desc(),
                      row_major(dims(rank, result)), known_b};
    auto weights = known_b ? any_layout(dims(rank, b)) : operands.weights;
    auto made =
        bias_sizes
            ? dnnl::matmul::primitive_desc(engine(), operands.source, weights, operands.bias, operands.result)
            : dnnl::matmul::primitive_desc(engine(), operands.source, weights, operands.result);
    return std::make_unique<Contraction>(operands, made);
  });
}

// `weights` has one size more than `rank` if it is in groups. `spatial`: strides, dilations less 1, pads
// before, pads after.
void* onednn_convolution(int rank, const int64_t* source, int weights_rank, const int64_t* weights,
                         int64_t bias, const int64_t* result, const int64_t* spatial,
                         const float* known_weights) {
  return made_or_null([&] {
    Operands operands{row_major(dims(rank, source)), row_major(dims(weights_rank, weights)),
                      bias ? row_major({bias}) : memory::desc(), row_major(dims(rank, result)),
                      known_weights};
    auto of_image = [&](int which) { return dims(rank - 2, spatial + (which * (rank - 2))); };
    auto build = [&](const memory::desc& from, const memory::desc& to) {
      dnnl::convolution_forward::primitive_desc made(engine(), dnnl::prop_kind::forward_inference,
                                                     dnnl::algorithm::convolution_auto, from,
                                                     any_layout(dims(weights_rank, weights)), operands.bias,
                                                     to, of_image(0), of_image(1), of_image(2), of_image(3));
      return std::make_unique<Contraction>(operands, made);
    };
    auto plain = build(operands.source, operands.result);
    auto own = build(any_layout(dims(rank, source)), any_layout(dims(rank, result)));
    return seconds_of(*own, operands) < seconds_of(*plain, operands) ? std::move(own) : std::move(plain);
  });
}

void onednn_run(void* contraction, const float* a, const float* b, const float* bias, float* result) {
  static_cast<Contraction*>(contraction)->run(a, b, bias, result);
}

void onednn_delete(void* contraction) { delete static_cast<Contraction*>(contraction); }

}  // extern "C"
