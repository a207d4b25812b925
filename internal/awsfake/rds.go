package awsfake

import (
	"maps"
	"slices"
	"strings"
)

func rdsARN(x *exchange, kind, id string) string {
	return "arn:aws:rds:" + x.Region + ":" + Account + ":" + kind + ":" + id
}

type rdsTag struct {
	Key   string
	Value string
}

func rdsTagList(tags map[string]string) []rdsTag {
	out := make([]rdsTag, 0, len(tags))
	for _, t := range tagSet(tags) {
		out = append(out, rdsTag(t))
	}
	return out
}

func readRDSTags(p *params) (map[string]string, error) {
	tags := map[string]string{}
	for _, t := range p.wrapped("Tags", "Tag") {
		tags[t.str("Key")] = t.str("Value")
	}
	return tags, checkTags(tags)
}

// rdsResource finds what an ARN names ("Working with Amazon Resource Names in
// Amazon RDS").
func rdsResource(x *exchange) (entity, error) {
	arn := x.p.str("ResourceName")
	if arn == "" {
		return nil, failf("MissingParameter", "The request must contain the parameter ResourceName.")
	}
	parts := strings.SplitN(arn, ":", 7)
	if len(parts) != 7 || parts[2] != "rds" || parts[3] != x.Region {
		return nil, failf("InvalidParameterValue", "Invalid resource name: %s", arn)
	}
	code := map[string]string{"db": "DBInstanceNotFound", "snapshot": "DBSnapshotNotFound", "subgrp": "DBSubnetGroupNotFoundFault", "pg": "DBParameterGroupNotFound"}[parts[5]]
	if code == "" {
		return nil, failf("InvalidParameterValue", "Unknown resource type: %s", parts[5])
	}
	e := x.tx.st.table(parts[5], x.Region).get(parts[6])
	if e == nil || x.tx.unread(e) {
		return nil, failAs(404, code, "%s not found.", parts[6])
	}
	return e, nil
}

func rdsRetag(x *exchange, change func(map[string]string)) (any, error) {
	e, err := rdsResource(x)
	if err != nil {
		return nil, err
	}
	return nil, x.changeTags(e, change)
}

// addRDSTags merges (RDS API reference: AddTagsToResource).
func addRDSTags(x *exchange) (any, error) {
	tags, err := readRDSTags(x.p)
	if err != nil {
		return nil, err
	}
	return rdsRetag(x, func(have map[string]string) { maps.Copy(have, tags) })
}

func removeRDSTags(x *exchange) (any, error) {
	keys := x.p.wrappedStrs("TagKeys", "member")
	return rdsRetag(x, func(have map[string]string) {
		for _, k := range keys {
			delete(have, k)
		}
	})
}

func listRDSTags(x *exchange) (any, error) {
	e, err := rdsResource(x)
	if err != nil {
		return nil, err
	}
	return struct {
		Tags []rdsTag `xml:"TagList>Tag"`
	}{rdsTagList(e.meta().Tags)}, nil
}

// rdsPage cuts a page as RDS does: MaxRecords from 20 to 100, 100 unless set
// otherwise (RDS API reference: DescribeDBInstances).
func rdsPage[T entity](x *exchange, list []T) ([]T, *string, error) {
	size, err := x.p.num("MaxRecords", 100)
	if err != nil {
		return nil, nil, err
	}
	if size < 20 || size > 100 {
		return nil, nil, failf("InvalidParameterValue", "Invalid value %d for MaxRecords. Must be between 20 and 100", size)
	}
	rows, next, ok := cut(list, x.p.str("Marker"), size)
	if !ok {
		return nil, nil, failf("InvalidParameterValue", "The marker %q is not valid.", x.p.str("Marker"))
	}
	if next == "" {
		return rows, nil, nil
	}
	return rows, &next, nil
}

// rdsFiltered knows the filters of RDS; there is none for tags.
func rdsFiltered[T entity](x *exchange, list []T, values func(T, string) ([]string, bool)) ([]T, error) {
	for _, f := range x.p.wrapped("Filters", "Filter") {
		name, desired := f.str("Name"), f.wrappedStrs("Values", "Value")
		if _, ok := values(blank[T](), name); !ok {
			return nil, failf("InvalidParameterValue", "Unrecognized filter name: %s", name)
		}
		list = slices.DeleteFunc(list, func(e T) bool {
			got, _ := values(e, name)
			return !slices.ContainsFunc(got, func(g string) bool { return slices.Contains(desired, g) })
		})
	}
	return list, nil
}
