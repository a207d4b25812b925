package keys

import (
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

var aliasForm = wire.Late(`^alias/[a-zA-Z0-9/_-]{1,250}$`)

func alias(x *core.Exchange) (name string, to *kmsKey, err error) {
	var in struct{ AliasName, TargetKeyID string }
	if err := x.Body(&in); err != nil {
		return "", nil, err
	}
	switch {
	case !aliasForm.MatchString(in.AliasName):
		return "", nil, wire.Failf("InvalidAliasNameException", "Alias must start with the prefix \"alias/\": %s", in.AliasName)
	case strings.HasPrefix(in.AliasName, "alias/aws/"):
		return "", nil, wire.Failf("InvalidAliasNameException", "Alias must not start with \"alias/aws/\"")
	case x.Action == "DeleteAlias":
		return in.AliasName, nil, nil
	}
	to, err = KMSKeyAt(x, in.TargetKeyID)
	if err == nil && !to.Deleted.IsZero() {
		err = wire.Failf("KMSInvalidStateException", "%s is pending deletion.", KeyARN(x, to.ID))
	}
	return in.AliasName, to, err
}

func createAlias(x *core.Exchange) (any, error) {
	name, to, err := alias(x)
	if err != nil {
		return nil, err
	}
	if a, there := core.Find[*KMSAlias](x.Tx, x.Region, name); there {
		if _, alive := core.Find[*kmsKey](x.Tx, x.Region, a.Key); alive {
			return nil, wire.Failf("AlreadyExistsException", "An alias with the name %s already exists", name)
		}
	}
	x.Tx.Put(&KMSAlias{Base: x.Tx.Named(name, x.Region), Key: to.ID})
	return struct{}{}, nil
}

func updateAlias(x *core.Exchange) (any, error) {
	name, to, err := alias(x)
	if err != nil {
		return nil, err
	}
	a, there := core.Find[*KMSAlias](x.Tx, x.Region, name)
	if !there {
		return nil, wire.Failf("NotFoundException", "Alias %s is not found.", name)
	}
	n := *a
	n.Key = to.ID
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func deleteAlias(x *core.Exchange) (any, error) {
	name, _, err := alias(x)
	if err != nil {
		return nil, err
	}
	a, there := core.Find[*KMSAlias](x.Tx, x.Region, name)
	if !there {
		return nil, wire.Failf("NotFoundException", "Alias %s is not found.", name)
	}
	x.Tx.Drop(a)
	return struct{}{}, nil
}

func listAliases(x *core.Exchange) (any, error) {
	var in struct {
		KeyID string
		jsonList
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if in.KeyID != "" {
		if _, err := KMSKeyAt(x, in.KeyID); err != nil {
			return nil, err
		}
	}
	var all []*KMSAlias
	for _, a := range core.List[*KMSAlias](x.Tx, x.Region) {
		if _, alive := core.Find[*kmsKey](x.Tx, x.Region, a.Key); alive && (in.KeyID == "" || a.Key == in.KeyID) {
			all = append(all, a)
		}
	}
	const most = 50
	rows, next, err := core.JSONPage(all, in.Marker, in.Limit, most, wire.Failf("InvalidMarkerException", "The marker is not valid."))
	if err != nil {
		return nil, err
	}
	type row struct{ AliasName, TargetKeyId string }
	out := []row{}
	for _, a := range rows {
		out = append(out, row{a.ID, a.Key})
	}
	return struct {
		Aliases    []row
		NextMarker *string `json:",omitempty"`
		Truncated  bool
	}{out, next, next != nil}, nil
}
