#include <fmt/format.h>

#include <bit>
#include <iterator>

#include "hlo/printer.h"

namespace isomer::hlo {

template <class Item>
void Printer::list(std::span<const int64_t> numbers, std::string_view between, Item&& item) {
  out_ += '{';
  for (size_t i = 0; i < numbers.size(); ++i) {
    if (i > 0) out_ += between;
    item(numbers[i]);
  }
  out_ += '}';
}

void Printer::integers(std::span<const int64_t> numbers, char open, char close, std::string_view between) {
  out_ += open;
  for (size_t i = 0; i < numbers.size(); ++i)
    fmt::format_to(std::back_inserter(out_), "{}{}", i > 0 ? between : "", numbers[i]);
  out_ += close;
}

std::span<const int64_t> Printer::counted(std::span<const int64_t> numbers, size_t& i) {
  const auto count = static_cast<size_t>(numbers[i]);
  const auto out = numbers.subspan(i + 1, count);
  i += count + 1;
  return out;
}

void Printer::quoted(int64_t id) {
  out_ += '"';
  for (const char c : module_.text(TextId(static_cast<uint32_t>(id)))) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '\n')
      out_ += "\\n";
    else if (c == '\r')
      out_ += "\\r";
    else if (c == '\t')
      out_ += "\\t";
    else if (c == '"' || c == '\'' || c == '\\')
      (out_ += '\\') += c;
    else if (byte < 32 || byte > 126)
      fmt::format_to(std::back_inserter(out_), "\\{:03o}", byte);
    else
      out_ += c;
  }
  out_ += '"';
}

void Printer::attributes(std::span<const Attribute> attributes) {
  for (const Attribute& a : attributes) {
    out_ += ", ";
    out_ += row(a.name).text;
    out_ += '=';
    attribute(a);
  }
}

void Printer::attribute(const Attribute& a) {
  const auto v = module_.value(a);
  const AttributeRow& r = row(a.name);
  const auto computation = [&](int64_t id) { name(module_[ComputationId(static_cast<uint32_t>(id))].name); };
  const auto word = [&](int64_t i) { out_ += words(r.words)[static_cast<size_t>(i)]; };
  const auto boolean = [&](int64_t b) { out_ += b != 0 ? "true" : "false"; };
  switch (r.kind) {
    case AttributeKind::kBool: return boolean(v[0]);
    case AttributeKind::kBools: return list(v, ",", boolean);
    case AttributeKind::kInt: fmt::format_to(std::back_inserter(out_), "{}", v[0]); return;
    case AttributeKind::kInts: return integers(v, '{', '}');
    case AttributeKind::kIntLists: return lists(v);
    case AttributeKind::kFloat:
      fmt::format_to(std::back_inserter(out_), "{}", std::bit_cast<double>(v[0]));
      return;
    case AttributeKind::kText: return quoted(v[0]);
    case AttributeKind::kBraced:
    case AttributeKind::kSharding: return text(v[0]);
    case AttributeKind::kTextOrBraced: return v[1] != 0 ? text(v[0]) : quoted(v[0]);
    case AttributeKind::kWord: return word(v[0]);
    case AttributeKind::kWords: return list(v, ",", word);
    case AttributeKind::kComputation: return computation(v[0]);
    case AttributeKind::kComputations: return list(v, ", ", computation);
    case AttributeKind::kInstructions:
      return list(v, ", ", [&](int64_t id) { name(module_[InstructionId(static_cast<uint32_t>(id))].name); });
    case AttributeKind::kShape: return shape(v[0]);
    case AttributeKind::kShapes: return list(v, ", ", [&](int64_t id) { shape(id); });
    case AttributeKind::kLiteral: {
      const Literal& literal = module_.literals[static_cast<size_t>(v[0])];
      module_.shapes.print(literal.shape, true, out_);
      out_ += ' ';
      return print_literal(module_.shapes, literal, out_);
    }
    case AttributeKind::kWindow: return window(v);
    case AttributeKind::kDimLabels: return dim_labels(v);
    case AttributeKind::kSlices: return slices(v);
    case AttributeKind::kPadding: return padding(v);
    case AttributeKind::kDevices: return devices(v);
    case AttributeKind::kAliasing: return aliasing(v, a.name == AttributeName::kInputOutputAlias);
    case AttributeKind::kDonors: return donors(v);
    case AttributeKind::kComputationLayout: return computation_layout(v);
    case AttributeKind::kMetadata: return metadata(v);
    case AttributeKind::kMap: return map(v);
  }
}

void Printer::window(std::span<const int64_t> numbers) {
  // As XLA has it: a field is written where a dimension differs from the ordinary value.
  constexpr std::pair<std::string_view, size_t> kFields[] = {
      {"size", 0}, {"stride", 1}, {"pad", 2}, {"lhs_dilate", 4}, {"rhs_dilate", 5}, {"rhs_reversal", 6}};
  constexpr int64_t kOrdinary[] = {0, 1, 0, 0, 1, 1, 0};
  const size_t dims = numbers.size() / kWindowNumbers;
  const auto to = std::back_inserter(out_);
  bool first = true;
  out_ += '{';
  for (const auto& [field, at] : kFields) {
    const auto value = [&, at = at](size_t d, size_t offset = 0) {
      return numbers[d * kWindowNumbers + at + offset];
    };
    bool told = at == 0 && dims > 0;
    for (size_t d = 0; d < dims; ++d)
      told = told || value(d) != kOrdinary[at] || (at == 2 && value(d, 1) != 0);
    if (!told) continue;
    fmt::format_to(to, "{}{}=", first ? "" : " ", field);
    first = false;
    for (size_t d = 0; d < dims; ++d) {
      fmt::format_to(to, "{}{}", d > 0 ? "x" : "", value(d));
      if (at == 2) fmt::format_to(to, "_{}", value(d, 1));
    }
  }
  out_ += '}';
}

void Printer::dim_labels(std::span<const int64_t> numbers) {
  const auto spatial = static_cast<size_t>(numbers[3]);
  constexpr std::string_view kLetters[] = {"bf", "io", "bf"};
  for (size_t part = 0; part < 3; ++part) {
    std::string labels(static_cast<size_t>(numbers[part]), '?');
    for (size_t i = 0; i < spatial + 2; ++i) {
      const int64_t place = numbers[4 + part * (spatial + 2) + i];
      if (place >= 0)
        labels[static_cast<size_t>(place)] = i < 2 ? kLetters[part][i] : static_cast<char>('0' + i - 2);
    }
    out_ += part == 1 ? "_" : part == 2 ? "->" : "";
    out_ += labels;
  }
}

void Printer::slices(std::span<const int64_t> numbers) {
  out_ += '{';
  for (size_t i = 0; i < numbers.size(); i += 3) {
    fmt::format_to(std::back_inserter(out_), "{}[{}:{}", i > 0 ? ", " : "", numbers[i], numbers[i + 1]);
    if (numbers[i + 2] != 1) fmt::format_to(std::back_inserter(out_), ":{}", numbers[i + 2]);
    out_ += ']';
  }
  out_ += '}';
}

void Printer::padding(std::span<const int64_t> numbers) {
  bool interior = false;
  for (size_t i = 0; i < numbers.size(); i += 3) interior = interior || numbers[i + 2] != 0;
  for (size_t i = 0; i < numbers.size(); i += 3) {
    fmt::format_to(std::back_inserter(out_), "{}{}_{}", i > 0 ? "x" : "", numbers[i], numbers[i + 1]);
    if (interior) fmt::format_to(std::back_inserter(out_), "_{}", numbers[i + 2]);
  }
}

void Printer::lists(std::span<const int64_t> numbers) {
  out_ += '{';
  for (size_t i = 0; i < numbers.size();) {
    if (i > 0) out_ += ',';
    integers(counted(numbers, i), '{', '}');
  }
  out_ += '}';
}

void Printer::devices(std::span<const int64_t> numbers) {
  if (numbers[0] == 0) return lists(numbers.subspan(1));
  size_t i = 1;
  integers(counted(numbers, i), '[', ']');
  out_ += "<=";
  integers(counted(numbers, i), '[', ']');
  if (const auto order = counted(numbers, i); !order.empty()) {
    out_ += 'T';
    integers(order, '(', ')');
  }
}

void Printer::aliasing(std::span<const int64_t> numbers, bool spaced) {
  out_ += spaced ? "{ " : "{";
  for (size_t i = 0; i < numbers.size();) {
    if (i > 0) out_ += ", ";
    integers(counted(numbers, i), '{', '}');
    fmt::format_to(std::back_inserter(out_), ": ({}, ", numbers[i++]);
    integers(counted(numbers, i), '{', '}');
    const auto kind = static_cast<AliasKind>(numbers[i++]);
    out_ += kind == AliasKind::kMay ? ", may-alias)" : kind == AliasKind::kMust ? ", must-alias)" : ")";
  }
  out_ += spaced ? " }" : "}";
}

void Printer::donors(std::span<const int64_t> numbers) {
  out_ += "{ ";
  for (size_t i = 0; i < numbers.size();) {
    fmt::format_to(std::back_inserter(out_), "{}({}, ", i > 0 ? ", " : "", numbers[i]);
    ++i;
    integers(counted(numbers, i), '{', '}');
    out_ += ')';
  }
  out_ += " }";
}

void Printer::computation_layout(std::span<const int64_t> numbers) {
  out_ += "{(";
  for (size_t i = 0; i + 1 < numbers.size(); ++i) {
    if (i > 0) out_ += ", ";
    if (i > 0 && i % 5 == 0) fmt::format_to(std::back_inserter(out_), "/*index={}*/", i);
    shape(numbers[i]);
  }
  out_ += ")->";
  shape(numbers.back());
  out_ += '}';
}

void Printer::metadata(std::span<const int64_t> numbers) {
  out_ += '{';
  for (size_t i = 0; i < numbers.size();) {
    if (i > 0) out_ += ' ';
    const auto field = static_cast<MetadataField>(numbers[i]);
    out_ += words(WordList::kMetadataFields)[static_cast<size_t>(field)];
    out_ += '=';
    ++i;
    switch (kind_of(field)) {
      case MetadataKind::kText: quoted(numbers[i++]); break;
      case MetadataKind::kInt: fmt::format_to(std::back_inserter(out_), "{}", numbers[i++]); break;
      case MetadataKind::kInts: integers(counted(numbers, i), '{', '}'); break;
    }
  }
  out_ += '}';
}

void Printer::map(std::span<const int64_t> numbers) {
  out_ += '{';
  for (size_t i = 0; i < numbers.size(); i += 3) {
    if (i > 0) out_ += ',';
    text(numbers[i]);
    out_ += '=';
    if (numbers[i + 2] != 0)
      text(numbers[i + 1]);
    else
      quoted(numbers[i + 1]);
  }
  out_ += '}';
}

}  // namespace isomer::hlo
