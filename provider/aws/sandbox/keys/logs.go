package keys

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

func logsActions() map[string]core.Handler {
	return map[string]core.Handler{
		"CreateLogGroup": createLogs, "DescribeLogGroups": describeLogs, "DeleteLogGroup": deleteLogs,
		"PutRetentionPolicy": retainLogs, "DeleteRetentionPolicy": retainLogs, "AssociateKmsKey": encryptLogs,
		"DisassociateKmsKey": decryptLogs,
		"TagResource":        tagLogs, "UntagResource": untagLogs, "ListTagsForResource": listLogTags,
	}
}

var logName = wire.Late(`^[.\-_/#A-Za-z0-9]{1,512}$`)

func logARN(x *core.Exchange, name string) string {
	return "arn:aws:logs:" + x.Region + ":" + wire.Account + ":log-group:" + name
}

func logGroupOf(x *core.Exchange, name string) (*logGroup, error) {
	l, ok := core.Find[*logGroup](x.Tx, x.Region, name)
	if !ok {
		return nil, wire.Failf("ResourceNotFoundException", "The specified log group does not exist: %s", name)
	}
	return l, nil
}

// createLogs: a name is taken once (CloudWatch Logs API reference: CreateLogGroup).
func createLogs(x *core.Exchange) (any, error) {
	var in struct {
		LogGroupName, KmsKeyID, LogGroupClass string
		Tags                                  map[string]string
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if !logName.MatchString(in.LogGroupName) {
		return nil, wire.Failf("InvalidParameterException",
			"Value '%s' at 'logGroupName' failed to satisfy constraint: Member must satisfy regular expression pattern: "+
				"[\\.\\-_/#A-Za-z0-9]+", in.LogGroupName)
	}
	if _, there := core.Find[*logGroup](x.Tx, x.Region, in.LogGroupName); there {
		return nil, wire.Failf("ResourceAlreadyExistsException", "The specified log group already exists")
	}
	if err := core.CheckTags(in.Tags); err != nil {
		return nil, err
	}
	l := &logGroup{
		Base: x.Tx.Named(in.LogGroupName, x.Region), KMS: in.KmsKeyID,
		Class: cmp.Or(in.LogGroupClass, "STANDARD"),
	}
	l.Tags = in.Tags
	x.Tx.Put(l)
	return struct{}{}, nil
}

type jsonLogs struct {
	LogGroupName    string `json:"logGroupName"`
	ARN             string `json:"arn"`
	LogGroupArn     string `json:"logGroupArn"`
	CreationTime    int64  `json:"creationTime"`
	RetentionInDays int    `json:"retentionInDays,omitempty"`
	KmsKeyID        string `json:"kmsKeyId,omitempty"`
	LogGroupClass   string `json:"logGroupClass"`
	StoredBytes     int64  `json:"storedBytes"`
}

func describeLogs(x *core.Exchange) (any, error) {
	var in struct {
		LogGroupNamePrefix, NextToken string
		Limit                         int
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(core.List[*logGroup](x.Tx, x.Region), func(l *logGroup) bool {
		return !strings.HasPrefix(l.ID, in.LogGroupNamePrefix)
	})
	const most = 50
	rows, next, err := core.JSONPage(all, in.NextToken, in.Limit, most,
		wire.Failf("InvalidParameterException", "The specified nextToken is invalid."))
	if err != nil {
		return nil, err
	}
	out := struct {
		LogGroups []jsonLogs `json:"logGroups"`
		NextToken *string    `json:"nextToken,omitempty"`
	}{[]jsonLogs{}, next}
	for _, l := range rows {
		arn := logARN(x, l.ID)
		out.LogGroups = append(out.LogGroups,
			jsonLogs{l.ID, arn + ":*", arn, l.Made.UnixMilli(), l.Retention, l.KMS, l.Class, 0})
	}
	return out, nil
}

func changeLogs(x *core.Exchange, change func(*logGroup)) (any, error) {
	var in struct{ LogGroupName string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	l, err := logGroupOf(x, in.LogGroupName)
	if err != nil {
		return nil, err
	}
	n := *l
	change(&n)
	x.Tx.Put(&n)
	return struct{}{}, nil
}

func retainLogs(x *core.Exchange) (any, error) {
	var in struct{ RetentionInDays int }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	days := []int{
		0, 1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
		3653,
	}
	if !slices.Contains(days, in.RetentionInDays) {
		return nil, wire.Failf("InvalidParameterException",
			"Value '%d' at 'retentionInDays' failed to satisfy constraint: Member must satisfy enum value set",
			in.RetentionInDays)
	}
	return changeLogs(x, func(l *logGroup) { l.Retention = in.RetentionInDays })
}

func encryptLogs(x *core.Exchange) (any, error) {
	var in struct{ KmsKeyID string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	if in.KmsKeyID == "" {
		return nil, wire.Failf("InvalidParameterException",
			"The specified KMS key ID could not be associated with the specified resource.")
	}
	return changeLogs(x, func(l *logGroup) { l.KMS = in.KmsKeyID })
}

// decryptLogs: what was encrypted with the key stays so, which the sandbox does not have (CloudWatch Logs API
// reference: DisassociateKmsKey).
func decryptLogs(x *core.Exchange) (any, error) {
	return changeLogs(x, func(l *logGroup) { l.KMS = "" })
}

func deleteLogs(x *core.Exchange) (any, error) {
	var in struct{ LogGroupName string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	l, err := logGroupOf(x, in.LogGroupName)
	if err != nil {
		return nil, err
	}
	x.Tx.Drop(l)
	return struct{}{}, nil
}

// taggedLogs finds a group by its ARN, which has no star at its end (CloudWatch Logs API reference: TagResource).
func taggedLogs(x *core.Exchange, arn string) (*logGroup, error) {
	name, ok := strings.CutPrefix(arn, logARN(x, ""))
	if !ok || strings.HasSuffix(name, ":*") {
		return nil, wire.Failf("InvalidParameterException", "Invalid resource arn: %s", arn)
	}
	return logGroupOf(x, name)
}

func tagLogs(x *core.Exchange) (any, error) {
	var in struct {
		ResourceArn string
		Tags        map[string]string
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	l, err := taggedLogs(x, in.ResourceArn)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(l, func(have map[string]string) { maps.Copy(have, in.Tags) })
}

func untagLogs(x *core.Exchange) (any, error) {
	var in struct {
		ResourceArn string
		TagKeys     []string
	}
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	l, err := taggedLogs(x, in.ResourceArn)
	if err != nil {
		return nil, err
	}
	return struct{}{}, x.ChangeTags(l, func(have map[string]string) { without(have, in.TagKeys) })
}

func without(have map[string]string, keys []string) {
	for _, k := range keys {
		delete(have, k)
	}
}

func listLogTags(x *core.Exchange) (any, error) {
	var in struct{ ResourceArn string }
	if err := x.Body(&in); err != nil {
		return nil, err
	}
	l, err := taggedLogs(x, in.ResourceArn)
	if err != nil {
		return nil, err
	}
	return struct {
		Tags map[string]string `json:"tags"`
	}{l.Tags}, nil
}
