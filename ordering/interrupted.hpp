// How a caller stops an ordering that is under way.
#pragma once

namespace clchol::ordering {

/// Thrown out of an ordering when the caller's cancel flag was seen.
struct Interrupted {};

}  // namespace clchol::ordering
