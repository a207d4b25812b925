package awsfake

import (
	"fmt"
	"maps"
	"net/url"
	"strings"
)

// Breakage is a change that someone makes by hand, behind the back of whatever
// manages the thing. Thing is an id, a name, the value of the tag ovi:ref or its
// end (web-0, ec2/web-0). Creating needs none, but a Kind (ec2, ebs, vpc,
// security_group, rds, s3), a Region and, for what has one, a name in Value.
type Breakage struct {
	Do       string // stop, start, tag, untag, resize, delete, create
	Resource string
	Kind     string // narrows Thing down; what to create
	Region   string // narrows Thing down; where to create, us-east-1 unless told otherwise
	Key      string // of the tag
	Value    string // of the tag; the new size; the name
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

// hand does things by calling the same handlers that requests reach.
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
				m := e.meta()
				if b.Kind != "" && b.Kind != kindWord(e.kind()) || !called(m, b.Resource) {
					continue
				}
				found = append(found, e)
			}
		}
	}
	switch {
	case b.Resource == "":
		return nil, fmt.Errorf("practice cloud: %s what? Name a thing by its id, its name or its ref", b.Do)
	case len(found) == 0:
		return nil, fmt.Errorf("practice cloud: there is nothing called %q", b.Resource)
	case len(found) > 1:
		var ids []string
		for _, e := range found {
			ids = append(ids, kindWord(e.kind())+" "+e.meta().ID)
		}
		return nil, fmt.Errorf("practice cloud: %q is the name of %d things (%s); use an id", b.Resource, len(found), strings.Join(ids, ", "))
	}
	return found[0], nil
}

// called says that a name, an id, a ref or the end of a ref means a thing.
func called(m *base, name string) bool {
	ref := m.Tags["ovi:ref"]
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
			err = fmt.Errorf("practice cloud: a %s cannot %s", word, b.Do)
		}
		past := map[string]string{"stop": "stopped ", "start": "started "}[b.Do]
		return past + word + " " + id, err
	}
	return "", fmt.Errorf("practice cloud: cannot %q; known are stop, start, tag, untag, resize, delete, create", b.Do)
}

func (h hand) tag(b Breakage, e entity) (string, error) {
	if b.Key == "" {
		return "", fmt.Errorf("practice cloud: %s needs a tag, as KEY=VALUE or KEY", b.Do)
	}
	n := e.clone()
	tags := maps.Clone(e.meta().Tags)
	if tags == nil {
		tags = map[string]string{}
	}
	said := fmt.Sprintf("set tag %s of %s to %q (was %q)", b.Key, e.meta().ID, b.Value, tags[b.Key])
	if b.Do == "untag" {
		said = fmt.Sprintf("took tag %s off %s (was %q)", b.Key, e.meta().ID, tags[b.Key])
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

// resize is what someone did who stopped, changed and started the thing.
func (h hand) resize(b Breakage, e entity) (string, error) {
	id := e.meta().ID
	switch v := e.(type) {
	case *instance:
		if !instanceType.MatchString(b.Value) {
			return "", fmt.Errorf("practice cloud: %q is no instance type", b.Value)
		}
		n := *v
		n.Type = b.Value
		h.t.put(&n)
		return fmt.Sprintf("resized %s from %s to %s", id, v.Type, b.Value), nil
	case *database:
		if !dbClass.MatchString(b.Value) {
			return "", fmt.Errorf("practice cloud: %q is no database class", b.Value)
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
	return "", fmt.Errorf("practice cloud: a %s has no size", kindWord(e.kind()))
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

// create makes a thing that carries no tag of ours.
func (h hand) create(b Breakage) (string, error) {
	region, name := orElse(b.Region, "us-east-1"), orElse(b.Value, "by-hand")
	if !regionName.MatchString(region) {
		return "", fmt.Errorf("practice cloud: %q is no region", region)
	}
	before := h.t.st.seq
	forms := map[string][2]string{
		"ec2": {"ec2", "RunInstances"}, "ebs": {"ec2", "CreateVolume"}, "vpc": {"ec2", "CreateVpc"},
		"security_group": {"ec2", "CreateSecurityGroup"}, "rds": {"rds", "CreateDBInstance"}, "s3": {"s3", "CreateBucket"},
	}
	how, ok := forms[b.Kind]
	if !ok {
		return "", fmt.Errorf("practice cloud: cannot create a %q by hand; known are ec2, ebs, vpc, security_group, rds, s3", b.Kind)
	}
	form := map[string]string{
		"ImageId": imageX86, "InstanceType": "t3.micro", "MinCount": "1", "MaxCount": "1",
		"AvailabilityZone": region + "a", "Size": "8", "CidrBlock": "10.99.0.0/16", "GroupName": name, "GroupDescription": "made by hand",
		"DBInstanceIdentifier": name, "DBInstanceClass": "db.t3.micro", "Engine": "postgres", "AllocatedStorage": "20",
		"MasterUsername": "practice", "ManageMasterUserPassword": "true", "Bucket": name,
	}
	if b.Kind == "s3" {
		return h.bucketByHand(region, name)
	}
	if _, err := h.call(region, how[0], how[1], form); err != nil {
		return "", err
	}
	for _, o := range h.t.ops {
		if o.Put != nil && o.Put.meta().Seq > before && kindWord(o.Kind) == b.Kind {
			return "created " + b.Kind + " " + o.Put.meta().ID + " in " + region, nil
		}
	}
	return "created " + b.Kind + " in " + region, nil
}

func (h hand) bucketByHand(region, name string) (string, error) {
	if !validBucket(name) {
		return "", fmt.Errorf("practice cloud: %q is no bucket name", name)
	}
	if _, there := find[*bucket](h.t, "", name); there {
		return "", fmt.Errorf("practice cloud: there is a bucket %q already", name)
	}
	h.t.put(&bucket{base: h.t.named(name, ""), Home: region, Encryption: encryption{Algorithm: "AES256"}, Block: &blocking{true, true, true, true}, Ownership: "BucketOwnerEnforced"})
	return "created s3 " + name + " in " + region, nil
}
