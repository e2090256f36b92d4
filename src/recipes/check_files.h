// The files that a run is given, held to what it does with them, before any work.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "isomer/isomer.h"
#include "recipes/load.h"
#include "support/deadline.h"
#include "support/outputs.h"

namespace isomer::recipes {

/// What a run of the main job writes. `options` says where: an empty place is none.
std::vector<NamedFile> files_written(const OptimizeOptions& options);

/// That they can be written, and are none of the files that the run reads, nor one another. Throws
/// InputError, UsageError.
void check_files(const OptimizeOptions& options);
/// As well none of those that hold the model's weights, which are known once it is read.
void check_files(const OptimizeOptions& options, std::span<const std::string> data_files);

/// That --inputs is a file of tensors which the programs take: inputs of theirs, with their element types,
/// and their shapes as far as these are known. Nothing is
/// said where no runtime lists them in time. Throws UsageError; InputError when it is no regular file.
void check_inputs(const std::string& npz, std::span<const Program* const> programs, const Deadline& until);

}  // namespace isomer::recipes
