package awsfake

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

// Breakage is a change that someone makes by hand, behind the back of whatever
// manages the resource. Resource is an id, a name, the value of the tag ovi:ref or its
// end (web-0, ec2/web-0). Creating needs none, but a Kind (ec2, ebs, vpc, subnet,
// security_group, rds, s3), a Region and a name in Value.
type Breakage struct {
	Do       string // stop, start, tag, untag, resize, delete, copy, create, mount, fail
	Resource string
	Kind     string // narrows Resource down; what to create
	Region   string // narrows Resource down; where to create, us-east-1 by default
	Key      string // of the tag
	Value    string // of the tag; the new size; the name of what is created
}

// Break makes drift by hand and says what it did. It is not in the request log,
// and protection does not hold it up.
func (c *Cloud) Break(b Breakage) (string, error) {
	var said string
	err := c.do(func(t *tx) error {
		h := hand{c: c, t: t}
		if b.Do == "create" {
			var err error
			said, err = h.create(b)
			return err
		}
		e, err := h.find(b)
		if err != nil {
			return err
		}
		said, err = h.act(b, e)
		return err
	})
	return said, err
}

// hand makes changes by calling the same handlers that requests reach.
type hand struct {
	c *Cloud
	t *tx
}

func (h hand) find(b Breakage) (entity, error) {
	var found []entity
	for _, regions := range h.t.st.tables {
		for region, tab := range regions {
			for _, e := range tab.rows() {
				if e == nil || h.t.unread(e) || e.kind() == kindToken || b.Region != "" && region != "" && b.Region != region {
					continue
				}
				if in, ok := e.(*instance); ok && in.dead() {
					continue
				}
				if b.Kind != "" && b.Kind != kindWord(e.kind()) || !called(e, b.Resource) {
					continue
				}
				found = append(found, e)
			}
		}
	}
	if i := slices.IndexFunc(found, func(e entity) bool { return e.meta().ID == b.Resource }); i >= 0 {
		found = found[i : i+1] // an ID is never ambiguous
	}
	switch {
	case b.Resource == "":
		return nil, fmt.Errorf("sandbox: %s: no resource given; use its ID, name or ref", b.Do)
	case len(found) == 0:
		return nil, fmt.Errorf("sandbox: no resource matches %q", b.Resource)
	case len(found) > 1:
		var ids []string
		for _, e := range found {
			ids = append(ids, kindWord(e.kind())+" "+e.meta().ID)
		}
		return nil, fmt.Errorf("sandbox: %q matches %d resources (%s); use an ID", b.Resource, len(found), strings.Join(ids, ", "))
	}
	return found[0], nil
}

// called reports that a name, an id, a ref or the end of a ref names a resource.
func called(e entity, name string) bool {
	m := e.meta()
	ref := m.Tags["ovi:ref"]
	if g, ok := e.(*securityGroup); ok && g.Name == name {
		return true
	}
	return m.ID == name || m.Tags["Name"] == name || ref == name || strings.HasSuffix(ref, "/"+name)
}

// call runs a handler as if a request had come.
func (h hand) call(region, service, action string, form map[string]string) (any, error) {
	values := url.Values{}
	for k, v := range form {
		values.Set(k, v)
	}
	p, err := parseParams(values)
	if err != nil {
		return nil, err
	}
	h.c.furnish(region)
	cl := &call{Service: service, Region: region, Action: action, p: p, rest: &restCall{Bucket: form["Bucket"]}}
	return h.c.actions[service][action](&exchange{call: cl, c: h.c, tx: h.t, now: h.t.now})
}

func (h hand) act(b Breakage, e entity) (string, error) {
	id, word := e.meta().ID, kindWord(e.kind())
	switch b.Do {
	case "tag", "untag":
		return h.tag(b, e)
	case "resize":
		return h.resize(b, e)
	case "copy":
		return h.copy(b, e)
	case "mount":
		return h.mount(e)
	case "fail":
		return h.fail(b, e)
	case "delete":
		return "deleted " + word + " " + id, h.remove(e)
	case "stop", "start":
		verb := strings.ToUpper(b.Do[:1]) + b.Do[1:]
		var err error
		switch e.(type) {
		case *instance:
			_, err = h.call(e.meta().Region, "ec2", verb+"Instances", map[string]string{"InstanceId.1": id})
		case *database:
			_, err = h.call(e.meta().Region, "rds", verb+"DBInstance", map[string]string{"DBInstanceIdentifier": id})
		default:
			err = fmt.Errorf("sandbox: %s cannot %s", word, b.Do)
		}
		past := map[string]string{"stop": "stopped ", "start": "started "}[b.Do]
		return past + word + " " + id, err
	}
	return "", fmt.Errorf("sandbox: unknown action %q; use stop, start, tag, untag, resize, delete, copy, create, mount or fail", b.Do)
}

func (h hand) tag(b Breakage, e entity) (string, error) {
	if b.Key == "" {
		return "", fmt.Errorf("sandbox: %s needs a tag, KEY=VALUE or KEY", b.Do)
	}
	n := e.clone()
	tags := maps.Clone(e.meta().Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	said := fmt.Sprintf("set tag %s of %s to %q (was %q)", b.Key, e.meta().ID, b.Value, tags[b.Key])
	if b.Do == "untag" {
		said = fmt.Sprintf("removed tag %s from %s (was %q)", b.Key, e.meta().ID, tags[b.Key])
		delete(tags, b.Key)
	} else {
		tags[b.Key] = b.Value
	}
	if err := checkTags(tags); err != nil {
		return "", err
	}
	n.meta().Tags = tags
	h.t.put(n)
	return said, nil
}

// resize does what stopping, changing and starting a resource by hand does.
func (h hand) resize(b Breakage, e entity) (string, error) {
	id := e.meta().ID
	switch v := e.(type) {
	case *instance:
		if !instanceType.MatchString(b.Value) {
			return "", fmt.Errorf("sandbox: invalid instance type %q", b.Value)
		}
		n := *v
		n.Type = b.Value
		h.t.put(&n)
		return fmt.Sprintf("resized %s from %s to %s", id, v.Type, b.Value), nil
	case *database:
		if !dbClass.MatchString(b.Value) {
			return "", fmt.Errorf("sandbox: invalid database class %q", b.Value)
		}
		n := *v.at(h.t.now)
		was := n.Settings.Class
		n.Settings.Class = b.Value
		h.t.put(&n)
		return fmt.Sprintf("resized %s from %s to %s", id, was, b.Value), nil
	case *volume:
		_, err := h.call(v.Region, "ec2", "ModifyVolume", map[string]string{"VolumeId": id, "Size": b.Value})
		return fmt.Sprintf("resized %s from %d to %s GiB", id, v.Size, b.Value), err
	}
	return "", fmt.Errorf("sandbox: %s has no size", kindWord(e.kind()))
}

func (h hand) remove(e entity) error {
	m := e.meta()
	var err error
	switch v := e.(type) {
	case *instance:
		n := *v
		n.Protected = false
		h.t.put(&n)
		_, err = h.call(m.Region, "ec2", "TerminateInstances", map[string]string{"InstanceId.1": m.ID})
	case *volume:
		_, err = h.call(m.Region, "ec2", "DeleteVolume", map[string]string{"VolumeId": m.ID})
	case *vpc:
		_, err = h.call(m.Region, "ec2", "DeleteVpc", map[string]string{"VpcId": m.ID})
	case *subnet:
		_, err = h.call(m.Region, "ec2", "DeleteSubnet", map[string]string{"SubnetId": m.ID})
	case *securityGroup:
		_, err = h.call(m.Region, "ec2", "DeleteSecurityGroup", map[string]string{"GroupId": m.ID})
	case *database:
		n := *v
		n.Protected = false
		h.t.put(&n)
		_, err = h.call(m.Region, "rds", "DeleteDBInstance", map[string]string{"DBInstanceIdentifier": m.ID, "SkipFinalSnapshot": "true"})
	case *bucket:
		_, err = h.call(v.Home, "s3", "DeleteBucket", map[string]string{"Bucket": m.ID})
	default:
		h.t.drop(e)
	}
	return err
}

// create creates a resource without ovi's tags.
func (h hand) create(b Breakage) (string, error) {
	region, name := orElse(b.Region, "us-east-1"), orElse(b.Value, "by-hand")
	if !regionName.MatchString(region) {
		return "", fmt.Errorf("sandbox: invalid region %q", region)
	}
	if b.Kind == "security_group_rule" {
		return h.ruleByHand(region, b.Value)
	}
	before := h.t.st.seq
	form := map[string]string{"AvailabilityZone": region + "a", "GroupName": name, "DBInstanceIdentifier": name, "Bucket": name}
	if err := h.order(b.Kind, region, form); err != nil {
		return "", err
	}
	said := "created " + b.Kind
	if made := h.made(b.Kind, before); made != nil {
		said += " " + made.meta().ID
		if b.Value != "" && made.meta().ID != b.Value {
			said += " " + b.Value
		}
		if b.Value != "" && nameless(b.Kind) {
			n := made.clone()
			n.meta().Tags = map[string]string{"Name": b.Value}
			h.t.put(n)
		}
	}
	return said + " in " + region, nil
}

// nameless reports a kind for which AWS has no name but the Name tag.
func nameless(kind string) bool {
	return kind == "ec2" || kind == "ebs" || kind == "vpc" || kind == "subnet"
}

// order creates a resource of a kind, with the parameters of the form over the usual ones.
func (h hand) order(kind, region string, form map[string]string) error {
	forms := map[string][2]string{
		"ec2": {"ec2", "RunInstances"}, "ebs": {"ec2", "CreateVolume"}, "vpc": {"ec2", "CreateVpc"},
		"subnet": {"ec2", "CreateSubnet"}, "security_group": {"ec2", "CreateSecurityGroup"}, "rds": {"rds", "CreateDBInstance"},
		"network_interface": {"ec2", "CreateNetworkInterface"}, "s3": {"s3", "CreateBucket"},
	}
	how, ok := forms[kind]
	if !ok {
		return fmt.Errorf("sandbox: cannot create kind %q; use ec2, ebs, vpc, subnet, security_group, security_group_rule, rds or s3", kind)
	}
	if kind == "s3" {
		return h.bucketByHand(region, form["Bucket"])
	}
	all := map[string]string{
		"ImageId": imageX86, "InstanceType": "t3.micro", "MinCount": "1", "MaxCount": "1",
		"Size": "8", "CidrBlock": "10.99.0.0/16", "GroupDescription": "created outside ovi",
		"DBInstanceClass": "db.t3.micro", "Engine": "postgres", "AllocatedStorage": "20",
		"MasterUsername": "sandbox", "ManageMasterUserPassword": "true",
	}
	if kind == "subnet" { // of the default VPC, beside its default subnets
		h.c.furnish(region)
		for _, v := range list[*vpc](h.t, region) {
			if v.Default {
				all["VpcId"], all["CidrBlock"] = v.ID, "172.31.240.0/24"
			}
		}
	}
	maps.Copy(all, form)
	_, err := h.call(region, how[0], how[1], all)
	return err
}

func (h hand) bucketByHand(region, name string) error {
	if !validBucket(name) {
		return fmt.Errorf("sandbox: invalid bucket name %q", name)
	}
	if _, there := find[*bucket](h.t, "", name); there {
		return fmt.Errorf("sandbox: bucket %q already exists", name)
	}
	h.t.put(&bucket{base: h.t.named(name, ""), Home: region, Encryption: encryption{Algorithm: "AES256"}, Block: &blocking{true, true, true, true}, Ownership: "BucketOwnerEnforced"})
	return nil
}
