// A progress bar on standard error (stderr).  The bar is drawn only if stderr is a terminal.
//
//   factorizing  [############............]  50 %
//
// A run consists of phases, for example reading and factorizing.  A bar appears when its phase has
// lasted $CLCHOL_PROGRESS_AFTER seconds (default 0.4), so that short phases draw nothing.  If the
// variable is 0, every call of update() draws.
//
// All functions may be called from any thread: the library calls update() from its threads, and the
// watcher thread of an interrupt calls stop().
#pragma once

#include <mutex>
#include <string>

#include "base/timer.hpp"

namespace clchol::cli {

class Progress {
 public:
  /// @param wanted  false: nothing is ever drawn.  true: the bar is drawn if stderr is a terminal.
  explicit Progress(bool wanted);
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// Begins a new phase.
  /// @param phase    name of the phase, which is drawn before the bar.
  /// @param at_once  true: the name is drawn immediately, for a phase that may be long and during
  ///                 which update() may not be called.
  void begin(const char* phase, bool at_once);
  /// Draws the bar, unless the phase is too young or the last drawing is less than 0.1 s ago.
  /// @param fraction  part of the phase that is done, in [0, 1].  0: unknown, the name is drawn
  ///                  without a bar.
  void update(double fraction);
  /// Erases the bar.  Later calls draw nothing.
  void stop();

  /// Whether anything may be drawn: the constructor's `wanted`, and stderr is a terminal.
  bool is_enabled() const { return enabled_; }

  /// A function for ReadOptions::progress that calls update().
  /// @param self  address of a Progress object.
  static void on_read(void* self, double fraction);
  /// A function for Options::progress that calls update(done / total).
  /// @param self  address of a Progress object.
  static void on_work(void* self, double done, double total);

 private:
  void draw(double fraction);

  bool enabled_;
  // patience_: least seconds from the begin of a phase to the first drawing.  period_: least
  // seconds between two drawings.
  double patience_, period_;
  std::mutex mutex_;      // Guards the members below.
  std::string phase_;     // Name of the present phase.
  Timer since_begin_;     // Time since the begin of the phase.
  Timer since_draw_;      // Time since the last drawing.
  bool drawn_ = false;    // The bar is on the screen.
  bool stopped_ = false;  // stop() has been called.
};

}  // namespace clchol::cli
