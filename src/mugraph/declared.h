// What a muGraph's file says of tensors and tiles beside what makes them: types, strides, places in shared
// memory, and all of it again wherever one is used. None of it is needed to know what a muGraph computes; but
// who runs the file goes by it, so that what disagrees is refused.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "mugraph/mu_op.h"

namespace isomer::mugraph {

/// One tensor or tile, declared twice (where it is made and where it is used): empty, or what differs.
std::string differing_declarations(const nlohmann::json& made, const nlohmann::json& used);

/// Sizes beyond the rank, or a type other than `type` (that of the muGraph's other tensors; it is set where
/// there were none): empty, or what is wrong.
std::string check_declaration(const nlohmann::json& tensor, int64_t& type);
inline constexpr int64_t kNoType = -1;

/// Bytes of a tile whose elements have one of Mirage's types (in the numberings of 2024 and 2025), at most
/// kMostTileBytes; 0 for types that are not known here.
int64_t tile_bytes(int64_t type, const Sizes& sizes);
inline constexpr int64_t kMostTileBytes = int64_t{1} << 40;
inline constexpr int64_t kTileAlignment = 16;

/// Strides must be those of a dense tensor of these sizes, with its dimensions in any order.
std::string check_strides(const nlohmann::json& strides, const Sizes& sizes);

/// Tiles of a block in shared memory: within what the block asks for, and no two in the same bytes, unless an
/// operator of one operand, which is no sum over iterations, works in its place and nothing reads the operand
/// afterwards. Nothing is said where all offsets are 0 (not placed), or of types of unknown width. The
/// operators of `block` and the tensors that they make must be well formed.
std::string check_offsets(const nlohmann::json& block);

}  // namespace isomer::mugraph
