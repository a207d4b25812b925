package awsfake

import "strings"

// success is the answer of the EC2 calls that return nothing else.
type success struct {
	Return bool `xml:"return"`
}

type xmlFlag struct {
	Value bool `xml:"value"`
}

// named gives the resources that the request names, or all when it names none.
// One unknown id refuses the whole call.
func named[T entity](x *exchange, param, code string) ([]T, error) {
	desired := x.p.strs(param)
	if len(desired) == 0 {
		return list[T](x.tx, x.Region), nil
	}
	var out []T
	seen := map[string]bool{}
	for _, id := range desired {
		if err := shaped(id, code); err != nil {
			return nil, err
		}
		e, ok := find[T](x.tx, x.Region, id)
		if !ok {
			return nil, notFound(id, code)
		}
		if !seen[id] {
			seen[id] = true
			out = append(out, e)
		}
	}
	return out, nil
}

// shaped refuses an id that is none of its kind ("Error codes for the Amazon
// EC2 API": InvalidInstanceID.Malformed and its kin).
func shaped(id, code string) error {
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
		return failf(malformed, "Invalid id: \"%s\" (expecting \"%s...\")", id, prefix)
	}
	return nil
}

// notFound is the error for a resource that does not exist, by kind.
func notFound(id, code string) error {
	what := map[string]string{
		"InvalidInstanceID.NotFound": "instance ID", "InvalidVolume.NotFound": "volume", "InvalidVpcID.NotFound": "vpc ID",
		"InvalidSubnetID.NotFound": "subnet ID", "InvalidGroup.NotFound": "security group", "InvalidKeyPair.NotFound": "key pair",
	}[code]
	if what == "" {
		what = "ID"
	}
	return failf(code, "The %s '%s' does not exist", what, id)
}

func dashed(ip string) string {
	b := []byte(ip)
	for i := range b {
		if b[i] == '.' {
			b[i] = '-'
		}
	}
	return string(b)
}

type xmlGroupRef struct {
	ID   string `xml:"groupId"`
	Name string `xml:"groupName"`
}
