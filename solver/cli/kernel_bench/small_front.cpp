// Measures the factorization of many small fronts in one launch: small_front.
#include "gpu_kernels/fronts/small_front.hpp"

#include <algorithm>
#include <numeric>

#include "base/update_layout.hpp"
#include "gpu_kernels/reference/fronts.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

struct FrontsShape {
  Index nrow;   // Rows of each front.
  Index count;  // Number of fronts.
};
constexpr FrontsShape kQuickFrontsShapes[] = {{16, 50}};
constexpr FrontsShape kFrontsShapes[] = {
    {16, 100'000}, {32, 100'000}, {64, 100'000}, {96, 100'000}};
// Rows of A's entries in each column, counted from the diagonal, as in the leaves of a grid's tree.
// Rows beyond the front's last row are left out.
constexpr Index kEntryRows[] = {0, 1, 5, 11};

/// Fronts of one shape without children.  Half of a front's columns are pivot columns.
struct Leaves {
  std::vector<gpu::Front> fronts;
  std::vector<std::uint32_t> entry_source;
  std::vector<Index> entry_place;
  Offset front_panel = 0, front_update = 0;  // Entries of one front.

  explicit Leaves(const FrontsShape& shape);
  gpu::FrontLists lists() const { return {fronts, {}, {}, {}, entry_source, entry_place}; }
};

Leaves::Leaves(const FrontsShape& shape) {
  const Index ncol = shape.nrow / 2;
  front_panel = Offset{shape.nrow} * ncol;
  front_update = update_size(shape.nrow - ncol);
  for (Offset f = 0; f < shape.count; ++f) {
    gpu::Front front{};
    front.nrow = shape.nrow;
    front.ldp = shape.nrow;
    front.ncol = ncol;
    front.panel = f * front_panel;
    front.update = f * front_update;
    front.entry_begin = static_cast<Offset>(entry_place.size());
    for (Index j = 0; j < ncol; ++j) {
      for (const Index below : kEntryRows) {
        if (j + below < shape.nrow) entry_place.push_back(j + below + j * shape.nrow);
      }
    }
    front.entry_end = static_cast<Offset>(entry_place.size());
    fronts.push_back(front);
  }
  entry_source.resize(entry_place.size());
  std::iota(entry_source.begin(), entry_source.end(), 0);
}

/// Returns A's values: numbers in (0, 1], with 8 added on the diagonal, which then dominates the
/// row.
template <class T>
std::vector<T> values_of(const Leaves& leaves) {
  std::vector<T> values = positive_values<T>(static_cast<Offset>(leaves.entry_place.size()), 1);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const Index place = leaves.entry_place[e], ld = leaves.fronts.front().nrow;
    if (place / ld == place % ld) values[e] += 8;
  }
  return values;
}

/// Returns the parameters of the generic kernels, or of the fastest ones for the device, for fronts
/// of nrow rows.  Devices without other kernels have the generic ones as the fastest.
gpu::SmallFrontParams class_of(const DeviceSession& session, bool fastest, Index nrow,
                               std::size_t value_bytes) {
  const gpu::WorkGroupLimits limits = session.work_group_limits();
  const std::vector<gpu::SmallFrontParams> classes =
      fastest
          ? gpu::small_front_classes(session.capabilities(), session.tuning(), value_bytes)
          : gpu::small_front_classes(limits.max_work_group_size, limits.local_bytes, value_bytes);
  for (const gpu::SmallFrontParams& params : classes) {
    if (nrow <= params.rows) return params;
  }
  throw Unsupported("no room in local memory for fronts of " + std::to_string(nrow) + " rows");
}

template <class T>
class SmallFrontExperiment : public Experiment {
 public:
  SmallFrontExperiment(DeviceSession& session, bool fastest, const FrontsShape& shape)
      : queue_(session.queue()),
        shape_(shape),
        leaves_(shape),
        values_(values_of<T>(leaves_)),
        kernel_(session.programs(), class_of(session, fastest, shape.nrow, sizeof(T))),
        lists_(queue_, leaves_.lists()),
        listed_(on_device(queue_, all_fronts())),
        device_values_(on_device(queue_, values_)),
        panels_(session.context(), leaves_.front_panel * shape.count),
        updates_(session.context(), leaves_.front_update * shape.count),
        status_(session.context(), shape.count) {}

  void run() override {
    kernel_.run(queue_, lists_, listed_, {device_values_, {}, {}, panels_, updates_, status_});
  }
  double max_error() override;
  // Flops of factoring the pivot columns of each front.  A's values and two numbers of 4 bytes per
  // entry are read.  Panels and update matrices are written on and below the diagonals.
  Work work() const override {
    const Index nrow = shape_.nrow, ncol = nrow / 2, nupd = nrow - ncol;
    const double entries = static_cast<double>(values_.size());
    const double written = trapezoid(nrow, ncol) + trapezoid(nupd, nupd);
    return {shape_.count * cholesky_flops(nrow, ncol),
            entries * (sizeof(T) + 8) + shape_.count * written * sizeof(T)};
  }
  gpu::TuningParams params() const override {
    const gpu::SmallFrontParams& params = kernel_.params();
    return {{"rows", params.rows}, {"items", params.items}, {"fronts", params.fronts}};
  }

 private:
  std::vector<Index> all_fronts() const {
    std::vector<Index> listed(static_cast<std::size_t>(shape_.count));
    std::iota(listed.begin(), listed.end(), 0);
    return listed;
  }
  /// Error of front f.
  double error_of(Index f);

  gpu::Queue& queue_;
  FrontsShape shape_;
  Leaves leaves_;
  std::vector<T> values_;
  gpu::SmallFront<T> kernel_;
  gpu::FrontBuffers lists_;
  gpu::DeviceBuffer<Index> listed_;
  gpu::DeviceBuffer<T> device_values_, panels_, updates_;
  gpu::DeviceBuffer<gpu::PivotStatus<T>> status_;
};

/// Downloads entries [k * size, (k + 1) * size) of a buffer.
template <class T>
std::vector<T> part_on_host(gpu::Queue& queue, const gpu::DeviceBuffer<T>& buffer, Offset k,
                            Offset size) {
  std::vector<T> values(static_cast<std::size_t>(size));
  gpu::download<T>(queue, buffer.part(k * size, size), values);
  return values;
}

// Returns the positions of the entries on and below the diagonal, which alone are written, of a
// panel and its update matrix.  The update matrix begins at `update_begin`.
std::vector<Offset> lower_places(const gpu::Front& front, Offset update_begin) {
  std::vector<Offset> places;
  for (Index j = 0; j < front.nrow; ++j) {
    const Index column = j - front.ncol;
    const Offset begin = column < 0 ? j * front.ldp
                                    : update_begin - front.ncol +
                                          update_column_offset(front.nrow - front.ncol, column);
    for (Index i = j; i < front.nrow; ++i) places.push_back(begin + i);
  }
  return places;
}

template <class T>
std::vector<T> chosen(std::vector<T> panel, const std::vector<T>& update,
                      const std::vector<Offset>& places) {
  panel.insert(panel.end(), update.begin(), update.end());
  std::vector<T> values;
  values.reserve(places.size());
  for (const Offset place : places) values.push_back(panel[static_cast<std::size_t>(place)]);
  return values;
}

template <class T>
double SmallFrontExperiment<T>::error_of(Index f) {
  std::vector<gpu::Front> fronts{leaves_.fronts[static_cast<std::size_t>(f)]};
  fronts[0].panel = fronts[0].update = 0;
  gpu::FrontLists lists = leaves_.lists();
  lists.fronts = fronts;
  std::vector<double> panel(static_cast<std::size_t>(leaves_.front_panel));
  std::vector<double> update(static_cast<std::size_t>(leaves_.front_update));
  std::vector<gpu::PivotStatus<double>> status(1);
  const std::vector<double> values = to_double(values_);
  const std::vector<Index> first{0};
  gpu::reference::small_front<double>(lists, first, {values, {}, {}, panel, update, status});

  const std::vector<Offset> places = lower_places(fronts[0], leaves_.front_panel);
  return max_relative_error(chosen(part_on_host(queue_, panels_, f, leaves_.front_panel),
                                   part_on_host(queue_, updates_, f, leaves_.front_update), places),
                            chosen(panel, update, places));
}

// Checks the status of all fronts, and the entries of first, middle and last fronts.
template <class T>
double SmallFrontExperiment<T>::max_error() {
  for (const gpu::PivotStatus<T>& status : on_host(queue_, status_)) {
    if (status.column != kNone) return std::numeric_limits<double>::infinity();
  }
  double error = 0;
  for (const Index f : {0, 1, shape_.count / 2, shape_.count - 1}) {
    error = std::max(error, error_of(f));
  }
  return error;
}

template <class T>
Case small_front_case(bool fastest, const FrontsShape& shape) {
  Case c{"small_front", fastest ? "fastest" : "generic", precision_of<T>()};
  c.shape = "nrow=" + std::to_string(shape.nrow) + " count=" + std::to_string(shape.count);
  // Each sum has up to nrow roundings.  Diagonal dominance keeps errors from growing.
  c.tolerance = 4 * shape.nrow * eps<T>();
  c.prepare = [fastest, shape](DeviceSession& session) {
    return std::make_unique<SmallFrontExperiment<T>>(session, fastest, shape);
  };
  return c;
}

}  // namespace

std::vector<Case> small_front_cases(bool quick) {
  std::vector<Case> cases;
  for (const FrontsShape& shape :
       shapes_of<FrontsShape>(quick, kQuickFrontsShapes, kFrontsShapes)) {
    cases.push_back(small_front_case<double>(false, shape));
    cases.push_back(small_front_case<float>(false, shape));
    cases.push_back(small_front_case<double>(true, shape));
  }
  return cases;
}

}  // namespace clchol::cli
