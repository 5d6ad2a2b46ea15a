// Dicts of named features, as Python holds them, made rows over the columns of the names.
//
// Only what is plain is read: texts and whole numbers as keys; numbers, truth values and texts as
// values. No Python code is run.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
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
  std::vector<double> values;
  std::vector<std::int32_t> columns;
  std::vector<std::pair<std::int32_t, double>> mixed;

  void clear() { values.clear(), columns.clear(); }

  void add(std::int32_t j, double v) {
    columns.push_back(j);
    values.push_back(v);
  }

  // Those from `begin` on are one example's.
  void put_in_order(std::size_t begin) {
    bool sorted = true;
    for (std::size_t k = begin + 1; k < columns.size(); ++k) sorted &= columns[k - 1] < columns[k];
    if (sorted) return;
    mixed.clear();
    for (std::size_t k = begin; k < columns.size(); ++k) mixed.emplace_back(columns[k], values[k]);
    const auto below = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(mixed.begin(), mixed.end(), below);
    columns.resize(begin), values.resize(begin);
    for (const auto& [j, v] : mixed) {
      if (columns.size() > begin && columns.back() == j) values.back() += v;
      else add(j, v);
    }
  }
};

class Dicts {
 public:
  Names names;

  explicit Dicts(int bits) : names(bits) {}

  // Adds the entries of x, those below column `end`; a name that is new is added, or left out. False
  // if x is not a plain dict, or a name or value of it is not plain or not good.
  bool read(PyObject* x, bool adding, std::size_t end, Entries& out) {
    if (!is_plain(x)) return false;
    const std::size_t begin = out.columns.size();
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(x, &at, &key, &value);) {
      std::string_view name, text;
      std::uint64_t hash = 0;  // a hash that Python has at hand; 0: none
      char digits[24];
      if (PyUnicode_CheckExact(key)) {
        if (!utf8(key, name)) return false;
        hash = std::uint64_t(reinterpret_cast<PyASCIIObject*>(key)->hash);  // the dict has made it
      } else if (!PyLong_CheckExact(key) || !decimal(key, digits, name)) {
        return false;
      }
      double v;
      std::int32_t j;
      if (number(value, v)) {
        j = hash ? names.shortcut(hash, name) : Names::none;
      } else {
        if (!PyUnicode_CheckExact(value) || !utf8(value, text)) return false;
        v = 1;
        if (hash) hash = hash * 0x9e3779b97f4a7c15u + std::uint64_t(PyObject_Hash(value));
        j = hash ? names.shortcut(hash, name, text) : Names::none;
        if (j == Names::none) name = name_.assign(name).append(1, '=').append(text);
      }
      if (j == Names::none) {
        if (!place(name, adding, j)) return false;
        if (hash && j != Names::none) names.remember(hash, j);
      }
      if (j != Names::none && std::size_t(j) < end) out.add(j, v);
    }
    out.put_in_order(begin);
    return true;
  }

 private:
  std::string name_;

  static bool is_plain(PyObject* x) {
    return PyDict_CheckExact(x) ||
           (PyDict_Check(x) && Py_TYPE(x)->tp_iter == PyDict_Type.tp_iter);
  }

  // The bytes of a text, in UTF-8; false for one that has none.
  static bool utf8(PyObject* text, std::string_view& out) {
    if (PyUnicode_IS_COMPACT_ASCII(text)) {
      out = {static_cast<const char*>(PyUnicode_DATA(text)), std::size_t(PyUnicode_GET_LENGTH(text))};
      return true;
    }
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

  // A number that is finite; false for anything else.
  static bool number(PyObject* value, double& v) {
    if (PyFloat_Check(value)) {
      v = PyFloat_AS_DOUBLE(value);
    } else if (PyLong_Check(value)) {
      v = PyLong_AsDouble(value);
      if (v == -1 && PyErr_Occurred()) return PyErr_Clear(), false;
    } else {
      return false;
    }
    return std::abs(v) <= std::numeric_limits<double>::max();
  }

  // The column of a name, or none; false if it is not a name, for it has a zero byte in it.
  bool place(std::string_view name, bool adding, std::int32_t& j) {
    const std::uint64_t hash = hash_name(name);
    j = names.find(name, hash);
    if (j != Names::none && !names.bits()) return true;
    if (std::memchr(name.data(), 0, name.size())) return false;
    if (adding) j = names.add(name, hash);
    return true;
  }
};

}  // namespace novikoff
