// Sparse examples, one a line: `label [qid:n] index:value index:value ...  # comment`.
#pragma once

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/clones.hpp"
#include "text/text.hpp"
#include "text/utf8.hpp"

namespace novikoff {

enum class SvmlightFlaw : std::int64_t {
  none, label, pair, index, order, number, large, blank, utf8
};

// The positions of the bytes of text[0, n) that are not digits, in order, and then n. With these
// the parser need not find the end of one number before it looks for the next: 13 ns a value
// instead of 27 (five digits).
inline void find_marks(const char* text, std::size_t n,
                       Buffer<std::uint32_t>& marks) {
  on_this_processor([=, &marks]() __attribute__((always_inline)) {
    marks.reserve(n + 65);
    std::uint32_t* out = marks.data;
    std::size_t i = 0;
#if defined(__SSE2__)
    const __m128i zero = _mm_set1_epi8('0'), nine = _mm_set1_epi8(9);
    for (; i + 64 <= n; i += 64) {
      std::uint64_t others = 0;
      for (int k = 0; k < 4; ++k) {
        const auto* from = reinterpret_cast<const __m128i*>(text + i + 16 * k);
        const __m128i digit = _mm_sub_epi8(_mm_loadu_si128(from), zero);
        const __m128i is = _mm_cmpeq_epi8(_mm_min_epu8(digit, nine), digit);
        others |= std::uint64_t(~_mm_movemask_epi8(is) & 0xffff) << (16 * k);
      }
      const int count = std::popcount(others);
      // always eight at a time: the surplus is overwritten
      for (int done = 0; done < count; done += 8)
        for (int k = 0; k < 8; ++k) {
          out[done + k] = std::uint32_t(i) + std::uint32_t(std::countr_zero(others));
          others &= others - 1;
        }
      out += count;
    }
#endif
    for (; i < n; ++i)
      if (static_cast<unsigned char>(text[i] - '0') > 9) *out++ = std::uint32_t(i);
    *out++ = std::uint32_t(n);
    marks.size = std::size_t(out - marks.data);
  });
}

// The value of the n digits at p, 1 <= n <= 19.
inline std::uint64_t short_number(const char* p, std::size_t n) {
  if (n <= 8) return join_digits(digits_at(p), unsigned(n));
  if (n > 16) return short_number(p, 16) * powers.of_ten[n - 16] + short_number(p + 16, n - 16);
  return join_digits(digits_at(p), unsigned(n - 8)) * powers.of_ten[8] +
         join_digits(digits_at(p + n - 8), 8);
}

// Reads the lines of a text into `out` until more than `allowed` of them are bad. Indices are
// stored as written and must increase along a line. The padding after the text must consist of line
// ends.
template <class Index>
struct Svmlight {
  static constexpr std::int64_t largest = (std::int64_t(1) << 53) - 1;

  Parsed<Index>& out;
  std::int64_t queries = 0;                  // the number of lines with a qid
  std::int64_t lowest = largest, highest = -1;  // of the indices
  bool fits = true;  // false: an index is too large for Index, and `out` is incomplete

  explicit Svmlight(Parsed<Index>& parsed) : out(parsed) {}

  void parse(const char* text, std::size_t length, std::size_t allowed) {
    // a value takes at least four bytes with the blank before it, so there is always room for one
    // more
    out.values.reserve(length / 4 + 1);
    out.indices.reserve(length / 4 + 1);
    find_marks(text, length, marks_);
    mark_ = marks_.data;
    text_ = text;
    const char *p = text, *const end = text + length;
    for (; p < end && fits; skip_line_end(p, end), ++out.lines) {
      const char* const line = p;
      const std::size_t entries = out.values.size, labels = out.label_texts.size();
      const char* at = p;
      const SvmlightFlaw flaw = read_line(p, end, at);
      if (flaw == SvmlightFlaw::none) continue;
      skip_to_line_end(p, end);
      out.bad.push_back({out.lines, at - text, std::int64_t(flaw), line - text, p - text});
      out.values.size = out.indices.size = entries;
      out.forget_labels(labels);
      if (out.bad.size() > allowed) return;
    }
  }

 private:
  Buffer<std::uint32_t> marks_;
  const std::uint32_t* mark_ = nullptr;  // the first mark that may be at the current place or after it
  const char* text_ = nullptr;

  // Reads one line and leaves p at its end; `at` is the place of a flaw.
  SvmlightFlaw read_line(const char*& p, const char* end, const char*& at) {
    while (is_blank(*p)) ++p;
    at = p;
    while (p < end && !is_blank(*p) && !ends_line(*p) && *p != '#' && *p != ':') ++p;
    if (p < end && *p == ':') return SvmlightFlaw::label;
    if (p == at) {  // a comment, or nothing
      skip_to_line_end(p, end);
      return SvmlightFlaw::none;
    }
    const std::size_t known = out.label_texts.size();
    const std::int32_t label = out.label({at, std::size_t(p - at)}, out.lines);
    if (out.label_texts.size() > known && first_not_utf8(at, p) != p) return SvmlightFlaw::utf8;
    const std::size_t entries = out.values.size;
    std::int64_t last = -1;
    bool query = false;
    while (p < end && !ends_line(*p)) {
      if (*p == ' ') {
        ++p;
        read_quickly(p, last);
      }
      const char* const before = p;
      while (is_blank(*p)) ++p;
      if (p >= end || ends_line(*p)) break;
      if (*p == '#') {
        skip_to_line_end(p, end);
        break;
      }
      if (p == before && !is_blank(p[-1])) return SvmlightFlaw::blank;
      at = p;
      if (last < 0 && !query && std::memcmp(p, "qid:", 4) == 0) {
        std::uint64_t number = 0;
        p += 4;
        query = read_digits(p, number) > 0;
        if (!query) return SvmlightFlaw::pair;
        continue;
      }
      if (const SvmlightFlaw flaw = read_slowly(p, last); flaw != SvmlightFlaw::none) return flaw;
      if (!fits) return SvmlightFlaw::none;
    }
    if (out.values.size > entries) {
      lowest = std::min(lowest, std::int64_t(out.indices.data[entries]));
      highest = std::max(highest, last);
    }
    queries += query;
    out.starts.push(std::int64_t(out.values.size));
    out.labels.push(label);
    return SvmlightFlaw::none;
  }

  // Reads pairs in the usual form, each after one blank: up to eight digits, a colon, digits,
  // perhaps a point and more digits. Leaves p at the end of the line, or at the first pair in
  // another form.
  void read_quickly(const char*& p, std::int64_t& last) {
    on_this_processor([this, &p, &last]() __attribute__((always_inline)) {
      const char *const text = text_, *q = p;  // local copies: stores could alias the members
      const std::uint32_t* mark = mark_;
      while (text + *mark < q) ++mark;
      double* value = out.values.data + out.values.size;
      Index* index = out.indices.data + out.indices.size;
      std::int64_t before = last;
      for (;;) {
        const char* const colon = text + mark[0];
        const auto width = std::size_t(colon - q);
        if (width - 1 > 7 || *colon != ':') break;
        const auto j = std::int64_t(join_digits(digits_at(q), unsigned(width)));
        const char* const point = text + mark[1];
        const auto whole = std::size_t(point - colon - 1);
        if (whole - 1 > 7) break;
        const std::uint64_t units = whole == 1 ? std::uint64_t(colon[1] - '0')
                                               : join_digits(digits_at(colon + 1), unsigned(whole));
        const char* stop = point;
        double x = double(std::int64_t(units));
        if (*point == '.') {
          stop = text + mark[2];
          const auto places = std::size_t(stop - point - 1);
          if (places == 0 || whole + places > most_tens) break;
          const std::uint64_t m = units * powers.of_ten[places] + short_number(point + 1, places);
          if (m <= std::uint64_t(1) << 53) x = double(std::int64_t(m)) / exact_tens[places];
          else x = divide_exactly(m, int(places));
        }
        if (j <= before || !(*stop == ' ' || ends_line(*stop))) break;
        mark += *point == '.' ? 3 : 2;
        before = j;
        *value++ = x;
        *index++ = Index(j);
        q = stop;
        if (*stop != ' ') break;
        ++q;
      }
      p = q;
      mark_ = mark;
      last = before;
      out.values.size = std::size_t(value - out.values.data);
      out.indices.size = std::size_t(index - out.indices.data);
    });
  }

  // Reads a pair in any form.
  SvmlightFlaw read_slowly(const char*& p, std::int64_t& last) {
    const char* const begin = p;
    std::uint64_t index = 0;
    const std::uint64_t length = read_digits(p, index);
    if (length == 0 || *p != ':') return SvmlightFlaw::pair;
    const char* digit = begin;
    while (*digit == '0') ++digit;
    if (p - digit > 16 || index > std::uint64_t(largest)) return SvmlightFlaw::index;
    if (std::int64_t(index) <= last) return SvmlightFlaw::order;
    if (std::int64_t(index) >= std::int64_t(std::numeric_limits<Index>::max())) {
      fits = false;
      return SvmlightFlaw::none;
    }
    ++p;
    double value;
    const Number read = read_number(p, value);
    if (read == Number::none) return SvmlightFlaw::number;
    if (read == Number::too_large) return SvmlightFlaw::large;
    last = std::int64_t(index);
    out.values.add(value);
    out.indices.add(Index(index));
    return SvmlightFlaw::none;
  }
};

}  // namespace novikoff
