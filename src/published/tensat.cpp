#include "published/tensat.h"

#include <algorithm>

namespace isomer::published::tensat {

std::span<const Model> models() {
  static constexpr Model kModels[] = {
      {"nasrnn", 177.3, 0.5, 45.4, 68.9, 0.10, 0.37, 1},    {"bert", 13.6, 1.4, 8.5, 9.2, 0.83, 0.60, 1},
      {"resnext50", 25.3, 0.7, 5.5, 8.8, 0.68, 0.05, 1},    {"nasneta", 1226, 10.6, 1.9, 7.3, 8.81, 1.79, 1},
      {"squeezenet", 16.4, 0.3, 6.7, 24.5, 0.16, 0.12, 1},  {"vgg", 8.9, 0.4, 8.9, 8.9, 0.42, 0.02, 1},
      {"inceptionv3", 68.6, 5.1, 6.3, 10.0, 4.38, 0.75, 2},
  };
  return kModels;
}

const Model* model_of(std::string_view name) {
  const auto at = std::ranges::find(models(), name, &Model::model);
  return at == models().end() ? nullptr : &*at;
}

std::span<const Extractors> extractors() {
  static constexpr Extractors kExtractors[] = {
      {"bert", 1.88, 1.88, 1.73}, {"nasrnn", 1.85, 1.15, 1.10}, {"nasneta", 17.8, 22.5, 16.6}};
  return kExtractors;
}

std::span<const Cycles> cycles() {
  static const Cycles kCycles[] = {
      {"bert", 1, 0.96, 0.98, 0.16, 0.18, 0.17},   {"bert", 2, {}, {}, 510.3, 32.9, 0.89},
      {"nasrnn", 1, 1116, 1137, 0.32, 1.30, 0.08}, {"nasrnn", 2, {}, {}, 356.7, 2932, 1.47},
      {"nasneta", 1, 424, 438, 1.81, 3.76, 1.27},  {"nasneta", 2, {}, {}, 75.1, {}, 8.62},
  };
  return kCycles;
}

}  // namespace isomer::published::tensat
