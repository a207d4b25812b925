package awsfake

import (
	"maps"
	"slices"
	"strings"
)

func parameterActions() map[string]handler {
	return map[string]handler{
		"CreateDBParameterGroup": createParams, "DescribeDBParameterGroups": describeParamGroups, "DescribeDBParameters": describeParams,
		"ModifyDBParameterGroup": modifyParams, "ResetDBParameterGroup": resetParams, "DeleteDBParameterGroup": deleteParams,
	}
}

type xmlParamGroup struct {
	Name   string `xml:"DBParameterGroupName"`
	Family string `xml:"DBParameterGroupFamily"`
	About  string `xml:"Description"`
	ARN    string `xml:"DBParameterGroupArn"`
}

func viewParamGroup(g *paramGroup) xmlParamGroup {
	return xmlParamGroup{g.ID, g.Family, g.About, g.ARN}
}

// parameterKinds are some of the parameters of all engines, and whether they are dynamic.
func parameterKinds() map[string]bool {
	return map[string]bool{
		"max_connections": false, "shared_buffers": false, "log_min_duration_statement": true, "work_mem": true, "rds.force_ssl": true, "slow_query_log": true,
		"character_set_server": true, "innodb_buffer_pool_size": true,
	}
}

func paramGroupOf(x *exchange) (*paramGroup, error) {
	name := strings.ToLower(x.p.str("DBParameterGroupName"))
	g, ok := find[*paramGroup](x.tx, x.Region, name)
	if !ok {
		return nil, failAs(404, "DBParameterGroupNotFound", "DBParameterGroup not found: %s", name)
	}
	return g, nil
}

func createParams(x *exchange) (any, error) {
	name := strings.ToLower(x.p.str("DBParameterGroupName"))
	switch {
	case !dbName.MatchString(name) || len(name) > 255:
		return nil, failf("InvalidParameterValue", "The parameter DBParameterGroupName is not a valid identifier.")
	case x.p.str("Description") == "":
		return nil, failf("InvalidParameterValue", "The parameter Description must be provided and must not be blank.")
	}
	if _, there := find[*paramGroup](x.tx, x.Region, name); there {
		return nil, failf("DBParameterGroupAlreadyExists", "Parameter group %s already exists", name)
	}
	tags, err := readRDSTags(x.p)
	if err != nil {
		return nil, err
	}
	g := &paramGroup{base: x.tx.named(name, x.Region), Family: x.p.str("DBParameterGroupFamily"), About: x.p.str("Description"), ARN: rdsARN(x, "pg", name)}
	if !familyKnown(g.Family) {
		return nil, failf("InvalidParameterValue", "ParameterGroupFamily %s is not a valid parameter group family", g.Family)
	}
	g.Tags = tags
	x.tx.put(g)
	return struct {
		Group xmlParamGroup `xml:"DBParameterGroup"`
	}{viewParamGroup(g)}, nil
}

func familyKnown(family string) bool {
	for _, engine := range []string{"postgres", "mysql", "mariadb"} {
		if version, ok := strings.CutPrefix(family, engine); ok {
			_, known := versions(engine)[version]
			return known && version != ""
		}
	}
	return false
}

func describeParamGroups(x *exchange) (any, error) {
	rows := list[*paramGroup](x.tx, x.Region)
	if x.p.str("DBParameterGroupName") != "" {
		g, err := paramGroupOf(x)
		if err != nil {
			return nil, err
		}
		rows = []*paramGroup{g}
	}
	page, next, err := rdsPage(x, rows)
	if err != nil {
		return nil, err
	}
	var out []xmlParamGroup
	for _, g := range page {
		out = append(out, viewParamGroup(g))
	}
	return struct {
		Marker *string
		Set    []xmlParamGroup `xml:"DBParameterGroups>DBParameterGroup"`
	}{next, out}, nil
}

type xmlParameter struct {
	Name   string  `xml:"ParameterName"`
	Value  *string `xml:"ParameterValue,omitempty"`
	Source string
	Type   string `xml:"ApplyType"`
}

// describeParams lists those of one source, or all (RDS API reference: DescribeDBParameters).
func describeParams(x *exchange) (any, error) {
	g, err := paramGroupOf(x)
	if err != nil {
		return nil, err
	}
	if size, err := x.p.num("MaxRecords", 100); err != nil || size < 20 || size > 100 {
		return nil, failf("InvalidParameterValue", "Invalid value for MaxRecords. Must be between 20 and 100")
	}
	source := x.p.str("Source")
	out := []xmlParameter{}
	known := parameterKinds()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		p := xmlParameter{Name: name, Source: "engine-default", Type: "static"}
		if known[name] {
			p.Type = "dynamic"
		}
		if v, set := g.Set[name]; set {
			p.Value, p.Source = &v, "user"
		}
		if source == "" || source == p.Source {
			out = append(out, p)
		}
	}
	return struct {
		Set []xmlParameter `xml:"Parameters>Parameter"`
	}{out}, nil
}

// changeParams changes 20 parameters at most, and none if one is refused: a static one takes effect at a restart only
// (RDS API reference: ModifyDBParameterGroup).
func changeParams(x *exchange, change func(set map[string]string, p *params)) (any, error) {
	g, err := paramGroupOf(x)
	if err != nil {
		return nil, err
	}
	all := x.p.wrapped("Parameters", "Parameter")
	if len(all) == 0 || len(all) > 20 {
		return nil, failf("InvalidParameterValue", "One to 20 parameters can be changed in one request.")
	}
	n := *g
	if n.Set = maps.Clone(g.Set); n.Set == nil {
		n.Set = map[string]string{}
	}
	for _, p := range all {
		name := p.str("ParameterName")
		dynamic, known := parameterKinds()[name]
		switch method := p.str("ApplyMethod"); {
		case !known:
			return nil, failf("InvalidParameterValue", "Could not find parameter with name: %s", name)
		case method == "immediate" && !dynamic:
			return nil, failf("InvalidParameterCombination", "cannot use immediate apply method for static parameter")
		}
		change(n.Set, p)
	}
	x.tx.put(&n)
	return struct {
		Name string `xml:"DBParameterGroupName"`
	}{g.ID}, nil
}

func modifyParams(x *exchange) (any, error) {
	return changeParams(x, func(set map[string]string, p *params) { set[p.str("ParameterName")] = p.str("ParameterValue") })
}

func resetParams(x *exchange) (any, error) {
	x.p.str("ResetAllParameters")
	return changeParams(x, func(set map[string]string, p *params) { delete(set, p.str("ParameterName")) })
}

func deleteParams(x *exchange) (any, error) {
	g, err := paramGroupOf(x)
	if err != nil {
		return nil, err
	}
	for _, d := range list[*database](x.tx, x.Region) {
		if d.ParamGroup == g.ID {
			return nil, failf("InvalidDBParameterGroupState", "One or more database instances are still members of this parameter group %s, so the group cannot be deleted", g.ID)
		}
	}
	x.tx.drop(g)
	return nil, nil
}

// parametersOf refuses a group that does not exist, or is of another engine version.
func parametersOf(x *exchange, d *database) error {
	if strings.HasPrefix(d.ParamGroup, "default.") {
		return nil
	}
	g, ok := find[*paramGroup](x.tx, x.Region, d.ParamGroup)
	if !ok {
		return failAs(404, "DBParameterGroupNotFound", "DBParameterGroup not found: %s", d.ParamGroup)
	}
	if family := d.Engine + major(d.Engine, d.Settings.Version); g.Family != family {
		return failf("InvalidParameterCombination", "The Parameter Group %s with DBParameterGroupFamily %s can't be used for this instance. Please use a Parameter Group with DBParameterGroupFamily %s", g.ID, g.Family, family)
	}
	return nil
}
