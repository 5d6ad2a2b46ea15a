// Threads that share what they may share, for ThreadSanitizer: the parsers' static state and text,
// rows with weights of their own, and arrays that another thread damages and repairs.
//
//   g++ -std=c++20 -g -O1 -fsanitize=thread -Icpp tests/native/threads.cpp && ./a.out
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include "core/ascent.hpp"
#include "core/elimination.hpp"
#include "core/joint.hpp"
#include "core/multiplicative.hpp"
#include "core/adaptive.hpp"
#include "core/passes.hpp"
#include "core/vote.hpp"
#include "online/names.hpp"
#include "text/csv.hpp"
#include "text/jsonl.hpp"
#include "text/renumber.hpp"
#include "text/svmlight.hpp"
#include "text/vw.hpp"

using namespace novikoff;

namespace {

constexpr std::int64_t n = 200, dim = 32, each = 12;
constexpr Size width = 8, rounds = 20, threads = 3;

template <class T>
void write(T& number, std::int64_t value) {
  __atomic_store_n(&number, T(value), __ATOMIC_RELAXED);
}

struct Data {
  std::vector<double> values;
  std::vector<std::int64_t> indices, starts, order, example;
  std::vector<std::int32_t> codes, right, rival;
  std::vector<std::int8_t> labels;

  Data() : values(n * each, 0.5), codes(n), right(n, 1), rival(n, 2), labels(n) {
    for (std::int64_t i = 0; i < n; ++i) {
      starts.push_back(i * each);
      order.push_back(n - 1 - i);
      example.push_back(i);
      codes[Size(i)] = std::int32_t(i % 5);
      labels[Size(i)] = i % 3 ? 1 : -1;
      for (std::int64_t k = 0; k < each; ++k) indices.push_back(2 * k + i % 3);
    }
    starts.push_back(n * each);
  }
  SparseRows<double, std::int64_t> rows() const {
    return {values.data(), indices.data(), starts.data(), Size(n), Size(dim), values.size()};
  }
  // Wrong numbers in every array of numbers that are used as indices, and then the right ones.
  void damage() {
    for (const std::int64_t wrong : {std::int64_t(-1), std::int64_t(1) << 30}) {
      const Data sound;
      const auto spoil = [&](auto& array, const auto& before) {
        for (Size k = 0; k < array.size(); k += 7) write(array[k], wrong);
        for (Size k = 0; k < array.size(); k += 7) write(array[k], before[k]);
      };
      spoil(indices, sound.indices);
      spoil(starts, sound.starts);
      spoil(order, sound.order);
      spoil(example, sound.example);
      spoil(codes, sound.codes);
      spoil(right, sound.right);
      spoil(rival, sound.rival);
    }
  }
};

// Everything that reads rows, with weights and records of its own.
void learn(const Data& data) {
  const auto rows = data.rows();
  std::vector<std::int64_t> round(n), row(n), plain(dim), negated(dim, 1), survived(n + 1, 1);
  std::vector<double> score(n * width), step(n, 1.0), square(n), w(dim + 1), p(dim + 1),
      joint((dim + 1) * width), dots(n * abreast), work(dim * abreast), s(width), votes(width),
      alpha(n), squared(n, 1.0);
  std::vector<std::int32_t> right(n), rival(n);
  const Rule rule{{1e9, 1e9}, {1, 1}, 1, true};
  const std::vector<double> steps(width, 1.0);
  const std::int64_t* const order = data.order.data();
  JointMistakes out{{round.data(), row.data(), score.data(), step.data(), square.data(), 0},
                    right.data(), rival.data()};
  const auto again = [&] { out.count = 0; };
  pass<false>(rows, data.labels.data(), nullptr, order, 0, n, rule, 0, Sum<double>{w.data()}, out,
              score.data());
  again();
  const Growth growth(2, true);
  pass<false>(rows, data.labels.data(), nullptr, order, 0, n, rule, 0,
              Powers<double>(p.data(), w.data(), growth, 0, false), out, nullptr);
  again();
  std::vector<double> variance(dim + 1, 1.0), sum(dim + 1);
  pass<false>(rows, data.labels.data(), nullptr, order, 0, n, rule, 0,
              Adaptive{w.data(), variance.data(), sum.data(), 1.0}, out, nullptr);
  again();
  Size classes = 0;
  joint_pass<false>(rows, data.codes.data(), nullptr, order, 0, n, {1e9, steps.data(), 1, true}, 0,
                    classes, JointPerceptron{joint.data(), nullptr, width}, s.data(), out,
                    HonestScores{nullptr});
  scores(rows, 0, n, Sum<const double>{w.data()}, true, score.data());
  scores(rows, 0, n, JointSum{joint.data(), width}, true, score.data());
  const std::vector<double> ones(n, 1.0);
  accumulate(rows, data.example.data(), ones.data(), n, true, w.data());
  joint_accumulate(rows, data.example.data(), ones.data(), data.right.data(), data.rival.data(), n,
                   true, width, joint.data());
  double least;
  ascend(rows, data.labels.data(), order, 0, n, squared.data(), true, alpha.data(), w.data(), least);
  squares(rows, 0, n, true, square.data());
  multiply(rows, true, work.data(), dots.data());
  count_votes({data.example.data(), ones.data(), survived.data(), Size(n), Size(n), true},
              dots.data(), work.data(), score.data());
  count_class_votes({data.example.data(), ones.data(), data.right.data(), data.rival.data(),
                     survived.data(), Size(n), Size(n), width},
                    dots.data(), abreast, s.data(), votes.data());
  Literals literals{plain.data(), negated.data(), 0, Size(dim)};
  Dropped dropped{round.data(), row.data(), square.data(), 0};
  eliminate(rows, data.labels.data(), nullptr, order, 0, n, 1, 0, literals, dropped);
  Renumbered renumbered;
  renumber(rows, nullptr, renumbered);
}

// One piece of text, read by every parser.
void parse(const std::string& svmlight, const std::string& vw, const std::string& jsonl,
           const std::string& csv) {
  {
    Parsed<std::int32_t> out;
    Svmlight<std::int32_t>(out).parse(svmlight.data(), svmlight.size() - padding, Size(-1));
  }
  {
    Parsed<std::int32_t> out;
    parse_vw(vw.data(), vw.data() + vw.size() - padding, Size(-1), true, out);
  }
  {
    Parsed<std::int32_t> out;
    parse_jsonl(jsonl.data(), jsonl.data() + jsonl.size() - padding, Size(-1),
                {"label", true, "", true, Missing::refuse}, out);
  }
  Parsed<std::int32_t> out;
  std::vector<CsvColumn> columns;
  columns.emplace_back(CsvKind::label, 0, "label");
  columns.emplace_back(CsvKind::text, 0, "text");
  columns.emplace_back(CsvKind::number, 0, "number");
  CsvRows<false> rows(columns, csv.data() + csv.size() - padding, CsvMarks{',', true},
                      Missing::refuse, TextRule{}, true, 1, out);
  rows.parse(csv.data(), Size(-1));
}

template <class F>
void at_once(F f) {
  std::vector<std::thread> some;
  for (Size k = 0; k < threads; ++k) some.emplace_back([&f] {
    for (Size r = 0; r < rounds; ++r) f();
  });
  for (std::thread& one : some) one.join();
}

}  // namespace

int main() {
  std::string svmlight, vw, jsonl, csv;
  for (int i = 0; i < 200; ++i) {
    const std::string k = std::to_string(i);
    svmlight += "1 " + std::to_string(i + 1) + ":0.5\n";
    vw += "1 | word" + k + ":2 other\n";
    jsonl += "{\"label\": 1, \"word" + k + "\": 2.5}\n";
    csv += "1,text" + k + ",3.25\n";
  }
  for (std::string* text : {&svmlight, &vw, &jsonl, &csv}) text->append(padding, '\0');
  at_once([&] { parse(svmlight, vw, jsonl, csv); });

  at_once([] {
    Names names;
    for (int i = 0; i < 300; ++i) {
      const std::string name = "name" + std::to_string(i);
      names.add(name, names.hash(name));
    }
  });

  Data data;
  at_once([&] { learn(data); });
  std::thread damager([&] {
    for (Size r = 0; r < 20 * rounds; ++r) data.damage();
  });
  at_once([&] { learn(data); });
  damager.join();
  std::puts("no data races");
}
