// Durations and sizes as people write them: "90s", "2m", "500ms"; "4GiB", "500MB".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace isomer {

/// Seconds; a bare number is seconds. Throws UsageError.
double parse_seconds(std::string_view text);
/// Bytes; a bare number is bytes; k, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024. Throws UsageError.
uint64_t parse_bytes(std::string_view text);
/// "1.25 s", "3.1 ms", "12 us"; "1.2 GiB", "512 KiB".
std::string format_seconds(double seconds);
std::string format_bytes(uint64_t bytes);

}  // namespace isomer
