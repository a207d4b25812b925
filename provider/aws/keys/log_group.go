package keys

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	logs "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs/types"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/provider/aws/api"
	"github.com/ovi-project/ovi/resource"
)

const (
	// KindLogs is the kind log_group.
	KindLogs      = "log_group"
	logName       = "log_name"
	retentionAttr = "retention_days"
	arnAttr       = "arn"
)

func kindOfLogs() api.Kind {
	return api.Kind{
		Schema: resource.Kind{
			Provider: api.ProviderName, Name: KindLogs,
			Doc: "A CloudWatch log group.\n\nIts name is its name in AWS, unless log_name sets another, which may " +
				"have slashes.",
			NamePattern: api.TagName, NameDoc: api.TagNameDoc, DataLoss: loseLogs,
			CrossCheck: api.CrossChecks(api.TagTraits{IAM: true}, oneLogName), Replace: replaceLogs,
			Identifier: logName,
			Holds:      api.HoldsName("log group", logName), HoldsDoc: api.HeldInRegion,
			Attrs: []resource.Attribute{
				{
					Name: logName, Type: resource.TString, Effect: resource.Replace, Pattern: `[A-Za-z0-9_/.#-]{1,512}`,
					Example: "/web/access", Doc: "Its name in AWS, if it differs from the resource's.",
				},
				{
					Name: retentionAttr, Type: resource.TInt, Valid: validRetention, Unit: "days", Example: "30",
					Doc: "How many days events are kept, one of those that AWS has, such as 7, 30, 90 or 365; 0 keeps all. If " +
						"omitted, a new group keeps all.",
				},
				{
					Name: api.KMSKeyAttr, Type: resource.TString, Pattern: `(arn:aws[a-z-]*:kms:.+)?`, Example: "main",
					RefKind: api.KMSKeyAttr, RefPath: "arn", Weak: true,
					Doc: "The key that encrypts it: a kms_key, or the ARN of a key. Its policy must allow that to CloudWatch " +
						"Logs. An empty one removes the key: new events are encrypted with AWS's own. If omitted, the " +
						"current key is kept.",
				},
				{
					Name: "class", Type: resource.TString, Effect: resource.Replace,
					HarmlessDefault: true, CreateDefault: resource.String("STANDARD"),
					Enum: []string{"STANDARD", "INFREQUENT_ACCESS"}, Example: "INFREQUENT_ACCESS", Doc: "How it is stored and paid.",
				},
				{Name: arnAttr, Type: resource.TString, Computed: true, Doc: "Its ARN."},
			},
		},
		List: listLogs, Read: readLogs, Tag: tagLogs, Check: checkLogs,
		Create: createLogs, Update: updateLogs, Remove: deleteLogs,
		Calls: api.Calls{
			Service:  "logs",
			Observes: "DescribeLogGroups ListTagsForResource",
			Creates:  "CreateLogGroup TagResource",
			Changes: "AssociateKmsKey DeleteRetentionPolicy DisassociateKmsKey PutRetentionPolicy TagResource " +
				"UntagResource",
			Deletes: "DeleteLogGroup",
		},
	}
}

// loseLogs: StoredBytes lags by a day, so that a young group is named too.
func loseLogs(o resource.Observed, _ resource.Attrs) string { return "the log events of " + o.ID }

// validRetention accepts the days of PutRetentionPolicy and 0. That call has no value for events
// that never expire: setRetention calls DeleteRetentionPolicy instead.
func validRetention(v resource.Value) []resource.Problem {
	n, _ := v.(resource.Int)
	switch n {
	// PutRetentionPolicy
	case 0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653:
		return nil
	}
	return api.WrongValue("use 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, "+
		"2922, 3288 or 3653; 0 for no limit", "AWS has no retention of %d days", n)
}

// nameIn is the name that a resource has in AWS: that of an attribute, or its own.
func nameIn(d *resource.Desired, attr string) string {
	if s, ok := api.Text(d.Attrs, attr); ok {
		return s
	}
	return d.Ref.Name
}

func oneLogName(c *api.Checking) { onceBy(c, logName, "log group") }

// onceBy: a name in AWS belongs to one resource of a region.
func onceBy(c *api.Checking, attr, what string) {
	first := map[string]*resource.Desired{}
	for _, d := range c.Configured {
		key := d.Ref.Location + " " + nameIn(d, attr)
		if other := first[key]; other != nil {
			c.Wrong(d, "name", "use another name", "duplicate %s %s: it is %s/%s too", what, nameIn(d, attr), d.Ref.Kind,
				api.WhereConfigured(other))
			continue
		}
		first[key] = d
	}
}

// If the name stays, the old group must be deleted first: a name is unique in a region of an
// account.
func replaceLogs(d resource.Desired, have resource.Observed) []resource.Strategy {
	if nameIn(&d, logName) != have.ID {
		return api.CreateFirst()
	}
	return api.DestroyFirst()
}

// logGroups returns the groups whose names have a prefix, or all groups, from all pages. Amazon
// CloudWatch Logs API Reference, DescribeLogGroups: at most 50 per page.
func logGroups(ctx context.Context, g *api.Region, prefix *string) ([]types.LogGroup, error) {
	return api.Pages(ctx, "logs.DescribeLogGroups",
		func(ctx context.Context, token *string) ([]types.LogGroup, *string, error) {
			const most = 50
			out, err := g.Logs.DescribeLogGroups(ctx,
				&logs.DescribeLogGroupsInput{LogGroupNamePrefix: prefix, Limit: aws.Int32(most), NextToken: token})
			if err != nil {
				return nil, nil, err
			}
			return out.LogGroups, out.NextToken, nil
		})
}

// logARN is the ARN by which a group is tagged: without the star for its streams.
// Amazon CloudWatch Logs API Reference, LogGroup: TagResource, UntagResource and
// ListTagsForResource "require the ARN version that doesn't include a trailing :*".
func logARN(l types.LogGroup) string {
	if l.LogGroupArn != nil {
		return *l.LogGroupArn
	}
	return strings.TrimSuffix(aws.ToString(l.Arn), ":*")
}

// listLogs takes a call for each group: a list has no tags. A group whose tags may not be read is
// listed as unreadable and does not affect the others.
func listLogs(ctx context.Context, s *api.Sweep) ([]resource.Observed, error) {
	all, err := logGroups(ctx, s.Region, nil)
	if err != nil {
		return nil, err
	}
	return api.ObserveEach(ctx, all, func(ctx context.Context, l types.LogGroup) (resource.Observed, error) {
		return withLogTags(ctx, s.Region, l)
	}, func(l types.LogGroup, denied error) resource.Observed {
		o := observedLogs(s.Region, l, nil)
		o.SetUnreadable(denied.Error())
		return o
	})
}

// withLogTags returns a group of a list with its tags. A group that is deleted after the list was
// read is an error that is absent, and listLogs omits it.
func withLogTags(ctx context.Context, g *api.Region, l types.LogGroup) (resource.Observed, error) {
	out, err := g.Logs.ListTagsForResource(ctx, &logs.ListTagsForResourceInput{ResourceArn: aws.String(logARN(l))})
	if err != nil {
		return resource.Observed{}, api.Classify("", err)
	}
	return observedLogs(g, l, out.Tags), nil
}

// observedLogs: a group that was deleted and created again has another moment of creation. The
// moment of creation is the UID, since CloudWatch Logs has no other identity of a group than its
// name. A retention of 0 stands for no limit.
func observedLogs(g *api.Region, l types.LogGroup, tags map[string]string) resource.Observed {
	o := resource.Observed{ID: aws.ToString(l.LogGroupName), Health: resource.Healthy}
	if at := aws.ToInt64(l.CreationTime); at > 0 {
		o.UID, o.Since = strconv.FormatInt(at, 10), time.UnixMilli(at).UTC()
	}
	a := api.Attrs{
		arnAttr: resource.String(logARN(l)), retentionAttr: resource.Int(aws.ToInt32(l.RetentionInDays)),
		logName: resource.String(o.ID),
	}
	a[api.KMSKeyAttr] = resource.String(aws.ToString(l.KmsKeyId)) // also none, which can be configured
	if l.LogGroupClass != "" {
		a["class"] = resource.String(l.LogGroupClass)
	}
	o.Attrs = a.Build()
	g.Identify(&o, KindLogs, flatName(o.ID), tags)
	return o
}

// flatName is a name without the slashes that separate the parts of a ref.
func flatName(s string) string { return strings.ReplaceAll(strings.Trim(s, "/"), "/", ".") }

// The service filters by prefix alone, so other groups of the answer are removed here.
func logGroup(ctx context.Context, g *api.Region, name string) (types.LogGroup, error) {
	all, err := logGroups(ctx, g, &name)
	var same []types.LogGroup
	for _, l := range all {
		if aws.ToString(l.LogGroupName) == name {
			same = append(same, l)
		}
	}
	return api.Only(same, err, "logs.DescribeLogGroups", name)
}

// readLogs returns one group with its tags. A group that does not exist is an error that is absent.
func readLogs(ctx context.Context, g *api.Region, id string) (resource.Observed, error) {
	l, err := logGroup(ctx, g, id)
	if err != nil {
		return resource.Observed{}, err
	}
	return withLogTags(ctx, g, l)
}

// tagLogs sets and removes tags of a group and keeps others.
// The group is read first, because the calls take its ARN and not its name.
func tagLogs(ctx context.Context, g *api.Region, id string, set map[string]string, drop []string) error {
	l, err := logGroup(ctx, g, id)
	if err != nil {
		return err
	}
	arn := aws.String(logARN(l))
	if len(set) > 0 {
		if _, err := g.Logs.TagResource(ctx, &logs.TagResourceInput{ResourceArn: arn, Tags: set}); err != nil {
			return api.Classify("", err)
		}
	}
	if len(drop) == 0 {
		return nil
	}
	_, err = g.Logs.UntagResource(ctx, &logs.UntagResourceInput{ResourceArn: arn, TagKeys: drop})
	return api.Classify("", err)
}

// checkLogs reports a name that another group has. The service has no dry run.
func checkLogs(ctx context.Context, g *api.Region, r provider.Request) error {
	name := nameIn(&r.Desired, logName)
	if r.Have.ID == name {
		return nil
	}
	o, err := readLogs(ctx, g, name)
	switch {
	case api.Absent(err):
		return nil
	case err != nil:
		return err
	}
	return api.Taken(o, r)
}

// createLogs relies on the name. The retention is set by a call of its own, which is repeated until
// it was made. The name is unique in a region of an account, so a repeated call fails with
// ResourceAlreadyExistsException; the key in the tags tells whether an earlier attempt created the
// group.
func createLogs(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	a, name := r.Desired.Attrs, nameIn(&r.Desired, logName)
	class, _ := api.Text(a, "class")
	key := api.DesiredText(a, api.KMSKeyAttr)
	// An empty kms_key means AWS's own encryption, which CreateLogGroup uses if it gets no key.
	if aws.ToString(key) == "" {
		key = nil
	}
	err := g.Patiently(ctx, g.Wait.Appear, func() error {
		_, err := g.Logs.CreateLogGroup(ctx, &logs.CreateLogGroupInput{
			LogGroupName: aws.String(name), KmsKeyId: key, LogGroupClass: types.LogGroupClass(class),
			Tags: g.BirthTags(r, false),
		})
		return api.Classify("", err)
	}, "OperationAbortedException")
	if api.HasCode(err, "ResourceAlreadyExistsException") {
		err = api.UnlessOwn(ctx, g, r, name, err, readLogs)
	}
	if err == nil {
		err = setRetention(ctx, g, name, a)
	}
	if err != nil {
		return resource.Observed{}, err
	}
	return awaitLogs(ctx, g, name, a)
}

// setRetention sets the days, or none. Both calls set an absolute state and may be repeated.
// OperationAbortedException means that another change of the group is under way.
// The API defines this code as "Multiple concurrent requests to update the same resource were in
// conflict".
func setRetention(ctx context.Context, g *api.Region, name string, a resource.Attrs) error {
	days, set := api.Number(a, retentionAttr)
	if !set {
		return nil
	}
	return g.PatientlyIf(ctx, g.Wait.Appear, func() (err error) {
		if days == 0 {
			_, err = g.Logs.DeleteRetentionPolicy(ctx, &logs.DeleteRetentionPolicyInput{LogGroupName: aws.String(name)})
		} else {
			_, err = g.Logs.PutRetentionPolicy(ctx,
				&logs.PutRetentionPolicyInput{LogGroupName: aws.String(name), RetentionInDays: aws.Int32(int32(days))})
		}
		return api.Classify("", err)
	}, func(err error) bool { return api.Absent(err) || api.HasCode(err, "OperationAbortedException") })
}

// awaitLogs waits until a group is listed with its retention.
// The key is not part of the wait: updateLogs states how long its change may take.
func awaitLogs(ctx context.Context, g *api.Region, name string, want resource.Attrs) (o resource.Observed, err error) {
	err = g.AwaitSeen(ctx, g.Wait.Appear, "the log group "+name, func(ctx context.Context) error {
		if o, err = readLogs(ctx, g, name); err != nil {
			return err
		}
		days, set := api.Number(want, retentionAttr)
		if have, _ := api.Number(o.Attrs, retentionAttr); set && have != days {
			return api.ErrWait
		}
		return nil
	})
	return o, err
}

// updateLogs changes retention and key in calls of their own and waits until the retention is
// reported. A key that is not mentioned stays as it is. Amazon CloudWatch Logs API Reference,
// AssociateKmsKey: the change "can take up to 5 minutes" to take effect; events that are stored
// already keep their encryption. DisassociateKmsKey: events that were ingested with a key "are still
// encrypted with that key", so CloudWatch Logs needs the key as long as they exist.
func updateLogs(ctx context.Context, g *api.Region, r provider.Request) (resource.Observed, error) {
	name := r.Have.ID
	if api.Changed(r, retentionAttr) {
		if err := setRetention(ctx, g, name, r.Desired.Attrs); err != nil {
			return resource.Observed{}, err
		}
	}
	if key, set := api.Text(r.Desired.Attrs, api.KMSKeyAttr); set && api.Changed(r, api.KMSKeyAttr) {
		var err error
		if key == "" {
			_, err = g.Logs.DisassociateKmsKey(ctx, &logs.DisassociateKmsKeyInput{LogGroupName: aws.String(name)})
		} else {
			_, err = g.Logs.AssociateKmsKey(ctx, &logs.AssociateKmsKeyInput{
				LogGroupName: aws.String(name),
				KmsKeyId:     aws.String(key),
			})
		}
		if err != nil {
			return resource.Observed{}, api.Classify("", err)
		}
	}
	return awaitLogs(ctx, g, name, r.Desired.Attrs)
}

// deleteLogs deletes the group that was planned, and not another one of its name.
// DeleteLogGroup takes only a name, so the time of creation identifies the group. A group that
// another client creates again between the two calls is not recognized.
func deleteLogs(ctx context.Context, g *api.Region, r provider.Request) error {
	now, err := logGroup(ctx, g, r.Have.ID)
	if err != nil {
		return api.UnlessAbsent(err)
	}
	if at := strconv.FormatInt(aws.ToInt64(now.CreationTime), 10); r.Have.UID != "" && at != r.Have.UID {
		return api.InUse("logs.DescribeLogGroups",
			fmt.Errorf("log group %s is another one than the one observed", r.Have.ID), "run `ovi plan` again")
	}
	return g.PatientlyIf(ctx, g.Wait.Appear, func() error {
		_, err := g.Logs.DeleteLogGroup(ctx, &logs.DeleteLogGroupInput{LogGroupName: aws.String(r.Have.ID)})
		return api.UnlessAbsent(err)
	}, func(err error) bool { return api.HasCode(err, "OperationAbortedException") })
}
