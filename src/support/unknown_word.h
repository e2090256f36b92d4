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

template <class T>
std::vector<std::string> words_of(std::span<const Choice<T>> choices) {
  std::vector<std::string> words;
  for (const Choice<T>& c : choices) words.emplace_back(c.word);
  return words;
}

/// The value that goes with `word`. Throws unknown_word.
template <class T>
T choose(std::string_view what, std::string_view word, std::span<const Choice<T>> choices) {
  for (const Choice<T>& c : choices)
    if (c.word == word) return c.value;
  throw unknown_word(what, word, words_of(choices));
}
template <class T>
T choose(std::string_view what, std::string_view word, std::initializer_list<Choice<T>> choices) {
  return choose(what, word, std::span<const Choice<T>>(choices.begin(), choices.size()));
}

}  // namespace isomer
