// Learning from one example at a time, for Python: a dict of named features, or one row.
//
// What is here runs no Python code but the hash of a label, which comes first: it reads dicts whose
// keys and values are plain, and says so when they are not. So with the GIL held each call is done
// whole before another thread's begins.
#include "online_bindings.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <charconv>
#include <string>

#include <nanobind/stl/shared_ptr.h>
#include "array_bindings.hpp"
#include "names.hpp"
#include "online.hpp"

using Two = std::tuple<double, double>;

// How `learn` ended. All but the first leave everything as it was.
enum class Met : int { learned = 0, unread, label, room, full, crowded, held, flaw };

template <class T>
static nb::object handed_over(std::vector<T>&& given) {
  auto* const kept = new std::vector<T>(std::move(given));
  const nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  static T nothing{};  // an array of length 0 has data too
  T* const data = kept->empty() ? &nothing : kept->data();
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {kept->size()}, owner).cast();
}

static Keep kept(std::string_view keep) {
  if (keep == "counts") return Keep::counts;
  if (keep == "positions") return Keep::positions;
  if (keep == "examples") return Keep::examples;
  refuse("keep must be counts, positions or examples");
}

// The runs that meet each example, over arrays that it keeps alive.
class Heads {
  std::vector<nb::object> arrays_;

  double* data(const Out<double>& array) {
    if (array.size() != dim + bias) refuse("one weight a feature is needed");
    arrays_.push_back(nb::cast(array));
    return array.data();
  }

 public:
  const Size dim;
  const bool bias;
  const Keep keep;
  std::vector<std::unique_ptr<Head>> each;

  Heads(const Heads&) = delete;
  Heads(Size dim, bool bias, std::string_view keep) : dim(dim), bias(bias), keep(kept(keep)) {}

  void add_sum(Out<double> w, Maybe<Out<double>> u, Two threshold, Two step, double unit,
               std::int64_t rounds, bool mean) {
    if (mean && !u) refuse("the average needs its sum");
    const Rule rule{{std::get<0>(threshold), std::get<1>(threshold)},
                    {std::get<0>(step), std::get<1>(step)},
                    unit,
                    bias};
    each.push_back(std::make_unique<SumHead>(rule, dim, keep, data(w), u ? data(*u) : nullptr, mean));
    each.back()->rounds = rounds;
  }

  void add_powers(Out<double> powers, Out<double> w, Two threshold, Two step, double alpha,
                  bool balanced, bool erases, double theta, std::int64_t rounds) {
    if (!(alpha > 1 && alpha <= std::numeric_limits<double>::max()))
      refuse("the base must be a finite number above 1");
    const Rule rule{{std::get<0>(threshold), std::get<1>(threshold)},
                    {std::get<0>(step), std::get<1>(step)},
                    1.0,
                    bias};
    double *const p = data(powers), *const of_p = data(w);
    each.push_back(std::make_unique<PowerHead>(rule, dim, keep, p, of_p, Growth(alpha, balanced),
                                               theta, erases));
    each.back()->rounds = rounds;
  }
};

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
  void put_in_order(Size begin) {
    bool sorted = true;
    for (Size k = begin + 1; k < columns.size(); ++k) sorted &= columns[k - 1] < columns[k];
    if (sorted) return;
    mixed.clear();
    for (Size k = begin; k < columns.size(); ++k) mixed.emplace_back(columns[k], values[k]);
    const auto below = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::stable_sort(mixed.begin(), mixed.end(), below);
    columns.resize(begin), values.resize(begin);
    for (const auto& [j, v] : mixed) {
      if (columns.size() > begin && columns.back() == j) values.back() += v;
      else add(j, v);
    }
  }
};

class Online {
  Names names_;
  const bool by_name_;
  const Size most_;  // names; 0: any number
  std::shared_ptr<Heads> heads_;
  std::int64_t position_ = 0, taken_ = 0;
  nb::dict codes_;
  nb::tuple labels_;
  bool zero_is_positive_ = true, held_ = false, single_ = false;
  Size wanted_ = 0;
  Entries entries_;
  std::int32_t starts_[2] = {0, 0};
  std::string name_;
  std::vector<double> scores_;
  struct Use {
    std::int64_t examples = 0, last = 0;
  };
  std::vector<Use> uses_;

  Size dim() const { return heads_->dim; }

  static bool is_plain_dict(PyObject* x) {
    return PyDict_CheckExact(x) ||
           (PyDict_Check(x) && Py_TYPE(x)->tp_iter == PyDict_Type.tp_iter);
  }

  // The bytes of a text, in UTF-8; false for one that has none.
  static bool utf8(PyObject* text, std::string_view& out) {
    if (PyUnicode_IS_COMPACT_ASCII(text)) {
      out = {static_cast<const char*>(PyUnicode_DATA(text)), Size(PyUnicode_GET_LENGTH(text))};
      return true;
    }
    Py_ssize_t size;
    const char* const bytes = PyUnicode_AsUTF8AndSize(text, &size);
    if (!bytes) return PyErr_Clear(), false;
    out = {bytes, Size(size)};
    return true;
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

  // The column of a name; none if it has none, or is not a name (it has a zero byte in it).
  std::int32_t column(std::string_view name, bool adding, bool& good) {
    const std::uint64_t hash = hash_name(name);
    std::int32_t j = names_.find(name, hash);
    if (j != Names::none && !names_.bits()) return j;
    if (std::memchr(name.data(), 0, name.size())) return good = false, Names::none;
    return adding ? names_.add(name, hash) : j;
  }

  // Adds the entries of x; false if x holds what is not plain, or not good.
  bool read(PyObject* x, bool adding, Entries& out) {
    if (!is_plain_dict(x)) return false;
    const Size begin = out.columns.size();
    PyObject *key, *value;
    for (Py_ssize_t at = 0; PyDict_Next(x, &at, &key, &value);) {
      std::string_view name;
      std::uint64_t hash = 0;
      char digits[24];
      if (PyUnicode_CheckExact(key)) {
        if (!utf8(key, name)) return false;
        hash = std::uint64_t(reinterpret_cast<PyASCIIObject*>(key)->hash);  // the dict's own
      } else if (PyLong_CheckExact(key)) {
        int beyond;
        const long long j = PyLong_AsLongLongAndOverflow(key, &beyond);
        if (beyond) return false;
        name = {digits, Size(std::to_chars(digits, digits + sizeof digits, j).ptr - digits)};
      } else {
        return false;
      }
      double v = 1;
      if (!number(value, v)) {
        std::string_view text;
        if (!PyUnicode_Check(value) || !utf8(value, text)) return false;
        name_.assign(name).append(1, '=').append(text);
        name = name_;
        hash = 0;
        v = 1;
      }
      std::int32_t j = hash ? names_.shortcut(hash, name) : Names::none;
      if (j == Names::none) {
        bool good = true;
        j = column(name, adding, good);
        if (!good) return false;
        if (hash && j != Names::none) names_.remember(hash, j);
      }
      if (j != Names::none && (adding || Size(j) < dim())) out.add(j, v);
    }
    out.put_in_order(begin);
    return true;
  }

  OneRow sparse_row() {
    starts_[1] = std::int32_t(entries_.columns.size());
    return SparseRows<double, std::int32_t>{
        entries_.values.data(), entries_.columns.data(), starts_, 1, dim(), entries_.columns.size()};
  }

  // Rows that are arrays: of float32 or float64, one after another in memory.
  bool dense_row(nb::handle x, OneRow& out, nb::object& owner) {
    using Row = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
    Row row;
    if (!nb::try_cast<Row>(x, row, false) || row.size() != dim()) return false;
    owner = nb::borrow(x);
    if (row.dtype() == nb::dtype<double>())
      out = DenseRows<double>{static_cast<const double*>(row.data()), 1, dim()};
    else if (row.dtype() == nb::dtype<float>())
      out = DenseRows<float>{static_cast<const float*>(row.data()), 1, dim()};
    else
      return false;
    return true;
  }

  Flaw learn_row(const OneRow& x, long code) {
    auto& heads = heads_->each;
    if (heads.size() == 1) return heads[0]->learn(x, code == 1, position_);
    for (Size k = 0; k < heads.size(); ++k) {
      heads[k]->remember(x);
      const Flaw flaw = heads[k]->learn(x, code == long(k), position_);
      if (flaw == Flaw::none) continue;
      while (k-- > 0) heads[k]->go_back(x);
      return flaw;
    }
    return Flaw::none;
  }

  // Counts the use of these names and, when there are too many, forgets the least used: those of
  // the fewest examples, and of these the ones not met for longest, down to three quarters.
  void count_uses() {
    if (!most_) return;
    uses_.resize(names_.columns());
    for (const std::int32_t j : entries_.columns) {
      ++uses_[Size(j)].examples;
      uses_[Size(j)].last = position_ + 1;
    }
    if (names_.size() <= most_) return;
    std::vector<std::int32_t> others;
    for (Size j = 0; j < uses_.size(); ++j)
      if (names_.has(std::int32_t(j)) && uses_[j].last <= position_) others.push_back(std::int32_t(j));
    const Size spare = std::min(others.size(), names_.size() - most_ * 3 / 4);
    const auto less = [this](std::int32_t a, std::int32_t b) {
      const Use &p = uses_[Size(a)], &q = uses_[Size(b)];
      return std::tie(p.examples, p.last, a) < std::tie(q.examples, q.last, b);
    };
    std::nth_element(others.begin(), others.begin() + std::ptrdiff_t(spare), others.end(), less);
    others.resize(spare);
    for (const std::int32_t j : others) {
      uses_[Size(j)] = {};
      for (auto& head : heads_->each) head->forget(Size(j));
    }
    names_.forget(others);
  }

  // The row that x is; false if it is not plain. Dense rows keep their owner alive.
  bool row_of(nb::handle x, bool adding, OneRow& row, nb::object& owner) {
    if (!by_name_) return dense_row(x, row, owner);
    entries_.clear();
    if (!read(x.ptr(), adding, entries_)) return false;
    row = sparse_row();
    return true;
  }

  bool scored(nb::handle x) {
    if (!heads_) return false;
    OneRow row;
    nb::object owner;
    if (!row_of(x, false, row, owner)) return false;
    scores_.resize(heads_->each.size());
    for (Size k = 0; k < scores_.size(); ++k)
      if (heads_->each[k]->score(row, scores_[k]) != Flaw::none) return false;
    return true;
  }

 public:
  Online(const Online&) = delete;
  Online(bool by_name, int hash_bits, Size most) : names_(hash_bits), by_name_(by_name), most_(most) {}

  void open(std::shared_ptr<Heads> heads, std::int64_t seen) {
    if (heads->each.empty()) refuse("there must be a run");
    heads_ = std::move(heads);
    position_ = taken_ = seen;
    single_ = false;
  }

  void name_labels(nb::dict codes, nb::tuple labels, bool zero_is_positive) {
    codes_ = codes;
    labels_ = labels;
    zero_is_positive_ = zero_is_positive;
  }

  int learn(nb::handle x, nb::handle y) {
    PyObject* const known = PyDict_GetItemWithError(codes_.ptr(), y.ptr());
    if (!known) return PyErr_Clear(), int(Met::label);
    return learn_as(x, PyLong_AsLong(known));
  }

  int learn_as(nb::handle x, long code) {
    if (held_ || !heads_) return int(Met::held);
    OneRow row;
    nb::object owner;
    names_.settle();
    if (!row_of(x, true, row, owner)) return names_.undo(), int(Met::unread);
    if (names_.columns() > dim() && by_name_) {
      wanted_ = names_.columns();
      return names_.undo(), int(Met::room);
    }
    if (most_ && entries_.columns.size() > most_) return names_.undo(), int(Met::crowded);
    const bool single = row.index() == 1;
    for (const auto& head : heads_->each)
      if (head->waiting.full() || (head->waiting.count && single != single_))
        return names_.undo(), int(Met::full);
    if (learn_row(row, code) != Flaw::none) return names_.undo(), int(Met::flaw);
    single_ = single;
    count_uses();
    ++position_;
    return int(Met::learned);
  }

  nb::object predict(nb::handle x) {
    if (!scored(x)) return nb::borrow(Py_NotImplemented);
    const Size k = scores_.size() == 1
                       ? Size(zero_is_positive_ ? scores_[0] >= 0 : scores_[0] > 0)
                       : Size(std::max_element(scores_.begin(), scores_.end()) - scores_.begin());
    return labels_[k];
  }

  nb::object decide(nb::handle x) {
    if (!scored(x)) return nb::borrow(Py_NotImplemented);
    if (scores_.size() == 1) return nb::float_(scores_[0]);
    nb::list out;
    for (const double s : scores_) out.append(s);
    return out;
  }

  // CSR arrays over the names' columns; or the first x that is not plain, when nothing was added.
  nb::object rows(nb::list xs, bool adding) {
    Entries entries;
    std::vector<std::int32_t> starts{0};
    if (adding) names_.settle();
    for (Size i = 0; i < xs.size(); ++i) {
      if (!read(nb::handle(xs[i]).ptr(), adding, entries)) {
        if (adding) names_.undo();
        return nb::int_(i);
      }
      if (entries.columns.size() > Size(std::numeric_limits<std::int32_t>::max())) {
        if (adding) names_.undo();
        refuse("there are too many features in one block; learn from smaller ones");
      }
      starts.push_back(std::int32_t(entries.columns.size()));
    }
    return nb::make_tuple(handed_over(std::move(entries.values)),
                          handed_over(std::move(entries.columns)), handed_over(std::move(starts)));
  }

  nb::list take() {
    nb::list out;
    if (!heads_) return out;
    const std::int64_t met = position_ - taken_;
    for (auto& head : heads_->each) {
      Waiting w;
      std::swap(w, head->waiting);
      out.append(nb::make_tuple(met, w.count, w.largest, handed_over(std::move(w.round)),
                                handed_over(std::move(w.row)), handed_over(std::move(w.score)),
                                handed_over(std::move(w.step)), handed_over(std::move(w.square)),
                                handed_over(std::move(w.values)),
                                handed_over(std::move(w.indices)),
                                handed_over(std::move(w.starts))));
    }
    taken_ = position_;
    return out;
  }

  void undo() { names_.undo(); }
  void settle() { names_.settle(); }
  void hold(bool held) { held_ = held; }
  bool waits() const { return position_ != taken_; }
  bool single() const { return single_; }
  Size wanted() const { return wanted_; }
  Size columns() const { return names_.columns(); }
  Size size() const { return names_.size(); }
  std::int64_t position() const { return position_; }

  std::int32_t column_of(std::string_view name) const {
    const std::int32_t j = names_.find(name, hash_name(name));
    return names_.bits() && !names_.has(j) ? Names::none : j;
  }
  nb::object name_of(std::int32_t j) const {
    if (Size(j) >= names_.columns() || !names_.has(j)) return nb::none();
    const std::string_view name = names_[j];
    return nb::str(name.data(), name.size());
  }
  double weight(Size k, Size j) const {
    if (!heads_ || k >= heads_->each.size() || j >= dim()) refuse("there is no such weight");
    return heads_->each[k]->weight(j);
  }

  // The columns that have names, how many examples had each, and when it was last met.
  nb::tuple named() const {
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> examples, last;
    for (Size j = 0; j < names_.columns(); ++j) {
      if (!names_.has(std::int32_t(j))) continue;
      columns.push_back(std::int32_t(j));
      if (!most_) continue;
      const Use use = j < uses_.size() ? uses_[j] : Use{};
      examples.push_back(use.examples);
      last.push_back(use.last);
    }
    return nb::make_tuple(handed_over(std::move(columns)), handed_over(std::move(examples)),
                          handed_over(std::move(last)));
  }
  void put_names(const std::vector<std::string>& names, In<std::int32_t> columns,
                 In<std::int64_t> examples, In<std::int64_t> last) {
    if (names_.size() || names.size() != columns.size() ||
        (most_ && (examples.size() != names.size() || last.size() != names.size())))
      refuse("a column for each name is needed, in an empty table");
    for (Size k = 0; k < names.size(); ++k) {
      const bool rises = k == 0 || columns(k - 1) < columns(k);
      if (!rises || columns(k) < 0 || (names_.bits() && Size(columns(k)) >= names_.columns()))
        refuse("the columns of names must rise");
      names_.put(columns(k), names[k]);
    }
    if (!most_) return;
    uses_.resize(names_.columns());
    for (Size k = 0; k < names.size(); ++k) uses_[Size(columns(k))] = {examples(k), last(k)};
  }
};

void bind_online(nb::module_& m) {
  nb::class_<Heads>(m, "Heads", "The runs that meet each example, over weights that NumPy owns.")
      .def(nb::init<Size, bool, std::string_view>(), "dim"_a, nb::kw_only(), "bias"_a, "keep"_a)
      .def("add_sum", &Heads::add_sum, nb::kw_only(), "w"_a.noconvert(), "u"_a.noconvert().none(),
           "threshold"_a, "step"_a, "unit"_a, "rounds"_a, "mean"_a,
           "A perceptron; with `mean` it predicts by the average.")
      .def("add_powers", &Heads::add_powers, nb::kw_only(), "powers"_a.noconvert(),
           "w"_a.noconvert(), "threshold"_a, "step"_a, "alpha"_a, "balanced"_a, "erases"_a,
           "theta"_a, "rounds"_a, "A Winnow.");
  nb::class_<Online>(m, "Online", "Names with their columns, and runs that learn one by one.")
      .def(nb::init<bool, int, Size>(), nb::kw_only(), "by_name"_a, "hash_bits"_a = 0,
           "most"_a = 0)
      .def("open", &Online::open, "heads"_a, nb::kw_only(), "seen"_a,
           "Go on with these runs, which met so many examples before.")
      .def("name_labels", &Online::name_labels, "codes"_a, "labels"_a, nb::kw_only(),
           "zero_is_positive"_a,
           nb::sig("def name_labels(self, codes: dict[Any, int], labels: tuple[Any, ...], *, "
                   "zero_is_positive: bool) -> None"),
           "What labels mean, and what predictions are called.")
      .def("learn", &Online::learn, "x"_a, "y"_a, nb::sig("def learn(self, x: object, y: object, /) -> int"),
           "Meet one example; 0, or why nothing was done.")
      .def("learn_as", &Online::learn_as, "x"_a, "code"_a, nb::sig("def learn_as(self, x: object, code: int, /) -> int"),
           "The same, for what the label means.")
      .def("predict", &Online::predict, nb::sig("def predict(self, x: object, /) -> object"), "x"_a,
           "The label predicted for x; NotImplemented if it cannot be read or scored.")
      .def("decide", &Online::decide, nb::sig("def decide(self, x: object, /) -> object"), "x"_a,
           "The score of x, or a list of them; NotImplemented as for predict.")
      .def("rows", &Online::rows, "xs"_a, nb::kw_only(), "adding"_a,
           nb::sig("def rows(self, xs: list[Any], *, adding: bool) -> "
                   "int | tuple[NDArray[Any], NDArray[Any], NDArray[Any]]"),
           "The CSR arrays of these dicts; or the place of the first that is not plain.")
      .def("take", &Online::take, nb::sig("def take(self) -> list[Any]"), "For each run, what waits to be written down.")
      .def("undo", &Online::undo, "Take back the names that were added last.")
      .def("settle", &Online::settle, "Let the names that were added last stay.")
      .def("hold", &Online::hold, "held"_a, "Learn nothing until it is let go.")
      .def_prop_ro("waits", &Online::waits)
      .def_prop_ro("single", &Online::single)
      .def_prop_ro("wanted", &Online::wanted)
      .def_prop_ro("columns", &Online::columns)
      .def_prop_ro("position", &Online::position)
      .def("__len__", &Online::size)
      .def("column_of", &Online::column_of, "name"_a, "The column of a name; -1 if it has none.")
      .def("name_of", &Online::name_of, "column"_a, nb::sig("def name_of(self, column: int) -> str | None"), "The name of a column.")
      .def("weight", &Online::weight, "run"_a, "column"_a, "One weight of those that predict.")
      .def("named", &Online::named,
           nb::sig("def named(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]"), "The columns with names, and the uses of these.")
      .def("put_names", &Online::put_names, "names"_a, "columns"_a.noconvert(),
           "examples"_a.noconvert(), "last"_a.noconvert(), "Names as they were saved.");
}
