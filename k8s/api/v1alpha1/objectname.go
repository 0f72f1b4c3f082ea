package v1alpha1

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"strings"
)

const (
	// nameLenMax is the length in bytes of a DNS-1123 label and of a label value.
	nameLenMax = 63
	// jobIDLen is the length of a uuid in its text form.
	jobIDLen = 36
	// slugLenMax is what JobName has left beside `-` and the job id.
	slugLenMax = nameLenMax - 1 - jobIDLen
	// slugHashLen is the length of the hash that a lossy slug ends with.
	slugHashLen = 8
)

// JobName returns the metadata.name of the job with the given id (a lower-case
// uuid) on the table at path: a readable slug, `-` and the whole job id. It is a
// DNS-1123 label of at most 63 characters.
//
// Two job ids never share a name, so a name is never used for a second run. Nor
// do two paths under one job id: a slug that does not spell its path out ends
// with a hash of it.
func JobName(path []string, jobID string) string {
	slug, exact := slugOf(path, slugLenMax)
	if !exact {
		slug, _ = slugOf(path, slugLenMax-1-slugHashLen)
		slug = strings.TrimPrefix(slug+"-"+pathHash(path)[:slugHashLen], "-")
	}
	return slug + "-" + jobID
}

// JobIDOf returns the job id that a name made by JobName ends with, and whether
// the name has the shape of one.
func JobIDOf(name string) (string, bool) {
	cut := len(name) - jobIDLen
	if cut < 2 || name[cut-1] != '-' {
		return "", false
	}
	id := name[cut:]
	for i := range len(id) {
		dash := i == 8 || i == 13 || i == 18 || i == 23
		if dash != (id[i] == '-') || !dash && !isHex(id[i]) {
			return "", false
		}
	}
	return id, true
}

// ProvisionerName returns the metadata.name of the Provisioner that registers
// controllerName: a readable slug with a hash of the name.
func ProvisionerName(controllerName string) string {
	path := strings.Split(controllerName, "/")
	slug, _ := slugOf(path, nameLenMax-1-slugHashLen)
	return strings.TrimPrefix(slug+"-"+pathHash(path)[:slugHashLen], "-")
}

// LabelValue returns s as a valid label value: what a label can not hold becomes
// `_`, the rest is cut to 63 characters and trimmed so that it begins and ends
// with a letter or digit. Different texts may share a value, so the full text
// belongs into an annotation.
func LabelValue(s string) string {
	out := make([]byte, 0, nameLenMax)
	for i, r := range s {
		if len(out) == nameLenMax {
			break
		}
		c := s[i] // all of the character, if it is one that a label holds
		if r < 0x80 && (isAlnum(c) || c == '-' || c == '_' || c == '.') {
			out = append(out, c)
		} else if len(out) > 0 {
			out = append(out, '_')
		}
	}
	return strings.Trim(string(out), "-_.")
}

// slugOf spells a path in lower-case letters, digits and single dashes, in at
// most limit bytes: leading parts are left out first, then the last part is cut.
// It is exact when the path can be read back from it.
func slugOf(path []string, limit int) (slug string, exact bool) {
	exact = true
	parts := make([]string, 0, len(path))
	for _, p := range path {
		s := slugPart(p)
		exact = exact && s == p && s != "" && !strings.Contains(s, "-")
		if s != "" {
			parts = append(parts, s)
		}
	}
	for len(parts) > 1 && len(strings.Join(parts, "-")) > limit {
		parts, exact = parts[1:], false
	}
	slug = strings.Join(parts, "-")
	if len(slug) > limit {
		slug, exact = strings.TrimRight(slug[:limit], "-"), false
	}
	return slug, exact && slug != ""
}

// slugPart lowers the letters of s and turns each run of other characters than
// letters and digits into one dash, with none at the ends.
func slugPart(s string) string {
	var b strings.Builder
	dash := false
	for i, r := range s {
		c := s[i] // all of the character, if it is a letter or digit
		if r >= 0x80 || !isAlnum(c) {
			dash = b.Len() > 0
			continue
		}
		if dash {
			b.WriteByte('-')
			dash = false
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		b.WriteByte(c)
	}
	return b.String()
}

// pathHash hashes the parts with their lengths, so that no two paths run
// together, into lower-case letters and digits.
func pathHash(path []string) string {
	h := sha256.New()
	var n [8]byte
	for _, p := range path {
		binary.BigEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	return strings.ToLower(base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(h.Sum(nil)))
}

func isAlnum(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f'
}
