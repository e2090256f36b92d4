#include "report/page_template.h"

namespace isomer::report {

std::string fill(std::string_view text, const std::map<std::string_view, std::string_view>& marks) {
  std::string out;
  while (!text.empty()) {
    const size_t begin = text.find("{{"), end = text.find("}}", begin);
    if (end == std::string_view::npos) break;
    out += text.substr(0, begin);
    out += marks.at(text.substr(begin + 2, end - begin - 2));
    text.remove_prefix(end + 2);
  }
  return out += text;
}

std::string script_safe(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json)
    if (c == '<')
      out += "\\u003c";
    else
      out += c;
  return out;
}

}  // namespace isomer::report
