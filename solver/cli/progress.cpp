#include "solver/cli/progress.hpp"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace clchol::cli {
namespace {

constexpr double kPatience = 0.4;  // Default seconds of a phase before its bar appears.
constexpr double kPeriod = 0.1;    // Minimum seconds between two drawings.
constexpr int kWidth = 30;         // Width of the bar in characters.
constexpr char kErase[] = "\r\033[K";

double patience() {
  const char* seconds = std::getenv("CLCHOL_PROGRESS_AFTER");
  return seconds == nullptr ? kPatience : std::atof(seconds);
}

bool has_terminal() {
  const char* term = std::getenv("TERM");
  return ::isatty(STDERR_FILENO) == 1 && term != nullptr && std::string_view(term) != "dumb";
}

}  // namespace

Progress::Progress(bool wanted)
    : enabled_(wanted && has_terminal()),
      patience_(patience()),
      period_(std::min(kPeriod, patience_)) {}

void Progress::begin(const char* phase, bool at_once) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  phase_ = phase;
  since_begin_.restart();
  if (at_once || drawn_) draw(0);
}

void Progress::update(double fraction) {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  if (since_begin_.seconds() < patience_) return;
  if (drawn_ && since_draw_.seconds() < period_) return;
  draw(fraction);
}

void Progress::stop() {
  if (!enabled_) return;
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  if (!drawn_) return;
  std::fputs(kErase, stderr);
  drawn_ = false;
}

void Progress::draw(double fraction) {
  if (stopped_) return;
  std::string line = kErase + phase_;
  if (fraction > 0) {
    const double part = std::min(fraction, 1.0);
    const auto filled = static_cast<std::size_t>(std::lround(part * kWidth));
    line += "  [" + std::string(filled, '#') + std::string(kWidth - filled, '.') + "]  " +
            std::to_string(std::lround(part * 100)) + " %";
  } else {
    line += " ...";
  }
  std::fputs(line.c_str(), stderr);
  std::fflush(stderr);
  drawn_ = true;
  since_draw_.restart();
}

void Progress::on_read(void* self, double fraction) {
  static_cast<Progress*>(self)->update(fraction);
}

void Progress::on_work(void* self, double done, double total) {
  static_cast<Progress*>(self)->update(total > 0 ? done / total : 0);
}

}  // namespace clchol::cli
