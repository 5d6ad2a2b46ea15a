// The hash of a feature's name, the same on every machine and in every version.
#pragma once

#include <cstdint>
#include <string_view>

namespace novikoff {

// FNV-1a with the final mixing of SplitMix64, because the low bits choose the slot. A name can be
// hashed in parts: hash_name(a + b) is hash_end(hash_more(hash_more(hash_start, a), b)).
constexpr std::uint64_t hash_start = 0xcbf29ce484222325u;
inline std::uint64_t hash_more(std::uint64_t h, std::string_view part) {
  for (const char c : part) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
  return h;
}
inline std::uint64_t hash_end(std::uint64_t h) {
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}
inline std::uint64_t hash_name(std::string_view name) {
  return hash_end(hash_more(hash_start, name));
}

}  // namespace novikoff
