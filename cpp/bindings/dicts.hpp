// Python dicts of named features, or JSON objects as bytes, turned into rows over the columns of the
// names.
//
// Only plain dicts are read: keys are texts or integers; values are numbers, truth values or texts.
// No Python code runs.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "online/names.hpp"
#include "online/ranks.hpp"
#include "text/plain_json.hpp"

namespace novikoff {

// The entries of one or more examples: columns in increasing order, values on one column added.
struct Entries {
  std::vector<double> values;  // the vectors are longer than `size`
  std::vector<std::int32_t> columns;
  std::size_t size = 0;

  // Begins an example with room for `some` entries, which `put` appends and `close` ends.
  void open(std::size_t some) {
    begin_ = size;
    const std::size_t needed = size + some + ranks_at_a_time;
    if (needed > columns.size()) {
      values.resize(2 * needed);
      columns.resize(2 * needed);  // last, because its size is tested above and memory may run out
    }
    last_ = -1;
    sorted_ = true;
  }
  void put(std::int32_t j, double v) {
    columns[size] = j;
    values[size++] = v;
    sorted_ &= j > last_;
    last_ = j;
  }
  // Counts `some` entries that the caller has written itself, and their last column.
  void put(std::size_t some, bool sorted, std::int32_t last) {
    size += some;
    sorted_ &= sorted;
    last_ = last;
  }
  void close() {
    if (!sorted_) put_in_order();
  }

 private:
  struct Entry {
    std::int32_t column;
    double value;
  };
  std::size_t begin_ = 0;
  std::int32_t last_ = -1;
  bool sorted_ = true;
  std::vector<Entry> mixed_, other_;
  std::vector<std::int32_t> other_columns_;
  std::vector<double> other_values_;
  static constexpr std::size_t most_ranked = 160;
  std::int32_t ranked_columns_[most_ranked], ranks_[most_ranked];  // the last ones ranked
  std::size_t ranked_ = 0;

  [[gnu::noinline]] void put_in_order() {
    const std::size_t n = size - begin_;
    if (put_by_rank(n)) return;
    if (mixed_.size() < n) other_.resize(2 * n), mixed_.resize(2 * n);
    for (std::size_t k = 0; k < n; ++k) mixed_[k] = {columns[begin_ + k], values[begin_ + k]};
    const Entry* const sorted = by_digits(n);
    size = begin_;
    for (std::size_t k = 0; k < n; ++k) {
      if (size > begin_ && columns[size - 1] == sorted[k].column) {
        values[size - 1] += sorted[k].value;
        continue;
      }
      columns[size] = sorted[k].column;
      values[size++] = sorted[k].value;
    }
  }

  // Sorts by rank; false if two entries are on one column, for then ranks are missing. An example
  // that was just predicted is often learned from next: its ranks are still known.
  bool put_by_rank(std::size_t n) {
    if (n > most_ranked) return false;
    const std::int32_t* const mixed = columns.data() + begin_;
    if (n != ranked_ || !std::equal(mixed, mixed + n, ranked_columns_)) {
      ranked_ = 0;
      find_ranks(mixed, n, ranks_);
      std::int32_t sum = 0;
      for (std::size_t k = 0; k < n; ++k) sum += ranks_[k];
      if (std::size_t(sum) != n * (n - 1) / 2) return false;
      std::copy(mixed, mixed + n, ranked_columns_);
      ranked_ = n;
    }
    if (other_columns_.size() != columns.size()) {
      other_values_.resize(values.size());
      other_columns_.resize(columns.size());  // last, because its size is tested above
    }
    const std::int32_t* __restrict from = columns.data() + begin_;
    const double* __restrict from_values = values.data() + begin_;
    std::int32_t* __restrict to = other_columns_.data() + begin_;
    double* __restrict to_values = other_values_.data() + begin_;
    for (std::size_t k = 0; k < n; ++k) {
      to[ranks_[k]] = from[k];
      to_values[ranks_[k]] = from_values[k];
    }
    if (begin_ == 0) {
      columns.swap(other_columns_);
      values.swap(other_values_);
    } else {
      std::copy(to, to + n, columns.data() + begin_);
      std::copy(to_values, to_values + n, values.data() + begin_);
    }
    return true;
  }

  // Sorts by column, stably: a radix sort from the lowest digit.
  const Entry* by_digits(std::size_t n) {
    Entry *from = mixed_.data(), *to = other_.data();
    std::int32_t highest = 1;
    for (std::size_t k = 0; k < n; ++k) highest = std::max(highest, from[k].column);
    const int bits = std::bit_width(std::uint32_t(highest)), digits = (bits + 7) / 8;
    const int width = (bits + digits - 1) / digits;
    const std::int32_t mask = (1 << width) - 1;
    for (int shift = 0; shift < bits; shift += width) {
      std::uint32_t places[256] = {};
      for (std::size_t k = 0; k < n; ++k) ++places[(from[k].column >> shift) & mask];
      std::uint32_t before = 0;
      for (std::int32_t d = 0; d <= std::min(mask, highest >> shift); ++d)
        before += std::exchange(places[d], before);
      for (std::size_t k = 0; k < n; ++k) to[places[(from[k].column >> shift) & mask]++] = from[k];
      std::swap(from, to);
    }
    return from;
  }
};

// A cache from Python objects to columns: names are often the same string objects, the program's
// own constants. It keeps a reference to each object in it, so that no other object can take its
// address.
class Objects {
 public:
  Objects() = default;
  Objects(const Objects&) = delete;
  ~Objects() { clear(); }

  std::int32_t find(PyObject* name) const {
    const Way& way = ways_[place(name)];
    return way.name == name ? way.column : Names::none;
  }
  void expect(PyObject* name) const { __builtin_prefetch(&ways_[place(name)]); }

  // Skips an object that only its dict holds: it goes with the dict.
  void remember(PyObject* name, std::int32_t column, std::size_t names) {
    if (Py_REFCNT(name) < 2) return;
    if (names > ways_.size() / 2 && ways_.size() < most) {
      const std::vector<Way> before = std::exchange(ways_, std::vector<Way>(2 * ways_.size()));
      --shift_;
      for (const Way& way : before)
        if (way.name) put(way);
    }
    Py_INCREF(name);
    put({name, column});
  }
  void clear() {
    for (Way& way : ways_) Py_CLEAR(way.name);
  }
  void swap(Objects& other) {
    std::swap(ways_, other.ways_);
    std::swap(shift_, other.shift_);
  }

 private:
  static constexpr std::size_t most = std::size_t(1) << 16;
  struct Way {
    PyObject* name = nullptr;
    std::int32_t column = Names::none;
  };
  std::vector<Way> ways_{64};
  int shift_ = 58;  // 64 less the bits of a place

  std::size_t place(PyObject* name) const {
    return (reinterpret_cast<std::uintptr_t>(name) * std::uint64_t(0x9e3779b97f4a7c15u)) >> shift_;
  }
  void put(const Way& way) {
    PyObject* const before = std::exchange(ways_[place(way.name)], way).name;
    Py_XDECREF(before);
  }
};

// Which dict was seen, and in which state. CPython numbers every state of every dict anew (PEP 509), so
// neither a changed dict nor another one at the same address is taken for it. Python 3.13 does not number
// what an assignment to an attribute changes in vars(object), and 3.14 numbers nothing: there no dict is
// known again.
class DictVersion {
 public:
  DictVersion() = default;
#if PY_VERSION_HEX < 0x030d0000 && !defined(Py_GIL_DISABLED)
  explicit DictVersion(PyObject* x) : dict_(PyDict_CheckExact(x) ? x : nullptr) {
    if (dict_) state_ = state(x);
  }
  bool is_of(PyObject* x) const { return dict_ && x == dict_ && state(x) == state_; }
#else
  explicit DictVersion(PyObject*) {}
  bool is_of(PyObject*) const { return false; }
#endif
  bool has_size(std::size_t n) const { return dict_ && std::size_t(PyDict_GET_SIZE(dict_)) == n; }

 private:
  PyObject* dict_ = nullptr;  // not held: only compared while it is another's argument
  std::uint64_t state_ = 0;

#if PY_VERSION_HEX < 0x030d0000 && !defined(Py_GIL_DISABLED)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  static std::uint64_t state(PyObject* x) {
    return reinterpret_cast<PyDictObject*>(x)->ma_version_tag;
  }
#pragma GCC diagnostic pop
#endif
};

class Dicts {
 public:
  Names names;

  explicit Dicts(int bits) : names(bits) {}

  void swap(Dicts& other) {
    std::swap(names, other.names);
    objects_.swap(other.objects_);
  }
  void forget(const std::vector<std::int32_t>& columns) {
    names.forget(columns);
    objects_.clear();
  }

  // Appends the entries of x whose columns are below `end`; new names are added, or left out. False
  // if x is not a plain dict, or has a name or value that is not plain or not valid.
  //
  // Memory is prefetched one step ahead, because the names lie anywhere.
  bool read(PyObject* x, bool adding, std::size_t end, Entries& out) {
    if (PyBytes_CheckExact(x)) return read_json(x, adding, end, out);
    if (!is_plain(x)) return false;
    const auto n = std::size_t(PyDict_GET_SIZE(x));
    if (items_.size() < n) items_.resize(2 * n);
    Item *const items = items_.data(), *const most = items + n, *last = items;
    PyObject *key, *value;
    for (Py_ssize_t at = 0; last < most && PyDict_Next(x, &at, &key, &value); ++last) {
      objects_.expect(key);
      __builtin_prefetch(value);
      last->key = key;
      last->value = value;
    }
    out.open(n);
    std::int32_t* __restrict columns = out.columns.data() + out.size;
    double* __restrict values = out.values.data() + out.size;
    std::int32_t before = -1;
    bool sorted = true;
    std::size_t read = 0;
    Item* one = items;
    for (; one < last && PyFloat_CheckExact(one->value); ++one) {  // usually this reads all
      const std::int32_t j = objects_.find(one->key);
      const double v = PyFloat_AS_DOUBLE(one->value);
      if (j == Names::none || !(std::abs(v) <= std::numeric_limits<double>::max())) break;
      if (std::size_t(j) >= end) continue;
      columns[read] = j;
      values[read++] = v;
      sorted &= j > before;
      before = j;
    }
    out.put(read, sorted, before);
    const bool good = one == last || read_others(one, last, adding, end, out);
    out.close();
    return good;
  }

 private:
  struct Item {
    PyObject *key, *value;
    std::int32_t column;  // of the key, if it is a cached object
    bool is_number;       // the feature is `name`; if false, `name=text`
    double number;
    std::string_view name, text;
    std::uint64_t hash;  // Python's own
  };
  // No Python text has this hash, so it finds no shortcut.
  static constexpr std::uint64_t no_hash = ~std::uint64_t(0);

  Objects objects_;
  std::vector<Item> items_;
  std::string name_, json_text_;
  PlainJson json_;

  // The same for a JSON object.
  bool read_json(PyObject* x, bool adding, std::size_t end, Entries& out) {
    const auto size = std::size_t(PyBytes_GET_SIZE(x));
    json_text_.assign(PyBytes_AS_STRING(x), size).append(padding, '\0');
    const char* p = json_text_.data();
    if (!json_.object(p) || p != json_text_.data() + size) return false;
    out.open(json_.members.size());
    for (const PlainMember& one : json_.members) {
      std::string_view name = one.key;
      if (!one.is_number) name = name_.assign(name).append(1, '=').append(one.text);
      const std::uint64_t hash = one.is_number && !names.bits() ? one.hash : names.hash(name);
      std::int32_t j = names.find(name, hash);
      if (adding && (j == Names::none || names.bits())) j = names.add(name, hash);
      if (std::size_t(j) < end) out.put(j, one.number);  // Names::none is not below
    }
    out.close();
    return true;
  }

  [[gnu::noinline]] bool read_others(Item* const first, Item* const last, bool adding,
                                     std::size_t end, Entries& out) {
    for (Item* one = first; one < last; ++one) {
      one->column = objects_.find(one->key);
      if (one->column == Names::none) __builtin_prefetch(one->key);
    }
    for (Item* one = first; one < last; ++one) {
      if (!value_of(*one)) return false;
      if (one->is_number && one->column != Names::none) continue;
      if (!name_of(*one)) return false;
      names.expect(one->hash);
    }
    for (const Item* one = first; one < last; ++one) {
      std::int32_t j = one->column;
      if ((j == Names::none || !one->is_number) && !place(*one, adding, j)) return false;
      if (std::size_t(j) < end) out.put(j, one->number);  // Names::none is not below
    }
    return true;
  }

  static bool name_of(Item& one) {
    if (PyUnicode_CheckExact(one.key)) {
      if (!utf8(one.key, one.name)) return false;
      one.hash = std::uint64_t(reinterpret_cast<PyASCIIObject*>(one.key)->hash);  // the dict's
      if (!one.is_number)
        one.hash = one.hash * 0x9e3779b97f4a7c15u + std::uint64_t(PyObject_Hash(one.value));
      return true;
    }
    one.hash = no_hash;
    one.name = {};
    return PyLong_CheckExact(one.key);
  }

  static bool value_of(Item& one) {
    one.is_number = PyFloat_Check(one.value) || PyLong_Check(one.value);
    one.number = 1;
    if (!one.is_number) return PyUnicode_CheckExact(one.value) && utf8(one.value, one.text);
    one.number = PyFloat_Check(one.value) ? PyFloat_AS_DOUBLE(one.value) : PyLong_AsDouble(one.value);
    if (one.number == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
    return std::abs(one.number) <= std::numeric_limits<double>::max();
  }

  // The column of a feature whose name is not a cached object, or none; false if the name contains
  // a zero byte.
  [[gnu::noinline]] bool place(const Item& one, bool adding, std::int32_t& j) {
    j = one.is_number ? names.shortcut(one.hash, one.name)
                      : names.shortcut(one.hash, one.name, one.text);
    if (j == Names::none) {
      std::string_view name = one.name;
      char digits[24];
      if (PyLong_CheckExact(one.key) && !decimal(one.key, digits, name)) return false;
      if (!one.is_number) name = name_.assign(name).append(1, '=').append(one.text);
      const std::uint64_t hash = names.hash(name);
      j = names.find(name, hash);
      if (j == Names::none || names.bits()) {
        if (std::memchr(name.data(), 0, name.size())) return false;
        if (adding) j = names.add(name, hash);
      }
      if (j == Names::none) return true;
      if (one.hash != no_hash && names.has(j)) names.remember(one.hash, j, name);
    }
    // with hash bits a column may still lack a name; it gets the first that is learned from
    if (one.is_number && names.settled() == names.size() && names.has(j))
      objects_.remember(one.key, j, names.size());
    return true;
  }

  static bool is_plain(PyObject* x) {
    return PyDict_CheckExact(x) ||
           (PyDict_Check(x) && Py_TYPE(x)->tp_iter == PyDict_Type.tp_iter);
  }

  static std::string_view ascii(PyObject* text) {
    return {reinterpret_cast<const char*>(reinterpret_cast<PyASCIIObject*>(text) + 1),
            std::size_t(PyUnicode_GET_LENGTH(text))};
  }

  // The UTF-8 bytes of a text; false for one that cannot be encoded.
  static bool utf8(PyObject* text, std::string_view& out) {
    if (PyUnicode_IS_COMPACT_ASCII(text)) return out = ascii(text), true;
    Py_ssize_t size;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) return PyErr_Clear(), false;
    out = {bytes, std::size_t(size)};
    return true;
  }

  static bool decimal(PyObject* key, char (&digits)[24], std::string_view& out) {
    int beyond;
    const long long j = PyLong_AsLongLongAndOverflow(key, &beyond);
    out = {digits, std::size_t(std::to_chars(digits, digits + sizeof digits, j).ptr - digits)};
    return beyond == 0;
  }
};

}  // namespace novikoff
