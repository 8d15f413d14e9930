#include "solver/cli/summary.hpp"

#include <algorithm>
#include <cmath>

#include "numeric/dense/kernels.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

constexpr std::size_t kLabelWidth = 18;
constexpr std::size_t kValueWidth = 12;

/// Text with headings and rows of label, value (right aligned) and remark.
class Sheet {
 public:
  void heading(const std::string& text) { text_ += text + "\n"; }
  void row(const std::string& label, const std::string& value, const std::string& remark = {}) {
    text_ += "  " + label +
             std::string(label.size() < kLabelWidth ? kLabelWidth - label.size() : 1, ' ');
    if (value.size() < kValueWidth) text_ += std::string(kValueWidth - value.size(), ' ');
    text_ += value + (remark.empty() ? "" : "   " + remark) + "\n";
  }
  void line(const std::string& text) { text_ += "  " + text + "\n"; }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string plural(std::int64_t number, const std::string& word) {
  return grouped(number) + " " + word + (number == 1 ? "" : "s");
}

void put_matrix(const Record& r, Sheet& sheet) {
  if (!r.n || !r.read) return;
  sheet.heading("Matrix");
  sheet.row("rows", grouped(*r.n));
  sheet.row("entries", grouped(*r.nnz), "in one triangle");
  if (r.read->text_bytes == 0) {
    sheet.row("made in", seconds_text(r.read->seconds));
    return;
  }
  const double rate =
      r.read->seconds > 0 ? static_cast<double>(r.read->text_bytes) / r.read->seconds : 0;
  sheet.row(
      "read in", seconds_text(r.read->seconds),
      bytes_text(static_cast<double>(r.read->text_bytes)) + " of text, " + bytes_text(rate) + "/s");
}

void put_analysis(const Record& r, Sheet& sheet) {
  if (!r.analysis) return;
  const AnalysisReport& a = *r.analysis;
  sheet.heading("Analysis");
  sheet.row("ordering", to_string(a.ordering, a.ordering_effort),
            a.compressed_n < a.n ? "of " + plural(a.compressed_n, "compressed row") : "");
  if (!a.ordering_reason.empty()) sheet.line("  " + a.ordering_reason);
  sheet.row("nnz(L)", grouped(a.nnz_l), grouped(a.nnz_stored) + " stored");
  sheet.row("work", flops_text(a.flops));
  sheet.row("supernodes", grouped(a.supernodes),
            grouped(a.exact_supernodes) + " before amalgamation, " + grouped(a.dynamic_supernodes) +
                " of them dynamic");
  sheet.row("tree height", grouped(a.tree_height),
            "largest front " + grouped(a.largest_front) + " x " + grouped(a.largest_front_columns));
  if (r.factor && r.factor->loaded) return;  // put_factorization() has the time of loading.
  if (a.loaded) {
    sheet.row("loaded in", seconds_text(a.symbolic_s));
  } else {
    sheet.row("analysed in", seconds_text(a.order_s + a.symbolic_s),
              "ordering " + seconds_text(a.order_s) + ", symbolic " + seconds_text(a.symbolic_s));
  }
}

/// @return a text such as "double precision, 2 threads, AVX2"; for a device only the precision.
std::string engine_text(const Record& r) {
  const bool is_double = r.factor->precision == Precision::kDouble;
  std::string precision = std::string(is_double ? "double" : "single") + " precision";
  if (!r.factor->device.empty()) return precision;
  return precision + ", " + plural(r.factor->threads, "thread") + ", " +
         numeric::dense::simd_target();
}

void put_device_setup(const FactorReport& f, Sheet& sheet) {
  if (f.device.empty()) return;
  const DeviceSetup& setup = f.device_setup;
  sheet.row("", "", "opened in " + seconds_text(setup.open_s));
  sheet.row("", "", "planned in " + seconds_text(setup.plan_s));
  sheet.row("", "", "uploaded in " + seconds_text(setup.upload_s + setup.pin_s));
  sheet.row("programs", grouped(setup.built) + " built, " + grouped(setup.cached) + " cached",
            "in " + seconds_text(setup.build_s));
  sheet.row("kernels", to_string(setup.kernels),
            std::string("solves by ") + to_string(setup.solve_kernels));
  if (!setup.kernels_reason.empty()) sheet.line("  " + setup.kernels_reason);
  if (!setup.unpinned_reason.empty()) {
    sheet.line("  host memory is not page-locked: " + setup.unpinned_reason);
  }
  for (const std::string& note : setup.notes) sheet.line("  left aside: " + note);
}

std::string percent_text(double part) { return std::to_string(std::lround(100 * part)) + " %"; }

/// Adds a row for each device's part of the work, in the order of the devices' names.
void put_device_parts(const DeviceSetup& setup, Sheet& sheet) {
  double all = 0;
  for (const DevicePart& part : setup.parts) all += part.flops;
  for (std::size_t d = 0; d < setup.parts.size(); ++d) {
    const DevicePart& part = setup.parts[d];
    const double busy = setup.parts_factor_s > 0 ? part.busy_s / setup.parts_factor_s : 1;
    sheet.row("device " + std::to_string(d + 1), percent_text(part.flops / all),
              "of the flops, " + bytes_text(static_cast<double>(part.predicted_bytes)) + ", " +
                  bytes_text(static_cast<double>(part.sent_bytes)) + " sent, " +
                  percent_text(part.fronts > 0 ? 1 - busy : 1) + " idle");
  }
  if (!setup.parts_reason.empty()) sheet.line("  " + setup.parts_reason);
}

void put_factorization(const Record& r, Sheet& sheet) {
  if (!r.is_factored()) return;
  const FactorReport& f = *r.factor;
  sheet.heading("Factorization");
  sheet.row("engine", to_string(f.engine), r.device.value_or(""));
  sheet.row("", "", engine_text(r));
  if (!f.engine_reason.empty()) sheet.line("  " + f.engine_reason);
  if (f.loaded) {
    sheet.row("loaded in", seconds_text(f.load_s));
    return;
  }
  const double seconds = r.factor_s.value_or(f.factor_s);
  const double rate = seconds > 0 ? r.analysis->flops / seconds : 0;
  sheet.row("factored in", seconds_text(seconds), flops_text(rate) + "/s");
  if (r.repeat.value_or(1) > 1) {
    sheet.row("the first time", seconds_text(f.factor_s));
    if (r.refactor_s) sheet.row("refactored in", seconds_text(*r.refactor_s));
  }
  sheet.row(f.device.empty() ? "allocated in" : "set up in", seconds_text(f.setup_s));
  put_device_setup(f, sheet);
  put_device_parts(f.device_setup, sheet);
  if (f.rcond) sheet.row("rcond", small_text(*f.rcond), "of the scaled matrix");
}

void put_solution(const Record& r, Sheet& sheet) {
  if (!r.solution) return;
  const SolveReport& s = *r.solution;
  sheet.heading("Solution");
  sheet.row("right-hand sides", grouped(r.nrhs.value_or(1)));
  if (!s.backward_error || !s.componentwise_error) {
    sheet.row("solved in", seconds_text(s.solve_s));
    sheet.row("backward error", "not known", "without the matrix");
    return;
  }
  sheet.row(
      "solved in", seconds_text(s.solve_s),
      plural(s.refine_steps, "refinement step") + " and errors in " + seconds_text(s.refine_s));
  sheet.row("backward error", small_text(*s.backward_error),
            "componentwise " + small_text(*s.componentwise_error));
  if (r.forward_error) {
    sheet.row("forward error", small_text(*r.forward_error), "against the known solution");
  }
}

void put_output(const Record& r, Sheet& sheet) {
  if (!r.write_s) return;
  sheet.heading("Output  " + one_line(r.output.value_or("")));
  const std::string size =
      r.output_bytes ? bytes_text(static_cast<double>(*r.output_bytes)) + " of file" : "";
  sheet.row("written in", seconds_text(*r.write_s), size);
}

void put_memory(const Record& r, Sheet& sheet) {
  if (!r.analysis) return;
  sheet.heading("Memory");
  sheet.row("factor", bytes_text(static_cast<double>(r.analysis->factor_bytes)));
  if (!r.factor || !r.factor->loaded) {
    sheet.row("workspace", bytes_text(static_cast<double>(r.analysis->workspace_bytes)));
  }
  sheet.row("peak predicted", bytes_text(static_cast<double>(r.predicted_host_bytes.value_or(0))));
  if (r.predicted_device_bytes > 0) {
    sheet.row("on the device, predicted",
              bytes_text(static_cast<double>(r.predicted_device_bytes)));
  }
  if (!r.is_factored()) return;
  sheet.row("peak", bytes_text(static_cast<double>(r.peak_host_bytes)));
  const std::int64_t peak =
      r.solution ? r.solution->peak_device_bytes : r.factor->peak_device_bytes;
  if (peak > 0) {
    sheet.row("on the device", bytes_text(static_cast<double>(peak)),
              "predicted " + bytes_text(static_cast<double>(r.factor->predicted_device_bytes)));
  }
  if (r.factor->device_setup.streamed_bytes > 0) {
    sheet.row("streamed", bytes_text(static_cast<double>(r.factor->device_setup.streamed_bytes)),
              "of the factor, in host memory");
  }
  if (r.factor->file_bytes > 0) {
    sheet.row("in the scratch file", bytes_text(static_cast<double>(r.factor->file_bytes)),
              "of the factor");
  }
}

/// Adds a row for each mode of factoring on the CPU.
void put_host_modes(const Record& r, Sheet& sheet) {
  if (r.host_modes.empty()) return;
  sheet.heading("Ways on the CPU");
  for (const HostMode& mode : r.host_modes) {
    const std::string name = mode.is_least         ? "out of core, the least"
                             : mode.is_out_of_core ? "out of core"
                                                   : "in core";
    sheet.row(
        name, bytes_text(static_cast<double>(mode.host_bytes)),
        mode.is_out_of_core ? bytes_text(static_cast<double>(mode.file_bytes)) + " of file" : "");
  }
}

/// Adds a row for each mode of factoring on the device: memory, then predicted times and transfers
/// of a factorization and a solve.
void put_device_modes(const Record& r, Sheet& sheet) {
  if (r.device_modes.empty()) return;
  const auto bytes = [](std::int64_t count) { return bytes_text(static_cast<double>(count)); };
  sheet.heading("Ways on the device  " + r.device.value_or(""));
  for (const DeviceMode& mode : r.device_modes) {
    const std::string name = mode.is_least      ? "streamed, the least"
                             : mode.is_streamed ? "streamed"
                                                : "in core";
    std::string memory = bytes(mode.device_bytes);
    if (mode.host_bytes > 0) memory += ", host " + bytes(mode.host_bytes);
    if (mode.file_bytes > 0) memory += ", file " + bytes(mode.file_bytes);
    std::string factor = "factored in about " + seconds_text(mode.factor_s);
    if (mode.is_streamed) {
      factor += " (" + bytes(mode.to_host_bytes) + " out, " + bytes(mode.to_device_bytes) + " in)";
    }
    factor += ", solved in " + seconds_text(mode.solve_s);
    if (mode.solve_bytes > 0) factor += " (" + bytes(mode.solve_bytes) + " in)";
    if (mode.cpu_solve_bytes > 0) factor += ", the CPU with " + bytes(mode.cpu_solve_bytes);
    sheet.row(name, memory, factor);
  }
}

void put_opencl(const gpu::DeviceList& list, Sheet& sheet) {
  sheet.heading("OpenCL");
  if (!gpu::opencl_built()) sheet.line("not part of this build");
  if (!list.error.empty()) sheet.line(list.error);
  if (gpu::opencl_built() && list.error.empty() && list.platforms.empty())
    sheet.line("no platform");
  for (const gpu::PlatformDescription& platform : list.platforms) {
    sheet.line(platform.name + ", " + platform.version);
    if (!platform.error.empty()) sheet.line("  " + platform.error);
    for (const gpu::DeviceDescription& d : platform.devices) {
      sheet.line("  " + std::to_string(d.flat_index) + "  " + std::to_string(d.platform) + ":" +
                 std::to_string(d.index) + "  " + d.name);
      if (!d.error.empty()) {
        sheet.line("          " + d.error);
        continue;
      }
      const auto bytes = [](std::uint64_t count) { return bytes_text(static_cast<double>(count)); };
      sheet.line(std::string("          ") + to_string(d.kind) + ", " +
                 (d.fp64 ? "fp64" : "no fp64") + ", " + plural(d.compute_units, "compute unit") +
                 ", work-groups of up to " +
                 grouped(static_cast<std::int64_t>(d.max_work_group_size)));
      sheet.line("          " + bytes(d.global_memory_bytes) + " global, " +
                 bytes(d.max_allocation_bytes) + " in one buffer, " + bytes(d.local_memory_bytes) +
                 " local; driver " + d.driver_version);
    }
  }
}

}  // namespace

std::string summary(const Record& record) {
  Sheet sheet;
  const std::string matrix = record.matrix ? "  " + one_line(*record.matrix) : "";
  sheet.heading("clchol " + std::string(version()) + matrix);
  put_matrix(record, sheet);
  put_analysis(record, sheet);
  put_factorization(record, sheet);
  put_solution(record, sheet);
  put_memory(record, sheet);
  put_host_modes(record, sheet);
  put_device_modes(record, sheet);
  put_output(record, sheet);
  const std::vector<std::string> notes = notes_of(record);
  if (!notes.empty()) sheet.heading("Notes");
  for (const std::string& note : notes) sheet.line(note);
  sheet.heading("Total " + seconds_text(record.total_s));
  return sheet.text();
}

std::string drawing_line(const Record& r) {
  const std::string size =
      r.output_bytes ? ", " + bytes_text(static_cast<double>(*r.output_bytes)) : "";
  return one_line(r.output.value_or("")) + ": " + r.drawing.value_or("") + " of " +
         one_line(r.matrix.value_or("")) + size + "\n";
}

std::string device_summary(const std::string& cpu, const ThreadLimit& limit,
                           const gpu::DeviceList& list) {
  Sheet sheet;
  sheet.heading("CPU");
  sheet.line(cpu);
  sheet.line(plural(limit.cores, "core") + ", " + plural(limit.threads, "thread") +
             " by default (" + limit.reason + "), SIMD target " + numeric::dense::simd_target());
  put_opencl(list, sheet);
  return sheet.text();
}

}  // namespace clchol::cli
