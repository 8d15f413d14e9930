#include "drop_in/cholmod/real_library.hpp"

#include <dlfcn.h>

#include <array>

namespace clchol::drop_in {
namespace {

// Number of functions of CHOLMOD that this thread is inside of.
thread_local int depth = 0;

}  // namespace

void* next_definition(const char* name) { return dlsym(RTLD_NEXT, name); }

bool is_inside_cholmod() { return depth > 0; }

InsideCholmod::InsideCholmod() { ++depth; }
InsideCholmod::~InsideCholmod() { --depth; }

bool is_known_version() {
  static const bool kKnown = [] {
    std::array<int, 3> version{};
    Real<int>::version(version.data());
    return version[0] == CHOLMOD_MAIN_VERSION;
  }();
  return kKnown;
}

}  // namespace clchol::drop_in
