package sandbox

import (
	"errors"
	"fmt"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// callerIdentity names the only user of the account, or the role that was assumed in it (STS API reference:
// GetCallerIdentity).
func callerIdentity(x *core.Exchange) (any, error) {
	type identity struct{ Account, UserId, Arn string }
	if x.Account != wire.Account {
		return identity{x.Account, "AROAPRACTICECLOUD000:ovi", "arn:aws:sts::" + x.Account + ":assumed-role/practice/ovi"},
			nil
	}
	return identity{wire.Account, "AIDAPRACTICECLOUD000", "arn:aws:iam::" + wire.Account + ":user/practice"}, nil
}

var roleARN = wire.Late(`^arn:aws(?:-[a-z]+)*:iam::([0-9]{12}):role/(.+)$`)

// assumeRole lets everyone assume every role. Its account is one of the sandbox, with resources of its own: no real
// account has its number.
func assumeRole(x *core.Exchange) (any, error) {
	m := roleARN.FindStringSubmatch(x.P.Str("RoleArn"))
	if m == nil {
		return nil, wire.Failf("ValidationError", "%s is invalid", x.P.Str("RoleArn"))
	}
	for _, name := range []string{"ExternalId", "DurationSeconds"} {
		x.P.Str(name)
	}
	session, account := x.P.Str("RoleSessionName"), wire.Account[:6]+m[1][6:]
	type credentials struct {
		AccessKeyId, SecretAccessKey, SessionToken string
		Expiration                                 time.Time
	}
	type user struct{ Arn, AssumedRoleId string }
	return struct {
		Credentials     credentials
		AssumedRoleUser user
	}{
		credentials{"ASIASANDBOX" + account, "not-a-secret", "not-a-secret", x.Now.Add(time.Hour)},
		user{"arn:aws:sts::" + account + ":assumed-role/" + m[2] + "/" + session, "AROAPRACTICECLOUD000:" + session},
	}, nil
}

// of gives the account that a request is signed for. Each has a file of its own beside that of the first.
func (c *Cloud) of(account string) (*Cloud, error) {
	if account == "" || account == c.account {
		return c, nil
	}
	c.othersMu.Lock()
	defer c.othersMu.Unlock()
	if other := c.others[account]; other != nil {
		return other, nil
	}
	path := ""
	if c.log.path != "" {
		path = accountPath(c.log.path, account)
	}
	o := c.opts
	other, err := Open(path, func(to *options) { *to = o })
	if err != nil {
		return nil, fmt.Errorf("sandbox: account %s: %w", account, err)
	}
	other.account = account
	if c.others == nil {
		c.others = map[string]*Cloud{}
	}
	c.others[account] = other
	return other, nil
}

// closeOthers closes the other accounts.
func (c *Cloud) closeOthers() (err error) {
	c.othersMu.Lock()
	defer c.othersMu.Unlock()
	for _, o := range c.others {
		err = errors.Join(err, o.Close())
	}
	return err
}
