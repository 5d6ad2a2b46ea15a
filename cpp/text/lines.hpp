// Text with one example a line and features that have names: what is done with every line.
#pragma once

#include "text/text.hpp"
#include "text/utf8.hpp"

namespace novikoff {

// What any format may find wrong with a line; its own reasons are above zero.
constexpr std::int64_t not_utf8 = -1;

// What stands before many names, a namespace or the keys around a value, is no longer than this:
// names of quadratic size could fill the memory otherwise.
constexpr std::size_t longest_prefix = 256;

// Hands each line of [text, end) to read(p, at): it adds an example to out if there is one, leaves
// p no further than the end of the line, and says what is wrong (0: nothing), and at which place.
// A line that is wrong, or not UTF-8, leaves nothing in out but its BadLine; more than `allowed` of
// these end it. There must be a line's end at the end of the text or right after it, where reading
// stops.
template <class Read>
void each_line(const char* text, const char* end, std::size_t allowed, Parsed<std::int32_t>& out,
               Read read) {
  const char* strange = first_not_utf8(text, end);
  for (const char* p = text; p < end; skip_line_end(p, end), ++out.lines) {
    const char *const line = p, *at = p;
    const std::size_t examples = out.labels.size, entries = out.values.size;
    const std::size_t known_names = out.names.size(), known_labels = out.label_texts.size();
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
    out.names.keep(known_names);
    out.forget_labels(known_labels);
    if (out.bad.size() > allowed) return;
  }
}

// What every reader of lines does with a feature, and with a whole example.
inline void add_feature(Parsed<std::int32_t>& out, std::string_view name, double value) {
  out.indices.push(out.names.place(name));
  out.values.push(value);
}
inline void add_example(Parsed<std::int32_t>& out, std::int32_t label) {
  out.starts.push(std::int64_t(out.values.size));
  out.labels.push(label);
}

}  // namespace novikoff
