#include "report/bench_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/page_template.h"

namespace isomer::report {

extern const std::string_view kBenchHtml, kBenchCss, kBenchJs;

std::string bench_html(const std::string& title, const Json& bench) {
  return page_html({title, "bench", {kBenchCss}, kBenchHtml, text_of(bench), {kBenchJs}});
}

}  // namespace isomer::report
