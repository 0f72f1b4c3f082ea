package history

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
)

// WorkKey is equal for two statements that ask for the same work on the same object: the operation, the
// target's full name, its uid (empty: absent) and the plan's hash.
func WorkKey(operation, target, targetUID, planHash string) string {
	h := sha256.New()
	for _, part := range []string{operation, target, targetUID, planHash} {
		// With its length, so that no two lists of parts run together to the same bytes.
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(part))))
		h.Write([]byte(part))
	}
	return hex.EncodeToString(h.Sum(nil))
}
