// Makes the public integer types, status and exceptions available under the include path of base/.
#pragma once

#include "clchol/types.hpp"
