package compute

import (
	"encoding/xml"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func templateActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateLaunchTemplate": createTemplate, "CreateLaunchTemplateVersion": createTemplateVersion,
		"ModifyLaunchTemplate":    modifyTemplate,
		"DescribeLaunchTemplates": describeTemplates, "DescribeLaunchTemplateVersions": describeTemplateVersions,
		"DeleteLaunchTemplate": deleteTemplate,
	}
}

type xmlTemplate struct {
	ID      string        `xml:"launchTemplateId"`
	Name    string        `xml:"launchTemplateName"`
	Made    time.Time     `xml:"createTime"`
	Default int           `xml:"defaultVersionNumber"`
	Latest  int           `xml:"latestVersionNumber"`
	Tags    []core.XMLTag `xml:"tagSet>item"`
}

func viewTemplate(l *launchTemplate) xmlTemplate {
	return xmlTemplate{l.ID, l.Name, l.Made, l.Default, len(l.Versions), core.TagSet(l.Tags)}
}

type xmlTemplateVersion struct {
	ID      string   `xml:"launchTemplateId"`
	Name    string   `xml:"launchTemplateName"`
	Number  int      `xml:"versionNumber"`
	Default bool     `xml:"defaultVersion"`
	Data    xmlNodes `xml:"launchTemplateData"`
}

func viewTemplateVersion(l *launchTemplate, v templateVersion) (xmlTemplateVersion, error) {
	data, err := paramsOf(v.Data)
	return xmlTemplateVersion{l.ID, l.Name, v.Number, v.Number == l.Default, xmlNodes{data, false}}, err
}

// paramsOf makes parameters of what a version keeps.
func paramsOf(data map[string]string) (*wire.Params, error) {
	form := url.Values{}
	for k, v := range data {
		form.Set(k, v)
	}
	return wire.ParseParams(form)
}

// xmlNodes writes parameters in the form in which EC2 answers: the same names with a small first
// letter, lists as a set of items.
type xmlNodes struct {
	*wire.Params
	inNIC bool
}

// MarshalXML writes the nodes in the order of their names.
func (n xmlNodes) MarshalXML(e *xml.Encoder, start xml.StartElement) error {
	if err := e.EncodeToken(start); err != nil {
		return err
	}
	if n.Set {
		if err := e.EncodeToken(xml.CharData(n.Val)); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(n.Kids)) {
		if err := n.writeKid(e, name); err != nil {
			return err
		}
	}
	return e.EncodeToken(start.End())
}

func (n xmlNodes) writeKid(e *xml.Encoder, name string) error {
	element := func(s string) xml.StartElement { return xml.StartElement{Name: xml.Name{Local: s}} }
	kid := n.Kids[name]
	if kid.Kids["1"] == nil {
		return xmlNodes{kid, n.inNIC}.MarshalXML(e, element(strings.ToLower(name[:1])+name[1:]))
	}
	set := element(map[string]string{
		"SecurityGroupId": "securityGroupIdSet", "NetworkInterface": "networkInterfaceSet",
		"BlockDeviceMapping": "blockDeviceMappingSet", "TagSpecification": "tagSpecificationSet", "Tag": "tagSet",
	}[name])
	item := element("item")
	if name == "SecurityGroupId" && n.inNIC {
		set, item = element("groupSet"), element("groupId")
	}
	if err := e.EncodeToken(set); err != nil {
		return err
	}
	for _, one := range n.Items(name) {
		if err := (xmlNodes{one, name == "NetworkInterface"}).MarshalXML(e, item); err != nil {
			return err
		}
	}
	return e.EncodeToken(set.End())
}

var templateName = wire.Late(`^[a-zA-Z0-9().\-/_]{3,128}$`)

// templateData reads LaunchTemplateData. AWS checks little of it before an instance is launched (EC2
// API reference: CreateLaunchTemplate: "not validated").
func templateData(x *core.Exchange) (map[string]string, error) {
	data := x.P.At("LaunchTemplateData")
	if data == nil {
		return nil, wire.Missing("LaunchTemplateData")
	}
	if err := checkUserData(data.Str("UserData")); err != nil {
		return nil, err
	}
	data.Heed()
	out := map[string]string{}
	var lines []string
	data.Spell("", &lines)
	for _, l := range lines {
		k, v, _ := strings.Cut(l, "=")
		out[k] = v
	}
	return out, nil
}

func createTemplate(x *core.Exchange) (any, error) {
	x.P.Str("ClientToken")
	name := x.P.Str("LaunchTemplateName")
	if !templateName.MatchString(name) {
		return nil, wire.Failf("InvalidLaunchTemplateName.MalformedException",
			"A launch template name must be between 3 and 128 characters, and may contain letters, numbers, and the following "+
				"characters: - ( ) . / _.")
	}
	if templateNamed(x, name) != nil {
		return nil, wire.Failf("InvalidLaunchTemplateName.AlreadyExistsException", "Launch template name already in use.")
	}
	data, err := templateData(x)
	if err != nil {
		return nil, err
	}
	tags, err := x.SpecTags("launch-template")
	if err != nil {
		return nil, err
	}
	l := &launchTemplate{Base: x.Tx.Fresh("lt-", x.Region), Name: name, Versions: []templateVersion{{1, data}}, Default: 1}
	l.Tags = tags
	x.Tx.Put(l)
	return struct {
		One xmlTemplate `xml:"launchTemplate"`
	}{viewTemplate(l)}, nil
}

func templateNamed(x *core.Exchange, name string) *launchTemplate {
	for _, l := range core.List[*launchTemplate](x.Tx, x.Region) {
		if l.Name == name {
			return l
		}
	}
	return nil
}

func template(x *core.Exchange, id, name string) (*launchTemplate, error) {
	if l, ok := core.Find[*launchTemplate](x.Tx, x.Region, id); ok {
		return l, nil
	}
	if l := templateNamed(x, name); l != nil && id == "" {
		return l, nil
	}
	if id == "" {
		return nil, wire.Failf("InvalidLaunchTemplateName.NotFoundException",
			"The specified launch template, with template name %s, does not exist.", name)
	}
	return nil, wire.Failf("InvalidLaunchTemplateId.NotFound",
		"The specified launch template, with template ID %s, does not exist.", id)
}

func createTemplateVersion(x *core.Exchange) (any, error) {
	x.P.Str("ClientToken")
	l, err := template(x, x.P.Str("LaunchTemplateId"), x.P.Str("LaunchTemplateName"))
	if err != nil {
		return nil, err
	}
	data, err := templateData(x)
	if err != nil {
		return nil, err
	}
	n := *l
	v := templateVersion{len(l.Versions) + 1, data}
	n.Versions = append(slices.Clone(l.Versions), v)
	x.Tx.Put(&n)
	one, err := viewTemplateVersion(&n, v)
	return struct {
		One xmlTemplateVersion `xml:"launchTemplateVersion"`
	}{one}, err
}

func modifyTemplate(x *core.Exchange) (any, error) {
	x.P.Str("ClientToken")
	l, err := template(x, x.P.Str("LaunchTemplateId"), x.P.Str("LaunchTemplateName"))
	if err != nil {
		return nil, err
	}
	v, ok := l.version(x.P.Str("SetDefaultVersion"))
	if !ok {
		return nil, wire.Failf("InvalidLaunchTemplateId.VersionNotFound", "Could not find launch template version")
	}
	n := *l
	n.Default = v.Number
	x.Tx.Put(&n)
	return struct {
		One xmlTemplate `xml:"launchTemplate"`
	}{viewTemplate(&n)}, nil
}

func describeTemplates(x *core.Exchange) (any, error) {
	all := core.List[*launchTemplate](x.Tx, x.Region)
	if names := x.P.Strs("LaunchTemplateName"); len(names) > 0 {
		all = nil
		for _, name := range names {
			l, err := template(x, "", name)
			if err != nil {
				return nil, err
			}
			all = append(all, l)
		}
	} else if len(x.P.Strs("LaunchTemplateId")) > 0 {
		var err error
		if all, err = ec2.Named[*launchTemplate](x, "LaunchTemplateId", "InvalidLaunchTemplateId.NotFound"); err != nil {
			return nil, err
		}
	}
	rows, next, err := ec2.Page(x, all, "LaunchTemplateId", 200)
	if err != nil {
		return nil, err
	}
	var out []xmlTemplate
	for _, l := range rows {
		out = append(out, viewTemplate(l))
	}
	return struct {
		Set  []xmlTemplate `xml:"launchTemplates>item"`
		Next *string       `xml:"nextToken"`
	}{out, next}, nil
}

// describeTemplateVersions: without a template, of all of them those that $Default or $Latest mean
// (EC2 API reference: DescribeLaunchTemplateVersions).
func describeTemplateVersions(x *core.Exchange) (any, error) {
	all := core.List[*launchTemplate](x.Tx, x.Region)
	if id, name := x.P.Str("LaunchTemplateId"), x.P.Str("LaunchTemplateName"); id+name != "" {
		l, err := template(x, id, name)
		if err != nil {
			return nil, err
		}
		all = []*launchTemplate{l}
	}
	rows, next, err := ec2.Page(x, all, "", 200)
	if err != nil {
		return nil, err
	}
	numbers := x.P.Strs("LaunchTemplateVersion")
	var out []xmlTemplateVersion
	for _, l := range rows {
		for _, name := range numbers {
			v, ok := l.version(name)
			if !ok {
				return nil, wire.Failf("InvalidLaunchTemplateId.VersionNotFound", "Could not find launch template version")
			}
			one, err := viewTemplateVersion(l, v)
			if err != nil {
				return nil, err
			}
			out = append(out, one)
		}
	}
	return struct {
		Set  []xmlTemplateVersion `xml:"launchTemplateVersionSet>item"`
		Next *string              `xml:"nextToken"`
	}{out, next}, nil
}

func deleteTemplate(x *core.Exchange) (any, error) {
	l, err := template(x, x.P.Str("LaunchTemplateId"), x.P.Str("LaunchTemplateName"))
	if err != nil {
		return nil, err
	}
	x.Tx.Drop(l)
	return struct {
		One xmlTemplate `xml:"launchTemplate"`
	}{viewTemplate(l)}, nil
}
