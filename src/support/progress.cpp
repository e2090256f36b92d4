#include "support/progress.h"

namespace isomer {
namespace {

class Silent final : public ProgressSink {
 public:
  void update(const Progress&) override {}
  void message(const std::string&) override {}
};

}  // namespace

ProgressSink& silent_progress() {
  static Silent sink;
  return sink;
}

}  // namespace isomer
