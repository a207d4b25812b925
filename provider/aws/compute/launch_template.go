package compute

import (
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindTemplate is the kind launch_template.
	KindTemplate = "launch_template"
	instanceTags = "instance_tags"
)

// templateName is the form of names in AWS.
const templateName = `[A-Za-z0-9().\-_]{3,128}`

// kindOfTemplate is the kind launch_template. Its attributes of a launch are attributes of ec2,
// with the same rules (canonicalEC2).
func kindOfTemplate() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindTemplate,
			Doc: "A template from which an autoscaling_group creates instances.\n\n" +
				"Its name is its name in AWS, unless identifier sets another. " +
				"A change adds a version and makes it the default one; existing\n" +
				"instances are not changed.",
			NamePattern: templateName, NameDoc: "3 to 128 letters, digits and ( ) . - _",
			Canonical: canonicalEC2, CrossCheck: api.CrossChecks(api.TagTraits{}),
			Identifier: api.Identifier,
			Holds:      api.HoldsName("launch template", api.Identifier), HoldsDoc: api.HeldInRegion,
			Attrs: append(templateAttrs(), api.IdentifierAttr(templateName)),
		},
		List: listTemplates, Read: readTemplate, Tag: api.TagEC2, Check: checkTemplate,
		Create: createTemplate, Update: updateTemplate, Remove: deleteTemplate,
		Calls: api.Calls{
			Service:  "ec2",
			Observes: "DescribeImages DescribeLaunchTemplates DescribeLaunchTemplateVersions",
			Creates:  "CreateLaunchTemplate",
			Changes:  "CreateLaunchTemplateVersion ModifyLaunchTemplate",
			Deletes:  "DeleteLaunchTemplate",
			Secrets:  "CreateLaunchTemplate CreateLaunchTemplateVersion",
			Others:   []string{"ssm:GetParameter"},
		},
	}
}

// templateAttrs are those of an instance, of which every change is a new version.
func templateAttrs() []resource.Attribute {
	var out []resource.Attribute
	for _, a := range append(ec2Machine(), ec2Settings()...) {
		switch a.Name {
		case "size":
			a.Doc = "The instance type."
		case "image":
			a.Doc = "The machine image. al2023 is the Amazon Linux 2023 that is current when the template is created; a newer " +
				"release changes nothing."
		case UserData:
			a.Note, a.Doc = "", "The script that cloud-init runs at the first boot. It may be written in the file; only its "+
				"digest is recorded. It is read once, when a template is adopted; a change outside ovi after that is not noticed."
		case SpotAttr:
			a.Doc = "Whether the instances run on spare capacity, which costs less and which AWS takes back with two minutes' " +
				"notice."
		case "security_groups", "root_volume", "key_name", "iam_profile", "imdsv2", hopLimit, spotPrice, "public_ip":
		default:
			continue
		}
		a.Effect, a.WriteOnly = resource.InPlace, a.Name == UserData
		a.Weak = a.RefKind != ""
		if a.Elem != nil {
			e := *a.Elem
			e.Weak, e.Parent = e.RefKind != "", ""
			a.Elem = &e
		}
		a.Fields = slices.Clone(a.Fields)
		for i := range a.Fields { // of a new version anything can be less than of the last
			a.Fields[i].Effect, a.Fields[i].Fits = resource.InPlace, nil
		}
		out = append(out, a)
	}
	return append(out,
		resource.Attribute{
			Name: instanceTags, Type: resource.TMap,
			Elem:    &resource.Attribute{Type: resource.TString, Max: api.Bound(api.MaxTagValue)},
			Example: "{team: web}", Doc: "The tags of the instances and of their volumes.",
		},
		resource.Attribute{
			Name: "version", Type: resource.TString, Computed: true, ChangesWith: []string{"*"},
			Doc: "The number of its default version.",
		},
	)
}

// UserData is the attribute user_data.
const UserData = "user_data"

// templatePage is the size of pages of templates and of versions; more is not allowed.
const templatePage = 200

// templates returns all pages of a list, or an error. DescribeLaunchTemplates accepts at most 200
// per page, and no page size together with IDs or names.
func templates(ctx context.Context, g *api.Region, in *ec2.DescribeLaunchTemplatesInput) ([]types.LaunchTemplate,
	error,
) {
	return api.Pages(ctx, "ec2.DescribeLaunchTemplates",
		func(ctx context.Context, token *string) ([]types.LaunchTemplate, *string, error) {
			if in.NextToken = token; len(in.LaunchTemplateIds)+len(in.LaunchTemplateNames) == 0 {
				in.MaxResults = aws.Int32(templatePage)
			}
			out, err := g.EC2.DescribeLaunchTemplates(ctx, in)
			if err != nil {
				return nil, nil, err
			}
			return out.LaunchTemplates, out.NextToken, nil
		})
}

// defaults reads the default version of a template, or of all of them. The service returns the
// parameters of a version only here; the template itself has no attributes to compare.
func defaults(ctx context.Context, g *api.Region, id *string) ([]types.LaunchTemplateVersion, error) {
	return api.Pages(ctx, "ec2.DescribeLaunchTemplateVersions",
		func(ctx context.Context, token *string) ([]types.LaunchTemplateVersion, *string, error) {
			out, err := g.EC2.DescribeLaunchTemplateVersions(ctx, &ec2.DescribeLaunchTemplateVersionsInput{
				LaunchTemplateId: id, Versions: []string{"$Default"}, NextToken: token, MaxResults: aws.Int32(templatePage),
			})
			if err != nil {
				return nil, nil, err
			}
			return out.LaunchTemplateVersions, out.NextToken, nil
		})
}

// listTemplates reads the versions first: a template that is created in between has none, and is read
// when it is known.
func listTemplates(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	versions, err := defaults(ctx, s.Region, nil)
	if err != nil {
		return nil, err
	}
	byID := map[string]types.LaunchTemplateVersion{}
	for _, v := range versions {
		byID[aws.ToString(v.LaunchTemplateId)] = v
	}
	all, err := templates(ctx, s.Region, &ec2.DescribeLaunchTemplatesInput{})
	all = slices.DeleteFunc(all, func(t types.LaunchTemplate) bool {
		_, known := byID[aws.ToString(t.LaunchTemplateId)]
		return !known
	})
	return api.ObservedAs(s, all, err, func(_ *api.Region, t types.LaunchTemplate) resource.Observed {
		return observedTemplate(s.Region, t, byID[aws.ToString(t.LaunchTemplateId)].LaunchTemplateData)
	})
}

// observedTemplate converts a template and its default version. Other versions are not compared:
// groups that name one keep it.
func observedTemplate(g *api.Region, t types.LaunchTemplate, d *types.ResponseLaunchTemplateData) resource.Observed {
	o := resource.Observed{ID: aws.ToString(t.LaunchTemplateId), Since: aws.ToTime(t.CreateTime), Health: resource.Healthy}
	a := api.Attrs{}
	if t.DefaultVersionNumber != nil {
		a["version"] = resource.String(strconv.FormatInt(*t.DefaultVersionNumber, 10))
	}
	if d != nil {
		launchAttrs(a, d)
	}
	o.Attrs = a.Build()
	g.IdentifyNamed(&o, KindTemplate, aws.ToString(t.LaunchTemplateName), api.TagsOf(t.Tags))
	return o
}

// launchAttrs reads what instances are launched with.
func launchAttrs(a api.Attrs, d *types.ResponseLaunchTemplateData) {
	if d.InstanceType != "" {
		a["size"] = resource.String(d.InstanceType)
	}
	a.Text("image", d.ImageId)
	a.Text("key_name", d.KeyName)
	if d.IamInstanceProfile != nil {
		a.Text("iam_profile", d.IamInstanceProfile.Name)
	}
	if d.MetadataOptions != nil && d.MetadataOptions.HttpTokens != "" {
		a["imdsv2"] = resource.String(d.MetadataOptions.HttpTokens)
		a.Number(hopLimit, d.MetadataOptions.HttpPutResponseHopLimit)
	}
	marketAttrs(a, d.InstanceMarketOptions)
	groups := slices.Clone(d.SecurityGroupIds)
	for _, n := range d.NetworkInterfaces {
		groups = append(groups, n.Groups...)
		a.Flag("public_ip", n.AssociatePublicIpAddress)
	}
	slices.Sort(groups)
	a.Texts("security_groups", groups)
	for _, m := range d.BlockDeviceMappings {
		// The first EBS volume counts: a template of ovi has one.
		if m.Ebs == nil || a["root_volume"] != nil {
			continue
		}
		root := api.Attrs{}
		root.Number("size", m.Ebs.VolumeSize)
		root["encrypted"] = resource.Bool(aws.ToBool(m.Ebs.Encrypted))
		if m.Ebs.VolumeType != "" {
			root["type"] = resource.String(m.Ebs.VolumeType)
		}
		root.Text(api.KMSKeyAttr, m.Ebs.KmsKeyId)
		root.Number("iops", m.Ebs.Iops)
		root.Number("throughput", m.Ebs.Throughput)
		a["root_volume"] = root.Build()
	}
	tags := map[string]resource.Value{}
	for _, s := range d.TagSpecifications {
		for _, t := range s.Tags {
			if s.ResourceType == types.ResourceTypeInstance {
				tags[aws.ToString(t.Key)] = resource.String(aws.ToString(t.Value))
			}
		}
	}
	a[instanceTags] = resource.AttrsOf(tags)
}

// template returns the template that the input selects, with its default version.
func template(ctx context.Context, g *api.Region, in *ec2.DescribeLaunchTemplatesInput, id string) (resource.Observed,
	error,
) {
	all, err := templates(ctx, g, in)
	t, err := api.Only(all, err, "ec2.DescribeLaunchTemplates", id)
	if err != nil {
		return resource.Observed{}, err
	}
	versions, err := defaults(ctx, g, t.LaunchTemplateId)
	v, err := api.Only(versions, err, "ec2.DescribeLaunchTemplateVersions", id)
	if err != nil {
		return resource.Observed{}, err
	}
	return observedTemplate(g, t, v.LaunchTemplateData), nil
}

func readTemplate(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	return template(ctx, g, &ec2.DescribeLaunchTemplatesInput{LaunchTemplateIds: []string{id}}, id)
}

// templateOf returns the configuration of an instance as the data of a template. It uses the launch
// of an instance, so that both kinds give an attribute the same meaning. Subnet and zone are
// omitted: the group that uses the template has them.
func templateOf(ctx context.Context, g *api.Region, r provider.Request) (*types.RequestLaunchTemplateData, error) {
	in, err := launchOf(ctx, g, r)
	if err != nil {
		return nil, err
	}
	d := &types.RequestLaunchTemplateData{
		ImageId: in.ImageId, InstanceType: in.InstanceType, KeyName: in.KeyName, UserData: in.UserData,
		SecurityGroupIds:      in.SecurityGroupIds,
		InstanceMarketOptions: templateMarket(in.InstanceMarketOptions),
		MetadataOptions: &types.LaunchTemplateInstanceMetadataOptionsRequest{
			HttpTokens:              types.LaunchTemplateHttpTokensState(in.MetadataOptions.HttpTokens),
			HttpEndpoint:            types.LaunchTemplateInstanceMetadataEndpointStateEnabled,
			HttpPutResponseHopLimit: in.MetadataOptions.HttpPutResponseHopLimit,
		},
	}
	if p := in.IamInstanceProfile; p != nil {
		d.IamInstanceProfile = &types.LaunchTemplateIamInstanceProfileSpecificationRequest{Name: p.Name}
	}
	for _, n := range in.NetworkInterfaces {
		d.NetworkInterfaces = append(d.NetworkInterfaces, types.LaunchTemplateInstanceNetworkInterfaceSpecificationRequest{
			DeviceIndex: n.DeviceIndex, AssociatePublicIpAddress: n.AssociatePublicIpAddress, Groups: n.Groups,
			DeleteOnTermination: n.DeleteOnTermination,
		})
	}
	for _, m := range in.BlockDeviceMappings {
		d.BlockDeviceMappings = append(d.BlockDeviceMappings, types.LaunchTemplateBlockDeviceMappingRequest{
			DeviceName: m.DeviceName, Ebs: &types.LaunchTemplateEbsBlockDeviceRequest{
				DeleteOnTermination: m.Ebs.DeleteOnTermination, Encrypted: m.Ebs.Encrypted, VolumeType: m.Ebs.VolumeType,
				VolumeSize: m.Ebs.VolumeSize,
				Iops:       m.Ebs.Iops, Throughput: m.Ebs.Throughput, KmsKeyId: m.Ebs.KmsKeyId,
			},
		})
	}
	v, _ := r.Desired.Attrs.Get(instanceTags)
	configured, _ := v.(resource.Attrs)
	tags := map[string]string{}
	for _, t := range configured {
		if s, ok := t.Value.(resource.String); ok {
			tags[t.Name] = string(s)
		}
	}
	if len(tags) > 0 {
		for _, what := range []types.ResourceType{types.ResourceTypeInstance, types.ResourceTypeVolume} {
			d.TagSpecifications = append(d.TagSpecifications,
				types.LaunchTemplateTagSpecificationRequest{ResourceType: what, Tags: api.EC2Tags(tags)})
		}
	}
	return d, nil
}

// checkTemplate asks EC2 for a dry run. A name that is taken is an error unless this request
// created the template or replaces it.
func checkTemplate(ctx context.Context, g *api.Region, r provider.Request) error {
	if api.Unresolved(r.Desired.Attrs) {
		return nil
	}
	d, err := templateOf(ctx, g, r)
	if err != nil {
		return err
	}
	_, err = g.EC2.CreateLaunchTemplate(ctx, &ec2.CreateLaunchTemplateInput{
		LaunchTemplateName: aws.String(api.Named(&r.Desired)), LaunchTemplateData: d, DryRun: aws.Bool(true),
	})
	if api.HasCode(err, templateTaken) {
		o, err := ownTemplate(ctx, g, r, err)
		if r.Have.ID != "" && o.ID == r.Have.ID { // it is deleted before
			return nil
		}
		return err
	}
	return api.DryRun(err)
}

// templateTaken is the error code for a name that another template has.
const templateTaken = "InvalidLaunchTemplateName.AlreadyExistsException"

// createTemplate relies on the name, as createKeyPair does. The token of the call is the SDK's.
func createTemplate(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	d, err := templateOf(ctx, g, r)
	if err != nil {
		return resource.Observed{}, err
	}
	out, err := g.EC2.CreateLaunchTemplate(ctx, &ec2.CreateLaunchTemplateInput{
		LaunchTemplateName: aws.String(api.Named(&r.Desired)), LaunchTemplateData: d,
		TagSpecifications: []types.TagSpecification{api.Born(types.ResourceTypeLaunchTemplate, g.BirthTags(r, false))},
	})
	if api.HasCode(err, templateTaken) {
		return ownTemplate(ctx, g, r, err)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	id := aws.ToString(out.LaunchTemplate.LaunchTemplateId)
	var o resource.Observed
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the launch template "+id, func(ctx context.Context) error {
		o, err = readTemplate(ctx, g, id)
		return err
	})
	return o, err
}

// ownTemplate is the template of the name, if this request created it.
func ownTemplate(ctx context.Context, g *api.Region, r provider.Request, refused error) (resource.Observed, error) {
	name := api.Named(&r.Desired)
	o, err := template(ctx, g, &ec2.DescribeLaunchTemplatesInput{LaunchTemplateNames: []string{name}}, name)
	switch {
	case err != nil:
		return o, errors.Join(api.Classify("", refused), err)
	case r.Key != "" && o.Marks.Key == r.Key:
		return o, nil
	}
	return o, api.Taken(o, r)
}

// updateTemplate adds a version and makes it the default one. Versions do not change, so that there
// is always one to go back to. Where no image is configured it keeps that of the version before.
// Amazon EC2 API Reference, CreateLaunchTemplateVersion: versions are numbered in the order of
// their creation. If an attempt fails between the two calls, the next one adds another version: an
// unused version remains and changes nothing.
func updateTemplate(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	id := aws.String(r.Have.ID)
	if !slices.ContainsFunc(r.Changes, func(c resource.Change) bool { return c.On == resource.OnAttribute }) {
		return readTemplate(ctx, g, r.Have.ID)
	}
	if _, set := api.Text(r.Desired.Attrs, "image"); !set {
		was, _ := api.Text(r.Have.Attrs, "size")
		size, _ := api.Text(r.Desired.Attrs, "size")
		if image, ok := api.Text(r.Have.Attrs, "image"); ok && architecture(was) == architecture(size) {
			r.Desired.Attrs = r.Desired.Attrs.With("image", resource.String(image))
		}
	}
	d, err := templateOf(ctx, g, r)
	if err != nil {
		return resource.Observed{}, err
	}
	out, err := g.EC2.CreateLaunchTemplateVersion(ctx,
		&ec2.CreateLaunchTemplateVersionInput{LaunchTemplateId: id, LaunchTemplateData: d})
	if err != nil {
		return resource.Observed{}, err
	}
	number := strconv.FormatInt(aws.ToInt64(out.LaunchTemplateVersion.VersionNumber), 10)
	err = g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.EC2.ModifyLaunchTemplate(ctx,
			&ec2.ModifyLaunchTemplateInput{LaunchTemplateId: id, DefaultVersion: aws.String(number)})
		return api.Classify("", err)
	}, "InvalidLaunchTemplateId.VersionNotFound")
	if err != nil {
		return resource.Observed{}, err
	}
	var o resource.Observed
	err = g.Await(ctx, g.Wait.Appear, "version "+number+" of "+r.Have.ID, func(ctx context.Context) (err error) {
		o, err = readTemplate(ctx, g, r.Have.ID)
		if v, _ := api.Text(o.Attrs, "version"); err == nil && v != number {
			return api.ErrWait
		}
		return err
	})
	return o, err
}

// deleteTemplate deletes a template with all its versions. A template that does not exist is
// success. Amazon EC2 API Reference, DeleteLaunchTemplate: "Deleting a launch template deletes all
// of its versions".
func deleteTemplate(ctx context.Context, g *api.Region, r provider.Request) error {
	_, err := g.EC2.DeleteLaunchTemplate(ctx, &ec2.DeleteLaunchTemplateInput{LaunchTemplateId: aws.String(r.Have.ID)})
	return api.UnlessAbsent(err)
}

// RevealTemplate reads the user data of the default version. The result is empty if the version has
// none.
func RevealTemplate(ctx context.Context, g *api.Region, id string) (resource.Secret, error) {
	const op = "ec2.DescribeLaunchTemplateVersions"
	all, err := defaults(ctx, g, aws.String(id))
	v, err := api.Only(all, err, op, id)
	if err != nil || v.LaunchTemplateData == nil || v.LaunchTemplateData.UserData == nil {
		return resource.Secret{}, err
	}
	return Decoded(op, id, v.LaunchTemplateData.UserData)
}

// Decoded decodes the base64 text of user data as AWS returns it. A text that is not base64 is an
// error, because a digest of the encoded form would never match the configuration.
func Decoded(op, id string, text *string) (resource.Secret, error) {
	plain, err := base64.StdEncoding.DecodeString(aws.ToString(text))
	if err != nil {
		return resource.Secret{}, api.Mistake(op, provider.Errorf("the user data of %s is not base64", id), "")
	}
	return resource.NewSecret(string(plain), ""), nil
}
