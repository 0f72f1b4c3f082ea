//go:build linux && cgo

package nodepack

/*
#cgo LDFLAGS: -Wl,-wrap,pg_query__parse_result__get_packed_size

#include "nodepack.h"
*/
import "C"

// counts says how many nodes were given a descriptor of their own, in all.
func counts() uint64 { return uint64(C.nodepack_count()) }

// setEnabled says whether nodes are given descriptors of their own; they are unless it says otherwise.
func setEnabled(on bool) { C.nodepack_enable(C.bool(on)) }
