// Texts as features: their words, pairs of neighbouring words, or the characters within words.
#pragma once

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
  std::vector<Met> met;  // in the order of their first occurrence

  // Counts the place. `last` is where the caller found it in an earlier call, perhaps in an earlier
  // document: it is right if the place is there.
  void count(std::int32_t place, std::uint32_t& last) {
    if (last < met.size() && met[last].place == place) {
      ++met[last].count;
      return;
    }
    last = std::uint32_t(met.size());
    met.push_back({place, 1});
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

// Reads texts, which must be UTF-8, into named features of `out`.
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
    if (out_.hashed) return hash_words(text);
    text_.clear();
    read_words(
        text, [this](std::string_view word) { text_.push_back(number(word)); }, [](char) {});
    if (rule_.grams == Grams::pairs) count_pairs();
    else for (const std::int32_t word : text_) count_word(word);
  }

  // Ends the document: appends its features to out, and makes room for `more`. They come in the order
  // of their first occurrence; hashed, in the order of their columns.
  void finish(std::size_t more = 0) {
    if (out_.hashed) count_keys();
    out_.values.make_room(counts_.met.size() + more);
    out_.indices.make_room(counts_.met.size() + more);
    const double norm = rule_.unit_length ? norm_of_counts() : 1;
    double scaled[few];
    for (std::uint32_t n = 1; n < few; ++n) scaled[n] = amounts_[n] / norm;
    // names of one column are added up here if they are the first: later ones come after them in the sum
    const bool is_first = out_.values.size == std::size_t(out_.starts.data[out_.starts.size - 1]);
    std::int32_t last = -1;
    for (const auto& [place, count] : counts_.met) {
      const double value = count < few ? scaled[count] : amount(count) / norm;
      if (place == last && is_first) {
        out_.values.data[out_.values.size - 1] += value;
        continue;
      }
      out_.values.add(value);
      out_.indices.add(last = place);
    }
    counts_.met.clear();
  }

  // Forgets the document, and all names but the first `some` of out.
  void keep(std::size_t some) {
    counts_.met.clear();
    keys_.clear();
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
  Buffer<char> word_;
  std::vector<std::int32_t> text_;  // the numbers of the text's words
  std::vector<std::size_t> slots_;  // of its pairs
  std::vector<std::uint64_t> keys_;  // hashed: the hashes of all that was met in the document
  std::vector<std::uint64_t> order_, spare_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> same_column_;
  std::vector<std::uint32_t> many_;

  // Calls use(word) for the words of a text, or for their runs of characters. They stay where they are until
  // the next text, and 16 bytes after each may be read. Calls meet(byte) for each byte of a word before.
  template <class Use, class Meet>
  void read_words(std::string_view text, Use use, Meet meet) {
    const Characters& characters = Characters::all();
    const bool by_characters = rule_.grams == Grams::characters;
    // a folded character takes at most one byte more: two become three; and a word of one may get two spaces
    word_.reserve(3 * text.size() + 16);
    char* w = word_.data;
    const char* p = text.data();
    const char* const end = p + text.size();
    while (p < end) {
      char* const word = w;
      if (by_characters) *w++ = ' ';
      const char* const begin = w;
      while (p < end) {
        unsigned char folded = characters.of_byte(*p);
        if (folded > Characters::not_ascii) {
          *w++ = char(folded);
          meet(char(folded));
          ++p;
          continue;
        }
        const std::int32_t code = folded ? characters[read_code_point(p, end)] : 0;
        if (!folded) ++p;
        if (!code) break;
        const char* byte = w;
        write_code_point(code, w);
        while (byte < w) meet(*byte++);
      }
      if (w == begin) {
        w = word;
      } else if (by_characters) {
        *w++ = ' ';
        read_characters(word, w, use);
      } else {
        use(std::string_view{word, std::size_t(w - word)});
      }
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

  // Hashed: the keys of the words and pairs of the text. A word and the pair that it ends are hashed side
  // by side while it is read, in one loop of unforeseeable length in place of three: with the names left out
  // that are known already, training on 60 MB of texts takes nine tenths of the processor time.
  void hash_words(std::string_view text) {
    NameHash alone = begun_, paired;
    std::string_view last;
    if (rule_.grams == Grams::characters) {
      return read_words(
          text,
          [&](std::string_view run) {
            if (is_new(NameHash(begun_).add(run))) out_.place(keys_.back(), {prefix_, run});
          },
          [](char) {});
    }
    const bool pairs = rule_.grams == Grams::pairs;
    read_words(
        text,
        [&](std::string_view word) {
          if (is_new(alone)) out_.place(keys_.back(), {prefix_, word});
          if (pairs && !last.empty() && is_new(paired))
            out_.place(keys_.back(), {prefix_, last, " ", word});
          paired = alone.add(' ');
          alone = begun_;
          last = word;
        },
        [&](char byte) {
          alone.add(byte);
          paired.add(byte);
        });
  }
  // Adds a key, and says whether its column has no name yet.
  [[gnu::always_inline]] bool is_new(const NameHash& hash) {
    keys_.push_back(hash.value());
    return out_.hashed->lacks(out_.column_of(keys_.back()));
  }

  // Hashed: counts the keys of the document, in the order of their columns; those of one column in
  // the order of their first occurrence.
  void count_keys() {
    const auto mask = std::uint64_t(out_.hashed->columns() - 1);
    order_.clear();
    for (std::size_t i = 0; i < keys_.size(); ++i) order_.push_back((keys_[i] & mask) << 32 | i);
    sort_by_column(order_, spare_);
    const auto key = [this](std::size_t i) { return keys_[order_[i] & 0xffffffffu]; };
    for (std::size_t i = 0, end; i < order_.size(); i = end) {
      const auto column = std::int32_t(order_[i] >> 32);
      bool is_one = true;
      for (end = i + 1; end < order_.size() && std::int32_t(order_[end] >> 32) == column; ++end)
        is_one &= key(end) == key(i);
      if (is_one) counts_.met.push_back({column, std::uint32_t(end - i)});
      else count_same_column(column, i, end);
    }
    keys_.clear();
  }
  void count_same_column(std::int32_t column, std::size_t begin, std::size_t end) {
    same_column_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const auto at = std::uint32_t(order_[i]);
      same_column_.emplace_back(keys_[at], at);
    }
    std::sort(same_column_.begin(), same_column_.end());
    std::size_t found = 0;  // the first position of each key, and its count
    for (std::size_t i = 0, next; i < same_column_.size(); i = next) {
      for (next = i + 1; next < same_column_.size(); ++next)
        if (same_column_[next].first != same_column_[i].first) break;
      same_column_[found++] = {same_column_[i].second, std::uint32_t(next - i)};
    }
    same_column_.resize(found);
    std::sort(same_column_.begin(), same_column_.end());
    for (const auto& [at, count] : same_column_) counts_.met.push_back({column, count});
  }

  // The norm of the amounts, added up from the smallest count to the largest: it depends neither on
  // the order of the features nor on their columns.
  double norm_of_counts() {
    std::uint64_t times[few] = {};
    many_.clear();
    for (const auto& [place, count] : counts_.met) {
      if (count < few) ++times[count];
      else many_.push_back(count);
    }
    double squares = 0;
    for (std::uint32_t n = 1; n < few; ++n) squares += double(times[n]) * (amounts_[n] * amounts_[n]);
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
