#include "published/mcts.h"

namespace isomer::published::mcts {
namespace {

constexpr Run kRuns[] = {
    {"a100", "bert", "default/default", 0.92, 0.93, -0.16, 0.16, 43, 4.47},
    {"a100", "bert", "default/ilp", 0.93, 0.92, 0.72, 1.55, 41.6, 1.52},
    {"a100", "bert", "ours/ours", 0.93, 0.93, -0.1, 0.22, 46.6, 5.81},
    {"a100", "bert", "ours/ilp", 0.93, 0.79, 14.63, 7.65, 43.8, 7.6},
    {"a100", "bert", "ilp/ilp", 0.93, 0.76, 18.2, 3.92, 1178.6, 395.89},
    {"a100", "bert", "tensat", 0.93, 0.76, 18.27, 0.33, 1.14, 0.06},
    {"a100", "inceptionv3", "default/default", 0.36, 0.36, -0.05, 0.3, 3, 0},
    {"a100", "inceptionv3", "default/ilp", 0.36, 0.36, 0.51, 0.47, 3, 0},
    {"a100", "inceptionv3", "ours/ours", 0.37, 0.36, 1.06, 1.68, 3, 0},
    {"a100", "inceptionv3", "ours/ilp", 0.36, 0.36, -0.01, 1.15, 3.4, 0.55},
    {"a100", "inceptionv3", "ilp/ilp", 0.36, 0.36, 0.25, 0.26, 3, 0},
    {"a100", "inceptionv3", "tensat", 0.36, 0.36, 0.36, 0.56, 0.89, 0.07},
    {"a100", "mobilenetv2", "default/default", 0.85, 0.82, 4.05, 2.55, 1149.8, 144.6},
    {"a100", "mobilenetv2", "default/ilp", 0.87, 0.84, 2.94, 11.3, 992, 328.22},
    {"a100", "mobilenetv2", "ours/ours", 0.85, 0.88, -3.61, 1.06, 419.4, 219.31},
    {"a100", "mobilenetv2", "ours/ilp", 0.84, 0.85, -0.36, 1.6, 387.6, 108.86},
    {"a100", "mobilenetv2", "ilp/ilp", 0.84, 0.81, 4.16, 2.03, 754, 225.11},
    {"a100", "mobilenetv2", "tensat", 0.84, 0.83, 1.52, 1, 0.93, 0.03},
    {"a100", "nasneta", "default/default", 2.87, 2.35, 18.29, 4.07, 898, 185.95},
    {"a100", "nasneta", "default/ilp", 2.89, 2.27, 21.46, 3.55, 777.6, 107.27},
    {"a100", "nasneta", "ours/ours", 2.87, 2.39, 16.55, 0.18, 1043.6, 60.66},
    {"a100", "nasneta", "ours/ilp", 2.85, 2.35, 17.71, 0.5, 1114.4, 67.12},
    {"a100", "nasneta", "ilp/ilp", 2.86, 2.3, 19.62, 0.29, 305, 5.43},
    {"a100", "nasneta", "tensat", 2.87, 2.55, 11.18, 0.08, 0.45, 0.03},
    {"a100", "nasrnn", "default/default", 2.5, 2.25, 9.75, 5.49, 102.2, 4.09},
    {"a100", "nasrnn", "default/ilp", 2.5, 1.5, 39.96, 1.22, 107.6, 6.99},
    {"a100", "nasrnn", "ours/ours", 2.49, 1.98, 20.65, 17.77, 200.8, 156.27},
    {"a100", "nasrnn", "ours/ilp", 2.58, 1.51, 41.19, 3.5, 114.6, 2.61},
    {"a100", "nasrnn", "ilp/ilp", 2.63, 1.52, 42.07, 3.91, 2782, 1719.55},
    {"a100", "nasrnn", "tensat", 2.47, 1.56, 36.92, 4.24, 9.36, 0.74},
    {"a100", "resnet50", "default/default", 0.26, 0.26, -0.23, 0.26, 9.6, 0.55},
    {"a100", "resnet50", "default/ilp", 0.28, 0.28, -1.24, 17.8, 9.8, 0.45},
    {"a100", "resnet50", "ours/ours", 0.27, 0.26, 2.52, 6.21, 10, 0},
    {"a100", "resnet50", "ours/ilp", 0.28, 0.26, 3.6, 8.25, 10, 0},
    {"a100", "resnet50", "ilp/ilp", 0.26, 0.26, -0.22, 0.97, 23.2, 7.79},
    {"a100", "resnet50", "tensat", 0.26, 0.26, 0.43, 0.94, 2.96, 0.66},
    {"a100", "resnext50", "default/default", 1.05, 0.27, 72.69, 9.4, 38.2, 4.97},
    {"a100", "resnext50", "default/ilp", 1.11, 0.27, 72.99, 11.9, 38.8, 4.97},
    {"a100", "resnext50", "ours/ours", 1.24, 0.27, 78.06, 0.19, 97.6, 5.68},
    {"a100", "resnext50", "ours/ilp", 1.26, 0.28, 77.84, 1.09, 101.4, 5.59},
    {"a100", "resnext50", "ilp/ilp", 1.13, 0.27, 74.2, 9.54, 138.6, 5.77},
    {"a100", "resnext50", "tensat", 1.13, 0.34, 66.87, 15.36, 2.69, 1.08},
    {"a100", "squeezenet", "default/default", 0.3, 0.13, 56.41, 0.95, 283.4, 254},
    {"a100", "squeezenet", "default/ilp", 0.31, 0.16, 47.39, 7.05, 108.4, 10.26},
    {"a100", "squeezenet", "ours/ours", 0.31, 0.16, 47.23, 6.6, 260.8, 203.44},
    {"a100", "squeezenet", "ours/ilp", 0.33, 0.17, 48.16, 8.77, 337, 301.81},
    {"a100", "squeezenet", "ilp/ilp", 0.32, 0.16, 50.66, 6.01, 1450.8, 1437.77},
    {"a100", "squeezenet", "tensat", 0.3, 0.16, 46.02, 0.91, 1.55, 0.31},
    {"a100", "vgg", "default/default", 0.64, 0.39, 39.72, 0.14, 1, 0},
    {"a100", "vgg", "default/ilp", 0.64, 0.39, 39.63, 0.11, 1, 0},
    {"a100", "vgg", "ours/ours", 0.64, 0.39, 39.69, 0.35, 1, 0},
    {"a100", "vgg", "ours/ilp", 0.64, 0.39, 39.69, 0.12, 1, 0},
    {"a100", "vgg", "ilp/ilp", 0.64, 0.39, 39.21, 0.73, 1, 0},
    {"a100", "vgg", "tensat", 0.64, 0.39, 39.58, 0.34, 0.06, 0},
    {"a100", "tt", "default/default", 3.11, 6.95, -123.81, 5.35, 1202.33, 39.12},
    {"a100", "tt", "default/ilp", 3.11, 2.81, 9.68, 4.93, 1363, 8.29},
    {"a100", "tt", "ours/ours", 3.1, 2.85, 8.06, 1.21, 436.2, 105.31},
    {"a100", "tt", "ours/ilp", 3.11, 2.71, 13.02, 1.78, 577, 290.64},
    {"a100", "tt", "ilp/ilp", 3.09, 2.65, 14.18, 0.19, 2080.8, 793.04},
    {"a100", "tt", "tensat", 3.1, 2.68, 13.29, 1.67, 1.35, 0.08},
    {"a100", "vit_base", "default/default", 2.13, 2.08, 2.2, 0.21, 110.6, 22.57},
    {"a100", "vit_base", "default/ilp", 2.14, 1.96, 8.34, 2.85, 115, 22},
    {"a100", "vit_base", "ours/ours", 2.13, 2.14, -0.12, 0.2, 60.6, 8.62},
    {"a100", "vit_base", "ours/ilp", 2.14, 1.83, 14.6, 0.05, 61, 13.51},
    {"a100", "vit_base", "ilp/ilp", 2.14, 1.83, 14.48, 0.08, 97.8, 2.77},
    {"a100", "vit_base", "tensat", 2.13, 1.83, 14.47, 0.12, 0.61, 0.02},
    {"a100", "vit_large", "default/default", 5.63, 4.77, 15.24, 0.02, 53.4, 6.07},
    {"a100", "vit_large", "default/ilp", 5.62, 5.25, 6.6, 0.03, 54.2, 6.06},
    {"a100", "vit_large", "ours/ours", 5.62, 5.64, -0.2, 0.11, 52.2, 7.69},
    {"a100", "vit_large", "ours/ilp", 5.63, 5.09, 9.69, 0.58, 56.4, 1.67},
    {"a100", "vit_large", "ilp/ilp", 5.64, 5.03, 10.77, 0.15, 35, 3.74},
    {"a100", "vit_large", "tensat", 5.62, 5.03, 10.61, 0.09, 0.69, 0.03},
    {"a100", "vit_huge", "default/default", 12.12, 8.67, 28.48, 0.07, 60.8, 12.34},
    {"a100", "vit_huge", "default/ilp", 12.12, 12.12, 0.02, 0.04, 69.8, 4.87},
    {"a100", "vit_huge", "ours/ours", 12.12, 12.13, -0.06, 0.03, 62.2, 20.62},
    {"a100", "vit_huge", "ours/ilp", 12.12, 12.02, 0.82, 1.83, 62.8, 17.08},
    {"a100", "vit_huge", "ilp/ilp", 12.14, 11.64, 4.14, 0.07, 76.6, 1.95},
    {"a100", "vit_huge", "tensat", 12.13, 12.13, 0.02, 0.05, 0.49, 0},
    {"p100", "bert", "default/default", 1.32, 1.32, 0.1, 0.1, 53, 3.54},
    {"p100", "bert", "default/ilp", 1.32, 1.3, 1.49, 0.03, 52.6, 2.07},
    {"p100", "bert", "ours/ours", 1.32, 1.32, 0.02, 0.07, 60.8, 6.76},
    {"p100", "bert", "ours/ilp", 1.32, 1.13, 14.03, 11.47, 60.6, 4.28},
    {"p100", "bert", "ilp/ilp", 1.32, 0.87, 33.71, 0.07, 1170.6, 1061.79},
    {"p100", "bert", "tensat", 1.32, 1.03, 22.35, 0.17, 2.05, 0.47},
    {"p100", "inceptionv3", "default/default", 15.58, 15.29, 1.8, 2.1, 6.2, 0.45},
    {"p100", "inceptionv3", "default/ilp", 15.21, 12.78, 15.93, 1.64, 6.2, 0.45},
    {"p100", "inceptionv3", "ours/ours", 15.18, 15.21, -0.24, 1.02, 6.6, 0.55},
    {"p100", "inceptionv3", "ours/ilp", 15.22, 12.34, 18.94, 2.18, 6.2, 0.45},
    {"p100", "inceptionv3", "ilp/ilp", 15.08, 12.51, 17.06, 1.43, 7.4, 0.55},
    {"p100", "inceptionv3", "tensat", 15.41, 12.58, 18.34, 1.57, 2.84, 0.08},
    {"p100", "mobilenetv2", "default/default", 3.61, 3.64, -0.91, 0.49, 573.2, 41.69},
    {"p100", "mobilenetv2", "default/ilp", 3.6, 3.62, -0.64, 0.79, 596.8, 40.18},
    {"p100", "mobilenetv2", "ours/ours", 3.57, 3.58, -0.28, 0.53, 285, 114.4},
    {"p100", "mobilenetv2", "ours/ilp", 3.58, 3.54, 0.96, 1.18, 357.8, 109.9},
    {"p100", "mobilenetv2", "ilp/ilp", 3.58, 3.58, 0.12, 0.46, 2106.2, 294.56},
    {"p100", "mobilenetv2", "tensat", 3.55, 3.58, -0.68, 1.2, 3.4, 0.14},
    {"p100", "nasneta", "default/default", 25.48, 60.36, -136.91, 10.88, 487.4, 120.42},
    {"p100", "nasneta", "default/ilp", 25.73, 19.93, 22.53, 1.87, 542.6, 218.48},
    {"p100", "nasneta", "ours/ours", 25.6, 23.77, 7.19, 2.57, 470.8, 224.58},
    {"p100", "nasneta", "ours/ilp", 25.57, 19.65, 23.14, 1.53, 466, 150.52},
    {"p100", "nasneta", "ilp/ilp", 25.66, 19.66, 23.38, 1.72, 403.2, 74.25},
    {"p100", "nasneta", "tensat", 25.6, 21.03, 17.83, 0.29, 1.46, 0.04},
    {"p100", "nasrnn", "default/default", 1.74, 1.5, 13.49, 11.08, 127.6, 11.41},
    {"p100", "nasrnn", "default/ilp", 1.74, 1.66, 4.89, 1.2, 122, 5.79},
    {"p100", "nasrnn", "ours/ours", 1.78, 1.57, 11.8, 9.36, 192.6, 83.35},
    {"p100", "nasrnn", "ours/ilp", 1.74, 1.41, 18.93, 12.03, 174, 64.81},
    {"p100", "nasrnn", "ilp/ilp", 1.79, 1.45, 18.74, 13.16, 1218.4, 1330.71},
    {"p100", "nasrnn", "tensat", 1.72, 1.55, 10.22, 10.04, 12.81, 3.58},
    {"p100", "resnet50", "default/default", 8.67, 8.67, -0.02, 0.12, 16, 0.71},
    {"p100", "resnet50", "default/ilp", 8.98, 8.95, 0.29, 0.14, 16.2, 0.84},
    {"p100", "resnet50", "ours/ours", 8.73, 8.73, 0.05, 0.1, 16, 1.22},
    {"p100", "resnet50", "ours/ilp", 8.99, 8.92, 0.78, 0.63, 16.8, 0.84},
    {"p100", "resnet50", "ilp/ilp", 8.24, 8.19, 0.66, 0.63, 16, 0.71},
    {"p100", "resnet50", "tensat", 8.87, 8.85, 0.31, 0.23, 4.72, 0.08},
    {"p100", "resnext50", "default/default", 13.05, 9.43, 27.69, 2.67, 98.6, 15.21},
    {"p100", "resnext50", "default/ilp", 13.05, 9.4, 27.99, 1.15, 98.4, 4.39},
    {"p100", "resnext50", "ours/ours", 12.85, 9.29, 27.69, 1.06, 117.6, 12.54},
    {"p100", "resnext50", "ours/ilp", 12.9, 9.22, 28.43, 2.61, 145.2, 32.39},
    {"p100", "resnext50", "ilp/ilp", 13.04, 9.27, 28.86, 2.16, 296, 18.81},
    {"p100", "resnext50", "tensat", 13.4, 9.76, 27.11, 3.61, 4.82, 0.2},
    {"p100", "squeezenet", "default/default", 1.72, 1.22, 28.89, 4.47, 209.2, 129.38},
    {"p100", "squeezenet", "default/ilp", 1.65, 1.17, 29.02, 4.13, 302.6, 73.46},
    {"p100", "squeezenet", "ours/ours", 1.71, 1.26, 26.53, 3.25, 233.6, 66.92},
    {"p100", "squeezenet", "ours/ilp", 1.68, 1.11, 33.17, 11.51, 365, 196.87},
    {"p100", "squeezenet", "ilp/ilp", 1.79, 1.21, 32.67, 2.23, 5544.4, 2817.93},
    {"p100", "squeezenet", "tensat", 1.71, 1.2, 29.74, 4.52, 7.47, 2.4},
    {"p100", "vgg", "default/default", 6.4, 5.51, 13.71, 4.11, 1, 0},
    {"p100", "vgg", "default/ilp", 6.43, 5.47, 14.78, 4.46, 1, 0},
    {"p100", "vgg", "ours/ours", 6.21, 5.45, 12.3, 0.89, 1, 0},
    {"p100", "vgg", "ours/ilp", 6.28, 5.46, 13.03, 1.45, 1, 0},
    {"p100", "vgg", "ilp/ilp", 6.23, 5.48, 11.96, 1.28, 2.2, 0.45},
    {"p100", "vgg", "tensat", 6.27, 5.49, 12.48, 0.51, 0.28, 0.01},
};

constexpr First kFirst[] = {
    {"a100", "bert", 0.93, 2.75, 0.93},
    {"a100", "inceptionv3", 0.79, 410938.5, 0.79},
    {"a100", "mobilenetv2", 1.06, 421.32, 1.06},
    {"a100", "nasneta", 3.45, 6.85e12, 3.59},
    {"a100", "nasrnn", 2.48, 2319.06, 2.48},
    {"a100", "resnet50", 0.29, 1565.76, 0.29},
    {"a100", "resnext50", 1.26, 15162.62, 1.26},
    {"a100", "squeezenet", 0.57, 41.51, 0.57},
    {"a100", "vgg", 0.61, 0.61, 0.61},
    {"a100", "tt", 3.25, 6311745500, 3.25},
    {"a100", "vit_base", 1.93, 2982248400, 1.93},
    {"a100", "vit_large", 5.15, 2.55e20, 5.15},
    {"a100", "vit_huge", 11.65, 6.44e27, 11.65},
    {"p100", "bert", 1.44, 4.93, 1.44},
    {"p100", "inceptionv3", 2.41, 2253.37, 2.41},
    {"p100", "mobilenetv2", 3.49, 720.25, 3.49},
    {"p100", "nasneta", 25.77, 4.31e13, 33.86},
    {"p100", "nasrnn", 2.6, 2437.84, 2.6},
    {"p100", "resnet50", 9.3, 22029.49, 9.3},
    {"p100", "resnext50", 13.44, 54887.95, 13.44},
    {"p100", "squeezenet", 2.07, 125.0, 2.07},
    {"p100", "vgg", 6.73, 6.73, 6.73},
};

constexpr Model kModels[] = {
    {"bert", "BERT", 1},
    {"inceptionv3", "Inception-v3", 2},
    {"mobilenetv2", "MobileNet-v2", 1},
    {"nasneta", "NASNet-A", 1},
    {"nasrnn", "NASRNN", 3},
    {"resnet50", "ResNet-50", 4},
    {"resnext50", "ResNeXt-50", 4},
    {"squeezenet", "SqueezeNet", 3},
    {"vgg", "VGG-19", 1},
    {"tt", "TT", 2},
    {"vit_base", "ViT-Base", 2},
    {"vit_large", "ViT-Large", 2},
    {"vit_huge", "ViT-Huge", 1},
};

}  // namespace

std::span<const Model> models() { return kModels; }

std::string_view without_variant(std::string_view model) { return model.substr(0, model.find('-')); }

const Model* model_of(std::string_view model) {
  for (const Model& m : kModels)
    if (m.model == model) return &m;
  return nullptr;
}

const Model* whole_model(std::string_view model) { return model_of(without_variant(model)); }

const Run* run_of(std::string_view device, std::string_view model, std::string_view pair) {
  for (const Run& r : kRuns)
    if (r.device == device && r.model == without_variant(model) && r.pair == pair) return &r;
  return nullptr;
}

const First* first_of(std::string_view device, std::string_view model) {
  for (const First& r : kFirst)
    if (r.device == device && r.model == without_variant(model)) return &r;
  return nullptr;
}

}  // namespace isomer::published::mcts
