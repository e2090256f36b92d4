// What a caller of a model sees: inputs and outputs by name, order and type, defaults, and which versions of
// foreign operators it asks for.
#pragma once

#include <string>

#include "formats/onnx.h"

namespace isomer::formats {

/// What differs between two interfaces, in words; empty where nothing does. Inputs have the same names in the
/// same order, the same element types, ranks and fixed sizes, dynamic dimensions that are named alike are
/// equal in both, and the same defaults. Of outputs, which say of their sizes what their writer knew, names,
/// order, element types and what both say of their shapes.
std::string interface_difference(const OnnxEnvelope& a, const OnnxEnvelope& b);

/// A domain of operators that both import, in different versions: "com.example 1 against 2"; empty where
/// there is none. The default domain does not count: its operators are known.
std::string version_difference(const OnnxEnvelope& a, const OnnxEnvelope& b);

/// Whether a node means the same wherever it stands: equal versions of the default domain, equal functions.
bool same_meanings(const OnnxEnvelope& a, const OnnxEnvelope& b);

}  // namespace isomer::formats
