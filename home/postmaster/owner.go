package postmaster

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"syscall"
)

// owner is the operating system user of the server's process and files.
type owner struct {
	uid, gid int
	// drop is set when this process is root and the child must become somebody else: PostgreSQL refuses
	// to run as root.
	drop bool
}

// errNobody explains why `nobody` is not accepted.
var errNobody = errors.New("the home database cannot run as user \"nobody\": other services share that " +
	"user and could read its files; create a user of its own and configure it")

// findOwner decides who runs the server: whoever runs this process; for root the configured user, or
// `postgres`.
func findOwner(name string) (owner, error) {
	if os.Geteuid() != 0 {
		return owner{uid: os.Geteuid(), gid: os.Getegid()}, nil
	}
	if name == "nobody" {
		return owner{}, errNobody
	}
	configured := name != ""
	if !configured {
		name = "postgres"
	}
	u, err := user.Lookup(name)
	switch {
	case err != nil && configured:
		return owner{}, fmt.Errorf("the user of the home database's process: %w", err)
	case err != nil:
		return owner{}, fmt.Errorf("PostgreSQL does not run as root, and there is no user %q; configure the "+
			"user of the home database's process: %w", name, err)
	}
	uid, err := strconv.Atoi(u.Uid)
	if err != nil {
		return owner{}, fmt.Errorf("uid of user %q: %w", name, err)
	}
	gid, err := strconv.Atoi(u.Gid)
	if err != nil {
		return owner{}, fmt.Errorf("gid of user %q: %w", name, err)
	}
	if uid == 0 {
		return owner{}, fmt.Errorf("user %q is root, PostgreSQL does not run as root", name)
	}
	return owner{uid: uid, gid: gid, drop: true}, nil
}

// credential is what the child becomes. The groups are emptied on purpose: without that the child would
// keep root's supplementary groups.
func (o owner) credential() *syscall.Credential {
	if !o.drop {
		return nil
	}
	return &syscall.Credential{
		Uid:    uint32(o.uid), //nolint:gosec // a uid read from the user database
		Gid:    uint32(o.gid), //nolint:gosec // a gid read from the user database
		Groups: []uint32{},
	}
}
