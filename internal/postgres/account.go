package postgres

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// nobodyID is the customary number of the user that owns nothing, for systems without a user database.
const nobodyID = 65534

// account is the operating-system account the server runs as.
type account struct {
	user, group uint32
	// drop is set where this program is root and must give that up to become the account.
	drop bool
}

// serverAccount chooses the account: this program's own, or for root the owner of the existing data directory, else an unprivileged
// system user. A directory of another user is refused, for PostgreSQL would not serve it.
func serverAccount(dataDir string) (account, error) {
	self := account{user: uint32(os.Geteuid()), group: uint32(os.Getegid())} //nolint:gosec // ids fit by definition
	owner, err := ownerOf(dataDir)
	absent := errors.Is(err, os.ErrNotExist)
	if err != nil && !absent {
		return account{}, fmt.Errorf("find the owner of the data directory: %w", err)
	}
	switch {
	case self.user == 0 && !absent && owner.user != 0:
		owner.drop = true
		return owner, nil
	case self.user == 0:
		return unprivileged(), nil
	case !absent && owner.user != self.user:
		return account{}, fmt.Errorf("data directory %s belongs to user %d, but this program runs as user %d: "+
			"run it as that user, or choose another data directory", dataDir, owner.user, self.user)
	default:
		return self, nil
	}
}

func unprivileged() account {
	for _, name := range []string{"postgres", "nobody"} {
		found, err := user.Lookup(name)
		if err != nil {
			continue
		}
		userID, userErr := strconv.ParseUint(found.Uid, 10, 32)
		groupID, groupErr := strconv.ParseUint(found.Gid, 10, 32)
		if userErr == nil && groupErr == nil && userID != 0 {
			return account{user: uint32(userID), group: uint32(groupID), drop: true}
		}
	}
	return account{user: nobodyID, group: nobodyID, drop: true}
}

// own gives a path made by this program to the account.
func (a account) own(path string) error {
	if !a.drop {
		return nil
	}
	return os.Lchown(path, int(a.user), int(a.group))
}

// credential returns the credential with which a child process runs as the account, or nil when it does so anyway.
func (a account) credential() *syscall.Credential {
	if !a.drop {
		return nil
	}
	return &syscall.Credential{Uid: a.user, Gid: a.group, Groups: []uint32{}}
}

// canEnter reports whether the account may search every directory on the way to dir.
func (a account) canEnter(dir string) bool {
	resolved, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	for {
		info, err := os.Stat(resolved)
		if err != nil || !a.granted(info) {
			return false
		}
		parent := filepath.Dir(resolved)
		if parent == resolved {
			return true
		}
		resolved = parent
	}
}

func (a account) granted(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return false
	}
	switch {
	case stat.Uid == a.user:
		return info.Mode()&0o100 != 0
	case stat.Gid == a.group:
		return info.Mode()&0o010 != 0
	default:
		return info.Mode()&0o001 != 0
	}
}

func ownerOf(path string) (account, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return account{}, err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return account{}, fmt.Errorf("the system does not tell the owner of %s", path)
	}
	return account{user: stat.Uid, group: stat.Gid}, nil
}
