// Tensors as an .npz file, which numpy.load reads and `--inputs` takes.
#pragma once

#include <span>
#include <string>

#include "runtime/onnxruntime.h"

namespace isomer::runtime {

/// The whole archive. Element types that numpy has not are written as float32, or as integers of 8 bits;
/// strings and complex numbers are left out. Throws InputError where it would be larger than 2 GiB.
std::string npz_of(std::span<const NamedTensor> tensors);

}  // namespace isomer::runtime
