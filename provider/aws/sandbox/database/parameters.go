package database

import (
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

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
		"max_connections": false, "shared_buffers": false, "log_min_duration_statement": true, "work_mem": true,
		"rds.force_ssl": true, "slow_query_log": true,
		"character_set_server": true, "innodb_buffer_pool_size": true,
	}
}

func paramGroupOf(x *core.Exchange) (*paramGroup, error) {
	name := strings.ToLower(x.P.Str("DBParameterGroupName"))
	g, ok := core.Find[*paramGroup](x.Tx, x.Region, name)
	if !ok {
		return nil, wire.FailAs(404, "DBParameterGroupNotFound", "DBParameterGroup not found: %s", name)
	}
	return g, nil
}

func createParams(x *core.Exchange) (any, error) {
	name := strings.ToLower(x.P.Str("DBParameterGroupName"))
	switch {
	case !dbName.MatchString(name) || len(name) > 255:
		return nil, wire.Failf("InvalidParameterValue", "The parameter DBParameterGroupName is not a valid identifier.")
	case x.P.Str("Description") == "":
		return nil, wire.Failf("InvalidParameterValue", "The parameter Description must be provided and must not be blank.")
	}
	if _, there := core.Find[*paramGroup](x.Tx, x.Region, name); there {
		return nil, wire.Failf("DBParameterGroupAlreadyExists", "Parameter group %s already exists", name)
	}
	tags, err := readRDSTags(x.P)
	if err != nil {
		return nil, err
	}
	g := &paramGroup{
		Base: x.Tx.Named(name, x.Region), Family: x.P.Str("DBParameterGroupFamily"),
		About: x.P.Str("Description"), ARN: rdsARN(x, "pg", name),
	}
	if !familyKnown(g.Family) {
		return nil, wire.Failf("InvalidParameterValue", "ParameterGroupFamily %s is not a valid parameter group family",
			g.Family)
	}
	g.Tags = tags
	x.Tx.Put(g)
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

func describeParamGroups(x *core.Exchange) (any, error) {
	rows := core.List[*paramGroup](x.Tx, x.Region)
	if x.P.Str("DBParameterGroupName") != "" {
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
func describeParams(x *core.Exchange) (any, error) {
	g, err := paramGroupOf(x)
	if err != nil {
		return nil, err
	}
	if size, err := x.P.Num("MaxRecords", 100); err != nil || size < 20 || size > 100 {
		return nil, wire.Failf("InvalidParameterValue", "Invalid value for MaxRecords. Must be between 20 and 100")
	}
	source := x.P.Str("Source")
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
func changeParams(x *core.Exchange, change func(set map[string]string, p *wire.Params)) (any, error) {
	g, err := paramGroupOf(x)
	if err != nil {
		return nil, err
	}
	all := x.P.Wrapped("Parameters", "Parameter")
	if len(all) == 0 || len(all) > 20 {
		return nil, wire.Failf("InvalidParameterValue", "One to 20 parameters can be changed in one request.")
	}
	n := *g
	if n.Set = maps.Clone(g.Set); n.Set == nil {
		n.Set = map[string]string{}
	}
	for _, p := range all {
		name := p.Str("ParameterName")
		dynamic, known := parameterKinds()[name]
		switch method := p.Str("ApplyMethod"); {
		case !known:
			return nil, wire.Failf("InvalidParameterValue", "Could not find parameter with name: %s", name)
		case method == "immediate" && !dynamic:
			return nil, wire.Failf("InvalidParameterCombination", "cannot use immediate apply method for static parameter")
		}
		change(n.Set, p)
	}
	x.Tx.Put(&n)
	return struct {
		Name string `xml:"DBParameterGroupName"`
	}{g.ID}, nil
}

func modifyParams(x *core.Exchange) (any, error) {
	return changeParams(x, func(set map[string]string, p *wire.Params) {
		set[p.Str("ParameterName")] = p.Str("ParameterValue")
	})
}

func resetParams(x *core.Exchange) (any, error) {
	x.P.Str("ResetAllParameters")
	return changeParams(x, func(set map[string]string, p *wire.Params) { delete(set, p.Str("ParameterName")) })
}

func deleteParams(x *core.Exchange) (any, error) {
	g, err := paramGroupOf(x)
	if err != nil {
		return nil, err
	}
	for _, d := range core.List[*database](x.Tx, x.Region) {
		if d.ParamGroup == g.ID {
			return nil, wire.Failf("InvalidDBParameterGroupState",
				"One or more database instances are still members of this parameter group %s, so the group cannot be deleted", g.ID)
		}
	}
	x.Tx.Drop(g)
	return nil, nil
}

// parametersOf refuses a group that does not exist, or is of another engine version.
func parametersOf(x *core.Exchange, d *database) error {
	if strings.HasPrefix(d.ParamGroup, "default.") {
		return nil
	}
	g, ok := core.Find[*paramGroup](x.Tx, x.Region, d.ParamGroup)
	if !ok {
		return wire.FailAs(404, "DBParameterGroupNotFound", "DBParameterGroup not found: %s", d.ParamGroup)
	}
	if family := d.Engine + major(d.Engine, d.Settings.Version); g.Family != family {
		return wire.Failf("InvalidParameterCombination",
			"The Parameter Group %s with DBParameterGroupFamily %s can't be used for this instance. Please use a Parameter "+
				"Group with DBParameterGroupFamily %s", g.ID, g.Family, family)
	}
	return nil
}
