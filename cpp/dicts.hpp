// Dicts of named features, as Python holds them, made rows over the columns of the names.
//
// Only what is plain is read: texts and whole numbers as keys; numbers, truth values and texts as
// values. No Python code is run.
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

#include "names.hpp"

namespace novikoff {

// The entries of one example, or of several: columns in order, values on one column added up.
struct Entries {
  std::vector<double> values;  // these have room for more than `size`
  std::vector<std::int32_t> columns;
  std::size_t size = 0;

  // Room for so many more, which are added by `put` and ended by `close`.
  void open(std::size_t some) {
    begin_ = size;
    if (size + some > columns.size()) {
      values.resize(2 * (size + some));
      columns.resize(2 * (size + some));  // the one asked above last: there may be no memory for it
    }
    last_ = highest_ = -1;
    sorted_ = true;
  }
  void put(std::int32_t j, double v) {
    columns[size] = j;
    values[size++] = v;
    sorted_ &= j > last_;
    last_ = j;
    highest_ = std::max(highest_, j);
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
  std::int32_t last_ = -1, highest_ = -1;
  bool sorted_ = true;
  std::vector<Entry> mixed_, other_;

  void put_in_order() {
    const std::size_t n = size - begin_;
    if (mixed_.size() < n) other_.resize(2 * n), mixed_.resize(2 * n);
    for (std::size_t k = 0; k < n; ++k) mixed_[k] = {columns[begin_ + k], values[begin_ + k]};
    const Entry* const sorted = n <= 24 ? by_insertion(n) : by_digits(n);
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

  // By column, entries on one column in the order they came.
  const Entry* by_insertion(std::size_t n) {
    for (std::size_t k = 1; k < n; ++k) {
      const Entry one = mixed_[k];
      std::size_t at = k;
      for (; at > 0 && one.column < mixed_[at - 1].column; --at) mixed_[at] = mixed_[at - 1];
      mixed_[at] = one;
    }
    return mixed_.data();
  }

  // The same digit by digit, from the lowest: 1.9 us by std::stable_sort became 0.5 on 75 words.
  const Entry* by_digits(std::size_t n) {
    Entry *from = mixed_.data(), *to = other_.data();
    const int bits = std::bit_width(std::uint32_t(highest_) | 1u), digits = (bits + 7) / 8;
    const int width = (bits + digits - 1) / digits;
    const std::int32_t mask = (1 << width) - 1;
    for (int shift = 0; shift < bits; shift += width) {
      std::uint32_t places[256] = {};
      for (std::size_t k = 0; k < n; ++k) ++places[(from[k].column >> shift) & mask];
      std::uint32_t before = 0;
      for (std::int32_t d = 0; d <= std::min(mask, highest_ >> shift); ++d)
        before += std::exchange(places[d], before);
      for (std::size_t k = 0; k < n; ++k) to[places[(from[k].column >> shift) & mask]++] = from[k];
      std::swap(from, to);
    }
    return from;
  }
};

class Dicts {
 public:
  Names names;

  explicit Dicts(int bits) : names(bits) {}

  // Adds the entries of x, those below column `end`; a name that is new is added, or left out. False
  // if x is not a plain dict, or a name or value of it is not plain or not good.
  //
  // Memory is asked for a step ahead of its use, for names lie about anywhere: 75 words of 20,000
  // took 2.3 us, and take 1.5.
  bool read(PyObject* x, bool adding, std::size_t end, Entries& out) {
    if (!is_plain(x)) return false;
    const auto n = std::size_t(PyDict_GET_SIZE(x));
    if (items_.size() < n) items_.resize(2 * n);
    Item *const items = items_.data(), *last = items;
    for (Py_ssize_t at = 0; last < items + n && PyDict_Next(x, &at, &last->key, &last->value);) {
      __builtin_prefetch(last->key);
      __builtin_prefetch(last++->value);
    }
    for (Item* one = items; one < last; ++one) {
      if (!name_and_value(*one)) return false;
      names.expect(one->hash);
    }
    out.open(n);
    for (const Item* one = items; one < last; ++one) {
      std::int32_t j = one->is_text ? names.shortcut(one->hash, one->name, one->text)
                                    : names.shortcut(one->hash, one->name);
      if (j == Names::none && !place(*one, adding, j)) return out.close(), false;
      if (std::size_t(j) < end) out.put(j, one->number);  // none is not
    }
    out.close();
    return true;
  }

 private:
  struct Item {
    PyObject *key, *value;
    std::string_view name, text;  // the feature is `name`, or `name=text`
    std::uint64_t hash;           // one that Python has at hand
    double number;
    bool is_text;
  };
  // What no text hashes to in Python, so no shortcut is found by it.
  static constexpr std::uint64_t no_hash = ~std::uint64_t(0);

  std::vector<Item> items_;
  std::string name_;

  [[gnu::always_inline]] static bool name_and_value(Item& one) {
    if (!PyUnicode_CheckExact(one.key) || !PyUnicode_IS_COMPACT_ASCII(one.key)) [[unlikely]] {
      if (!name_of(one)) return false;
    } else {
      one.name = ascii(one.key);
      one.hash = std::uint64_t(reinterpret_cast<PyASCIIObject*>(one.key)->hash);  // the dict's
    }
    one.is_text = false;
    if (PyFloat_CheckExact(one.value)) [[likely]] {
      one.number = PyFloat_AS_DOUBLE(one.value);
      return std::abs(one.number) <= std::numeric_limits<double>::max();
    }
    return value_of(one);
  }

  [[gnu::noinline]] static bool name_of(Item& one) {
    one.hash = no_hash;
    one.name = {};
    if (!PyUnicode_CheckExact(one.key)) return PyLong_CheckExact(one.key);
    one.hash = std::uint64_t(reinterpret_cast<PyASCIIObject*>(one.key)->hash);
    return utf8(one.key, one.name);
  }

  [[gnu::noinline]] static bool value_of(Item& one) {
    if (PyFloat_Check(one.value)) {
      one.number = PyFloat_AS_DOUBLE(one.value);
    } else if (PyLong_Check(one.value)) {
      one.number = PyLong_AsDouble(one.value);
      if (one.number == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
    } else {
      if (!PyUnicode_CheckExact(one.value) || !utf8(one.value, one.text)) return false;
      one.is_text = true;
      one.number = 1;
      if (one.hash != no_hash) one.hash = one.hash * 0x9e3779b97f4a7c15u +
                                          std::uint64_t(PyObject_Hash(one.value));
    }
    return std::abs(one.number) <= std::numeric_limits<double>::max();
  }

  // The column of a feature that no shortcut led to, or none; false if its name has a zero byte.
  [[gnu::noinline]] bool place(const Item& one, bool adding, std::int32_t& j) {
    std::string_view name = one.name;
    char digits[24];
    if (PyLong_CheckExact(one.key) && !decimal(one.key, digits, name)) return false;
    if (one.is_text) name = name_.assign(name).append(1, '=').append(one.text);
    const std::uint64_t hash = hash_name(name);
    j = names.find(name, hash);
    if (j == Names::none || names.bits()) {
      if (std::memchr(name.data(), 0, name.size())) return false;
      if (adding) j = names.add(name, hash);
    }
    // a column without a name has yet to be given the first that is learned from
    if (one.hash != no_hash && j != Names::none && names.has(j)) names.remember(one.hash, j, name);
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

  // The bytes of a text, in UTF-8; false for one that has none.
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
