// Modules of XLA in files: HLO text, or StableHLO (what jax exports) by the conversions that jaxlib has, in a
// worker process (workers/stablehlo.py), so that no library of MLIR is needed here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hlo/module.h"

namespace isomer::runtime {

enum class HloForm : uint8_t {
  kHlo,        ///< text
  kStableHlo,  ///< MLIR text
  kArtifact,   ///< StableHLO as a portable artifact
};

/// Of a file that is written: `.mlir` is MLIR text, `.mlirbc` a portable artifact, all else HLO text.
HloForm form_to_write(std::string_view path);

struct HloFile {
  hlo::Module module;    ///< its types fit
  std::string contents;  ///< as they are
  /// StableHLO as it came, as MLIR text for XLA (in which no argument is given away); empty of HLO.
  std::string stablehlo;
  std::string text_for_xla() const;
};

/// `name` is for messages; positions in a module that was StableHLO are those of its HLO text. Throws
/// InputError, and for StableHLO MissingRuntimeError where jax is not installed.
HloFile hlo_file(std::string contents, const std::string& name);
HloFile read_hlo(const std::string& path);
/// Types need not fit.
HloFile unchecked_hlo_file(std::string contents, const std::string& name);

/// Throws as hlo_file does: StableHLO has no fusions, for one.
std::string in_form(const hlo::Module& module, HloForm form);
/// As a file of the form that its name says.
void write_hlo(const std::string& path, const hlo::Module& module);
/// As it was: its contents where their form is the one to write.
void write_unchanged(const std::string& path, const HloFile& file);

}  // namespace isomer::runtime
