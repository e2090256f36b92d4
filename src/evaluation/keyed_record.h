// The record of a bench (record_file.h) whose results are each told by what they depend on: what stands in it
// is not run again.
#pragma once

#include <concepts>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>

#include "evaluation/record_file.h"

namespace isomer::evaluation {

/// `Key`: what a result depends on, which is a part of the result. A later result takes the place of an
/// earlier one.
template <class Key, std::derived_from<Key> Result>
class KeyedRecord {
 public:
  /// Reads what is there. Throws InputError.
  void open(const std::string& path) {
    file_.open(path, bench_, [this](const nlohmann::ordered_json& line, const std::string&) {
      if (auto result = read_(line)) {
        Key key = *result;
        known_.insert_or_assign(std::move(key), *std::move(result));
      }
    });
  }
  const Result* find(const Key& key) const {
    const auto at = known_.find(key);
    return at == known_.end() ? nullptr : &at->second;
  }
  void add(const Result& result) {
    file_.write(line_of_(result));
    known_.insert_or_assign(result, result);
  }

 protected:
  using LineOf = std::string(const Result&);
  using Read = std::optional<Result>(const nlohmann::ordered_json&);  ///< nothing: a line of another kind
  /// `bench`: as messages name it.
  KeyedRecord(const char* bench, LineOf* line_of, Read* read)
      : bench_(bench), line_of_(line_of), read_(read) {}
  ~KeyedRecord() = default;

 private:
  const char* bench_;
  LineOf* line_of_;
  Read* read_;
  std::map<Key, Result> known_;
  RecordFile file_;
};

}  // namespace isomer::evaluation
