#include "solver/cli/kernel_bench/report.hpp"

#include <array>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/number_text.hpp"
#include "clchol/clchol.hpp"
#include "solver/cli/record.hpp"
#include "solver/cli/units.hpp"

namespace clchol::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Column {
  const char* name;
  std::size_t width;  // Characters.
  bool left;          // Whether cells are aligned at the left, as words are.
};
constexpr std::array kColumns{Column{"kernel", 14, true},   Column{"variant", 14, true},
                              Column{"precision", 9, true}, Column{"shape", 22, true},
                              Column{"TFLOP/s", 9, false},  Column{"GB/s", 9, false},
                              Column{"of peak", 8, false},  Column{"max error", 9, false}};

using Cells = std::array<std::string, kColumns.size()>;

std::string table_row(const Cells& cells) {
  std::string line;
  for (std::size_t k = 0; k < cells.size(); ++k) {
    const std::string& cell = cells[k];
    const std::size_t width = kColumns[k].width;
    const std::string blanks(cell.size() < width ? width - cell.size() : 0, ' ');
    line += (k == 0 ? "" : "  ") + (kColumns[k].left ? cell + blanks : blanks + cell);
  }
  return line;
}

// A case without flops or without bytes has no such rate.
std::string rate(double value) { return value > 0 ? general_text(value, 4) : "-"; }

constexpr std::size_t kMostReason = 48;  // Most characters of a reason in the table.

std::string shortened(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  return line.size() <= kMostReason ? line : line.substr(0, kMostReason) + "...";
}

template <class T>
Json or_null(bool known, const T& value) {
  return known ? Json(value) : Json(nullptr);
}

}  // namespace

std::string json_line(const gpu::Device& device, const Case& c, const Measurement& measured,
                      std::optional<double> peak_share) {
  const bool ok = measured.status == MeasureStatus::kOk;
  Json json;
  json["kernel"] = c.kernel;
  json["variant"] = c.variant;
  json["precision"] = c.precision;
  json["shape"] = c.shape;
  json["tflops"] = or_null(ok, measured.tflops);
  json["gbs"] = or_null(ok, measured.gbs);
  json["peak_share"] = or_null(ok && peak_share, peak_share.value_or(0));
  json["max_error"] = or_null(measured.max_error.has_value(), measured.max_error.value_or(0));
  json["status"] = to_string(measured.status);
  json["reason"] = or_null(!ok, measured.reason);
  json["seconds"] = or_null(ok, measured.seconds);
  json["repetitions"] = measured.repetitions;
  json["params"] = or_null(!measured.params.empty(), measured.params);
  json["device"] = device.name();
  json["driver"] = device.description.driver_version;
  json["platform"] = device.platform_name;
  json["version"] = version();
  return to_line(json) + "\n";
}

std::string table_head(const gpu::Device& device) {
  Cells names;
  for (std::size_t k = 0; k < names.size(); ++k) names[k] = kColumns[k].name;
  return device.name() + ", " + device.platform_name + ", driver " +
         device.description.driver_version + "\n" + table_row(names) + "\n";
}

std::string table_line(const Case& c, const Measurement& measured,
                       std::optional<double> peak_share) {
  Cells cells{c.kernel, c.variant, c.precision, c.shape};
  if (measured.status != MeasureStatus::kOk) {
    return table_row(cells) + "  " + to_string(measured.status) + ": " +
           shortened(measured.reason) + "\n";
  }
  cells[4] = rate(measured.tflops);
  cells[5] = rate(measured.gbs);
  cells[6] = peak_share ? fixed_text(100 * *peak_share, 0) + " %" : "-";
  cells[7] = small_text(*measured.max_error);
  return table_row(cells) + "\n";
}

}  // namespace clchol::cli
