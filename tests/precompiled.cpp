#include "precompiled.hpp"
