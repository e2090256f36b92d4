#include "report/page_template.h"

#include <fmt/format.h>

#include <map>

#include "support/markup.h"

namespace isomer::report {

extern const std::string_view kShellHtml, kPageCss, kPartsJs, kD3Js, kDagreJs, kD3License, kDagreLicense;

namespace {

/// The template with each {{mark}} replaced; what is put in is not looked at again.
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

/// Within <script>: no "</script" and no "<!--".
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

}  // namespace

std::string page_html(const Page& page) {
  const std::string title = markup_text(page.title), json = script_safe(page.json);
  const std::string tab = page.kind.empty() ? title : fmt::format("{} - {}", title, page.kind);
  std::string styles(kPageCss), scripts;
  for (const std::string_view css : page.css) styles.append("\n").append(css);
  for (const std::string_view js : {kD3Js, kDagreJs, kPartsJs})
    scripts += fmt::format("<script>{}</script>\n", js);
  for (const std::string_view js : page.js) scripts += fmt::format("<script>{}</script>\n", js);
  const std::string body = fill(page.body, {{"title", title}});
  return fill(kShellHtml, {{"tab", tab},
                           {"styles", styles},
                           {"body", body},
                           {"data", json},
                           {"scripts", scripts},
                           {"d3_license", kD3License},
                           {"dagre_license", kDagreLicense}});
}

}  // namespace isomer::report
