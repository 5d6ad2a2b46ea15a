// Any bytes at all, read by every parser of text: none may crash, hang, read outside its text, or
// give examples that do not hold together.
//
//   with libFuzzer:  clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined cpp/fuzz.cpp
//   without it:      -fsanitize=address,undefined -DNOVIKOFF_FUZZ_MAIN, then ./a.out COUNT [SEED]
#include <cmath>
#include <cstdio>
#include <memory>

#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/svmlight.hpp"
#include "text/vw.hpp"

using namespace novikoff;

namespace {

constexpr std::size_t any_number = std::size_t(-1);

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// A text in a piece of memory of its own, whose end the sanitizer watches.
struct Text {
  std::size_t length;
  std::unique_ptr<char[]> bytes;

  Text(const char* data, std::size_t n) : length(n), bytes(new char[n + padding]) {
    if (n) std::memcpy(bytes.get(), data, n);
    std::memset(bytes.get() + n, '\n', padding);
  }
  const char* begin() const { return bytes.get(); }
  const char* end() const { return bytes.get() + length; }
};

std::int64_t lines_of(const Text& text) {
  std::int64_t lines = 0;
  for (const char* p = text.begin(); p < text.end(); ++lines) {
    skip_to_line_end(p, text.end());
    skip_line_end(p, text.end());
  }
  return lines;
}

void check_names(const NameTable& names) {
  demand(names.starts.size == names.size() + 1 && names.starts.data[0] == 0, "names are cut");
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string_view name = names[k];
    demand(names.starts.data[k] <= names.starts.data[k + 1], "names are in order");
    demand(hash_name(name) == names.hashes.data[k], "a hash is its name's");
  }
  demand(std::size_t(names.starts.data[names.size()]) == names.text.size, "names fill the text");
}

bool is_utf8_but_zeros(std::string_view name) {
  const char *p = name.data(), *const end = p + name.size();
  while ((p = first_not_utf8(p, end)) < end && *p == '\0') ++p;
  return p == end;
}

// The indices of values are columns or places of names; or each example is a row of numbers.
enum class Shape { columns, names, rows };
constexpr std::size_t wide = 2;

template <class Index>
void check_rows(const Parsed<Index>& out, Shape shape) {
  const std::size_t n = out.labels.size;
  if (shape == Shape::rows) return demand(out.values.size == n * wide, "a row is full");
  demand(out.starts.size == n + 1 && out.starts.data[0] == 0, "one start an example");
  demand(std::size_t(out.starts.data[n]) == out.values.size, "the examples hold all values");
  demand(out.values.size == out.indices.size, "one index a value");
  for (std::size_t i = 0; i < n; ++i)
    demand(out.starts.data[i] <= out.starts.data[i + 1], "examples are in order");
  for (std::size_t k = 0; k < out.indices.size; ++k) {
    const auto j = out.indices.data[k];
    demand(j >= 0, "an index is not negative");
    demand(shape == Shape::columns || std::size_t(j) < out.names.size(), "an index has a name");
  }
}

// What holds for every parser; all examples are read, since any number of lines may be bad.
template <class Index>
void check(const Text& text, const Parsed<Index>& out, Shape shape) {
  const std::size_t n = out.labels.size;
  check_rows(out, shape);
  demand(out.label_lines.size == out.label_texts.size(), "one line a label");
  demand(out.importances.size == 0 || out.importances.size == n, "one importance an example");
  for (std::size_t i = 0; i < n; ++i) {
    demand(out.labels.data[i] >= -1, "a label is one or none");
    demand(out.labels.data[i] < std::int32_t(out.label_texts.size()), "a label is known");
  }
  for (std::size_t k = 0; k < out.values.size; ++k)
    demand(std::isfinite(out.values.data[k]), "a value is finite");
  check_names(out.names);
  check_names(out.label_texts);
  for (std::size_t k = 0; k < out.names.size(); ++k)
    demand(is_utf8_but_zeros(out.names[k]), "a name is UTF-8");
  for (std::size_t k = 0; k < out.label_texts.size(); ++k)
    demand(is_utf8_but_zeros(out.label_texts[k]), "a label is UTF-8");
  demand(out.lines == lines_of(text), "every line is counted");
  demand(std::int64_t(n + out.bad.size()) <= out.lines, "a line is one example at most");
  std::int64_t before = -1;
  for (const BadLine& bad : out.bad) {
    demand(before < bad.line && bad.line < out.lines && bad.why != 0, "bad lines are in order");
    demand(0 <= bad.begin && bad.begin <= bad.at && bad.at <= bad.end, "a flaw is in its line");
    demand(std::size_t(bad.end) <= text.length, "a line is in the text");
    before = bad.line;
  }
}

template <class A, class B>
bool same(const Buffer<A>& a, const Buffer<B>& b) {
  return a.size == b.size && (a.size == 0 || !std::memcmp(a.data, b.data, a.size * sizeof(A)));
}

// The text without its bad lines.
Text without(const Text& text, const std::vector<BadLine>& bad) {
  std::string good;
  const char* p = text.begin();
  for (const BadLine& b : bad) {
    good.append(p, text.begin() + b.begin);
    p = text.begin() + b.end;
  }
  good.append(p, text.end());
  return {good.data(), good.size()};
}

// Reads the text, and then without its bad lines: that must be all that was read the first time.
template <class Index, class Parse>
void try_parser(const Text& text, Shape shape, Parse parse) {
  Parsed<Index> whole, clean;
  if (!parse(text, whole)) return;
  check(text, whole, shape);
  const Text rest = without(text, whole.bad);
  demand(parse(rest, clean) && clean.bad.empty(), "what was good stays so");
  demand(same(whole.values, clean.values) && same(whole.indices, clean.indices) &&
             same(whole.starts, clean.starts) && same(whole.labels, clean.labels) &&
             same(whole.importances, clean.importances) &&
             same(whole.label_texts.text, clean.label_texts.text) &&
             same(whole.names.text, clean.names.text) &&
             same(whole.names.starts, clean.names.starts),
         "a bad line leaves nothing");
}

template <class Index>
void try_svmlight(const Text& text) {
  try_parser<Index>(text, Shape::columns, [](const Text& given, Parsed<Index>& out) {
    Svmlight<Index> reader(out);
    reader.parse(given.begin(), given.length, any_number);
    return reader.fits;
  });
}

constexpr TextRule by_words{Grams::pairs, Amount::log, true};

// A table of a label, a text, words or a column that is not used, a number, and true or false.
template <bool Dense>
void parse_table(const Text& text, Missing missing, bool labelled, Parsed<std::int32_t>& out) {
  std::vector<CsvColumn> columns;
  columns.emplace_back(CsvKind::label, 0, "y");
  columns.emplace_back(Dense ? CsvKind::skip : missing == Missing::refuse ? CsvKind::words : CsvKind::text, 0, "t");
  columns.emplace_back(CsvKind::number, 0, "x");
  columns.emplace_back(CsvKind::boolean, 1, "b");
  CsvRows<Dense>(columns, text.end(), {',', labelled}, missing, by_words, labelled, wide, out)
      .parse(text.begin(), any_number);
}

template <bool Dense>
void try_table(const Text& text, Missing missing, bool labelled) {
  try_parser<std::int32_t>(text, Dense ? Shape::rows : Shape::names,
                           [missing, labelled](const Text& given, Parsed<std::int32_t>& out) {
                             parse_table<Dense>(given, missing, labelled, out);
                             return true;
                           });
}

// The records before a cut and those after it are all records.
void try_cut(const Text& text) {
  const std::size_t cut = csv_cut(text.begin(), text.length / 2, {',', true});
  demand(cut <= text.length / 2, "a cut is in the text");
  Parsed<std::int32_t> whole, before, after;
  parse_table<true>(text, Missing::zero, true, whole);
  parse_table<true>({text.begin(), cut}, Missing::zero, true, before);
  parse_table<true>({text.begin() + cut, text.length - cut}, Missing::zero, true, after);
  demand(before.labels.size + after.labels.size == whole.labels.size &&
             before.bad.size() + after.bad.size() == whole.bad.size() &&
             before.lines + after.lines == whole.lines,
         "a cut is between records");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Text text(reinterpret_cast<const char*>(data), size);
  try_svmlight<std::int32_t>(text);
  try_svmlight<std::int64_t>(text);
  for (const bool labelled : {false, true}) {
    try_parser<std::int32_t>(text, Shape::names, [labelled](const Text& given, auto& out) {
      parse_vw(given.begin(), given.end(), any_number, labelled, out);
      return true;
    });
    for (const Missing missing : {Missing::refuse, Missing::indicate})
      try_parser<std::int32_t>(text, Shape::names, [=](const Text& given, auto& out) {
        const JsonOptions options{"label", labelled, "w", labelled, missing, {"i"},
                                  {"t", "a"}, by_words};
        parse_jsonl(given.begin(), given.end(), any_number, options, out);
        return true;
      });
  }
  const Text lines((std::string(text.begin(), size) + "\n").data(), size + 1);
  try_table<true>(lines, Missing::zero, false);
  try_table<false>(lines, Missing::indicate, true);
  try_table<false>(lines, Missing::refuse, false);
  try_table<false>(lines, Missing::refuse, true);
  try_cut(lines);
  return 0;
}

#ifdef NOVIKOFF_FUZZ_MAIN
#include <random>

namespace {

const std::vector<std::string> seeds = {
    "1 1:0.5 3:-2e-3 4:7 # comment\n-1 qid:3 2:1.25\n+1 12345678:12345678.875 99999999:.5\n",
    "0 1:0.30000000000000004 2:1.7976931348623157e308\n1 9007199254740991:1e-400\n\n# only\n",
    "1 2.5 0 'tag|mail:0.5 a b:2 |n c:-1e3\nspam |\n-1 tag| größe:2 a a\n| x\n",
    "{\"label\": 1, \"a\": 2.5, \"b\": [\"to\", \"be\"], \"c\": {\"d\": [1, null, -0.5e+3]}}\n",
    "{\"label\":\"\\ud83d\\ude00\\n\",\"e\":true,\"f\":null,\"\\u00e9\":\"\xc3\xa9\"}\r\n{}\r",
    "spam,red,1.5,true\nham,\"a \"\"b\"\", c\nd\",-3,false\r\nspam,NA,?,\nham, red ,7,TRUE\n\n",
    "a long name of a class,a text longer than fifteen bytes,12345678,false\n",
    "\"1\",\"\",\"2\",\"true\"\n",
};
const std::vector<std::string> pieces = {
    " ", "\t", "\n", "\r", "|", ":", "'", "#", "qid:", "1", "0", "99999999", "1e999", "-", "+", ".",
    "e", "{", "}", "[", "]", ",", "\"", "\\", "\\u", "\\ud800", "\\udc00", "null", "true", "false",
    "\"label\":", "\"a\":", "\"\"", "{\"a\":", "\xc3", "\xa9", "\xed\xa0\x80", "\xf4\x90\x80\x80",
    std::string(1, '\0'), "18446744073709551616", "4.9e-324", "nan", "inf", " 2:3", " a:2",
    "1 | b\n", "\"\"\"", "a,b,1,true\n", ",\"", "\",",
};

// A few seeds side by side, with pieces put in, bytes changed, and stretches taken out or doubled.
std::string mutant(std::mt19937_64& dice) {
  const auto below = [&dice](std::size_t n) { return std::size_t(dice() % n); };
  std::string text = seeds[below(seeds.size())];
  if (below(4) == 0) text += seeds[below(seeds.size())];
  for (std::size_t changes = below(8) + 1; changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1), some = below(text.size() - at + 1);
    switch (below(6)) {
      case 0: text.insert(at, pieces[below(pieces.size())]); break;
      case 1: if (at < text.size()) text[at] = char(dice()); break;
      case 2: text.erase(at, std::min<std::size_t>(some, 8)); break;
      case 3: text.insert(below(at + 1), text.substr(at, std::min<std::size_t>(some, 40))); break;
      case 4: if (at < text.size()) text[at] = char(text[at] ^ (1 << below(8))); break;
      default: if (below(4) == 0) text.resize(at);
    }
  }
  return text;
}

}  // namespace

int main(int count, char** words) {
  const unsigned long long tries = count > 1 ? std::strtoull(words[1], nullptr, 10) : 100000;
  std::mt19937_64 dice(count > 2 ? std::strtoull(words[2], nullptr, 10) : 0);
  for (unsigned long long i = 0; i < tries; ++i) {
    const std::string text = mutant(dice);
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  }
  std::printf("%llu inputs\n", tries);
}
#endif
