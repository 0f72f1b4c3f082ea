#ifndef NODEPACK_H
#define NODEPACK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t nodepack_count(void);
void nodepack_enable(bool on);

#endif
