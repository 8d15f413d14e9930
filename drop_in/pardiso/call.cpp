#include "drop_in/pardiso/call.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>

#include "drop_in/environment.hpp"

namespace clchol::drop_in {
namespace {

constexpr const char* kLibrary = "clchol_pardiso";

}  // namespace

template <class I>
void Parameters<I>::set(Iparm parameter, std::int64_t value) {
  constexpr std::int64_t kGreatest = std::numeric_limits<I>::max();
  values_[position(parameter)] = static_cast<I>(std::min(value, kGreatest));
}

template <class I>
void Parameters<I>::set_defaults() {
  std::fill_n(values_, kCount, I{0});
  set(Iparm::kGiven, 1);
  set(Iparm::kOrdering, 3);
  set(Iparm::kRefineSteps, 2);
  set(Iparm::kNonzeros, -1);
  set(Iparm::kMegaflops, -1);
}

template class Parameters<std::int32_t>;
template class Parameters<std::int64_t>;

void tell(std::int64_t msglvl, const std::string& line) {
  if (msglvl != 1) {
    say(kLibrary, line);
    return;
  }
  std::puts((std::string(kLibrary) + ": " + line).c_str());
  std::fflush(stdout);
}

}  // namespace clchol::drop_in
