// Names liburcu's bulletproof flavour for the package manager. The core includes the library's own headers.
#include <urcu/urcu-bp.h>
