package catalog

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// secretSlugMax keeps a secret's name readable and within the length of a Kubernetes name, in bytes.
const secretSlugMax = 40

// SecretNamePrefix begins the names of all secrets that catalogs were given literally.
const SecretNamePrefix = "catalog-"

// SecretName is the name in the secret store under which the literal secrets of a catalog are kept. It is
// a valid name of a Kubernetes Secret, and different for different catalogs.
func SecretName(catalogName string) string {
	var slug strings.Builder
	for _, r := range strings.ToLower(catalogName) {
		if slug.Len() >= secretSlugMax {
			break
		}
		if (r >= 'a' && r <= 'z') || (r >= '0' && r <= '9') {
			slug.WriteRune(r)
		} else if s := slug.String(); s != "" && !strings.HasSuffix(s, "-") {
			slug.WriteByte('-')
		}
	}
	sum := sha256.Sum256([]byte(catalogName))
	return strings.Trim(SecretNamePrefix+strings.Trim(slug.String(), "-"), "-") + "-" + hex.EncodeToString(sum[:4])
}
