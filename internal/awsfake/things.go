package awsfake

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Resource is one resource of the sandbox, as a listing shows it. Kind is the
// word that ovi uses for it.
type Resource struct {
	Region  string            `json:"region"`
	Kind    string            `json:"kind"` // vpc, subnet, security_group, ec2, ebs, rds, s3
	ID      string            `json:"id"`
	Name    string            `json:"name,omitempty"` // the tag Name, or the name it was created with
	Ref     string            `json:"ref,omitempty"`  // the tag ovi:ref
	State   string            `json:"state"`
	Size    string            `json:"size,omitempty"`
	Default bool              `json:"default,omitempty"` // came with the account
	Tags    map[string]string `json:"tags,omitempty"`
}

// Resources lists all resources in every region that was ever changed: by region,
// then kind, then age. Terminated instances are listed until they age out.
func (c *Cloud) Resources() ([]Resource, error) {
	var out []Resource
	err := c.do(func(t *tx) error {
		for _, kind := range []string{kindVPC, kindSubnet, kindGroup, kindInternetGateway, kindAddress, kindNAT, kindRouteTable, kindInterface, kindInstance, kindVolume, kindSubnetGroup, kindDatabase, kindBucket, kindKey, kindRole, kindTemplate, kindTargets, kindBalancer, kindListener, kindScaling, kindZone, kindRecord, kindEndpoint, kindParamGroup, kindLogs, kindKMS, kindKept, kindCertificate} {
			for _, region := range slices.Sorted(maps.Keys(t.st.tables[kind])) {
				for _, e := range t.st.table(kind, region).rows() {
					if e != nil && !t.unread(e) {
						out = append(out, describe(t, e))
					}
				}
			}
		}
		return nil
	})
	slices.SortStableFunc(out, func(a, b Resource) int { return cmp.Compare(a.Region, b.Region) })
	return out, err
}

func describe(t *tx, e entity) Resource {
	m := e.meta()
	out := Resource{Region: m.Region, Kind: kindWord(e.kind()), ID: m.ID, Name: m.Tags["Name"], Ref: m.Tags["ovi:ref"], State: "available", Tags: maps.Clone(m.Tags)}
	switch v := e.(type) {
	case *vpc:
		out.State, out.Size, out.Default = v.Life.at(t.now), v.CIDR, v.Default
	case *subnet:
		out.State, out.Size, out.Default = v.Life.at(t.now), v.CIDR, v.Default
	case *securityGroup:
		out.Name, out.Default, out.Size = cmp.Or(out.Name, v.Name), v.Name == "default", strconv.Itoa(len(v.Rules))+" rules"
	case *instance:
		out.State, out.Size = v.Life.at(t.now), v.Type
	case *volume:
		out.State, out.Size = v.status(t.now), strconv.Itoa(v.Size)+" GiB"
	case *database:
		out.State, out.Size, out.Name = v.Life.at(t.now), v.at(t.now).Settings.Class, v.ID
	case *internetGateway:
		out.Default = isDefault(t, m.Region, v.VPC)
	case *address:
		out.Size = v.IP
	case *natGateway:
		out.State = v.Life.at(t.now)
	case *routeTable:
		out.Default, out.Size = v.Main, strconv.Itoa(len(v.Routes))+" routes"
	case *subnetGroup:
		out.Name, out.Size, out.Default = v.ID, strconv.Itoa(len(v.Subnets))+" subnets", v.ID == "default"
	case *keyPair:
		out.Name, out.Size = v.ID, v.Type
	case *launchTemplate:
		out.Name, out.Size = v.Name, "version "+itoa(v.Default)
	case *scalingGroup:
		out.Name, out.Size = v.ID, itoa(v.Desired)+" instances"
	case *loadBalancer:
		out.Name, out.State, out.Size = v.Name, v.Life.at(t.now), v.Type
	case *targetGroup:
		out.Name, out.Size = v.Name, v.Protocol+" "+itoa(v.Port)
	case *listener:
		out.Size = v.Protocol + " " + itoa(v.Port)
	case *role:
		out.Name, out.Size = v.ID, strconv.Itoa(len(v.Inline)+len(v.Attached))+" policies"
	case *hostedZone:
		out.Name = strings.TrimSuffix(v.Domain, ".")
	case *recordSet:
		out.Name, out.Size, out.Default = strings.TrimSuffix(v.Name, "."), v.Type, v.Type == "SOA" || v.Type == "NS"
	case *bucket:
		out.Region, out.Name = v.Home, v.ID
	}
	describeOther(t, e, &out)
	return out
}

// describeOther is describe for what keeps logs, keys and secrets, and for parts of networks and databases.
func describeOther(t *tx, e entity, out *Resource) {
	switch v := e.(type) {
	case *networkInterface:
		out.State, out.Size = v.status(t.now), v.Private
	case *endpoint:
		out.State, out.Size = v.Life.at(t.now), v.Service
	case *paramGroup:
		out.Name, out.Size = v.ID, v.Family
	case *logGroup:
		out.Name, out.Size = v.ID, strconv.Itoa(v.Retention)+" days"
	case *kmsKey:
		if !v.Deleted.IsZero() {
			out.State = "pending deletion"
		}
	case *kept:
		if out.Name = v.ID; !v.Deleted.IsZero() {
			out.State = "pending deletion"
		}
	case *certificate:
		out.Name = v.Domain
	}
}

// isDefault reports the network that came with the account.
func isDefault(t *tx, region, vpcID string) bool {
	v, ok := find[*vpc](t, region, vpcID)
	return ok && v.Default
}

func kindWord(kind string) string {
	switch kind {
	case kindInstance:
		return "ec2"
	case kindVolume:
		return "ebs"
	case kindGroup:
		return "security_group"
	case kindDatabase:
		return "rds"
	case kindBucket:
		return "s3"
	case kindInternetGateway:
		return "internet_gateway"
	case kindAddress:
		return "eip"
	case kindNAT:
		return "nat_gateway"
	case kindRouteTable:
		return "route_table"
	case kindInterface:
		return "network_interface"
	case kindSubnetGroup:
		return "db_subnet_group"
	case kindKey:
		return "key_pair"
	case kindRole:
		return "iam_role"
	case kindScaling:
		return "autoscaling_group"
	case kindBalancer:
		return "load_balancer"
	case kindTargets:
		return "target_group"
	case kindTemplate:
		return "launch_template"
	case kindEndpoint:
		return "vpc_endpoint"
	case kindParamGroup:
		return "db_parameter_group"
	case kindLogs:
		return "log_group"
	case kindKMS:
		return "kms_key"
	case kindZone:
		return "dns_zone"
	case kindRecord:
		return "dns_record"
	}
	return kind
}
