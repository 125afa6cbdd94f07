// What a misspelled word was meant to be.
#ifndef PARITY_CONFIG_NEAREST_H_
#define PARITY_CONFIG_NEAREST_H_

#include <cstddef>
#include <string>
#include <vector>

namespace parity::config {

// How many letters must be put in, left out, replaced, or swapped with their neighbour to make one
// word of the other. Cost: the product of their lengths.
size_t EditDistance(const std::string& a, const std::string& b);

// That of `words` with the smallest distance from `word`, the first of several. Empty if all are so
// far that there is no likeness: more than a third of the longer word.
std::string Nearest(const std::string& word, const std::vector<std::string>& words);

}  // namespace parity::config

#endif  // PARITY_CONFIG_NEAREST_H_
