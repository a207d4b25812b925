package database

import (
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// versions are the minor versions that a major version resolves to. RDS
// reports the whole version, never the short one that was asked for ("Creating
// an Amazon RDS DB instance": EngineVersion).
func versions(engine string) map[string]string {
	switch engine {
	case "postgres":
		return map[string]string{
			"18": "18.1", "17": "17.7", "16": "16.11", "15": "15.15", "14": "14.20", "13": "13.23",
			"": "17.7",
		}
	case "mysql":
		return map[string]string{"8.4": "8.4.7", "8.0": "8.0.44", "": "8.4.7"}
	case "mariadb":
		return map[string]string{"11.8": "11.8.5", "11.4": "11.4.9", "10.11": "10.11.15", "10.6": "10.6.24", "": "11.8.5"}
	case "oracle-se2", "oracle-ee":
		return map[string]string{"19": "19.0.0.0.ru-2025-10.rur-2025-10.r1", "": "19.0.0.0.ru-2025-10.rur-2025-10.r1"}
	case "sqlserver-ex", "sqlserver-web", "sqlserver-se", "sqlserver-ee":
		return map[string]string{"16.00": "16.00.4215.2.v1", "15.00": "15.00.4445.1.v1", "": "16.00.4215.2.v1"}
	}
	return nil
}

func engineVersion(engine, asked string) (string, error) {
	known := versions(engine)
	switch {
	case strings.HasPrefix(engine, "aurora"):
		return "", wire.Failf("InvalidParameterCombination",
			"The engine %s needs a DB cluster, which the sandbox does not support.", engine)
	case known == nil:
		return "", wire.Failf("InvalidParameterValue", "Invalid DB engine: %s", engine)
	}
	if full, ok := known[asked]; ok {
		return full, nil
	}
	for short := range known {
		if short != "" && strings.HasPrefix(asked, short+".") {
			return asked, nil
		}
	}
	return "", wire.Failf("InvalidParameterCombination", "Cannot find version %s for %s", asked, engine)
}

// major is the part of a version that upgrades cross only when they are
// allowed to.
func major(engine, version string) string {
	parts := strings.Split(version, ".")
	n := 2
	if engine == "postgres" || strings.HasPrefix(engine, "oracle") {
		n = 1
	}
	return strings.Join(parts[:min(n, len(parts))], ".")
}

type xmlEngineVersion struct {
	Engine, EngineVersion, DBParameterGroupFamily string
}

// describeEngineVersions lists the versions of an engine; a major version selects all of its
// minor ones (RDS API reference: DescribeDBEngineVersions).
func describeEngineVersions(x *core.Exchange) (any, error) {
	engine, asked := x.P.Str("Engine"), x.P.Str("EngineVersion")
	var out []xmlEngineVersion
	for short, full := range versions(engine) {
		if short != "" && strings.HasPrefix(asked, short+".") {
			full = asked
		}
		if short != "" && (asked == "" || asked == full || asked == short || strings.HasPrefix(short, asked+".")) {
			out = append(out, xmlEngineVersion{engine, full, engine + short})
		}
	}
	slices.SortFunc(out, func(a, b xmlEngineVersion) int { return strings.Compare(a.EngineVersion, b.EngineVersion) })
	return struct {
		Set []xmlEngineVersion `xml:"DBEngineVersions>DBEngineVersion"`
	}{out}, nil
}
