package database

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func rdsARN(x *core.Exchange, kind, id string) string {
	return "arn:aws:rds:" + x.Region + ":" + wire.Account + ":" + kind + ":" + id
}

type rdsTag struct {
	Key   string
	Value string
}

func rdsTagList(tags map[string]string) []rdsTag {
	out := make([]rdsTag, 0, len(tags))
	for _, t := range core.TagSet(tags) {
		out = append(out, rdsTag(t))
	}
	return out
}

func readRDSTags(p *wire.Params) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range p.Wrapped("Tags", "Tag") {
		tags[t.Str("Key")] = t.Str("Value")
	}
	return tags, core.CheckTags(tags)
}

// rdsResource finds what an ARN names ("Working with Amazon Resource Names in
// Amazon RDS").
func rdsResource(x *core.Exchange) (core.Entity, error) {
	arn := x.P.Str("ResourceName")
	if arn == "" {
		return nil, wire.Failf("MissingParameter", "The request must contain the parameter ResourceName.")
	}
	parts := strings.SplitN(arn, ":", 7)
	if len(parts) != 7 || parts[2] != "rds" || parts[3] != x.Region {
		return nil, wire.Failf("InvalidParameterValue", "Invalid resource name: %s", arn)
	}
	code := map[string]string{
		"db": "DBInstanceNotFound", "snapshot": "DBSnapshotNotFound",
		"subgrp": "DBSubnetGroupNotFoundFault", "pg": "DBParameterGroupNotFound",
	}[parts[5]]
	if code == "" {
		return nil, wire.Failf("InvalidParameterValue", "Unknown resource type: %s", parts[5])
	}
	e := x.Tx.St.Table(parts[5], x.Region).Get(parts[6])
	if e == nil || x.Tx.Unread(e) {
		return nil, wire.FailAs(404, code, "%s not found.", parts[6])
	}
	return e, nil
}

func rdsRetag(x *core.Exchange, change func(map[string]string)) (any, error) {
	e, err := rdsResource(x)
	if err != nil {
		return nil, err
	}
	return nil, x.ChangeTags(e, change)
}

// addRDSTags merges (RDS API reference: AddTagsToResource).
func addRDSTags(x *core.Exchange) (any, error) {
	tags, err := readRDSTags(x.P)
	if err != nil {
		return nil, err
	}
	return rdsRetag(x, func(have map[string]string) { maps.Copy(have, tags) })
}

func removeRDSTags(x *core.Exchange) (any, error) {
	keys := x.P.WrappedStrs("TagKeys", "member")
	return rdsRetag(x, func(have map[string]string) {
		for _, k := range keys {
			delete(have, k)
		}
	})
}

func listRDSTags(x *core.Exchange) (any, error) {
	e, err := rdsResource(x)
	if err != nil {
		return nil, err
	}
	return struct {
		Tags []rdsTag `xml:"TagList>Tag"`
	}{rdsTagList(e.Meta().Tags)}, nil
}

// rdsPage cuts a page as RDS does: MaxRecords from 20 to 100, 100 unless set
// otherwise (RDS API reference: DescribeDBInstances).
func rdsPage[T core.Entity](x *core.Exchange, list []T) ([]T, *string, error) {
	size, err := x.P.Num("MaxRecords", 100)
	if err != nil {
		return nil, nil, err
	}
	if size < 20 || size > 100 {
		return nil, nil, wire.Failf("InvalidParameterValue", "Invalid value %d for MaxRecords. Must be between 20 and 100",
			size)
	}
	rows, next, ok := core.Cut(list, x.P.Str("Marker"), size)
	if !ok {
		return nil, nil, wire.Failf("InvalidParameterValue", "The marker %q is not valid.", x.P.Str("Marker"))
	}
	if next == "" {
		return rows, nil, nil
	}
	return rows, &next, nil
}

// rdsFiltered knows the filters of RDS; there is none for tags.
func rdsFiltered[T core.Entity](x *core.Exchange, list []T, values func(T, string) ([]string, bool)) ([]T, error) {
	for _, f := range x.P.Wrapped("Filters", "Filter") {
		name, desired := f.Str("Name"), f.WrappedStrs("Values", "Value")
		if _, ok := values(core.Blank[T](), name); !ok {
			return nil, wire.Failf("InvalidParameterValue", "Unrecognized filter name: %s", name)
		}
		list = slices.DeleteFunc(list, func(e T) bool {
			got, _ := values(e, name)
			return !slices.ContainsFunc(got, func(g string) bool { return slices.Contains(desired, g) })
		})
	}
	return list, nil
}

func db(x *core.Exchange) (*database, error) {
	id := strings.ToLower(x.P.Str("DBInstanceIdentifier"))
	if id == "" {
		return nil, wire.Missing("DBInstanceIdentifier")
	}
	d, ok := core.Find[*database](x.Tx, x.Region, id)
	if !ok {
		return nil, wire.FailAs(404, "DBInstanceNotFound", "DBInstance %s not found.", id)
	}
	return d, nil
}
