// Drives a fuzz target where libFuzzer is not at hand: every file of the corpus, then seeded random mutations
// of these files. The same seed always gives the same inputs, so that a failure can be run again; the input
// that is being tried lies in a file beside the program's output until it has passed (FILE below).
//
//   NAME_fuzz [--mutate N] [--seed S] [--keep FILE] FILE_OR_FOLDER...
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "support/rng.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

using Bytes = std::vector<uint8_t>;
constexpr size_t kMaxSize = 1 << 20;

Bytes read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(in), {});
}

/// One to eight random edits: bits, bytes, interesting bytes, chunks cut, doubled, taken from `other`.
Bytes mutate(Bytes input, const Bytes& other, isomer::Rng& rng) {
  const auto below = [&rng](size_t bound) { return static_cast<size_t>(rng.below(bound)); };
  for (size_t edits = 1 + below(8); edits > 0; --edits) {
    if (input.empty()) input.push_back(static_cast<uint8_t>(below(256)));
    const size_t at = below(input.size());
    const size_t length = 1 + below(std::min<size_t>(input.size() - at, 32));
    const auto from = input.begin() + static_cast<std::ptrdiff_t>(at);
    switch (below(6)) {
      case 0: input[at] ^= static_cast<uint8_t>(1u << below(8)); break;
      case 1: input[at] = static_cast<uint8_t>(below(256)); break;
      case 2: input[at] = "\0\xff\x7f\x80 ()\"\n-0"[below(11)]; break;
      case 3: input.erase(from, from + static_cast<std::ptrdiff_t>(length)); break;
      case 4: {
        const Bytes piece(from, from + static_cast<std::ptrdiff_t>(length));
        input.insert(input.begin() + static_cast<std::ptrdiff_t>(below(input.size())), piece.begin(),
                     piece.end());
        break;
      }
      default:
        if (!other.empty()) {
          const size_t start = below(other.size());
          const size_t count = 1 + below(std::min<size_t>(other.size() - start, 64));
          const auto piece = other.begin() + static_cast<std::ptrdiff_t>(start);
          input.insert(from, piece, piece + static_cast<std::ptrdiff_t>(count));
        }
    }
  }
  if (input.size() > kMaxSize) input.resize(kMaxSize);
  return input;
}

}  // namespace

int main(int argc, char** argv) {
  uint64_t mutations = 0, seed = 1;
  std::string keep = std::string(argv[0]) + ".last-input";
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const bool has_value = i + 1 < argc;
    if (arg == "--mutate" && has_value) {
      mutations = std::strtoull(argv[++i], nullptr, 10);
    } else if (arg == "--seed" && has_value) {
      seed = std::strtoull(argv[++i], nullptr, 10);
    } else if (arg == "--keep" && has_value) {
      keep = argv[++i];
    } else if (std::filesystem::is_directory(arg)) {
      for (const auto& entry : std::filesystem::recursive_directory_iterator(arg))
        if (entry.is_regular_file()) files.push_back(entry.path());
    } else if (std::filesystem::is_regular_file(arg)) {
      files.emplace_back(arg);
    } else {
      std::cerr << argv[0] << ": no such file or folder: " << arg << "\n";
      return 2;
    }
  }
  if (files.empty()) {
    std::cerr << argv[0] << ": no input; give files or folders\n";
    return 2;
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> corpus;
  for (const auto& file : files) {
    std::cerr << file.string() << "\n";  // stays as the last line when the target dies on it
    corpus.push_back(read_file(file));
    LLVMFuzzerTestOneInput(corpus.back().data(), corpus.back().size());
  }
  isomer::Rng rng(seed);
  for (uint64_t i = 0; i < mutations; ++i) {
    const Bytes& base = corpus[rng.below(corpus.size())];
    const Bytes input = mutate(base, corpus[rng.below(corpus.size())], rng);
    std::ofstream(keep, std::ios::binary)
        .write(reinterpret_cast<const char*>(input.data()), std::ssize(input));
    LLVMFuzzerTestOneInput(input.data(), input.size());
  }
  if (mutations > 0) std::filesystem::remove(keep);
  std::cout << corpus.size() << " files, " << mutations << " mutations (seed " << seed << "): no fault\n";
  return 0;
}
