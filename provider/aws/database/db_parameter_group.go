package database

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/rds/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindDBParameters is the kind db_parameter_group.
	KindDBParameters = "db_parameter_group"
	familyAttr       = "family"
	parametersAttr   = "parameters"
)

// parametersName is the form of names in AWS.
// Amazon RDS API Reference, CreateDBParameterGroup: "This value is stored as a lowercase string." A
// name with upper-case letters would never equal the observed one.
const parametersName = `[a-z](-?[a-z0-9])*`

func kindOfDBParameters() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindDBParameters,
			Doc: "The settings of databases of one engine version.\n\nIts name is its name in AWS, unless identifier sets " +
				"another. A database has it by `parameter_group: web`. A static parameter takes effect at the " +
				"next restart, which ovi does not trigger; other parameters take effect immediately.",
			NamePattern: parametersName, NameDoc: "lower-case letters, digits and single hyphens, starting with a " +
				"letter, at most 255 characters",
			Canonical: canonicalParameters, CrossCheck: api.CrossChecks(api.TagTraits{RDS: true}, namedDefault),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("DB parameter group", api.Identifier), HoldsDoc: api.HeldInRegion,
			Attrs: []resource.Attribute{
				api.IdentifierAttr(parametersName),
				{
					Name: familyAttr, Type: resource.TString, Required: true, Effect: resource.Replace,
					Pattern: `(postgres|mysql|mariadb)[0-9]+(\.[0-9]+)?`, Example: "postgres16",
					Doc: "The engine and its major version, such as postgres16, mysql8.4 or mariadb10.11.",
				},
				{
					Name: "description", Type: resource.TString, Effect: resource.Replace,
					HarmlessDefault: true, CreateDefault: resource.String("Managed by ovi"),
					Min: api.Bound(1), Max: api.Bound(255), Example: "of the shop",
					Doc: "A description. AWS cannot change it later.",
				},
				{
					Name: parametersAttr, Type: resource.TMap,
					HarmlessDefault: true, Default: resource.Attrs{}, Example: "{max_connections: \"200\"}",
					Doc: "The parameters that differ from the engine's defaults. ovi resets a parameter that was " +
						"set outside ovi to its default.",
				},
			},
		},
		List: listDBParameters, Read: readDBParameters, Tag: tagDBParameters, Check: checkDBParameters,
		Create: createDBParameters, Update: updateDBParameters, Remove: deleteDBParameters,
		Calls: api.Calls{
			Service:  "rds",
			Observes: "DescribeDBInstances DescribeDBParameterGroups DescribeDBParameters ListTagsForResource",
			Creates:  "AddTagsToResource CreateDBParameterGroup",
			Changes:  "AddTagsToResource ModifyDBParameterGroup RemoveTagsFromResource ResetDBParameterGroup",
			Deletes:  "DeleteDBParameterGroup",
		},
	}
}

// canonicalParameters: names are in lower case, as AWS reports them.
// Otherwise setDBParameters would set a parameter under one spelling and reset it under the other.
func canonicalParameters(a resource.Attrs) (resource.Attrs, []resource.Problem) {
	v, _ := a.Get(parametersAttr)
	m, ok := v.(resource.Attrs)
	if !ok {
		return a, nil
	}
	out := map[string]resource.Value{}
	for _, p := range m {
		out[strings.ToLower(p.Name)] = p.Value
	}
	return a.With(parametersAttr, resource.AttrsOf(out)), nil
}

// dbParameterGroups returns the group of a name or, if the name is empty, all groups, from all
// pages.
func dbParameterGroups(ctx context.Context, g *api.Region, name string) ([]types.DBParameterGroup, error) {
	return api.Pages(ctx, "rds.DescribeDBParameterGroups",
		func(ctx context.Context, token *string) ([]types.DBParameterGroup, *string, error) {
			in := &rds.DescribeDBParameterGroupsInput{MaxRecords: aws.Int32(api.RDSPage), Marker: token}
			if name != "" {
				in = &rds.DescribeDBParameterGroupsInput{DBParameterGroupName: aws.String(name)}
			}
			out, err := g.RDS.DescribeDBParameterGroups(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return out.DBParameterGroups, out.Marker, nil
		})
}

// dbParameters are those that a user has set. Source "user" excludes the defaults of the engine,
// which the configuration does not own and which differ from version to version.
func dbParameters(ctx context.Context, g *api.Region, name string) (map[string]types.Parameter, error) {
	all, err := api.Pages(ctx, "rds.DescribeDBParameters",
		func(ctx context.Context, token *string) ([]types.Parameter, *string, error) {
			out, err := g.RDS.DescribeDBParameters(ctx, &rds.DescribeDBParametersInput{
				DBParameterGroupName: aws.String(name), Source: aws.String("user"), MaxRecords: aws.Int32(api.RDSPage),
				Marker: token,
			})
			if err != nil {
				return nil, nil, err
			}
			return out.Parameters, out.Marker, nil
		})
	out := map[string]types.Parameter{}
	for _, p := range all {
		out[aws.ToString(p.ParameterName)] = p
	}
	return out, err
}

// observedDBParameters reads the tags too, and of a managed one the parameters, which take calls of their own.
// If whole is set, the parameters of an unmanaged group are read as well.
func observedDBParameters(ctx context.Context, g *api.Region, s types.DBParameterGroup, whole bool) (resource.Observed,
	error,
) {
	o := resource.Observed{
		ID: aws.ToString(s.DBParameterGroupName), UID: aws.ToString(s.DBParameterGroupArn),
		Health: resource.Healthy,
	}
	tags, err := g.RDS.ListTagsForResource(ctx, &rds.ListTagsForResourceInput{ResourceName: s.DBParameterGroupArn})
	if err != nil {
		return o, api.Classify("", err)
	}
	a := api.Attrs{}
	a.Text(familyAttr, s.DBParameterGroupFamily)
	a.Text("description", s.Description)
	own := rdsTagMap(tags.TagList)
	if whole || own[api.TagManaged] == "true" {
		set, err := dbParameters(ctx, g, o.ID)
		if err != nil {
			return o, err
		}
		m := api.Attrs{}
		for name, p := range set {
			if p.ParameterValue != nil {
				m[name] = resource.String(*p.ParameterValue)
			}
		}
		a[parametersAttr] = m.Build()
	}
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, KindDBParameters, o.ID, own)
	if strings.HasPrefix(o.ID, "default.") {
		o.Message = resource.ProviderDefault
	}
	return o, nil
}

// listDBParameters reads parameters only of managed groups: each group takes at least one call
// more, and an unmanaged group is only reported.
// If one existing group cannot be read, the list fails: in an incomplete list, groups would count as
// missing.
func listDBParameters(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := dbParameterGroups(ctx, s.Region, "")
	if err != nil {
		return nil, err
	}
	out := make([]resource.Observed, 0, len(all))
	for _, group := range all {
		o, err := observedDBParameters(ctx, s.Region, group, false)
		if api.Absent(err) {
			continue // it was deleted between the two calls
		}
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// readDBParameters returns one group with the parameters that a user has set, even if the group is
// unmanaged. A group that does not exist is an error that is absent.
func readDBParameters(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	all, err := dbParameterGroups(ctx, g, id)
	s, err := api.Only(all, err, "rds.DescribeDBParameterGroups", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedDBParameters(ctx, g, s, true)
}

// tagDBParameters finds the ARN, by which RDS tags.
func tagDBParameters(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	all, err := dbParameterGroups(ctx, g, id)
	s, err := api.Only(all, err, "rds.DescribeDBParameterGroups", id)
	if err != nil {
		return err
	}
	return tagByARN(ctx, g, s.DBParameterGroupArn, set, drop)
}

// checkDBParameters reports a name that is taken. RDS has no dry run.
func checkDBParameters(ctx context.Context, g *api.Region, r provider.Request) error {
	if r.Have.ID != "" {
		return nil
	}
	o, err := readDBParameters(ctx, g, api.Named(&r.Desired))
	switch {
	case api.Absent(err):
		return nil
	case err != nil:
		return err
	}
	return api.Taken(o, r)
}

// createDBParameters relies on the name, as createDBSubnets does. A group that is created has no parameters yet: they
// are set by calls of their own, which are repeated until they were made.
// If an attempt ends before all parameters are set, the next one recognizes the group by its key
// and sets the rest.
func createDBParameters(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name := api.Named(&r.Desired)
	_, err := g.RDS.CreateDBParameterGroup(ctx, &rds.CreateDBParameterGroupInput{
		DBParameterGroupName: aws.String(name), DBParameterGroupFamily: api.DesiredText(r.Desired.Attrs, familyAttr),
		Description: api.DesiredText(r.Desired.Attrs, "description"), Tags: rdsTags(g.BirthTags(r, false)),
	})
	if err = api.Classify("", err); api.HasCode(err, "DBParameterGroupAlreadyExists",
		"DBParameterGroupAlreadyExistsFault") {
		err = api.UnlessOwn(ctx, g, r, api.Named(&r.Desired), err, readDBParameters)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return setDBParameters(ctx, g, name, r.Desired.Attrs)
}

// updateDBParameters compares with the live parameters, so a repeated update sets only the
// parameters that differ.
func updateDBParameters(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	if !api.Changed(r, parametersAttr) {
		return readDBParameters(ctx, g, r.Have.ID)
	}
	return setDBParameters(ctx, g, r.Have.ID, r.Desired.Attrs)
}

// parametersAtOnce is how many parameters one call sets.
const parametersAtOnce = 20

// setDBParameters brings the parameters to the configuration. A static one waits for a restart of
// the database. Amazon RDS API Reference, ModifyDBParameterGroup: "A maximum of 20 parameters can
// be modified in a single request". An interruption leaves some of them set; the next attempt sets
// the rest.
func setDBParameters(ctx context.Context, g *api.Region, name string, want resource.Attrs) (o resource.Observed,
	err error,
) {
	var have map[string]types.Parameter
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the parameter group "+name, func(ctx context.Context) error {
		have, err = dbParameters(ctx, g, name)
		return err
	})
	if err != nil {
		return o, err
	}
	v, _ := want.Get(parametersAttr)
	m, _ := v.(resource.Attrs)
	var more, less []types.Parameter
	// ModifyDBParameterGroup: "You can use the pending-reboot value for both dynamic and static
	// parameters." applyMethods changes it for dynamic ones.
	for _, p := range m {
		if now, set := have[p.Name]; !set || aws.ToString(now.ParameterValue) != api.Plain(p.Value) {
			more = append(more, types.Parameter{
				ParameterName:  aws.String(p.Name),
				ParameterValue: aws.String(api.Plain(p.Value)), ApplyMethod: types.ApplyMethodPendingReboot,
			})
		}
	}
	for _, n := range slices.Sorted(maps.Keys(have)) {
		if _, set := m.Get(n); !set {
			less = append(less, types.Parameter{ParameterName: aws.String(n), ApplyMethod: types.ApplyMethodPendingReboot})
		}
	}
	if err := applyMethods(ctx, g, name, more, less); err != nil {
		return o, err
	}
	for some := range slices.Chunk(more, parametersAtOnce) {
		err := parameterCall(ctx, g, func() error {
			_, err := g.RDS.ModifyDBParameterGroup(ctx,
				&rds.ModifyDBParameterGroupInput{DBParameterGroupName: aws.String(name), Parameters: some})
			return err
		})
		if err != nil {
			return o, err
		}
	}
	for some := range slices.Chunk(less, parametersAtOnce) {
		err := parameterCall(ctx, g, func() error {
			_, err := g.RDS.ResetDBParameterGroup(ctx,
				&rds.ResetDBParameterGroupInput{
					DBParameterGroupName: aws.String(name), Parameters: some,
					ResetAllParameters: aws.Bool(false),
				})
			return err
		})
		if err != nil {
			return o, err
		}
	}
	return readDBParameters(ctx, g, name)
}

// applyMethods sets how a parameter takes effect: at once where it is dynamic, which only the
// group's own list tells. Amazon RDS API Reference, ModifyDBParameterGroup: "You can use the
// immediate value with dynamic parameters only"; a static parameter with it would make the whole
// request fail.
func applyMethods(ctx context.Context, g *api.Region, name string, lists ...[]types.Parameter) error {
	dynamic := map[string]bool{}
	if len(slices.Concat(lists...)) == 0 {
		return nil
	}
	all, err := api.Pages(ctx, "rds.DescribeDBParameters",
		func(ctx context.Context, token *string) ([]types.Parameter, *string, error) {
			out, err := g.RDS.DescribeDBParameters(ctx,
				&rds.DescribeDBParametersInput{
					DBParameterGroupName: aws.String(name), MaxRecords: aws.Int32(api.RDSPage),
					Marker: token,
				})
			if err != nil {
				return nil, nil, err
			}
			return out.Parameters, out.Marker, nil
		})
	for _, p := range all {
		dynamic[aws.ToString(p.ParameterName)] = aws.ToString(p.ApplyType) == "dynamic"
	}
	for _, list := range lists {
		for i := range list {
			if dynamic[aws.ToString(list[i].ParameterName)] {
				list[i].ApplyMethod = types.ApplyMethodImmediate
			}
		}
	}
	return err
}

// parameterCall waits while the group is being changed.
// Each call sets or resets absolute values, so the SDK and a later attempt may repeat it.
func parameterCall(ctx context.Context, g *api.Region, order func() error) error {
	return g.Patiently(ctx, g.Wait.Free, func() error { return api.Classify("", order()) }, "InvalidDBParameterGroupState",
		"InvalidDBParameterGroupStateFault")
}

// Amazon RDS API Reference, DeleteDBParameterGroup: the group "can't be associated with any DB
// instances". A database that is being deleted still counts, so that the refusal is waited for.
func deleteDBParameters(ctx context.Context, g *api.Region, r provider.Request) error {
	id := r.Have.ID
	return g.DeleteHeld(ctx, id, func() error {
		_, err := g.RDS.DeleteDBParameterGroup(ctx, &rds.DeleteDBParameterGroupInput{DBParameterGroupName: aws.String(id)})
		return err
	}, func() ([]api.Holder, error) {
		all, err := databases(ctx, g)
		var held []api.Holder
		for _, d := range all {
			for _, s := range d.DBParameterGroups {
				if strings.EqualFold(aws.ToString(s.DBParameterGroupName), id) {
					held = append(held, api.Holder{Name: api.NameID(observedDB(g, d)), Service: deleting(d)})
				}
			}
		}
		return held, err
	}, "InvalidDBParameterGroupState", "InvalidDBParameterGroupStateFault")
}
