// Integer types and words used everywhere: the public ones, brought in at one place.
#pragma once

#include "clchol/types.hpp"
