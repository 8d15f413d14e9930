// A progress bar on stderr, where that is a terminal; nothing elsewhere.
//
//   factorizing  [############............]  50 %
//
// The library calls it from any of its threads, never from two at once; an interrupt may stop it at
// any time.  Short phases are over before anything is drawn: those of less than
// $CLCHOL_PROGRESS_AFTER seconds; 0 draws at every call.
#pragma once

#include <mutex>
#include <string>

#include "base/timer.hpp"

namespace clchol::cli {

class Progress {
 public:
  /// @param wanted  false: nothing is ever drawn; true: where stderr is a terminal.
  explicit Progress(bool wanted);
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// A new phase.  @param at_once  whether to draw its name now: it may be long and never call
  /// back.
  void begin(const char* phase, bool at_once);
  /// @param fraction  in [0, 1]; 0 where it is not known.
  void update(double fraction);
  /// Erases the bar; nothing is drawn from then on.
  void stop();

  bool is_enabled() const { return enabled_; }

  /// Callbacks for the reader and for the solver; `self` is a Progress.
  static void on_read(void* self, double fraction);
  static void on_work(void* self, double done, double total);

 private:
  void draw(double fraction);

  bool enabled_;
  double patience_, period_;  // Seconds.
  std::mutex mutex_;          // Guards what follows.
  std::string phase_;
  Timer since_begin_;  // Of the phase.
  Timer since_draw_;
  bool drawn_ = false;
  bool stopped_ = false;
};

}  // namespace clchol::cli
