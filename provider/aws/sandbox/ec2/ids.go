// Package ec2 has what the areas network and compute share of EC2: instances, which both ask for, IDs, pages, and
// zones. It promises the errors that EC2 documents for IDs and pages.
package ec2

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// Success is the answer of the EC2 calls that return nothing else.
type Success struct {
	Return bool `xml:"return"`
}

// XMLFlag is an attribute that is true or false.
type XMLFlag struct {
	Value bool `xml:"value"`
}

// Named returns the resources that the request names, or all when it names none.
// One unknown id refuses the whole call.
func Named[T core.Entity](x *core.Exchange, param, code string) ([]T, error) {
	desired := x.P.Strs(param)
	if len(desired) == 0 {
		return core.List[T](x.Tx, x.Region), nil
	}
	var out []T
	seen := map[string]bool{}
	for _, id := range desired {
		if err := Shaped(id, code); err != nil {
			return nil, err
		}
		e, ok := core.Find[T](x.Tx, x.Region, id)
		if !ok {
			return nil, NotFound(id, code)
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, e)
		}
	}
	return out, nil
}

// Shaped refuses an id that is none of its kind ("Error codes for the Amazon
// EC2 API": InvalidInstanceID.Malformed and its kin).
func Shaped(id, code string) error {
	prefix, malformed := "", strings.Replace(code, ".NotFound", ".Malformed", 1)
	switch code {
	case "InvalidInstanceID.NotFound":
		prefix = "i-"
	case "InvalidVpcID.NotFound":
		prefix = "vpc-"
	case "InvalidSubnetID.NotFound":
		prefix = "subnet-"
	case "InvalidVolume.NotFound":
		prefix, malformed = "vol-", "InvalidParameterValue"
	case "InvalidGroup.NotFound":
		prefix, malformed = "sg-", "InvalidGroupId.Malformed"
	}
	if !strings.HasPrefix(id, prefix) {
		return wire.Failf(malformed, "Invalid id: \"%s\" (expecting \"%s...\")", id, prefix)
	}
	return nil
}

// NotFound is the error for a resource that does not exist, by kind.
func NotFound(id, code string) error {
	what := map[string]string{
		"InvalidInstanceID.NotFound": "instance ID", "InvalidVolume.NotFound": "volume", "InvalidVpcID.NotFound": "vpc ID",
		"InvalidSubnetID.NotFound": "subnet ID", "InvalidGroup.NotFound": "security group",
		"InvalidKeyPair.NotFound": "key pair",
	}[code]
	if what == "" {
		what = "ID"
	}
	return wire.Failf(code, "The %s '%s' does not exist", what, id)
}

// Dashed spells an address as host names do.
func Dashed(ip string) string {
	b := []byte(ip)
	for i := range b {
		if b[i] == '.' {
			b[i] = '-'
		}
	}
	return string(b)
}

// GroupRef names a security group.
type GroupRef struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
}
