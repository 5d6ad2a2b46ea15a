// Every allocation fails once: the table of names and the runs are then as they were before the call.
//
//   g++ -std=c++20 -g -O1 -fsanitize=address,undefined -Icpp tests/native/out_of_memory.cpp && ./a.out
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <string>

#include "online/names.hpp"
#include "online/runs.hpp"

namespace {
long left = -1;  // how many allocations still succeed; below 0: all
}

void* operator new(std::size_t size) {
  if (left == 0) throw std::bad_alloc();
  if (left > 0) --left;
  if (void* const given = std::malloc(size ? size : 1)) return given;
  throw std::bad_alloc();
}
void operator delete(void* given) noexcept { std::free(given); }
void operator delete(void* given, std::size_t) noexcept { std::free(given); }

using namespace novikoff;

namespace {

long failures = 0;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "broken: %s\n", what);
  std::abort();
}

// Calls f with no memory, then with room for one allocation, for two, ... until it succeeds; `same`
// must hold after each failure.
template <class F, class Same>
void try_all(F f, Same same) {
  for (long some = 0;; ++some) {
    try {
      left = some;
      f();
      left = -1;
      return;
    } catch (const std::bad_alloc&) {
      left = -1;
      ++failures;
      same();
    }
  }
}

using Known = std::map<std::string, std::int32_t>;

void compare(const Names& names, const Known& known) {
  demand(names.size() == known.size(), "the number of names");
  for (const auto& [name, column] : known) {
    demand(names.find(name, names.hash(name)) == column, "a name is found");
    demand(names[column] == name, "a column has its name");
  }
  std::size_t named = 0;
  for (std::size_t j = 0; j < names.columns(); ++j) named += names.has(std::int32_t(j));
  demand(named == known.size(), "no column has another name");
}

void names_stay(int bits) {
  Names names(bits);
  Known known;
  for (int block = 0; block < 60; ++block) {
    const Known before = known;
    for (int k = 0; k < 9; ++k) {
      const std::string name = std::string(std::size_t(k * 7), 'x') + std::to_string(97 * block + k);
      std::int32_t column = Names::none;
      try_all([&] { column = names.add(name, names.hash(name)); }, [&] { compare(names, known); });
      if (names[column] == name) known[name] = column;
    }
    if (block % 3 == 2) {
      left = 0;  // undoing needs no memory
      names.undo();
      left = -1;
      known = before;
    }
    names.settle();
    compare(names, known);
    if (!bits && block % 10 == 9) {
      std::vector<std::int32_t> columns;
      Known kept;
      for (const auto& [name, column] : known)
        if (column % 3 == 0) columns.push_back(column);
        else kept[name] = column;
      try_all([&] { names.forget(columns); }, [&] { compare(names, known); });
      known = kept;
      compare(names, known);
    }
  }
}

// Two runs learn from the same rows, one while memory runs out; both end with the same mistakes.
void runs_stay(Keep keep) {
  constexpr Size dim = 6;
  double w[2][dim + 1] = {}, u[2][dim + 1] = {};
  const Rule rule{{0, 0}, {1, 1}, 1, true};
  PerceptronRun poor(rule, dim, keep, 0, w[0], u[0], false), rich(rule, dim, keep, 0, w[1], u[1], false);
  std::int32_t columns[dim], starts[2] = {0, 0};
  double values[dim];
  for (std::int64_t t = 0; t < 200; ++t) {
    Size stored = 0;
    for (Size j = 0; j < dim; ++j)
      if ((t >> (j % 5) ^ t >> j) & 1) columns[stored] = std::int32_t(j), values[stored++] = 1 + double(j);
    starts[1] = std::int32_t(stored);
    const OneRow x = SparseRows<double, std::int32_t>{values, columns, starts, 1, dim, stored};
    const std::int32_t code = t % 3 == 0;
    const auto same = [&] {
      demand(poor.rounds == rich.rounds && poor.waiting.count == rich.waiting.count, "the counts");
      demand(std::equal(w[0], w[0] + dim + 1, w[1]), "the weights");
      demand(poor.waiting.round == rich.waiting.round && poor.waiting.row == rich.waiting.row &&
                 poor.waiting.score == rich.waiting.score && poor.waiting.step == rich.waiting.step &&
                 poor.waiting.values == rich.waiting.values &&
                 poor.waiting.indices == rich.waiting.indices &&
                 poor.waiting.starts == rich.waiting.starts,
             "the mistakes");
    };
    try_all(
        [&] {
          poor.make_room(x);
          left = 0;  // learning needs no more memory
          demand(poor.learn(x, code, 1.0, t) == Flaw::none, "the row is good");
        },
        same);
    rich.make_room(x);
    rich.learn(x, code, 1.0, t);
    same();
    if (t % 50 == 49) {
      try_all([&] { poor.waiting.taken(); }, same);
      rich.waiting.taken();
      same();
    }
  }
}

}  // namespace

int main() {
  names_stay(0);
  names_stay(5);
  for (const Keep keep : {Keep::counts, Keep::positions, Keep::examples}) runs_stay(keep);
  demand(failures > 100, "memory ran out often");
  std::printf("memory ran out %ld times, and nothing was lost\n", failures);
}
