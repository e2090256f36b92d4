#include "runtime/type_inference.h"

#include <fmt/format.h>

#include "runtime/base64.h"

namespace isomer::runtime {
namespace {

/// The first line: what a user is told.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Nothing when the answer is not what the protocol says.
std::vector<std::string> types_in(const nlohmann::json& body) {
  std::vector<std::string> types;
  const auto list = body.find("types");
  if (list == body.end() || !list->is_array()) return {};
  for (const nlohmann::json& item : *list)
    types.push_back(item.is_string() ? from_base64(item.get<std::string>()).value_or("") : "");
  return types;
}

}  // namespace

TypeInference::TypeInference(double seconds, StopToken stop)
    : worker_("onnx_types_worker.py"), seconds_left_(seconds), stop_(std::move(stop)) {}

std::vector<std::string> TypeInference::infer(const std::string& model) {
  if (!failure_.empty() || stop_.requested()) return {};
  RequestOptions options;
  options.timeout_seconds = seconds_left_;
  options.stop = stop_;
  const double begin = wall_seconds();
  const Reply reply = worker_.request("infer", {{"model", to_base64(model)}}, options);
  seconds_left_ -= wall_seconds() - begin;
  switch (reply.status) {
    case ReplyStatus::kOk: return types_in(reply.body);
    case ReplyStatus::kMissing:
      failure_ = "the Python package onnx is not installed: " + first_line(reply.error);
      break;
    case ReplyStatus::kCrashed: failure_ = "its process was lost: " + first_line(reply.error); break;
    case ReplyStatus::kTimedOut: failure_ = "it took too long"; break;
    case ReplyStatus::kRefused:
    case ReplyStatus::kFault:
    case ReplyStatus::kStopped: break;
  }
  if (failure_.empty() && seconds_left_ <= 0) failure_ = "it took too long";
  return {};
}

}  // namespace isomer::runtime
