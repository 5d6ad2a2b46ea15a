// Learning from one example at a time: a dict of named features, or one row.
//
// Apart from hashing a label, which comes first, no Python code runs here. So each call, which
// holds the GIL, completes before another thread's begins.
#include "bindings/parts.hpp"

#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <string>

#include "bindings/online_runs.hpp"
#include "bindings/dicts.hpp"

// How `learn` ended. All but `learned` leave everything unchanged.
enum class Met : int { learned = 0, unread, label, room, full, crowded, held, flaw };

constexpr Size most_columns = std::numeric_limits<std::int32_t>::max();

// Names and the runs over their columns.
class Online {
  Dicts dicts_;
  const bool by_name_;
  const Size most_;  // the most names to keep; 0: no limit
  std::shared_ptr<OnlineRuns> runs_;
  std::int64_t position_ = 0, taken_ = 0;
  nb::dict codes_;
  nb::tuple labels_;
  std::vector<std::pair<PyObject*, std::int32_t>> quick_codes_;  // of objects that codes_ holds
  bool zero_is_positive_ = true, held_ = false, single_ = false;
  Size wanted_ = 0;
  Flaw flaw_ = Flaw::none;  // why the last example could not be learned
  Entries entries_;
  DictVersion last_read_;  // of the dict that the entries are of, if none was left out
  std::int32_t starts_[2] = {0, 0};
  std::vector<double> scores_, numbered_;
  std::vector<Size> order_;  // joint classes: their numbers in the order of the labels
  struct Use {
    std::int64_t examples = 0, last = 0;
  };
  std::vector<Use> uses_;
  std::vector<std::int32_t> least_used_;

  Names& names() { return dicts_.names; }
  const Names& names() const { return dicts_.names; }
  Size dim() const { return runs_ ? runs_->dim : 0; }

  // Removes the names that were added last; entries that were read may lie in their columns.
  void undo_names() {
    names().undo();
    last_read_ = {};
  }
  int refused(Met why) { return undo_names(), int(why); }

  using Row = Aligned<nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>>;

  // Whether the entries are those of x and every one of its names has a column. An example is mostly
  // predicted first and learned from next; reading it once saves a fifth of the time for both if it has
  // 10 names, a third if it has 75, and two fifths if their strings are new objects.
  bool is_read(PyObject* x) const {
    if (!last_read_.is_of(x)) return false;
    if (!names().bits()) return true;
    const std::int32_t* const columns = entries_.columns.data();
    return std::all_of(columns, columns + entries_.size,
                       [this](std::int32_t j) { return names().has(j); });
  }

  // Reads x as a row: a contiguous array of float32 or float64, which `row` keeps alive; or the
  // entries of a dict.
  bool read(nb::handle x, bool adding, Row& row, OneRow& out) {
    if (by_name_) {
      if (!is_read(x.ptr())) {
        const DictVersion now(x.ptr());
        entries_.size = 0;
        last_read_ = {};
        const Size end = adding ? std::numeric_limits<Size>::max() : dim();
        if (!dicts_.read(x.ptr(), adding, end, entries_)) return false;
        if (now.has_size(entries_.size)) last_read_ = now;
      }
      starts_[1] = std::int32_t(entries_.size);
      out = SparseRows<double, std::int32_t>{entries_.values.data(), entries_.columns.data(),
                                             starts_, 1, dim(), entries_.size};
      return true;
    }
    if (!nb::try_cast<Row>(x, row, false) || row.size() != dim()) return false;
    if (row.dtype() == nb::dtype<double>())
      out = DenseRows<double>{static_cast<const double*>(row.data()), 1, dim()};
    else if (row.dtype() == nb::dtype<float>())
      out = DenseRows<float>{static_cast<const float*>(row.data()), 1, dim()};
    else
      return false;
    return true;
  }

  Flaw learn_row(const OneRow& x, std::int32_t code, double importance) {
    auto& runs = runs_->each;
    for (const auto& run : runs) run->make_room(x);
    if (runs.size() == 1) {
      const Flaw flaw = runs[0]->learn(x, code, importance, position_);
      if (flaw == Flaw::none) runs[0]->count_score(code, importance);
      return flaw;
    }
    for (const auto& run : runs) run->remember(x);
    Size learned = 0;
    const auto go_back = [&] {
      while (learned > 0) runs[--learned]->go_back(x);
    };
    try {
      for (; learned < runs.size(); ++learned)
        if (const Flaw flaw =
                runs[learned]->learn(x, Size(code) == learned, importance, position_);
            flaw != Flaw::none)
          return go_back(), flaw;
    } catch (...) {  // memory ran out
      go_back();
      throw;
    }
    for (Size k = 0; k < runs.size(); ++k) runs[k]->count_score(Size(code) == k, importance);
    return Flaw::none;
  }

  // Makes room for what `count_uses` needs, which comes after learning and must not fail.
  void make_room_for_uses() {
    if (!most_) return;
    uses_.resize(names().columns());
    if (names().size() <= most_) return;
    least_used_.reserve(uses_.size());
    names().make_room_to_forget();
  }

  // Counts the use of these names. When there are too many names, forgets the least used, down to
  // three quarters of the limit: those with the fewest examples, and of these the least recently
  // used.
  void count_uses() {
    if (!most_) return;
    for (Size k = 0; k < entries_.size; ++k) {
      Use& use = uses_[Size(entries_.columns[k])];
      ++use.examples;
      use.last = position_ + 1;
    }
    if (names().size() <= most_) return;
    std::vector<std::int32_t>& others = least_used_;
    others.clear();
    for (Size j = 0; j < uses_.size(); ++j)
      if (names().has(std::int32_t(j)) && uses_[j].last <= position_)
        others.push_back(std::int32_t(j));
    const Size spare = std::min(others.size(), names().size() - most_ * 3 / 4);
    const auto less = [this](std::int32_t a, std::int32_t b) {
      const Use &p = uses_[Size(a)], &q = uses_[Size(b)];
      return std::tie(p.examples, p.last, a) < std::tie(q.examples, q.last, b);
    };
    std::nth_element(others.begin(), others.begin() + std::ptrdiff_t(spare), others.end(), less);
    others.resize(spare);
    for (const std::int32_t j : others) {
      uses_[Size(j)] = {};
      for (auto& run : runs_->each) run->forget(Size(j));
    }
    dicts_.forget(others);
    last_read_ = {};
  }

  int learn_example(nb::handle x, std::int32_t code, double importance) {
    Row kept;
    OneRow row;
    if (!read(x, true, kept, row)) return refused(Met::unread);
    auto& runs = runs_->each;
    wanted_ = by_name_ ? std::max(dim(), names().columns()) : dim();
    const Size codes = runs.size() == 1 ? runs[0]->codes() : runs.size();
    if (most_ && entries_.size > most_) return refused(Met::crowded);
    if (wanted_ > dim() || Size(code) >= codes) return refused(Met::room);
    const bool single = row.index() == 1;
    for (const auto& run : runs)
      if (run->waiting.full() || (run->waiting.count && single != single_))
        return refused(Met::full);
    make_room_for_uses();
    flaw_ = learn_row(row, code, importance);
    if (flaw_ != Flaw::none) return refused(Met::flaw);
    single_ = single;
    count_uses();
    names().settle();
    ++position_;
    return int(Met::learned);
  }

  nb::object read_rows(const nb::list& xs, bool adding) {
    Entries entries;
    std::vector<std::int32_t> starts{0};
    const Size end = adding ? std::numeric_limits<Size>::max() : dim();
    for (Size i = 0; i < xs.size(); ++i) {
      if (!dicts_.read(nb::handle(xs[i]).ptr(), adding, end, entries)) {
        if (adding) undo_names();
        return nb::int_(i);
      }
      if (entries.size > most_columns)
        refuse("there are too many features in one block; learn from smaller ones");
      starts.push_back(std::int32_t(entries.size));
    }
    entries.values.resize(entries.size);
    entries.columns.resize(entries.size);
    return nb::make_tuple(handed_over(std::move(entries.values)),
                          handed_over(std::move(entries.columns)), handed_over(std::move(starts)));
  }

  bool scored(nb::handle x) {
    Row kept;
    OneRow row;
    if (!runs_ || !read(x, false, kept, row)) return false;
    const auto& runs = runs_->each;
    scores_.resize(runs.size() == 1 ? runs[0]->outputs() : runs.size());
    for (Size k = 0; k < runs.size(); ++k)
      if (runs[k]->score(row, scores_.data() + k) != Flaw::none) return false;
    if (order_.empty()) return true;
    numbered_.swap(scores_);
    scores_.clear();
    for (const Size number : order_)
      if (number < numbered_.size()) scores_.push_back(numbered_[number]);
    return scores_.size() == order_.size();
  }

  static int checked_bits(int bits, Size most) {
    if (bits < 0 || bits > 31) refuse("hash_bits must be from 0 to 31");
    if (bits && most) refuse("hash bits limit the names already");
    return bits;
  }

  bool is_joint() const { return runs_->each.size() == 1 && runs_->each[0]->is_joint(); }

 public:
  Online(const Online&) = delete;
  Online(bool by_name, int hash_bits, Size most)
      : dicts_(checked_bits(hash_bits, most)), by_name_(by_name), most_(most) {}

  void open(std::shared_ptr<OnlineRuns> runs, std::int64_t seen) {
    if (runs->each.empty()) refuse("at least one run is needed");
    position_ = taken_ = countable(seen);
    runs_ = std::move(runs);
    single_ = false;
    last_read_ = {};
  }

  // Takes over the state of another of the same kind.
  void become(Online& other) {
    if (by_name_ != other.by_name_ || most_ != other.most_ ||
        names().bits() != other.names().bits())
      refuse("the other object must be of the same kind");
    dicts_.swap(other.dicts_);
    std::swap(runs_, other.runs_);
    std::swap(uses_, other.uses_);
    position_ = other.position_, taken_ = other.taken_, single_ = other.single_;
    last_read_ = other.last_read_ = {};
  }

  void name_labels(nb::dict codes, nb::tuple labels, bool zero_is_positive,
                   std::vector<Size> order) {
    codes_ = codes;
    labels_ = labels;
    order_ = std::move(order);
    quick_codes_.clear();
    for (const auto [label, code] : codes)
      if (quick_codes_.size() < 4)
        quick_codes_.emplace_back(label.ptr(), nb::cast<std::int32_t>(code));
    zero_is_positive_ = zero_is_positive;
  }

  int learn(nb::handle x, nb::handle y) { return learn_weighed(x, y, 1.0); }

  int learn_weighed(nb::handle x, nb::handle y, double importance) {
    for (const auto& [label, code] : quick_codes_)
      if (label == y.ptr()) return learn_as(x, code, importance);
    const nb::dict codes = codes_;  // a label's own __hash__ may let another thread rename the labels
    PyObject* const known = PyDict_GetItemWithError(codes.ptr(), y.ptr());
    if (!known && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_TypeError))
      throw nb::python_error();
    if (!known || !codes.is(codes_)) return PyErr_Clear(), int(Met::label);
    const long code = PyLong_AsLong(known);
    if (code == -1 && PyErr_Occurred()) throw nb::python_error();
    return learn_as(x, std::int32_t(std::clamp<long>(code, -1, most_columns)), importance);
  }

  int learn_as(nb::handle x, std::int32_t code, double importance) {
    if (!(importance >= 0 && importance <= std::numeric_limits<double>::max()))
      refuse("an importance must be finite and at least 0");
    if (held_ || !runs_) return int(Met::held);
    try {
      return learn_example(x, code, importance);
    } catch (...) {  // memory ran out
      undo_names();
      throw;
    }
  }

  // Learns from the examples from `first` on, up to one that cannot be learned as it is; how many.
  Size learn_each(const nb::list& xs, const nb::list& ys, Size first) {
    Size k = first;
    while (k < std::min(xs.size(), ys.size()) && !learn(xs[k], ys[k])) ++k;
    return k - first;
  }

  nb::object predict(nb::handle x) {
    return scored(x) ? predicted() : nb::borrow(Py_NotImplemented);
  }
  nb::object decide(nb::handle x) {
    return scored(x) ? decided() : nb::borrow(Py_NotImplemented);
  }
  // The label and the score of each; NotImplemented in place of one that cannot be read or scored.
  nb::list answer_each(const nb::list& xs) {
    nb::list out;
    for (Size k = 0; k < xs.size(); ++k) {
      nb::object label = predict(xs[k]);
      out.append(label.is(Py_NotImplemented) ? label : nb::make_tuple(label, decided()));
    }
    return out;
  }

 private:
  // The label and the score of the example that was scored last.
  nb::object predicted() const {
    const bool two = runs_->each.size() == 1 && !is_joint();
    const Size k = two ? Size(zero_is_positive_ ? scores_[0] >= 0 : scores_[0] > 0)
                       : Size(std::max_element(scores_.begin(), scores_.end()) - scores_.begin());
    return k < labels_.size() ? nb::object(labels_[k]) : nb::borrow(Py_NotImplemented);
  }

  nb::object decided() const {
    if (scores_.size() == 1) return nb::float_(scores_[0]);
    if (is_joint() && scores_.size() == 2) return nb::float_(scores_[1] - scores_[0]);
    nb::dict out;
    for (Size k = 0; k < scores_.size(); ++k) out[labels_[k]] = scores_[k];
    return out;
  }

 public:
  // CSR arrays over the columns of the names; or the index of the first x that is not plain, and
  // then no name is added.
  nb::object rows(nb::list xs, bool adding) {
    if (adding) names().settle();
    try {
      return read_rows(xs, adding);
    } catch (...) {
      if (adding) undo_names();
      throw;
    }
  }

  // Hands over the recorded mistakes of each run. If memory runs out, the runs keep them.
  nb::list take() {
    nb::list out;
    if (!runs_) return out;
    std::vector<Waiting*> lent;  // owned by the arrays of `out`
    lent.reserve(runs_->each.size());
    try {
      for (auto& run : runs_->each) {
        auto empty = std::make_unique<Waiting>();
        const nb::capsule owner(empty.get(),
                                [](void* p) noexcept { delete static_cast<Waiting*>(p); });
        Waiting& w = *empty.release();
        w = run->waiting.taken();
        lent.push_back(&w);
        const auto lend = [&owner](auto&... columns) {
          return nb::make_tuple(view_of(columns, owner)...);
        };
        nb::dict one;
        one["met"] = position_ - taken_;
        one["made"] = w.count;
        one["wrong"] = w.wrong;
        one["largest"] = w.largest;
        one["classes"] = run->outputs();
        one["mistakes"] = lend(w.round, w.row, w.score, w.step, w.square);
        one["importances"] = view_of(w.importance, owner);
        one["pairs"] = lend(w.right, w.rival);
        one["rows"] = lend(w.values, w.indices, w.starts);
        out.append(one);
      }
    } catch (...) {
      for (Size k = 0; k < lent.size(); ++k) std::swap(runs_->each[k]->waiting, *lent[k]);
      throw;
    }
    taken_ = position_;
    return out;
  }

  void undo() { undo_names(); }
  void settle() { names().settle(); }
  void hold(bool held) { held_ = held; }
  bool waits() const { return position_ != taken_; }
  bool single() const { return single_; }
  int flaw() const { return int(flaw_); }
  Size wanted() const { return wanted_; }
  Size columns() const { return names().columns(); }
  Size size() const { return names().settled(); }
  std::int64_t position() const { return position_; }

  std::int32_t column_of(std::string_view name) const {
    const std::int32_t j = names().find(name, names().hash(name));
    return j != Names::none && names().stays(j) ? j : Names::none;
  }
  nb::object name_of(std::int32_t j) const {
    if (Size(j) >= names().columns() || !names().has(j)) return nb::none();
    const std::string_view name = names()[j];
    return nb::str(name.data(), name.size());
  }
  double weight(Size k, Size j, Size output) const {
    if (!runs_ || k >= runs_->each.size() || j >= dim() || output >= runs_->each[k]->outputs())
      refuse("this weight does not exist");
    return runs_->each[k]->weight(j, output);
  }

  // The columns that have names, the number of examples of each, and the last one. Names of a block
  // that is still being learned are not included.
  nb::tuple named() const {
    std::vector<std::int32_t> columns;
    std::vector<std::int64_t> examples, last;
    for (Size j = 0; j < names().columns(); ++j) {
      if (!names().stays(std::int32_t(j))) continue;
      columns.push_back(std::int32_t(j));
      const Use use = j < uses_.size() ? uses_[j] : Use{};
      examples.push_back(use.examples);
      last.push_back(use.last);
    }
    return nb::make_tuple(handed_over(std::move(columns)), handed_over(std::move(examples)),
                          handed_over(std::move(last)));
  }
  void put_names(const std::vector<std::string>& given, In<std::int32_t> columns,
                 In<std::int64_t> examples, In<std::int64_t> last, Size width) {
    if (width > most_columns) refuse("there are too many columns");
    if (names().size() || given.size() != columns.size() || examples.size() != given.size() ||
        last.size() != given.size())
      refuse("one column per name is needed, in an empty table");
    for (Size k = 0; k < given.size(); ++k) {
      const bool rises = k == 0 || columns(k - 1) < columns(k);
      if (!rises || columns(k) < 0 || (names().bits() && Size(columns(k)) >= names().columns()))
        refuse("the columns of the names must be in increasing order");
      names().put(columns(k), given[k]);
    }
    if (!names().bits()) names().lengthen(width);
    if (!most_) return;
    uses_.resize(names().columns());
    for (Size k = 0; k < given.size(); ++k) uses_[Size(columns(k))] = {examples(k), last(k)};
  }
};

void bind_online(nb::module_& m) {
  nb::class_<OnlineRuns>(m, "OnlineRuns",
                         "The runs that learn from each example, over weights that NumPy owns.")
      .def(nb::init<Size, bool, std::string_view>(), "dim"_a, nb::kw_only(), "bias"_a, "keep"_a)
      .def("add_perceptron", &OnlineRuns::add_perceptron, nb::kw_only(), "w"_a.noconvert(),
           "u"_a.noconvert().none(), "threshold"_a, "step"_a, "unit"_a, "rounds"_a, "mean"_a,
           "A perceptron; with `mean` it predicts by the average.")
      .def("add_adaptive", &OnlineRuns::add_adaptive, nb::kw_only(), "w"_a.noconvert(),
           "variance"_a.noconvert(), "u"_a.noconvert().none(), "step"_a, "r"_a, "rounds"_a,
           "mean"_a, "An adaptive perceptron; with `mean` it predicts by the average.")
      .def("count_scores", &OnlineRuns::count_scores, "counts"_a.noconvert(),
           "Let the run that was added last count its scores before learning.")
      .def("add_winnow", &OnlineRuns::add_winnow, nb::kw_only(), "powers"_a.noconvert(),
           "w"_a.noconvert(), "threshold"_a, "step"_a, "alpha"_a, "balanced"_a, "erases"_a,
           "theta"_a, "rounds"_a, "Winnow.")
      .def("add_joint", &OnlineRuns::add_joint, nb::kw_only(), "w"_a.noconvert(),
           "u"_a.noconvert().none(), "threshold"_a, "step"_a.noconvert(), "unit"_a, "classes"_a,
           "rounds"_a, "mean"_a, "A perceptron for many classes; it must be the only run.")
      .def("add_joint_adaptive", &OnlineRuns::add_joint_adaptive, nb::kw_only(),
           "w"_a.noconvert(), "variance"_a.noconvert(), "u"_a.noconvert().none(),
           "step"_a.noconvert(), "r"_a, "classes"_a, "rounds"_a, "mean"_a,
           "An adaptive perceptron for many classes; it must be the only run.");
  nb::class_<Online>(m, "Online",
                     "Feature names with their columns, and runs that learn one example at a time.")
      .def(nb::init<bool, int, Size>(), nb::kw_only(), "by_name"_a, "hash_bits"_a = 0,
           "most"_a = 0)
      .def("open", &Online::open, "runs"_a, nb::kw_only(), "seen"_a,
           "Continue these runs, which have seen this many examples.")
      .def("become", &Online::become, "other"_a,
           "Take over the state of another object of the same kind.")
      .def("name_labels", &Online::name_labels, "codes"_a, "labels"_a, nb::kw_only(),
           "zero_is_positive"_a, "order"_a,
           nb::sig("def name_labels(self, codes: dict[Any, int], labels: tuple[Any, ...], *, "
                   "zero_is_positive: bool, order: list[int]) -> None"),
           "Set the code of each label, and the labels that are predicted.")
      .def("learn", &Online::learn, nb::sig("def learn(self, x: object, y: object, /) -> int"),
           "Learn one example; 0, or the reason why nothing was learned.")
      .def("learn_weighed", &Online::learn_weighed,
           nb::sig("def learn_weighed(self, x: object, y: object, importance: float, /) -> int"),
           "The same, with an importance that multiplies a step.")
      .def("learn_as", &Online::learn_as,
           nb::sig("def learn_as(self, x: object, code: int, importance: float, /) -> int"),
           "The same, with the code of the label.")
      .def("predict", &Online::predict, nb::sig("def predict(self, x: object, /) -> object"),
           "The label predicted for x; NotImplemented if it cannot be read or scored.")
      .def("decide", &Online::decide, nb::sig("def decide(self, x: object, /) -> object"),
           "The score of x, or a dict of scores by label; NotImplemented as for predict.")
      .def("learn_each", &Online::learn_each,
           nb::sig("def learn_each(self, xs: list[Any], ys: list[Any], first: int, /) -> int"),
           "Learn the examples from `first` on while `learn` gives 0; how many that were.")
      .def("answer_each", &Online::answer_each,
           nb::sig("def answer_each(self, xs: list[Any], /) -> list[Any]"),
           "The pair of `predict` and `decide` for each x, or NotImplemented.")
      .def("rows", &Online::rows, "xs"_a, nb::kw_only(), "adding"_a,
           nb::sig("def rows(self, xs: list[Any], *, adding: bool) -> "
                   "int | tuple[NDArray[Any], NDArray[Any], NDArray[Any]]"),
           "The CSR arrays of these dicts; or the index of the first that is not plain.")
      .def("take", &Online::take, nb::sig("def take(self) -> list[dict[str, Any]]"),
           "The recorded mistakes of each run that the ledger does not have yet.")
      .def("undo", &Online::undo, "Remove the names that were added last.")
      .def("settle", &Online::settle, "Keep the names that were added last.")
      .def("hold", &Online::hold, "held"_a, "Learn nothing until released.")
      .def_prop_ro("waits", &Online::waits)
      .def_prop_ro("single", &Online::single)
      .def_prop_ro("flaw", &Online::flaw)
      .def_prop_ro("wanted", &Online::wanted)
      .def_prop_ro("columns", &Online::columns)
      .def_prop_ro("position", &Online::position)
      .def("__len__", &Online::size)
      .def("column_of", &Online::column_of, "name"_a, "The column of a name; -1 if it has none.")
      .def("name_of", &Online::name_of, "column"_a,
           nb::sig("def name_of(self, column: int) -> str | None"), "The name of a column.")
      .def("weight", &Online::weight, "run"_a, "column"_a, "output"_a = 0,
           "One of the weights that predict.")
      .def("named", &Online::named,
           nb::sig("def named(self) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]"),
           "The columns that have names, and how often each was used.")
      .def("put_names", &Online::put_names, "names"_a, "columns"_a.noconvert(),
           "examples"_a.noconvert(), "last"_a.noconvert(), "width"_a,
           "Restore saved names, among `width` columns.");
}
