// Texts as features: their words, pairs of neighbouring words, or the characters within words.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "core/logarithm.hpp"
#include "text/characters.hpp"
#include "text/sorting.hpp"
#include "text/text.hpp"

namespace novikoff {

// Each character of a word as it is folded; 0 for a character that is in no word.
class Characters {
 public:
  static constexpr unsigned char not_ascii = 1;

  static const Characters& all() {
    static const Characters table;
    return table;
  }
  // The same for a byte that is a character; not_ascii for one that is part of a longer one.
  unsigned char of_byte(char byte) const { return bytes_[static_cast<unsigned char>(byte)]; }
  std::int32_t operator[](std::int32_t code) const {
    if (code < below_) return folded_[std::size_t(code)];
    return in_word(code) ? code + shift(code) : 0;
  }

 private:
  static constexpr std::int32_t below_ = 0x10000;
  std::vector<std::int32_t> folded_ = std::vector<std::int32_t>(below_);
  unsigned char bytes_[256];

  Characters() {
    for (const auto& [first, last] : word_ranges)
      for (std::int32_t code = first; code <= last && code < below_; ++code)
        folded_[std::size_t(code)] = code;
    for (const Folding& f : foldings)
      for (std::int32_t code = f.first; code <= f.last && code < below_; code += f.step)
        folded_[std::size_t(code)] += f.shift;
    for (std::size_t byte = 0; byte < 256; ++byte)
      bytes_[byte] = byte < 128 ? static_cast<unsigned char>(folded_[byte]) : not_ascii;
  }
  static bool in_word(std::int32_t code) {
    const auto* const after = std::upper_bound(
        std::begin(word_ranges), std::end(word_ranges), code,
        [](std::int32_t c, const std::int32_t (&range)[2]) { return c < range[0]; });
    return after != std::begin(word_ranges) && code <= after[-1][1];
  }
  static std::int32_t shift(std::int32_t code) {
    const Folding* const after =
        std::upper_bound(std::begin(foldings), std::end(foldings), code,
                         [](std::int32_t c, const Folding& f) { return c < f.first; });
    if (after == std::begin(foldings)) return 0;
    const Folding& f = after[-1];
    return code <= f.last && (code - f.first) % f.step == 0 ? f.shift : 0;
  }
};

// Eight ASCII characters, of which letters and digits are in words: folded, and a bit for each that is in a
// word. Both as in `Characters`, which tests/sources/test_text_rule.py confirms.
struct AsciiWords {
  static constexpr std::uint64_t each = 0x0101010101010101u, high = 0x80 * each;
  std::uint64_t folded;
  std::uint32_t in_word;

  explicit AsciiWords(std::uint64_t eight) {
    const auto within = [](std::uint64_t bytes, char first, char last) {
      return (bytes + each * std::uint64_t(0x80 - first)) & ~(bytes + each * std::uint64_t(0x7f - last));
    };
    const std::uint64_t letters = within(eight | 0x20 * each, 'a', 'z') & high;
    const std::uint64_t marks = letters | (within(eight, '0', '9') & high);
    folded = eight | letters >> 2;
    in_word = std::uint32_t((marks >> 7) * 0x0102040810204080u >> 56);
  }
};
constexpr auto bits_of_byte = [] {
  std::array<std::uint8_t, 256> out{};
  for (std::size_t k = 1; k < 256; ++k) out[k] = std::uint8_t(out[k / 2] + k % 2);
  return out;
}();

enum class Grams : std::uint8_t { words, pairs, characters };
enum class Amount : std::uint8_t { count, binary, log };

// What becomes of a text: which parts of it are features, what the value of a part is that occurs
// n times (n, 1 or ln(1 + n)), and whether the values are divided by their Euclidean norm.
struct TextRule {
  Grams grams;
  Amount amount;
  bool unit_length;
};

// What is counted in a document: the places of names, and how often each was met.
class Counts {
 public:
  struct Met {
    std::int32_t place;
    std::uint32_t count;
  };
  Buffer<Met> met;  // in the order of their first occurrence

  // Counts the place. `last` is where the caller found it in an earlier call, perhaps in an earlier
  // document: it is right if the place is there.
  void count(std::int32_t place, std::uint32_t& last) {
    if (last < met.size && met.data[last].place == place) {
      ++met.data[last].count;
      return;
    }
    last = std::uint32_t(met.size);
    met.push({place, 1});
  }
};

// Places in a table of names for pairs of words, which are known by their numbers.
class PairTable {
 public:
  struct Entry {
    std::int32_t a = -1, b = -1, place = NameTable::none;
    std::uint32_t last = 0;  // for Counts
  };

  // Makes room for some more pairs; until the next call none moves.
  void make_room(std::size_t some) {
    while (2 * (added_.size() + some) > slots_.size()) spread();
  }
  std::size_t slot(std::int32_t a, std::int32_t b) const {
    const std::size_t at = slot_hash(std::uint32_t(a), std::uint32_t(b)) & (slots_.size() - 1);
    __builtin_prefetch(&slots_[at]);
    return at;
  }
  // The pair with this slot; a new one has no place, and must be given one.
  Entry& at(std::size_t slot, std::int32_t a, std::int32_t b) {
    for (; slots_[slot].a >= 0; slot = (slot + 1) & (slots_.size() - 1))
      if (slots_[slot].a == a && slots_[slot].b == b) return slots_[slot];
    slots_[slot].a = a;
    slots_[slot].b = b;
    added_.push_back(slot);
    return slots_[slot];
  }
  // Forgets the pairs whose places are not below `some`: they came last.
  void keep(std::int32_t some) {
    for (; !added_.empty() && slots_[added_.back()].place >= some; added_.pop_back())
      slots_[added_.back()] = {};
  }

 private:
  std::vector<Entry> slots_ = std::vector<Entry>(1024);
  std::vector<std::size_t> added_;  // the slots in the order of their first use

  void spread() {
    const std::vector<Entry> old = std::exchange(slots_, std::vector<Entry>(2 * slots_.size()));
    for (std::size_t& from : added_) {
      const Entry& entry = old[from];
      from = slot(entry.a, entry.b);
      while (slots_[from].a >= 0) from = (from + 1) & (slots_.size() - 1);
      slots_[from] = entry;
    }
  }
};

// Reads texts, which must be UTF-8, into named features of `out`. Words are found first, then hashed or
// numbered, then counted, each in a loop whose branches do not depend on the text: 60 MB of messages take
// 0.40 s of processor time instead of 0.52 hashed, and 0.59 instead of 0.71 with a dictionary.
//
// A word is a maximal run of letters, marks and numbers, each character folded (characters.hpp).
// Feature "prefix" + w is the word w, "prefix" + v + " " + w the word v followed by the word w,
// whatever is between them. Of characters, the features are the runs of 3 to 5 characters of each
// word with a space before and after it.
class TextReader {
  static constexpr std::uint32_t few = 16;  // counts below this have their amounts at hand

 public:
  TextReader(std::string_view prefix, const TextRule& rule, Parsed<std::int32_t>& out)
      : prefix_(prefix), rule_(rule), out_(out), begun_(NameHash{}.add(prefix)) {
    for (std::uint32_t n = 0; n < few; ++n) amounts_[n] = amount(n);
  }

  // Adds a text to the document; its first word is not a neighbour of the last one before.
  void add(std::string_view text) {
    find_words(text);
    if (out_.hashed) return rule_.grams == Grams::characters ? hash_runs() : hash_words();
    text_.clear();
    each_part([this](std::string_view part) { text_.push_back(number(part)); });
    if (rule_.grams == Grams::pairs) count_pairs();
    else for (const std::int32_t word : text_) count_word(word);
  }

  // Ends the document: appends its features to out, and makes room for `more`. They come in the order
  // of their first occurrence; hashed, in the order of their columns.
  void finish(std::size_t more = 0) {
    const bool merged = out_.hashed && count_keys();
    const std::size_t n = counts_.met.size;
    const Counts::Met* const met = counts_.met.data;
    out_.values.make_room(n + more);
    out_.indices.make_room(n + more);
    double *const values = out_.values.data + out_.values.size, scaled[few];
    std::int32_t* const indices = out_.indices.data + out_.indices.size;
    const double norm = rule_.unit_length ? norm_of_counts() : 1;
    for (std::uint32_t k = 1; k < few; ++k) scaled[k] = amounts_[k] / norm;
    // names of one column are added up here if they are the first: later ones come after them in the sum
    const bool is_first = out_.values.size == std::size_t(out_.starts.data[out_.starts.size - 1]);
    std::size_t at = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double value = met[i].count < few ? scaled[met[i].count] : amount(met[i].count) / norm;
      if (merged && is_first && at > 0 && indices[at - 1] == met[i].place) {
        values[at - 1] += value;
        continue;
      }
      values[at] = value;
      indices[at++] = met[i].place;
    }
    out_.values.size += at;
    out_.indices.size += at;
    counts_.met.size = 0;
  }

  // Forgets the document, and all names but the first `some` of out.
  void keep(std::size_t some) {
    counts_.met.size = keys_.size = 0;
    if (out_.hashed) return;
    pairs_.keep(std::int32_t(some));
    while (!words_.empty() && words_.back().place >= std::int64_t(some)) words_.pop_back();
    texts_.keep(words_.size());
    lately_.assign(lately_.size(), {});
  }

 private:
  struct Word {
    std::int32_t place = NameTable::none;  // of its name in out
    std::uint32_t last = 0;
    NameHash hash;
  };
  // A word of at most 16 bytes, filled up with zeros, and its number.
  struct ShortWord {
    std::uint64_t first = 0, second = 0;
    std::int32_t number = NameTable::none;
  };
  static constexpr std::size_t ahead = 8;  // pairs whose slots are prefetched

  std::string prefix_;
  const TextRule rule_;
  Parsed<std::int32_t>& out_;
  const NameHash begun_;
  double amounts_[few];
  NameTable texts_;          // the words, or runs of characters, by their numbers
  std::vector<Word> words_;  // the same
  std::vector<ShortWord> lately_ = std::vector<ShortWord>(1 << 13);  // a cache of their numbers
  PairTable pairs_;
  Counts counts_;
  Buffer<char> folded_;         // the characters of the text, with a space or more between its words
  Buffer<std::size_t> bounds_;  // where each of its words begins there, and where it ends
  std::vector<std::int32_t> text_;  // the numbers of the text's words
  std::vector<std::size_t> slots_;  // of its pairs
  Buffer<std::uint64_t> keys_, spare_;  // hashed: of all that was met in the document (see key_of)
  std::vector<std::pair<std::uint64_t, std::uint32_t>> same_column_;
  std::vector<std::uint32_t> many_;

  // Folds the characters of a text and finds its words. A space may be written before and after each of
  // them, and 16 bytes after each may be read. Eight ASCII characters are folded at a time, and their bounds
  // are found without a branch on what they are.
  void find_words(std::string_view text) {
    const Characters& characters = Characters::all();
    // a folded character takes at most one byte more: two become three
    folded_.reserve(3 * text.size() + 32);
    char* w = folded_.data;
    *w++ = ' ';
    bounds_.size = 0;
    const char* p = text.data();
    const char* const end = p + text.size();
    bool inside = false;  // a word
    const auto read_one = [&] {
      std::int32_t code = characters.of_byte(*p);
      if (code == Characters::not_ascii) code = characters[read_code_point(p, end)];
      else ++p;
      if ((code != 0) != inside) {
        bounds_.push(std::size_t(w - folded_.data));
        inside = !inside;
      }
      write_code_point(code ? code : ' ', w);
    };
    while (end - p >= 8) {
      const auto eight = word_at<std::uint64_t>(p);
      if (eight & AsciiWords::high) {
        while (static_cast<unsigned char>(*p) < 0x80) read_one();
        read_one();
        continue;
      }
      const AsciiWords found(eight);
      std::memcpy(w, &found.folded, 8);
      const std::uint32_t in_word = found.in_word;
      std::uint32_t edges = (in_word ^ (in_word << 1 | std::uint32_t(inside))) & 0xff;
      inside = in_word >> 7;
      bounds_.make_room(8);
      std::size_t* const to = bounds_.data + bounds_.size;
      bounds_.size += bits_of_byte[edges];
      const auto write = [&](std::size_t from) {
        for (std::size_t k = from; k < from + 4; ++k) {
          to[k] = std::size_t(w - folded_.data) + std::size_t(std::countr_zero(edges | 0x100));
          edges &= edges - 1;
        }
      };
      write(0);
      if (edges) write(4);
      p += 8, w += 8;
    }
    while (p < end) read_one();
    if (inside) bounds_.push(std::size_t(w - folded_.data));
  }
  std::size_t words() const { return bounds_.size / 2; }
  std::string_view word(std::size_t k) const {
    const std::size_t from = bounds_.data[2 * k], to = bounds_.data[2 * k + 1];
    return {folded_.data + from, to - from};
  }

  // Calls use(part) for the words of the text, or for their runs of characters.
  template <class Use>
  void each_part(Use use) {
    for (std::size_t k = 0; k < words(); ++k) {
      if (rule_.grams != Grams::characters) {
        use(word(k));
        continue;
      }
      char *const begin = folded_.data + bounds_.data[2 * k] - 1,
           *const end = folded_.data + bounds_.data[2 * k + 1];
      *begin = *end = ' ';
      read_characters(begin, end + 1, use);
    }
  }

  // The runs of 3 to 5 characters of [begin, end).
  template <class Use>
  static void read_characters(const char* begin, const char* end, Use use) {
    const auto next = [end](const char* p) {
      do ++p;
      while (p < end && (*p & 0xc0) == 0x80);
      return p;
    };
    for (const char* p = begin; p < end; p = next(p)) {
      const char* q = p;
      for (int n = 1; n <= 5 && q < end; ++n) {
        q = next(q);
        if (n >= 3) use(std::string_view{p, std::size_t(q - p)});
      }
    }
  }

  // The character at p, which is not ASCII; moves p past it. Bytes that are not UTF-8 give any
  // number, but nothing at or after the end is read.
  static std::int32_t read_code_point(const char*& p, const char* end) {
    const std::int32_t lead = static_cast<unsigned char>(*p++);
    const int more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    std::int32_t code = lead & (0x3f >> more);
    for (int i = 0; i < more && p < end; ++i) code = code << 6 | (*p++ & 0x3f);
    return code;
  }
  static void write_code_point(std::int32_t code, char*& w) {
    const auto rest = [&w](std::int32_t bits) { *w++ = char(0x80 | (bits & 0x3f)); };
    if (code < 0x80) *w++ = char(code);
    else if (code < 0x800) *w++ = char(0xc0 | code >> 6), rest(code);
    else if (code < 0x10000) *w++ = char(0xe0 | code >> 12), rest(code >> 6), rest(code);
    else *w++ = char(0xf0 | code >> 18), rest(code >> 12), rest(code >> 6), rest(code);
  }

  // The number of a word or a run of characters, after which 16 bytes may be read; a new one gets the
  // next number, and its name when it is counted.
  std::int32_t number(std::string_view text) {
    if (text.size() > 16) return added(texts_.place(text));
    const auto bytes = [](std::uint64_t word, std::size_t n) {
      return n >= 8 ? word : word & ((std::uint64_t(1) << (8 * n)) - 1);
    };
    const std::uint64_t first = bytes(word_at<std::uint64_t>(text.data()), text.size());
    const std::uint64_t second =
        text.size() <= 8 ? 0 : bytes(word_at<std::uint64_t>(text.data() + 8), text.size() - 8);
    ShortWord& known = lately_[((first ^ second * 3) * 0x9e3779b97f4a7c15u) >> 51];
    if (known.first != first || known.second != second) {
      known = {first, second, added(texts_.place(text))};
    }
    return known.number;
  }
  std::int32_t added(std::int32_t number) {
    if (std::size_t(number) == words_.size()) {
      words_.emplace_back();
      words_.back().hash = NameHash(begun_).add(texts_[std::size_t(number)]);
    }
    return number;
  }

  void count_word(std::int32_t number) {
    Word& word = words_[std::size_t(number)];
    if (word.place == NameTable::none) {
      word.place = out_.names.append({prefix_, texts_[std::size_t(number)]}, word.hash.value());
    }
    counts_.count(word.place, word.last);
  }

  void count_pairs() {
    if (text_.empty()) return;
    pairs_.make_room(text_.size());
    const std::size_t n = text_.size() - 1;  // pairs
    slots_.resize(n);
    for (std::size_t i = 0; i < std::min(ahead, n); ++i)
      slots_[i] = pairs_.slot(text_[i], text_[i + 1]);
    count_word(text_[0]);
    for (std::size_t i = 0; i < n; ++i) {
      if (i + ahead < n) slots_[i + ahead] = pairs_.slot(text_[i + ahead], text_[i + ahead + 1]);
      const std::int32_t a = text_[i], b = text_[i + 1];
      count_word(b);
      PairTable::Entry& pair = pairs_.at(slots_[i], a, b);
      if (pair.place == NameTable::none) {
        const std::string_view second = texts_[std::size_t(b)];
        NameHash hash = words_[std::size_t(a)].hash;
        pair.place = out_.names.append({prefix_, texts_[std::size_t(a)], " ", second},
                                       hash.add(" ").add(second).value());
      }
      counts_.count(pair.place, pair.last);
    }
  }

  // Hashed: a name is known by its hash, turned so that the bits of the column come first.
  std::uint64_t key_of(const NameHash& hash) const {
    return std::rotr(hash.value(), out_.hashed->bits());
  }
  std::int64_t column_of(std::uint64_t key) const {
    return std::int64_t(key >> (64 - out_.hashed->bits()));
  }

  // The keys of the words and pairs of the text. A word and the pair that it ends are hashed side by side.
  void hash_words() {
    const std::size_t n = words();
    if (n == 0) return;
    const bool pairs = rule_.grams == Grams::pairs;
    keys_.make_room(2 * n);
    std::uint64_t* const keys = keys_.data + keys_.size;
    std::uint64_t* key = keys;
    NameHash before;
    for (std::size_t k = 0; k < n; ++k) {
      NameHash alone = begun_, paired = before;
      add_to_both(alone, paired, word(k));
      *key = key_of(alone);
      key[1] = key_of(paired);
      key += 1 + (pairs && k > 0);
      before = alone.add(' ');
    }
    const auto made = std::size_t(key - keys);
    keys_.size += made;
    // most have a name already
    for (std::size_t i = 0; i < made; ++i) {
      const std::int64_t column = column_of(keys[i]);
      if (!out_.hashed->lacks(column)) continue;
      const std::size_t k = pairs ? (i + 1) / 2 : i;
      if (pairs && i % 2 == 0 && i > 0) out_.hashed->meet(column, {prefix_, word(k - 1), " ", word(k)});
      else out_.hashed->meet(column, {prefix_, word(k)});
    }
  }
  void hash_runs() {
    each_part([this](std::string_view run) {
      keys_.push(key_of(NameHash(begun_).add(run)));
      out_.hashed->meet(column_of(keys_.data[keys_.size - 1]), {prefix_, run});
    });
  }

  // Adds a word, after which 8 bytes may be read, to two names. Eight bytes are added at a time; those after
  // the end of the word are 0, and multiplied by 1, so that no branch depends on its length.
  [[gnu::always_inline]] static void add_to_both(NameHash& a, NameHash& b, std::string_view word) {
    const char* p = word.data();
    std::size_t n = word.size();
    for (;; p += 8, n -= 8) {
      const std::size_t now = std::min<std::size_t>(n, 8);
      const auto& factors = NameHash::factors[now];
      std::uint64_t eight = word_at<std::uint64_t>(p) & (~std::uint64_t(0) >> (64 - 8 * now));
      for (int k = 0; k < 8; ++k, eight >>= 8) {
        a.state = (a.state ^ (eight & 0xff)) * factors[k];
        b.state = (b.state ^ (eight & 0xff)) * factors[k];
      }
      if (n <= 8) break;
    }
  }

  // Counts the keys of the document, in the order of their columns; those of one column in the order of
  // their first occurrence. Whether a column has several.
  bool count_keys() {
    const std::size_t n = std::exchange(keys_.size, 0);
    sort_by_top_bits(keys_, spare_, n, out_.hashed->bits());
    const std::uint64_t* const keys = keys_.data;
    counts_.met.reserve(n);
    Counts::Met* const met = counts_.met.data;
    if (n == 0) return false;
    bool several = false;
    std::size_t found = 0;
    std::uint32_t count = 1;
    met[0] = {std::int32_t(column_of(keys[0])), 1};
    for (std::size_t i = 1; i < n; ++i) {
      const bool is_new = keys[i] != keys[i - 1];
      const std::int64_t column = column_of(keys[i]);
      several |= is_new & (column == column_of(keys[i - 1]));
      found += is_new;
      count = 1 + (count & (std::uint32_t(is_new) - 1));  // a branch costs more: 2 % of the parsing
      met[found] = {std::int32_t(column), count};
    }
    counts_.met.size = found + 1;
    if (!several) return false;
    counts_.met.size = 0;
    for (std::size_t i = 0, end; i < n; i = end) {
      const std::int64_t column = column_of(keys[i]);
      for (end = i + 1; end < n && column_of(keys[end]) == column;) ++end;
      count_same_column(std::int32_t(column), keys + i, end - i);
    }
    return true;
  }
  // The same for n keys of one column, in the order of their occurrence.
  void count_same_column(std::int32_t column, const std::uint64_t* keys, std::size_t n) {
    same_column_.clear();
    for (std::size_t i = 0; i < n; ++i) same_column_.emplace_back(keys[i], std::uint32_t(i));
    std::sort(same_column_.begin(), same_column_.end());
    std::size_t found = 0;  // the first position of each key, and its count
    for (std::size_t i = 0, next; i < n; i = next) {
      for (next = i + 1; next < n && same_column_[next].first == same_column_[i].first;) ++next;
      same_column_[found++] = {same_column_[i].second, std::uint32_t(next - i)};
    }
    same_column_.resize(found);
    std::sort(same_column_.begin(), same_column_.end());
    for (const auto& [at, count] : same_column_) counts_.met.push({column, count});
  }

  // The norm of the amounts, added up from the smallest count to the largest: it depends neither on
  // the order of the features nor on their columns.
  double norm_of_counts() {
    // four counters of each, because a counter waits for its last increment
    std::uint32_t times[4][few] = {};
    many_.clear();
    for (std::size_t i = 0; i < counts_.met.size; ++i) {
      const std::uint32_t count = counts_.met.data[i].count;
      if (count < few) ++times[i % 4][count];
      else many_.push_back(count);
    }
    double squares = 0;
    for (std::uint32_t n = 1; n < few; ++n) {
      const std::uint64_t all = std::uint64_t(times[0][n]) + times[1][n] + times[2][n] + times[3][n];
      squares += double(all) * (amounts_[n] * amounts_[n]);
    }
    std::sort(many_.begin(), many_.end());
    for (const std::uint32_t n : many_) squares += amount(n) * amount(n);
    return std::sqrt(squares);
  }

  double amount(std::uint32_t n) const {
    if (rule_.amount == Amount::count) return n;
    return rule_.amount == Amount::binary ? 1 : natural_logarithm(double(n) + 1);
  }
};

}  // namespace novikoff
