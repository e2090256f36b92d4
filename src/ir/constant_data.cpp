#include "ir/constant_data.h"
