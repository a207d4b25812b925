package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// errNone is the error of a breakage whose resource does not exist.
var errNone = errors.New("no resource matches")

func accountPath(path, account string) string { return path + ".account-" + account }

// accountPaths are the files of all other accounts, with their locks and requests.
func accountPaths(path string) []string {
	all, err := filepath.Glob(accountPath(path, "*"))
	if err != nil {
		return nil // of the pattern alone
	}
	return all
}

// Accounts returns this account, and then all others of its file, sorted by number. Closing this one closes them.
func (c *Cloud) Accounts() ([]*Cloud, error) {
	out := []*Cloud{c}
	if c.log.path == "" {
		return out, nil
	}
	for _, name := range accountPaths(c.log.path) {
		number := strings.TrimPrefix(name, accountPath(c.log.path, ""))
		if strings.Trim(number, "0123456789") != "" {
			continue
		}
		other, err := c.of(number)
		if err != nil {
			return nil, err
		}
		out = append(out, other)
	}
	return out, nil
}

// Break makes drift by hand and says what it did. It is not in the request log, and protection does not hold it up. The
// resource may be in any account of the file; a region such as 000000111111/us-east-1 narrows it down to one account,
// and a resource is created in this account without one.
func (c *Cloud) Break(b core.Breakage) (string, error) {
	accounts, err := c.Accounts()
	if err != nil {
		return "", err
	}
	if number, region, is := strings.Cut(b.Region, "/"); is {
		b.Region = region
		accounts = slices.DeleteFunc(accounts, func(a *Cloud) bool { return a.account != number })
		if len(accounts) == 0 {
			return "", fmt.Errorf("sandbox: no account %s", number)
		}
	}
	if b.Do == "create" {
		return accounts[0].breakHere(b)
	}
	var first error
	var holders []*Cloud
	var numbers []string
	for _, a := range accounts {
		err := a.do(func(t *core.Tx) error {
			_, err := byHand{core.Hand{Tx: t}}.find(b)
			return err
		})
		if !errors.Is(err, errNone) {
			holders, numbers = append(holders, a), append(numbers, a.account)
		} else if first == nil {
			first = err
		}
	}
	switch len(holders) {
	case 0:
		return "", first
	case 1:
		return holders[0].breakHere(b)
	}
	return "", fmt.Errorf("sandbox: %q matches resources in the accounts %s; use an ID, or --region %s/REGION", b.Resource,
		strings.Join(numbers, ", "), numbers[0])
}
