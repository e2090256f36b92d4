#include "runtime/xla.h"

#include "support/errors.h"

namespace isomer::runtime {
namespace {

XlaProgram program(const nlohmann::json& answer) {
  XlaProgram out;
  out.error = answer.value("error", "");
  out.refused = !out.ran();
  if (out.refused) return out;
  if (answer.at("difference").is_number()) out.difference = answer.at("difference").get<double>();
  out.samples.wall_ms = answer.at("samples").at("wall_ms").get<std::vector<double>>();
  out.samples.cpu_ms = answer.at("samples").at("cpu_ms").get<std::vector<double>>();
  out.asynchronous_us = answer.at("asynchronous_us").get<double>();
  out.full_us = answer.value("full_us", 0.0);
  out.compute_us = answer.value("compute_us", 0.0);
  return out;
}

MissingRuntimeError missing(const Reply& reply) {
  return MissingRuntimeError("XLA does not start (it comes with jax: pip install jax): " + reply.error);
}

}  // namespace

Xla::About Xla::about(const XlaOptions& options) {
  const Reply reply = worker_.request("hello", {{"threads", options.threads}, {"place", place_}});
  if (!reply) throw missing(reply);
  return {reply.body.value("version", ""), reply.body.value("cpu", "")};
}

std::optional<std::vector<XlaProgram>> Xla::try_race(const std::vector<std::string>& modules,
                                                     const XlaOptions& options, std::string& failure) {
  RequestOptions limits;
  limits.timeout_seconds = 3 * options.seconds + 60;
  limits.stop = options.stop;
  const Reply reply = worker_.request("race",
                                      {{"modules", modules},
                                       {"threads", options.threads},
                                       {"place", place_},
                                       {"rounds", options.rounds},
                                       {"seconds", options.seconds},
                                       {"seed", options.seed},
                                       {"disabled", options.disabled},
                                       {"all_timings", options.all_timings}},
                                      limits);
  if (reply.status == ReplyStatus::kMissing) throw missing(reply);
  if (reply.status == ReplyStatus::kRefused) throw InputError("XLA: " + reply.error);
  if (!reply) {
    failure = reply.error;
    return std::nullopt;
  }
  std::vector<XlaProgram> out;
  for (const nlohmann::json& one : reply.body.at("modules")) out.push_back(program(one));
  return out;
}

std::vector<XlaProgram> Xla::race(const std::vector<std::string>& modules, const XlaOptions& options) {
  std::string failure;
  if (auto all = try_race(modules, options, failure)) return std::move(*all);
  // Which of them took the process down (or hangs)?
  std::vector<XlaProgram> out(modules.size());
  std::vector<std::string> sound;
  std::vector<size_t> places;
  XlaOptions brief = options;
  brief.rounds = 1;
  for (size_t i = 0; i < modules.size(); ++i) {
    if (modules.size() > 1 && !options.stop.requested() && try_race({modules[i]}, brief, failure)) {
      sound.push_back(modules[i]);
      places.push_back(i);
    } else {
      out[i].error = failure;
    }
  }
  if (sound.empty() || sound.size() == modules.size()) {
    for (XlaProgram& one : out) one.error = failure;
    return out;
  }
  const std::vector<XlaProgram> rest = race(sound, options);
  for (size_t i = 0; i < rest.size(); ++i) out[places[i]] = rest[i];
  return out;
}

XlaModule Xla::optimized(const std::string& module, const XlaOptions& options) {
  RequestOptions limits;
  limits.timeout_seconds = 60 + options.seconds;
  limits.stop = options.stop;
  const Reply reply = worker_.request(
      "optimized",
      {{"module", module}, {"threads", options.threads}, {"place", place_}, {"disabled", options.disabled}},
      limits);
  if (reply.status == ReplyStatus::kMissing) throw missing(reply);
  if (!reply) return {reply.error, {}, reply.status != ReplyStatus::kRefused};
  return {"", reply.body.value("module", "")};
}

}  // namespace isomer::runtime
