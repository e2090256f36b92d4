// Is a chain of terms a proof? Works on text alone and on its own: reads S-expressions and rules, and looks
// for the one place where two successive terms differ by an instance of the rule that is named. Shares
// nothing with the engine, its parsers, or what makes explanations.
#pragma once

#include <cctype>
#include <map>
#include <string>
#include <vector>

namespace isomer::egraph::check {

struct Tree {
  std::string head;
  std::vector<Tree> children;
  bool operator==(const Tree&) const = default;
};

inline Tree read(const std::string& text, size_t& at) {
  const auto space = [&] {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at]))) ++at;
  };
  space();
  const bool open = at < text.size() && text[at] == '(';
  at += open;
  space();
  Tree out;
  while (at < text.size() && text[at] != '(' && text[at] != ')' &&
         !std::isspace(static_cast<unsigned char>(text[at])))
    out.head += text[at++];
  if (!open) return out;
  for (space(); at < text.size() && text[at] != ')'; space()) out.children.push_back(read(text, at));
  ++at;
  return out;
}
inline Tree read(const std::string& text) {
  size_t at = 0;
  return read(text, at);
}

using Bound = std::map<std::string, Tree>;

inline bool matches(const Tree& pattern, const Tree& term, Bound& bound) {
  if (pattern.head[0] == '?') {
    const auto [it, fresh] = bound.emplace(pattern.head, term);
    return fresh || it->second == term;
  }
  if (pattern.head != term.head || pattern.children.size() != term.children.size()) return false;
  for (size_t i = 0; i < pattern.children.size(); ++i)
    if (!matches(pattern.children[i], term.children[i], bound)) return false;
  return true;
}

/// One step: `rule` is "LEFT=>RIGHT".
struct Step {
  std::string rule;
  bool backward;
  std::string after;
};

inline bool rewrites(const Tree& before, const Tree& after, const Tree& left, const Tree& right) {
  Bound bound;  // both sides under one binding: a side may have variables that the other lacks
  if (matches(left, before, bound) && matches(right, after, bound)) return true;
  if (before.head != after.head || before.children.size() != after.children.size()) return false;
  size_t differing = 0, place = 0;
  for (size_t i = 0; i < before.children.size(); ++i)
    if (!(before.children[i] == after.children[i])) ++differing, place = i;
  return differing == 1 && rewrites(before.children[place], after.children[place], left, right);
}

/// Empty if the steps lead from one term to the other, else what is wrong.
inline std::string explanation(const std::string& from, const std::string& to,
                               const std::vector<Step>& steps) {
  Tree now = read(from);
  for (const Step& step : steps) {
    const size_t arrow = step.rule.find("=>");
    const Tree left = read(step.rule.substr(0, arrow)), right = read(step.rule.substr(arrow + 2));
    const Tree after = read(step.after);
    if (!(step.backward ? rewrites(now, after, right, left) : rewrites(now, after, left, right)))
      return "not by " + step.rule + ": " + step.after;
    now = after;
  }
  return now == read(to) ? "" : "does not end at " + to;
}

}  // namespace isomer::egraph::check
