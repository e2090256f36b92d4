#include "ir/attr.h"

#include <bit>

#include "support/hash.h"

namespace isomer::ir {
namespace {

uint64_t hash_one(int64_t v) { return mix64(static_cast<uint64_t>(v) + 1); }
uint64_t hash_one(double v) { return mix64(std::bit_cast<uint64_t>(v) + 2); }
uint64_t hash_one(const std::string& v) { return hash_string(v); }
uint64_t hash_one(Dim v) { return mix64(static_cast<uint64_t>(v.raw()) + 3); }

template <class T>
uint64_t hash_one(const std::vector<T>& v) {
  uint64_t h = mix64(v.size() + 17);
  for (const auto& x : v) h = hash_combine(h, hash_one(x));
  return h;
}

bool same(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

}  // namespace

uint64_t hash_of(const AttrValue& value) {
  return hash_combine(value.index(), std::visit([](const auto& v) { return hash_one(v); }, value));
}

bool identical(const AttrValue& a, const AttrValue& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<double>(&a)) return same(*x, std::get<double>(b));
  if (const auto* x = std::get_if<std::vector<double>>(&a)) {
    const auto& y = std::get<std::vector<double>>(b);
    if (x->size() != y.size()) return false;
    for (size_t i = 0; i < y.size(); ++i)
      if (!same((*x)[i], y[i])) return false;
    return true;
  }
  return a == b;
}

}  // namespace isomer::ir
