// Makes DenseView, which clchol/types.hpp declares, available under the include path of base/.
#pragma once

#include "base/types.hpp"
