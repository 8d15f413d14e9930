// Estimates the least time of a streamed factorization on a device, from the symbolic factor alone,
// for fronts that are computed left-looking.  Needs no device; docs/device.md sets the estimate
// beside measurements.
//
//   clchol_streamed_estimate [--ordering auto|amd|nd] RATES MATRIX BYTES...
//
// RATES is the name of a device whose tuning data has rates of streamed factors.  A MATRIX is a
// file or a model problem (solver/load_matrix.hpp).  The program prints one JSON line for each
// number of BYTES, the device memory for panels and update matrices, which holds S entries.
//
// A front that needs more than S entries is computed by block columns of w = S / (3 m) columns,
// where the front has m rows and s pivot columns.  Then
//
//   s^2 (m/2 - s/3) / w   entries of the panel are read again for the panel's block columns,
//   s (m - s)^2 / (2 w)   entries of the panel are read again for the update matrix, and
//   (m - s)^2 / 2         entries of the update matrix go to host memory and back.
//
// The panels of all fronts go to host memory once.  The estimate is the largest of the times of the
// flops, of the transfers to host memory, and of the transfers to the device:
//
//   estimate_s   seconds of a factorization
//   flops_s, to_host_s, to_device_s   the three times
//   fronts       number of fronts that need more than S entries
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu_kernels/devices/tuning.hpp"
#include "numeric/device/share_plan.hpp"
#include "solver/analysis.hpp"
#include "solver/device/open_device.hpp"
#include "solver/load_matrix.hpp"

namespace {

using clchol::Index;
using clchol::Offset;
namespace gpu = clchol::gpu;
namespace numeric = clchol::numeric;
namespace solver = clchol::solver;

struct Traffic {
  Index fronts = 0;                            // Fronts that need more than S entries.
  double panels = 0, reread = 0, updates = 0;  // Entries.
};

Traffic traffic_of(const clchol::symbolic::SymbolicFactor& factor, double memory) {
  Traffic sum;
  for (Index f = 0; f < factor.nsuper; ++f) {
    const double m = factor.nrow(f), s = factor.ncol(f);
    sum.panels += m * s;
    if (static_cast<double>(numeric::front_entries(factor, f)) <= memory) continue;
    const double w = memory / (3 * m);
    ++sum.fronts;
    sum.reread += s * s * (m / 2 - s / 3) / w + s * (m - s) * (m - s) / (2 * w);
    sum.updates += (m - s) * (m - s) / 2;
  }
  return sum;
}

void print_estimate(const std::string& name, const clchol::symbolic::SymbolicFactor& factor,
                    const numeric::StreamRates& rates, double bytes) {
  constexpr double kValue = sizeof(double);
  const Traffic traffic = traffic_of(factor, bytes / kValue);
  const double flops_s = factor.info.flops_stored / rates.flops_per_s;
  const double to_host_s = (traffic.panels + traffic.updates) * kValue / rates.bytes_per_s;
  const double to_device_s = (traffic.reread + traffic.updates) * kValue / rates.bytes_per_s;
  std::printf(
      "{\"matrix\": \"%s\", \"bytes\": %.0f, \"fronts\": %d, \"estimate_s\": %.4f, "
      "\"flops_s\": %.4f, \"to_host_s\": %.4f, \"to_device_s\": %.4f}\n",
      name.c_str(), bytes, traffic.fronts, std::max({flops_s, to_host_s, to_device_s}), flops_s,
      to_host_s, to_device_s);
}

clchol::Ordering ordering_of(const std::string& name) {
  if (name == "auto") return clchol::Ordering::kAuto;
  if (name == "amd") return clchol::Ordering::kAmd;
  if (name == "nd") return clchol::Ordering::kNestedDissection;
  throw clchol::InvalidArgument("no such ordering: " + name);
}

}  // namespace

int main(int argc, char** argv) try {
  std::vector<std::string> words(argv + 1, argv + argc);
  clchol::Options options;
  options.analysis.ordering = clchol::Ordering::kNestedDissection;
  if (words.size() > 2 && words.front() == "--ordering") {
    options.analysis.ordering = ordering_of(words[1]);
    words.erase(words.begin(), words.begin() + 2);
  }
  if (words.size() < 3) {
    throw clchol::InvalidArgument(
        "usage: clchol_streamed_estimate [--ordering auto|amd|nd] RATES MATRIX BYTES...");
  }
  gpu::DeviceDescription device;
  device.name = words[0];
  const gpu::Tuning tuning(device.name, {});
  const solver::SymmetricMatrix a = solver::load_matrix(words[1]);
  const auto analysis =
      solver::analyze(solver::make_input_map<Offset, Index>(a.n(), a.lower.colptr, a.lower.rowind,
                                                            clchol::Triangle::kLower),
                      options, true, solver::analysis_costs_on(device));
  const numeric::StreamRates rates = numeric::stream_rates(tuning, sizeof(double), 1);
  for (std::size_t k = 2; k < words.size(); ++k) {
    print_estimate(words[1], analysis->symbolic, rates, std::atof(words[k].c_str()));
  }
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
