// DenseView, which callers share, under the name by which the library's folders include it.
#pragma once

#include "base/types.hpp"
