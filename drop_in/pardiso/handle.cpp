#include "drop_in/pardiso/handle.hpp"

#include <cstring>

#include "drop_in/pardiso/call.hpp"

namespace clchol::drop_in {
namespace {

struct Words {
  Handle* handle;
  std::uintptr_t check;
};

std::uintptr_t check_of(const Handle* handle) {
  constexpr std::uintptr_t kMark = 0x636c63686f6c7064;
  return handle == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(handle) ^ kMark;
}

}  // namespace

Handle* handle_in(const void* pt) {
  if (pt == nullptr) throw Refusal(Error::kInconsistentInput, "pt is NULL");
  Words words{};
  std::memcpy(&words, pt, sizeof words);
  if (words.check != check_of(words.handle)) {
    throw Refusal(Error::kInconsistentInput,
                  "pt holds no handle of this library, and must be zero before the first call");
  }
  return words.handle;
}

void put_handle(void* pt, std::unique_ptr<Handle> handle) {
  const std::unique_ptr<Handle> former(handle_in(pt));
  Handle* const owned = handle.release();  // The caller's pt owns the handle from here on.
  const Words words{owned, check_of(owned)};
  std::memcpy(pt, &words, sizeof words);
}

}  // namespace clchol::drop_in
