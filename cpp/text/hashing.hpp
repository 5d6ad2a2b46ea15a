// Two hashes of a feature's name: one that is the same everywhere, for columns, and one that nobody
// can predict, for tables in memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <string_view>

namespace novikoff {

// The hash that chooses the column of a name with hash bits: the same on every machine and in every
// version. FNV-1a with the final mixing of SplitMix64, because the low bits are used. The parts of a
// name may be added one by one.
struct NameHash {
  static constexpr std::uint64_t prime = 0x100000001b3u;
  // row n: for n bytes, and 1 for those that follow up to eight
  static constexpr auto factors = [] {
    std::array<std::array<std::uint64_t, 8>, 9> out{};
    for (std::size_t n = 0; n <= 8; ++n)
      for (std::size_t k = 0; k < 8; ++k) out[n][k] = k < n ? prime : 1;
    return out;
  }();
  std::uint64_t state = 0xcbf29ce484222325u;

  NameHash& add(char c) {
    state = (state ^ static_cast<unsigned char>(c)) * prime;
    return *this;
  }
  NameHash& add(std::string_view part) {
    for (const char c : part) add(c);
    return *this;
  }
  std::uint64_t value() const {
    std::uint64_t h = state;
    h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
    h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
    return h ^ (h >> 31);
  }
};

inline std::uint64_t hash_name(std::string_view name) { return NameHash{}.add(name).value(); }

// The hash that chooses the slot of a name in a table, with a key drawn at random for each process.
// Names often come from strangers; without the key nobody can choose many that share a slot and make
// each look-up slow. The bytes are folded by long multiplication, as in wyhash (Wang Yi 2019), with
// the key in place of its constants. (SipHash-1-3 makes the parser of Vowpal Wabbit's text take 1.7
// times as long.)
struct SlotKey {
  std::uint64_t parts[4];

  static const SlotKey& of_process() {
    static const SlotKey key;
    return key;
  }

 private:
  SlotKey() {
    std::random_device dice;
    for (std::uint64_t& part : parts) part = std::uint64_t(dice()) << 32 | dice();
  }
};

template <class Word>
inline std::uint64_t word_at(const char* p) {
  Word word;
  std::memcpy(&word, p, sizeof word);
  return word;
}

// Both halves of the product, one folded over the other.
inline std::uint64_t fold(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide(a) * b;
  return std::uint64_t(product) ^ std::uint64_t(product >> 64);
}

inline std::uint64_t slot_hash(std::string_view name) {
  const auto& [k0, k1, k2, k3] = SlotKey::of_process().parts;
  const std::size_t n = name.size();
  const char* const p = name.data();
  std::uint64_t first = 0, last = 0, before = k1;
  if (n >= 8) {
    std::size_t at = 0;
    for (; n - at > 16; at += 16)
      before = fold(word_at<std::uint64_t>(p + at) ^ k0, word_at<std::uint64_t>(p + at + 8) ^ before);
    first = word_at<std::uint64_t>(n > 16 ? p + n - 16 : p);
    last = word_at<std::uint64_t>(p + n - 8);
  } else if (n >= 4) {
    first = word_at<std::uint32_t>(p);
    last = word_at<std::uint32_t>(p + n - 4);
  } else if (n > 0) {
    first = word_at<std::uint8_t>(p) << 16 | word_at<std::uint8_t>(p + n / 2) << 8 |
            word_at<std::uint8_t>(p + n - 1);
  }
  return fold(fold(first ^ k0, last ^ before) ^ k2, n ^ k3);
}

// The same for two numbers instead of a name.
inline std::uint64_t slot_hash(std::uint32_t a, std::uint32_t b) {
  const auto& [k0, k1, k2, k3] = SlotKey::of_process().parts;
  return fold(a ^ k0, b ^ k1);
}

}  // namespace novikoff
