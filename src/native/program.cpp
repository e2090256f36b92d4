#include "native/program.h"

#include "native/tables.h"
#include "support/errors.h"

namespace isomer::native {

Program::Program(const codegen::LoopProgram& program, const ir::Context& ctx, const ProgramOptions& options)
    : kernels_(kernels_of(program)), code_(kernels_.module(), options.cpu) {
  buffers_ = buffers_of(program, kernels_.parts);
  for (size_t b = 0; b < buffers_.size(); ++b)
    if (buffers_[b].place == kIsomerConstant)
      buffers_[b].constant = ctx.get(program.buffers[b].constant).bytes().data();
  std::vector<IsomerKernel> functions;
  for (size_t f = 0; f < kernels_.functions.size(); ++f)
    functions.push_back(reinterpret_cast<IsomerKernel>(code_.find(Kernels::name(static_cast<int>(f)))));
  for (size_t p = 0; p < kernels_.parts.parts.size(); ++p) {
    const codegen::Part& part = kernels_.parts.parts[p];
    const auto [begin, end] = part.range.value_or(std::pair<int64_t, int64_t>(0, 1));
    (part.at_load ? at_load_ : calls_)
        .push_back({functions[static_cast<size_t>(kernels_.of_part[p])], part.buffers.data(),
                    static_cast<int32_t>(part.buffers.size()), part.range ? 1 : 0, begin, end});
  }
  tables_ = tables_of(program, kernels_.parts);
  tables_.buffers = buffers_.data();
  tables_.at_load = at_load_.data();
  tables_.calls = calls_.data();
  run_.reset(isomer_run_new(&tables_, options.threads));
  if (run_ == nullptr) throw InputError("memory or threads are lacking to run the program");
}

void Program::run(std::span<const void* const> inputs, std::span<void* const> outputs) {
  REQUIRE(static_cast<int64_t>(inputs.size()) == tables_.input_count &&
              static_cast<int64_t>(outputs.size()) == tables_.output_count,
          "a program of another interface");
  isomer_run_call(run_.get(), inputs.data(), outputs.data());
}

}  // namespace isomer::native
