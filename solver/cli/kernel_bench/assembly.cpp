// Measures the assembly of all fronts of a model problem in one launch: scatter, extend_add.
#include <algorithm>

#include "gpu_kernels/fronts/extend_add.hpp"
#include "gpu_kernels/fronts/scatter.hpp"
#include "gpu_kernels/reference/fronts.hpp"
#include "solver/cli/kernel_bench/families.hpp"
#include "solver/cli/kernel_bench/front_tree.hpp"
#include "solver/cli/kernel_bench/values.hpp"

namespace clchol::cli {
namespace {

constexpr const char* kQuickAssemblyProblem = "grid3d:6";
constexpr const char* kAssemblyProblem = "grid3d:40";
constexpr Index kAssemblyBlock =
    64;  // Order of inverted diagonal blocks, which these kernels ignore.

template <class T>
class ScatterExperiment : public Experiment {
 public:
  ScatterExperiment(DeviceSession& session, const std::string& problem)
      : queue_(session.queue()),
        tree_(make_front_tree(problem, kAssemblyBlock)),
        values_(positive_values<T>(static_cast<Offset>(tree_.entry_source.size()), 1)),
        scale_(positive_values<T>(tree_.n, 2)),
        kernel_(session.programs()),
        lists_(queue_, tree_.lists()),
        tiles_(
            on_device(queue_, gpu::make_scatter_tiles(tree_.fronts, tree_.all(), tree_.entry_ptr))),
        device_values_(on_device(queue_, values_)),
        device_scale_(on_device(queue_, scale_)),
        before_(on_device(queue_, std::vector<T>(static_cast<std::size_t>(tree_.panel_entries)))),
        panels_(session.context(), tree_.panel_entries) {}

  // The kernel does not write above the diagonals.  There the panels are zero, as the twin's.
  void reset() override { gpu::copy<T>(queue_, before_, panels_); }
  void run() override {
    kernel_.run(queue_, lists_, tiles_, device_values_, device_scale_, panels_);
  }
  double max_error() override {
    const std::vector<double> values = to_double(values_), scale = to_double(scale_);
    std::vector<double> panels(static_cast<std::size_t>(tree_.panel_entries));
    gpu::reference::scatter<double>(tree_.lists(), tree_.all(),
                                    {values, scale, {}, panels, {}, {}});
    return max_relative_error(on_host(queue_, panels_), panels);
  }
  // Each entry of A takes two multiplications.  Its value and two numbers of 4 bytes are read, D is
  // read, and the panels are written on and below the diagonals.
  Work work() const override {
    const double entries = static_cast<double>(values_.size());
    return {2 * entries,
            entries * (sizeof(T) + 8) + (tree_.n + tree_.factor_entries()) * sizeof(T)};
  }

 private:
  gpu::Queue& queue_;
  FrontTree tree_;
  std::vector<T> values_, scale_;
  gpu::Scatter<T> kernel_;
  gpu::FrontBuffers lists_;
  gpu::DeviceBuffer<gpu::ScatterTile> tiles_;
  gpu::DeviceBuffer<T> device_values_, device_scale_, before_, panels_;
};

template <class T>
class ExtendAddExperiment : public Experiment {
 public:
  ExtendAddExperiment(DeviceSession& session, const std::string& problem)
      : queue_(session.queue()),
        tree_(make_front_tree(problem, kAssemblyBlock)),
        kernel_(session.programs(), {}),
        tile_lists_(gpu::make_extend_add_lists(tree_.lists(), tree_.all(), kernel_.params())),
        lists_(queue_, tree_.lists()),
        tiles_(on_device(queue_, tile_lists_.tiles)),
        pieces_(on_device(queue_, tile_lists_.pieces)),
        from_(on_device(queue_, positive_values<T>(tree_.update_entries, 1))),
        panels_before_(on_device(queue_, positive_values<T>(tree_.panel_entries, 2))),
        updates_before_(on_device(queue_, positive_values<T>(tree_.update_entries, 3))),
        panels_(session.context(), tree_.panel_entries),
        updates_(session.context(), tree_.update_entries) {}

  void reset() override {
    gpu::copy<T>(queue_, panels_before_, panels_);
    gpu::copy<T>(queue_, updates_before_, updates_);
  }
  void run() override { kernel_.run(queue_, lists_, tiles_, pieces_, from_, panels_, updates_); }
  double max_error() override;
  Work work() const override;

 private:
  gpu::Queue& queue_;
  FrontTree tree_;
  gpu::ExtendAdd<T> kernel_;
  gpu::ExtendAddLists tile_lists_;
  gpu::FrontBuffers lists_;
  gpu::DeviceBuffer<gpu::ExtendAddTile> tiles_;
  gpu::DeviceBuffer<gpu::ExtendAddPiece> pieces_;
  gpu::DeviceBuffer<T> from_, panels_before_, updates_before_, panels_, updates_;
};

template <class T>
double ExtendAddExperiment<T>::max_error() {
  const std::vector<double> from = to_double(on_host(queue_, from_));
  std::vector<double> panels = to_double(on_host(queue_, panels_before_));
  std::vector<double> updates = to_double(on_host(queue_, updates_before_));
  gpu::reference::extend_add<double>(tree_.lists(), tree_.all(),
                                     {{}, {}, from, panels, updates, {}});
  return std::max(max_relative_error(on_host(queue_, panels_), panels),
                  max_relative_error(on_host(queue_, updates_), updates));
}

/// Entries of a tile on and below the front's diagonal.
double tile_entries(const gpu::ExtendAddTile& tile, const gpu::Front& front, Index tile_rows) {
  const Index end = std::min(tile.row + tile_rows, front.nrow);
  double entries = 0;
  for (Index j = tile.column; j < tile.column + tile.num_columns; ++j) {
    entries += std::max(0, end - std::max(tile.row, j));
  }
  return entries;
}

// Each entry of a child is read and added.  Each row of a child takes 4 bytes of relind.  The
// parents' entries are read and written in the tiles that receive entries of children.
template <class T>
Work ExtendAddExperiment<T>::work() const {
  double added = 0, rows = 0, parents = 0;
  for (const gpu::Child& child : tree_.children) {
    added += trapezoid(child.nupd, child.nupd);
    rows += child.nupd;
  }
  for (const gpu::ExtendAddTile& tile : tile_lists_.tiles) {
    parents += tile_entries(tile, tree_.fronts[static_cast<std::size_t>(tile.front)],
                            kernel_.params().tile_rows);
  }
  return {added, (added + 2 * parents) * sizeof(T) + 4 * rows};
}

/// @param roundings  tolerance in units of eps.
template <template <class> class E, class T>
Case case_of(const char* kernel, const std::string& problem, double roundings) {
  Case c{kernel, "generic", precision_of<T>(), problem};
  c.tolerance = roundings * eps<T>();
  c.prepare = [problem](DeviceSession& session) {
    return std::make_unique<E<T>>(session, problem);
  };
  return c;
}

// scatter: two products in the kernel, and two in the twin.  extend_add: sums of numbers of
// one sign over a front's children, which are few in a tree of separators.
constexpr double kScatterRoundings = 4;
constexpr double kExtendAddRoundings = 64;

}  // namespace

std::vector<Case> assembly_cases(bool quick) {
  const char* problem = quick ? kQuickAssemblyProblem : kAssemblyProblem;
  return {case_of<ScatterExperiment, double>("scatter", problem, kScatterRoundings),
          case_of<ScatterExperiment, float>("scatter", problem, kScatterRoundings),
          case_of<ExtendAddExperiment, double>("extend_add", problem, kExtendAddRoundings),
          case_of<ExtendAddExperiment, float>("extend_add", problem, kExtendAddRoundings)};
}

}  // namespace clchol::cli
