// A progress bar on stderr.  It is drawn only if stderr is a terminal.
//
//   factorizing  [############............]  50 %
//
// The library may call it from any of its threads, but not concurrently; an interrupt may stop it
// at any time.  The bar of a phase appears after $CLCHOL_PROGRESS_AFTER seconds, so that short
// phases draw nothing; with 0, every call draws.
#pragma once

#include <mutex>
#include <string>

#include "base/timer.hpp"

namespace clchol::cli {

class Progress {
 public:
  /// @param wanted  false: nothing is ever drawn; true: drawn if stderr is a terminal.
  explicit Progress(bool wanted);
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a new phase.
  /// @param at_once  whether to draw its name immediately.  For phases that may be long and may not
  ///                 call update().
  void begin(const char* phase, bool at_once);
  /// Draws the bar if it is due.  @param fraction  done part of the phase, in [0, 1]; 0: unknown.
  void update(double fraction);
  /// Erases the bar; later calls draw nothing.
  void stop();

  bool is_enabled() const { return enabled_; }

  /// Callbacks for the reader and for the solver; `self` is a Progress.
  static void on_read(void* self, double fraction);
  static void on_work(void* self, double done, double total);

 private:
  void draw(double fraction);

  bool enabled_;
  // Seconds from the begin of a phase to its first drawing; minimum seconds between two drawings.
  double patience_, period_;
  std::mutex mutex_;  // Guards the members below.
  std::string phase_;
  Timer since_begin_;   // Time since the begin of the phase.
  Timer since_draw_;    // Time since the last drawing.
  bool drawn_ = false;  // The bar is on the screen.
  bool stopped_ = false;
};

}  // namespace clchol::cli
