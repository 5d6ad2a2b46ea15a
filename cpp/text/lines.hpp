// The loop over lines that formats with named features share (Vowpal Wabbit, JSON lines).
#pragma once

#include "text/text.hpp"
#include "text/utf8.hpp"

namespace novikoff {

// The one flaw that all formats share; the flaws of a format are positive.
constexpr std::int64_t not_utf8 = -1;

// The longest prefix that many names may share (a namespace, or the keys around a value): without a
// limit the names of one line could take quadratic memory.
constexpr std::size_t longest_prefix = 256;

// Calls read(p, at) for each line of [text, end). It appends an example to out, if the line has
// one, moves p no further than the end of the line, and returns a flaw (0: none) with its place in
// `at`. A line that has a flaw or is not UTF-8 adds only a BadLine to out; after more than
// `allowed` of these reading stops. The text must have a line end as its last byte or right after
// it.
template <class Read>
void each_line(const char* text, const char* end, std::size_t allowed, Parsed<std::int32_t>& out,
               Read read) {
  const char* strange = first_not_utf8(text, end);
  for (const char* p = text; p < end; skip_line_end(p, end), ++out.lines) {
    const char *const line = p, *at = p;
    const std::size_t examples = out.labels.size, entries = out.values.size;
    const std::size_t known_names = out.known_names(), known_labels = out.label_texts.size();
    std::int64_t why = read(p, at);
    skip_to_line_end(p, end);
    if (strange < p) {
      why = not_utf8;
      at = strange;
      strange = first_not_utf8(p, end);
    }
    if (why == 0) continue;
    out.bad.push_back({out.lines, at - text, why, line - text, p - text});
    out.values.size = out.indices.size = entries;
    out.labels.size = examples;
    out.starts.size = examples + 1;
    out.importances.size = std::min(out.importances.size, examples);
    out.forget_names(known_names);
    out.forget_labels(known_labels);
    if (out.bad.size() > allowed) return;
  }
}

inline void add_feature(Parsed<std::int32_t>& out, std::string_view name, double value) {
  out.indices.push(out.place(name));
  out.values.push(value);
}
inline void add_example(Parsed<std::int32_t>& out, std::int32_t label) {
  out.starts.push(std::int64_t(out.values.size));
  out.labels.push(label);
}

}  // namespace novikoff
