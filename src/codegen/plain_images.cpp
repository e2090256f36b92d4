#include "codegen/plain_images.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include "codegen/accesses.h"
#include "codegen/blocks.h"
#include "codegen/in_place.h"
#include "codegen/product_nest.h"
#include "codegen/tile_plan.h"
#include "codegen/windows.h"

namespace isomer::codegen {
namespace {

class Convolutions {
 public:
  Convolutions(const LoopProgram& program, const ScheduleOptions& options)
      : program_(program),
        options_(options),
        known_(known_at_load(program)),
        copied_(images_to_copy(program)),
        extents_(extents_of(program)) {}

  bool stay_plain() {
    return std::ranges::all_of(program_.body,
                               [&](const Statement& s) {
                                 const auto* loop = std::get_if<Loop>(&s.node);
                                 return loop == nullptr || !is_product(program_, *loop) || weigh(*loop);
                               }) &&
           any_ && lost_ < turning();
  }

 private:
  const Buffer& buffer(const Access& a) const { return program_.buffers[static_cast<size_t>(a.buffer)]; }
  bool is_image(const Access& a) const {
    return buffer(a).sizes.size() >= kImageRank && !known_.contains(a.buffer) &&
           buffer(a).memory != Memory::kPrivate;
  }

  /// Whether it is a product of one point, one within channels, or none whose weights are chosen by channels.
  bool weigh(const Loop& loop) {
    const Chain chain = chain_of(loop);
    const Store& sum = *only_store(*only_loop(chain.inner()));
    std::vector<const Access*> weights, images;
    for (const int r : operands_of(program_, sum)) {
      const Access& a = sum.reads[static_cast<size_t>(r)];
      if (known_.contains(a.buffer)) weights.push_back(&a);
      if (is_image(a)) images.push_back(&a);
    }
    const size_t read = images.size();
    for_each_store(chain.inner(), [&](const Store& s) {
      if (is_image(s.target)) images.push_back(&s.target);
    });
    const bool has_channels = std::ranges::any_of(images, [&](const Access* image) {
      return std::ranges::any_of(weights,
                                 [&](const Access* w) { return chosen_by(program_, *w, *image, kChannels); });
    });
    if (!has_channels) return true;
    if (read != 1 || images.size() != 2) return false;
    const auto windows = windows_of(program_, loop, known_, extents_, options_);
    if (!windows && !of_one_point(*images[0], *images[1], weights)) return false;
    any_ = true;
    if (windows)
      add(*windows, *images[0], *images[1]);
    else
      add(loop, *images[0], *images[1]);
    return true;
  }
  /// Whether all dimensions behind the channels are gone through side by side.
  bool of_one_point(const Access& from, const Access& to, std::span<const Access* const> weights) const {
    if (!from.bounds.empty() || from.index.size() != to.index.size()) return false;
    for (size_t d = kChannels + 1; d < to.index.size(); ++d) {
      const int64_t size = buffer(to).sizes[d];
      if (to.index[d].kind() != ir::IndexExpr::Kind::kVar) return false;
      const auto v = static_cast<int>(to.index[d].value());
      if (!is_variable(from.index[d], v) || buffer(from).sizes[d] != size ||
          extents_[static_cast<size_t>(v)] != size ||
          std::ranges::any_of(weights, [&](const Access* w) { return mentions(*w, v); }))
        return false;
    }
    return true;
  }
  static int64_t product(std::span<const int64_t> sizes) {
    int64_t out = 1;
    for (const int64_t s : sizes) out *= s;
    return out;
  }
  /// Cycles, more or less, of elements that would be turned.
  double turning() const {
    // An element, and one that is stored to blocks that fill no register.
    constexpr double kTurned = 0.5, kApart = 2;
    double out = 0;
    for (const int b : turned_) {
      const Buffer& image = program_.buffers[static_cast<size_t>(b)];
      const bool apart = image.memory == Memory::kOutput && !has_blocks(image, options_.block);
      out += (apart ? kTurned + kApart : kTurned) * static_cast<double>(image.count());
    }
    return out;
  }
  /// Whether it would be turned, were it in blocks (in_place.h, blocks.h).
  bool is_turned(int b) const {
    const Buffer& buffer = program_.buffers[static_cast<size_t>(b)];
    return copied_.contains(b) ||
           (buffer.memory == Memory::kOutput && has_blocks(buffer, smallest_block(options_)));
  }
  /// Cycles of a product that are lost, more or less, and images that would be turned.
  void add(const Loop& loop, const Access& from, const Access& to) {
    const Chain chain = chain_of(loop);
    double steps = 1 / static_cast<double>(options_.block);
    for (const Loop* l : chain.loops) steps *= static_cast<double>(l->end.value());
    for (const Loop* l : reductions_of(program_, chain.inner(), 1))
      steps *= static_cast<double>(l->end.value());
    const int64_t points = product(std::span(buffer(to).sizes).subspan(kChannels + 1));
    // Beside panels that are made of the image the last vector begins anywhere.
    const bool in_panels = buffer(to).sizes[kChannels] >= kTilesForPanels * options_.rows;
    const double vectors =
        in_panels ? static_cast<double>(vectors_of(points) * options_.block) / static_cast<double>(points)
                  : vectors_for(points, options_);
    lost_ += steps * (vectors - 1);
    add_turned(from, to);
  }
  /// Of a convolution within channels: vectors that are not full, and copies of the image, with its border,
  /// and of sums that are computed with columns beside them.
  void add(const ChannelWindows& windows, const Access& from, const Access& to) {
    constexpr double kProduct = 0.55, kCopied = 1.7;  // cycles of a product of registers, of a vector
    const int64_t columns = extents_[static_cast<size_t>(windows.column)];
    const double unused =
        static_cast<double>(vectors_of(windows.columns) * options_.block) / static_cast<double>(columns) - 1;
    lost_ += kProduct * static_cast<double>(buffer(to).count() * windows.steps) * unused /
             static_cast<double>(options_.block);
    lost_ += kCopied * static_cast<double>(rows_of(from) * vectors_of(buffer(from).sizes.back()));
    if (windows.columns > columns)
      lost_ += kCopied * static_cast<double>(rows_of(to) * vectors_of(buffer(to).sizes.back()));
    add_turned(from, to);
  }
  int64_t rows_of(const Access& a) const { return buffer(a).count() / buffer(a).sizes.back(); }
  /// Of one register or less, for a row; the last one may begin earlier.
  int64_t vectors_of(int64_t columns) const {
    if (columns >= options_.block) return (columns + options_.block - 1) / options_.block;
    return shortest_vector(columns) == columns ? 1 : 2;
  }
  void add_turned(const Access& from, const Access& to) {
    for (const int b : {from.buffer, to.buffer})
      if (is_turned(b)) turned_.insert(b);
  }

  const LoopProgram& program_;
  const ScheduleOptions& options_;
  std::set<int> known_, copied_;
  std::vector<int64_t> extents_;
  bool any_ = false;
  double lost_ = 0;
  std::set<int> turned_;  // buffers
};

}  // namespace

bool images_stay_plain(const LoopProgram& program, const ScheduleOptions& options) {
  return Convolutions(program, options).stay_plain();
}

}  // namespace isomer::codegen
