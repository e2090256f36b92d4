#include "report/graph_page.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/drawing_json.h"
#include "report/page_template.h"
#include "support/errors.h"

namespace isomer::report {

extern const std::string_view kGraphPageHtml, kGraphPageJs, kGraphJs;

std::string graph_html(const GraphPage& page) {
  const Drawing drawing = draw(page.graph, {});
  if (drawing.nodes.size() > page.most_drawn)
    throw UsageError(fmt::format("{} boxes are more than a page can show; expected at most {}",
                                 drawing.nodes.size(), page.most_drawn));
  const Json data{{"note", page.note}, {"graph", json_of(drawing)}};
  return page_html({page.title, "graph", {}, kGraphPageHtml, text_of(data), {kGraphJs, kGraphPageJs}});
}

}  // namespace isomer::report
