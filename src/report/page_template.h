// Pages are templates of assets: marks in double braces, replaced once; data is JSON within a script.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace isomer::report {

/// The template with each {{mark}} replaced; what is put in is not looked at again.
std::string fill(std::string_view text, const std::map<std::string_view, std::string_view>& marks);
/// Within <script>: no "</script" and no "<!--".
std::string script_safe(std::string_view json);

}  // namespace isomer::report
