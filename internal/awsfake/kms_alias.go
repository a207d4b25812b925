package awsfake

import (
	"strings"
)

var aliasForm = late(`^alias/[a-zA-Z0-9/_-]{1,250}$`)

func alias(x *exchange) (name string, to *kmsKey, err error) {
	var in struct{ AliasName, TargetKeyID string }
	if err := x.body(&in); err != nil {
		return "", nil, err
	}
	switch {
	case !aliasForm.MatchString(in.AliasName):
		return "", nil, failf("InvalidAliasNameException", "Alias must start with the prefix \"alias/\": %s", in.AliasName)
	case strings.HasPrefix(in.AliasName, "alias/aws/"):
		return "", nil, failf("InvalidAliasNameException", "Alias must not start with \"alias/aws/\"")
	case x.Action == "DeleteAlias":
		return in.AliasName, nil, nil
	}
	to, err = kmsKeyAt(x, in.TargetKeyID)
	if err == nil && !to.Deleted.IsZero() {
		err = failf("KMSInvalidStateException", "%s is pending deletion.", keyARN(x, to.ID))
	}
	return in.AliasName, to, err
}

func createAlias(x *exchange) (any, error) {
	name, to, err := alias(x)
	if err != nil {
		return nil, err
	}
	if a, there := find[*kmsAlias](x.tx, x.Region, name); there {
		if _, alive := find[*kmsKey](x.tx, x.Region, a.Key); alive {
			return nil, failf("AlreadyExistsException", "An alias with the name %s already exists", name)
		}
	}
	x.tx.put(&kmsAlias{base: x.tx.named(name, x.Region), Key: to.ID})
	return struct{}{}, nil
}

func updateAlias(x *exchange) (any, error) {
	name, to, err := alias(x)
	if err != nil {
		return nil, err
	}
	a, there := find[*kmsAlias](x.tx, x.Region, name)
	if !there {
		return nil, failf("NotFoundException", "Alias %s is not found.", name)
	}
	n := *a
	n.Key = to.ID
	x.tx.put(&n)
	return struct{}{}, nil
}

func deleteAlias(x *exchange) (any, error) {
	name, _, err := alias(x)
	if err != nil {
		return nil, err
	}
	a, there := find[*kmsAlias](x.tx, x.Region, name)
	if !there {
		return nil, failf("NotFoundException", "Alias %s is not found.", name)
	}
	x.tx.drop(a)
	return struct{}{}, nil
}

func listAliases(x *exchange) (any, error) {
	var in struct {
		KeyID string
		jsonList
	}
	if err := x.body(&in); err != nil {
		return nil, err
	}
	if in.KeyID != "" {
		if _, err := kmsKeyAt(x, in.KeyID); err != nil {
			return nil, err
		}
	}
	var all []*kmsAlias
	for _, a := range list[*kmsAlias](x.tx, x.Region) {
		if _, alive := find[*kmsKey](x.tx, x.Region, a.Key); alive && (in.KeyID == "" || a.Key == in.KeyID) {
			all = append(all, a)
		}
	}
	const most = 50
	rows, next, err := jsonPage(all, in.Marker, in.Limit, most, failf("InvalidMarkerException", "The marker is not valid."))
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
