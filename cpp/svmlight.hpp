// Sparse examples, one a line: `label [qid:n] index:value index:value ...  # comment`.
#pragma once

#include "text.hpp"

namespace novikoff {

enum class SvmlightFlaw : std::int64_t { label = 1, pair, index, order, number, large, separator };

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads the lines of [p, end) into out, as far as `allowed` bad ones. Indices are kept as written and
// must increase along a line; the largest allowed is `largest`. The text must end with a line end,
// or in the padding after it. Returns whether every index fits in Index: if not, out is of no use.
template <class Index>
bool parse_svmlight(const char* p, const char* end, std::size_t allowed, Parsed<Index>& out,
                    std::int64_t& queries, std::int64_t& lowest) {
  constexpr std::int64_t largest = (std::int64_t(1) << 53) - 1;
  constexpr std::int64_t widest = std::numeric_limits<Index>::max();
  const char* const text = p;
  // a value needs three bytes and a blank before it, so there is always room without asking
  out.values.reserve(std::size_t(end - p) / 4 + 1);
  out.indices.reserve(std::size_t(end - p) / 4 + 1);
  lowest = largest;
  for (; p < end; skip_line_end(p, end), ++out.lines) {
    const char* const line = p;
    const std::size_t entries = out.values.size, known_labels = out.label_texts.size();
    SvmlightFlaw flaw{};
    std::int64_t last = -1;
    const char* token;
    while (is_blank(*p)) ++p;
    token = p;
    while (!is_blank(*p) && !ends_line(*p) && *p != '#' && *p != ':' && p < end) ++p;
    if (*p == ':' && p < end) {
      flaw = SvmlightFlaw::label;
      goto bad;
    }
    if (p == token) {
      if (p < end && *p == '#') skip_to_line_end(p, end);
      continue;
    }
    {
      const std::int32_t label = out.label({token, std::size_t(p - token)}, out.lines);
      bool query = false;
      for (;;) {
        const char* const before = p;
        while (is_blank(*p)) ++p;
        token = p;
        if (p >= end || ends_line(*p)) break;
        if (*p == '#') {
          skip_to_line_end(p, end);
          break;
        }
        if (p == before) {
          flaw = SvmlightFlaw::separator;
          goto bad;
        }
        std::uint64_t index = 0;
        const std::uint64_t length = read_digits(p, index);
        if (length == 0 && last < 0 && !query && std::memcmp(p, "qid:", 4) == 0) {
          p += 4;
          query = read_digits(p, index) > 0;
          if (query) continue;
        }
        if (length == 0 || *p != ':') {
          flaw = SvmlightFlaw::pair;
          goto bad;
        }
        if (length > 18 || index > std::uint64_t(largest)) {
          std::uint64_t zeros = 0;
          while (token[zeros] == '0') ++zeros;
          if (length - zeros > 16 || index > std::uint64_t(largest)) {
            flaw = SvmlightFlaw::index;
            goto bad;
          }
        }
        if (std::int64_t(index) <= last) {
          flaw = SvmlightFlaw::order;
          goto bad;
        }
        if (std::int64_t(index) >= widest) return false;
        last = std::int64_t(index);
        ++p;
        double value;
        const Number read = read_number(p, value);
        if (read != Number::good) {
          flaw = read == Number::none ? SvmlightFlaw::number : SvmlightFlaw::large;
          goto bad;
        }
        out.values.add(value);
        out.indices.add(Index(index));
      }
      if (out.values.size > entries)
        lowest = std::min(lowest, std::int64_t(out.indices.data[entries]));
      queries += query;
      out.starts.push(std::int64_t(out.values.size));
      out.labels.push(label);
      continue;
    }
  bad:
    skip_to_line_end(p, end);
    out.bad.push_back({out.lines, token - text, std::int64_t(flaw), line - text, p - text});
    out.values.size = out.indices.size = entries;
    out.forget_labels(known_labels);
    if (out.bad.size() > allowed) return true;
  }
  return true;
}

}  // namespace novikoff
