// run_cases FOLDER THREADS: runs the cases that cases.txt in the folder lists, a line each: the shared
// object, how many inputs and outputs, and bytes of each; inputs.bin has the inputs one after the other,
// outputs.bin gets the outputs. Each runs twice, on tensors that begin, and that end, at a page that nobody
// may touch; both must give the same bits. For processors that this machine is not: compiled by tests that
// emulate them.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "isomer/model.h"
#include "native/guarded.h"

namespace {

using isomer::native::Edge;
using isomer::native::Guarded;
using Bytes = std::vector<std::vector<char>>;

template <class Function>
Function* symbol(void* library, const char* name) {
  return reinterpret_cast<Function*>(::dlsym(library, name));
}

/// Nothing, with a message, where it cannot be loaded.
Bytes outputs_of(const std::string& file, const Bytes& inputs, const std::vector<size_t>& outputs,
                 int threads, Edge edge) {
  void* library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return std::printf("%s\n", ::dlerror()), Bytes();
  isomer_model* model = symbol<decltype(isomer_model_new)>(library, "isomer_model_new")(threads);
  std::vector<Guarded> in, out;
  std::vector<const void*> in_at;
  std::vector<void*> out_at;
  for (const auto& bytes : inputs) in.emplace_back(std::as_bytes(std::span(bytes)), edge);
  for (const size_t size : outputs) out.emplace_back(size, edge);
  for (Guarded& g : in) in_at.push_back(g.data());
  for (Guarded& g : out) out_at.push_back(g.data());
  symbol<decltype(isomer_model_run)>(library, "isomer_model_run")(model, in_at.data(), out_at.data());
  symbol<decltype(isomer_model_delete)>(library, "isomer_model_delete")(model);
  Bytes results;
  for (Guarded& g : out) {
    const auto* begin = reinterpret_cast<const char*>(g.data());
    results.emplace_back(begin, begin + g.bytes().size());
  }
  ::dlclose(library);
  return results;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const std::string folder = argv[1];
  std::ifstream list(folder + "/cases.txt"), given(folder + "/inputs.bin", std::ios::binary);
  std::ofstream results(folder + "/outputs.bin", std::ios::binary);
  for (std::string line; std::getline(list, line);) {
    std::istringstream words(line);
    std::string file;
    size_t input_count = 0, output_count = 0;
    words >> file >> input_count >> output_count;
    std::vector<size_t> sizes(input_count + output_count);
    for (size_t& size : sizes) words >> size;
    Bytes inputs;
    for (size_t i = 0; i < input_count; ++i)
      given.read(inputs.emplace_back(sizes[i]).data(), static_cast<std::streamsize>(sizes[i]));
    const std::vector<size_t> outputs(sizes.begin() + static_cast<std::ptrdiff_t>(input_count), sizes.end());
    const std::string path = folder + "/" + file;
    const Bytes first = outputs_of(path, inputs, outputs, std::atoi(argv[2]), Edge::kBegin);
    if (first.size() != output_count) return 1;
    if (outputs_of(path, inputs, outputs, 1, Edge::kEnd) != first)
      return std::printf("%s: two runs differ\n", file.c_str()), 1;
    for (const auto& bytes : first) results.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }
  return 0;
}
