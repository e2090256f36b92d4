#include "report/exemplar_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/drawing_json.h"
#include "report/json_value.h"
#include "report/page_template.h"

namespace isomer::report {

extern const std::string_view kExemplarsHtml, kExemplarsCss, kExemplarsJs, kGraphJs;

namespace {

Json result_json(const ExemplarResult& r) {
  return {{"cost", number(r.cost)},
          {"instructions", r.instructions},
          {"graph", json_of(r.graph)},
          {"steps", r.steps}};
}

Json exemplar_json(const Exemplar& e) {
  Json differences = Json::array();
  for (const Exemplar::Difference& d : e.differences)
    differences.push_back({{"rule", d.rule}, {"ordinary", d.ordinary}, {"found", d.found}});
  return {{"name", e.name},
          {"start_cost", number(e.start_cost)},
          {"ordinary", result_json(e.ordinary)},
          {"found", result_json(e.found)},
          {"differences", std::move(differences)}};
}

}  // namespace

std::string exemplars_html(const ExemplarPage& page) {
  Json data{
      {"note", page.note}, {"ordinary", page.ordinary}, {"found", page.found}, {"exemplars", Json::array()}};
  for (const Exemplar& e : page.exemplars) data["exemplars"].push_back(exemplar_json(e));
  return page_html(
      {page.title, {}, {kExemplarsCss}, kExemplarsHtml, text_of(data), {kGraphJs, kExemplarsJs}});
}

}  // namespace isomer::report
