// Attributes: `name=value`, the value as the attribute's kind says (attribute.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "hlo/reader.h"

namespace isomer::hlo {
namespace {

/// Names of a set, for messages.
std::string names(const AttributeSet& set) {
  std::vector<std::string_view> out;
  for (int i = 0; i < kAttributeCount; ++i)
    if (set.has(static_cast<AttributeName>(i))) out.push_back(row(static_cast<AttributeName>(i)).text);
  return fmt::format("{}", fmt::join(out, ", "));
}

/// What the first word of a sharding may be.
constexpr std::string_view kShardings[] = {"replicated",   "maximal",  "manual",     "unknown",
                                           "unreduced",    "device",   "devices",    "mesh",
                                           "maximal_mesh", "shard_as", "shard_like", "metadata"};

}  // namespace

Range Reader::attributes(std::string_view owner, const AttributeSet& allowed, const AttributeSet& required) {
  Range out{static_cast<uint32_t>(module.attributes.size()), 0};
  AttributeSet seen;
  while (take(',')) {
    attribute(owner, allowed, seen);
    ++out.count;
  }
  const AttributeSet missing = required.without(seen);
  if (!missing.empty()) fail_expected(fmt::format("', {}=...' of {}", names(missing), owner));
  return out;
}

void Reader::attribute(std::string_view owner, const AttributeSet& allowed, AttributeSet& seen) {
  skip();
  const char* first = at_;
  const std::string_view text = word();
  std::optional<AttributeName> name = find_attribute(text);
  while (name && !allowed.has(*name)) name = same_spelling(*name);
  if (!name) {
    const AttributeSet own = allowed.without(kOfEveryInstruction);
    fail_expected(first, own.empty()
                             ? fmt::format("an attribute of every instruction: {} has no others", owner)
                             : fmt::format("an attribute of {} ({})", owner, names(own)));
  }
  if (seen.has(*name)) fail(first, fmt::format("expected each attribute once, found '{}' again", text));
  seen.add(*name);
  expect('=', fmt::format("behind {}", text));
  const auto at = static_cast<uint32_t>(module.numbers.size());
  attribute_value(*name);
  module.attributes.push_back({*name, {at, static_cast<uint32_t>(module.numbers.size()) - at}});
}

void Reader::attribute_value(AttributeName name) {
  const AttributeRow& r = row(name);
  std::vector<int64_t>& out = module.numbers;
  const auto word_of = [&] {
    skip();
    const char* first = at_;
    const int found = find_word(r.words, word());
    if (found < 0)
      fail_expected(first, fmt::format("{} to be one of {}", r.text, fmt::join(words(r.words), ", ")));
    out.push_back(found);
  };
  switch (r.kind) {
    case AttributeKind::kBool: return out.push_back(boolean() ? 1 : 0);
    case AttributeKind::kBools:
      if (peek() != '{') return out.push_back(boolean() ? 1 : 0);
      return list('{', '}', "around true and false", [&] { out.push_back(boolean() ? 1 : 0); });
    case AttributeKind::kInt: return out.push_back(integer("a whole number"));
    case AttributeKind::kInts: return integers('{', '}', "around whole numbers", out);
    case AttributeKind::kIntLists: return list('{', '}', "around lists", [&] { counted_integers('{', '}'); });
    case AttributeKind::kFloat: return out.push_back(std::bit_cast<int64_t>(real("a number")));
    case AttributeKind::kText: return out.push_back(string("a string").v);
    case AttributeKind::kBraced: return out.push_back(braced().v);
    case AttributeKind::kTextOrBraced: {
      const bool is_braced = peek() == '{';
      out.push_back(is_braced ? braced().v : string("a string or {...}").v);
      return out.push_back(is_braced ? 1 : 0);
    }
    case AttributeKind::kWord: return word_of();
    case AttributeKind::kWords: return list('{', '}', "around words", word_of);
    case AttributeKind::kComputation: return out.push_back(computation_named().v);
    case AttributeKind::kComputations:
      return list('{', '}', "around computations", [&] { out.push_back(computation_named().v); });
    case AttributeKind::kInstructions:
      return list('{', '}', "around instructions", [&] { out.push_back(instruction_named().v); });
    case AttributeKind::kShape: return out.push_back(shape().v);
    case AttributeKind::kShapes: return list('{', '}', "around shapes", [&] { out.push_back(shape().v); });
    case AttributeKind::kLiteral: {
      const ShapeId type = shape();
      module.literals.push_back(literal(type));
      return out.push_back(static_cast<int64_t>(module.literals.size() - 1));
    }
    case AttributeKind::kWindow: return window();
    case AttributeKind::kDimLabels: return dim_labels();
    case AttributeKind::kSlices: return slices();
    case AttributeKind::kPadding: return padding();
    case AttributeKind::kDevices: return devices();
    case AttributeKind::kAliasing: return aliasing();
    case AttributeKind::kDonors: return donors();
    case AttributeKind::kComputationLayout: return computation_layout();
    case AttributeKind::kSharding: return sharding();
    case AttributeKind::kMetadata: return metadata();
    case AttributeKind::kMap: return map();
  }
}

void Reader::counted_integers(char open, char close) {
  std::vector<int64_t>& out = module.numbers;
  const size_t length = out.size();
  out.push_back(0);
  integers(open, close, "around whole numbers", out);
  out[length] = static_cast<int64_t>(out.size() - length - 1);
}

void Reader::slices() {
  std::vector<int64_t>& out = module.numbers;
  list('{', '}', "around ranges", [&] {
    expect('[', "before a range");
    out.push_back(integer("a start"));
    expect(':', "behind a start");
    out.push_back(integer("a limit"));
    out.push_back(take(':') ? integer("a stride") : 1);
    expect(']', "behind a range");
  });
}

void Reader::padding() {
  std::vector<int64_t>& out = module.numbers;
  do {
    out.push_back(integer("padding before"));
    expect('_', "between paddings");
    out.push_back(integer("padding behind"));
    out.push_back(passes('_') ? integer("padding between") : 0);
  } while (passes('x'));
}

void Reader::donors() {
  std::vector<int64_t>& out = module.numbers;
  list('{', '}', "around donors", [&] {
    expect('(', "before a donor");
    out.push_back(integer("the number of a parameter"));
    expect(',', "behind a parameter's number");
    shape_index(out);
    expect(')', "behind a donor");
  });
}

void Reader::computation_layout() {
  std::vector<int64_t>& out = module.numbers;
  expect('{', "before a computation's shapes");
  list('(', ')', "around the shapes of parameters", [&] { out.push_back(shape().v); });
  if (!take("->")) fail_expected("'->' before the result's shape");
  out.push_back(shape().v);
  expect('}', "behind a computation's shapes");
}

void Reader::map() {
  std::vector<int64_t>& out = module.numbers;
  list('{', '}', "around attributes", [&] {
    out.push_back(module.texts.intern(word()).v);
    expect('=', "behind the name of an attribute");
    const bool is_braced = peek() == '{';
    out.push_back(is_braced ? braced().v : string("a string or {...}").v);
    out.push_back(is_braced ? 1 : 0);
  });
}

void Reader::sharding() {
  skip();
  const char* first = at_;
  module.numbers.push_back(braced().v);
  const char* end = at_;
  rewind(first);
  while (at_ != end && (here() == '{' || here() == '}' || here() == ',' || here() == ' ')) ++at_;
  if (at_ != end) {
    const char* held = at_;
    const std::string_view text = word();
    if (std::ranges::find(kShardings, text) == std::end(kShardings))
      fail_expected(held, fmt::format("a sharding ({})", fmt::join(kShardings, ", ")));
  }
  rewind(end);
}

void Reader::window() {
  expect('{', "before a window");
  std::vector<int64_t>& out = module.numbers;
  const char* first = at_;
  const size_t start = out.size();
  constexpr std::string_view kFields[] = {"size",       "stride",     "pad",         "",
                                          "lhs_dilate", "rhs_dilate", "rhs_reversal"};
  size_t dims = 0;
  bool sized = false;
  uint32_t seen = 0;
  while (!take('}')) {
    skip();
    const char* at = at_;
    const std::string_view field = word();
    size_t which = 0;
    while (which < kWindowNumbers && (field.empty() || kFields[which] != field)) ++which;
    if (which == kWindowNumbers)
      fail_expected(at, "size, stride, pad, lhs_dilate, rhs_dilate or rhs_reversal of a window");
    if ((seen >> which & 1) != 0) fail(at, fmt::format("expected {} once in a window", field));
    seen |= 1u << which;
    expect('=', fmt::format("behind {}", field));
    size_t i = 0;
    do {
      if (out.size() < start + (i + 1) * kWindowNumbers) {
        if (sized)
          fail(at, fmt::format("expected as many numbers in {} as in the window's other fields", field));
        for (const int64_t n : {1, 1, 0, 0, 1, 1, 0}) out.push_back(n);
      }
      const int64_t value = integer(fmt::format("a number of {}", field));
      out[start + i * kWindowNumbers + which] = value;
      if (field == "pad") {
        expect('_', "between paddings");
        out[start + i * kWindowNumbers + which + 1] = integer("padding behind");
      }
      ++i;
    } while (passes('x'));
    if (sized && i != dims)
      fail(at, fmt::format("expected as many numbers in {} as in the window's other fields", field));
    dims = i;
    sized = true;
  }
  if (sized && (seen & 1) == 0) fail(first, "expected size=... in a window");
}

void Reader::dim_labels() {
  skip();
  const char* first = at_;
  const auto part = [&](std::string_view letters) {
    const char* from = at_;
    while (at_ != end_ &&
           (letters.find(*at_) != std::string_view::npos || (*at_ >= '0' && *at_ <= '9') || *at_ == '?'))
      ++at_;
    return std::string_view(from, static_cast<size_t>(at_ - from));
  };
  const std::string_view input = part("bf");
  const bool first_mark = passes('_');
  const std::string_view kernel = part("io");
  const bool second_mark = take("->");
  const std::string_view output = part("bf");
  constexpr std::string_view kExpected = "labels of dimensions, such as b01f_01io->b01f";
  if (!first_mark || !second_mark || input.empty() || kernel.empty() || output.empty())
    fail_expected(first, kExpected);
  std::vector<int64_t> places[3];
  const std::pair<std::string_view, std::string_view> parts[] = {
      {input, "bf"}, {kernel, "io"}, {output, "bf"}};
  for (size_t p = 0; p < 3; ++p) {
    const auto& [text, letters] = parts[p];
    size_t spatial = 0;
    for (const char c : text) spatial += c >= '0' && c <= '9' ? 1 : 0;
    places[p].assign(2 + spatial, -1);
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '?') continue;
      const size_t letter = letters.find(text[i]);
      const size_t place = letter != std::string_view::npos ? letter : 2 + static_cast<size_t>(text[i] - '0');
      if (place >= places[p].size() || places[p][place] >= 0)
        fail(first, fmt::format("expected each label of {} once, from 0 on", text));
      places[p][place] = static_cast<int64_t>(i);
    }
    if (places[p].size() != places[0].size())
      fail(first, "expected as many spatial dimensions in all three parts of the labels");
  }
  std::vector<int64_t>& out = module.numbers;
  for (const auto& [text, letters] : parts) out.push_back(static_cast<int64_t>(text.size()));
  out.push_back(static_cast<int64_t>(places[0].size()) - 2);
  for (const auto& place : places) out.insert(out.end(), place.begin(), place.end());
}

void Reader::shape_index(std::vector<int64_t>& out) {
  const size_t length = out.size();
  out.push_back(0);
  list('{', '}', "around an index into a tuple", [&] { out.push_back(integer("a position in a tuple")); });
  out[length] = static_cast<int64_t>(out.size() - length - 1);
}

void Reader::aliasing() {
  std::vector<int64_t>& out = module.numbers;
  list('{', '}', "around aliases", [&] {
    shape_index(out);
    expect(':', "behind the index of an output");
    expect('(', "before what it is an alias of");
    out.push_back(integer("the number of a parameter or operand"));
    expect(',', "behind it");
    shape_index(out);
    auto kind = AliasKind::kUnsaid;
    if (take(',')) {
      skip();
      const char* first = at_;
      const std::string_view text = word();
      if (text != "may-alias" && text != "must-alias") fail_expected(first, "may-alias or must-alias");
      kind = text == "may-alias" ? AliasKind::kMay : AliasKind::kMust;
    }
    out.push_back(static_cast<int64_t>(kind));
    expect(')', "behind an alias");
  });
}

void Reader::metadata() {
  std::vector<int64_t>& out = module.numbers;
  expect('{', "before metadata");
  uint32_t seen = 0;
  while (!take('}')) {
    take(',');
    skip();
    const char* first = at_;
    const std::string_view text = word();
    const int field = find_word(WordList::kMetadataFields, text);
    if (field < 0)
      fail_expected(
          first, fmt::format("a field of metadata ({})", fmt::join(words(WordList::kMetadataFields), ", ")));
    if ((seen >> field & 1) != 0)
      fail(first, fmt::format("expected each field once, found '{}' again", text));
    seen |= 1u << field;
    expect('=', fmt::format("behind {}", text));
    out.push_back(field);
    switch (kind_of(static_cast<MetadataField>(field))) {
      case MetadataKind::kText: out.push_back(string("a string").v); break;
      case MetadataKind::kInt: out.push_back(integer("a whole number")); break;
      case MetadataKind::kInts: counted_integers('{', '}'); break;
    }
  }
}

void Reader::devices() {
  std::vector<int64_t>& out = module.numbers;
  if (peek() == '{') {
    out.push_back(0);
    return list('{', '}', "around groups", [&] { counted_integers('{', '}'); });
  }
  if (here() != '[') fail_expected("groups of devices: {{0,1},{2,3}} or [2,2]<=[4]");
  out.push_back(1);
  counted_integers('[', ']');
  if (!take("<=")) fail_expected("'<=' behind the sizes of groups");
  counted_integers('[', ']');
  if (take('T'))
    counted_integers('(', ')');
  else
    out.push_back(0);
}

}  // namespace isomer::hlo
