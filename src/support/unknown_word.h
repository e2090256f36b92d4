// Options whose argument is one of some fixed words: read in one way, refused in one way.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/errors.h"

namespace isomer {

/// "; did you mean mcts?" where a known word is near, else nothing.
std::string did_you_mean(std::string_view word, std::span<const std::string> known);

/// "--search mtcs: expected saturation, portfolio or mcts; did you mean mcts?". `what`: the option.
UsageError unknown_word(std::string_view what, std::string_view word, std::span<const std::string> known);

template <class T>
struct Choice {
  std::string_view word;
  T value;
};

/// The value that goes with `word`. Throws unknown_word.
template <class T>
T choose(std::string_view what, std::string_view word, std::initializer_list<Choice<T>> choices) {
  std::vector<std::string> known;
  for (const Choice<T>& c : choices) {
    if (c.word == word) return c.value;
    known.emplace_back(c.word);
  }
  throw unknown_word(what, word, known);
}

}  // namespace isomer
