package plan

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// hashed is what two statements must have in common to be the same work. Who asked, and the job's own
// mark, are not part of it; nor are literal secrets, which would make the hash a means to guess them.
type hashed struct {
	Tag       string
	Target    string
	TargetUID string
	Home      []string
	Steps     []Step
}

// Fingerprint is a hash of what the plan would do: the same for the same work on the same state, in hex.
func (p *Plan) Fingerprint() (string, error) {
	h := hashed{Tag: p.Tag, Target: p.Target, TargetUID: p.TargetUID, Steps: make([]Step, len(p.Steps))}
	for _, statement := range p.Home {
		h.Home = append(h.Home, statement.SQL)
	}
	copy(h.Steps, p.Steps)
	for i := range h.Steps {
		h.Steps[i].Target.JobID = ""
		h.Steps[i].Target.RequestedBy = ""
	}
	text, err := json.Marshal(h)
	if err != nil {
		return "", fmt.Errorf("hash of a plan: %w", err)
	}
	for _, secret := range p.Secrets {
		// The place of a secret is new with every run of the statement.
		if secret.Ref.Name != "" {
			text = bytes.ReplaceAll(text, []byte(secret.Ref.Name), []byte("secret"))
		}
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}
