// Pages are templates of assets: marks in double braces, replaced once; data is JSON within a script. All
// have one shell: head, styles, data, the libraries that draw, their licences, and what scripts share
// (assets/parts.js).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isomer::report {

struct Page {
  std::string title;                  ///< plain text
  std::string kind = {};              ///< said in the tab beside the title
  std::vector<std::string_view> css;  ///< after what all pages have
  std::string_view body;              ///< may have the mark {{title}}
  std::string json;                   ///< what it draws
  std::vector<std::string_view> js;   ///< after the libraries and the shared parts
};
std::string page_html(const Page& page);

}  // namespace isomer::report
