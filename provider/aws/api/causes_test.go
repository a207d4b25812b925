package api

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/acm"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	logs "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	elb "github.com/aws/aws-sdk-go-v2/service/elasticloadbalancingv2"
	"github.com/aws/aws-sdk-go-v2/service/iam"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/rds"
	"github.com/aws/aws-sdk-go-v2/service/route53"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
	"pgregory.net/rapid"

	"github.com/ovi-project/ovi/internal/drawn"
	"github.com/ovi-project/ovi/provider"
)

// refusal is an answer of a service.
func refusal(service, call, code, message string) error {
	return &smithy.OperationError{
		ServiceID: service, OperationName: call, Err: &smithyhttp.ResponseError{
			Response: &smithyhttp.Response{Response: &http.Response{StatusCode: 400}},
			Err:      &smithy.GenericAPIError{Code: code, Message: message},
		},
	}
}

func TestCausesOfCodes(t *testing.T) {
	const invalid = "Policy contains a statement with one or more invalid principals."
	for _, c := range []struct {
		service, call, code, message string
		want                         provider.Cause
		absent                       bool
		hint                         string // a part of it
	}{
		{"EC2", "RunInstances", "RequestLimitExceeded", "", provider.Throttled, false, ""},
		{"EC2", "RunInstances", "Throttling", "", provider.Throttled, false, ""},
		{"S3", "PutObject", "SlowDown", "", provider.Throttled, false, ""},
		{"KMS", "CreateKey", "ThrottlingException", "", provider.Throttled, false, ""},
		{"CloudWatch Logs", "CreateLogGroup", "LimitExceededException", "Resource limit exceeded.", provider.Quota, false, "CloudWatch Logs in Service Quotas"},
		{"KMS", "CreateKey", "LimitExceededException", "", provider.Quota, false, "KMS in Service Quotas"},
		{"ACM", "RequestCertificate", "LimitExceededException", "", provider.Quota, false, "Service Quotas"},
		{"Secrets Manager", "CreateSecret", "LimitExceededException", "", provider.Quota, false, "Service Quotas"},
		{"EC2", "AllocateAddress", "AddressLimitExceeded", "", provider.Quota, false, "Service Quotas"},
		{"EC2", "CreateVpc", "VpcLimitExceeded", "", provider.Quota, false, ""},
		{"RDS", "CreateDBInstance", "StorageQuotaExceeded", "", provider.Quota, false, ""},
		{"Other", "Create", "SomethingNewLimitExceeded", "", provider.Quota, false, ""},
		{"KMS", "CreateKey", "MalformedPolicyDocumentException", invalid, provider.Propagation, false, ""},
		{"IAM", "CreateRole", "MalformedPolicyDocument", `Invalid principal in policy: "AWS":"x"`, provider.Propagation, false, ""},
		{"S3", "PutBucketPolicy", "MalformedPolicy", "Invalid principal in policy", provider.Propagation, false, ""},
		{"KMS", "CreateKey", "MalformedPolicyDocumentException", "Syntax errors in policy.", provider.Configuration, false, ""},
		{"EC2", "StartInstances", "InvalidParameterValue", "LaunchPlan instance type does not match attribute value", provider.Propagation, false, ""},
		{"EC2", "RunInstances", "UnauthorizedOperation", "not authorized", provider.Denied, false, "--permissions"},
		{"EC2", "RunInstances", "UnauthorizedOperation", "with an explicit deny in a service control policy: arn", provider.Denied, false, "organization"},
		{"CloudWatch Logs", "CreateLogGroup", "AccessDeniedException", "with an explicit deny in a service control policy", provider.Denied, false, "organization"},
		{"S3", "CreateBucket", "AccessDenied", "because no permissions boundary allows the s3:CreateBucket action", provider.Denied, false, "boundary"},
		{"S3", "PutBucketPolicy", "AccessDenied", "because public policies are prevented by the BlockPublicPolicy setting in S3 Block Public Access", provider.Denied, false, "Block Public Access"},
		{"EC2", "ReleaseAddress", "AuthFailure", "The address does not belong to you", provider.Denied, false, "owns the resource"},
		{"EC2", "DescribeVpcs", "AuthFailure", "AWS was not able to validate the provided access credentials", provider.Denied, false, "enable the region"},
		{"EC2", "RunInstances", "VPCIdNotSpecified", "No default VPC for this user.", provider.Configuration, false, "set subnet or vpc"},
		{"STS", "GetCallerIdentity", "ExpiredToken", "", provider.Expired, false, "aws sso login"},
		{"EC2", "DescribeVpcs", "RequestExpired", "", provider.Expired, false, "clock"},
		{"EC2", "TerminateInstances", "OperationNotPermitted", "Modify its 'disableApiTermination' instance attribute", provider.Configuration, false, "termination_protection"},
		{"RDS", "DeleteDBInstance", "InvalidParameterCombination", "Cannot delete protected DB Instance", provider.Configuration, false, "deletion_protection"},
		{"EC2", "DescribeInstances", "InvalidInstanceID.NotFound", "", provider.Configuration, true, ""},
		{"RDS", "DescribeDBInstances", "DBInstanceNotFound", "", provider.Configuration, true, ""},
		{"S3", "HeadBucket", "NoSuchBucket", "", provider.Configuration, true, ""},
		{"SSM", "GetParameter", "ParameterNotFound", "", provider.Configuration, true, ""},
		{"EC2", "DeleteSubnet", "DependencyViolation", "", provider.InUse, false, ""},
		{"S3", "DeleteBucket", "BucketNotEmpty", "", provider.InUse, false, "empty the bucket"},
		{"RDS", "CreateDBInstance", "DBInstanceAlreadyExists", "", provider.InUse, false, "another name"},
		{"RDS", "ModifyDBInstance", "InvalidDBInstanceState", "", provider.InUseByService, false, ""},
		{"EC2", "RunInstances", "InternalError", "", provider.Unreachable, false, ""},
		{"EC2", "RunInstances", "InsufficientInstanceCapacity", "", provider.Capacity, false, "another zone"},
		{"EC2", "RunInstances", "IdempotentParameterMismatch", "", provider.Configuration, false, "plan"},
		{"EC2", "RunInstances", "InvalidParameterValue", "", provider.Configuration, false, ""},
		{"EC2", "RunInstances", "InvalidAMIID.Malformed", "", provider.Configuration, false, "image"},
	} {
		err := Classify("", refusal(c.service, c.call, c.code, c.message))
		var e *provider.Error
		if !errors.As(err, &e) || e.Cause != c.want || e.Absent != c.absent || e.Code != c.code || !strings.Contains(e.Hint, c.hint) {
			t.Errorf("%s %s %q: %+v, want %s", c.call, c.code, c.message, e, c.want)
		}
		if again := Classify("other", err); !errors.Is(again, err) || again.Error() != err.Error() {
			t.Errorf("%s: classified twice: %v", c.code, again)
		}
	}
}

// TestNoUnknownCodeIsAMistakeByLuck: an unread code has no cause, whatever its form; only a row that names
// it blames the configuration.
func TestNoUnknownCodeIsAMistakeByLuck(t *testing.T) {
	known := map[string]bool{}
	for _, r := range Causes() {
		known[r.Code] = true
		if r.Cause == provider.Configuration && !r.Absent && (r.Code == "" || strings.ContainsAny(r.Code, "*?[")) {
			t.Errorf("%+v blames the configuration for codes that it does not name", r)
		}
	}
	words := rapid.SampledFrom([]string{
		"Invalid", "Malformed", "Validation", "Unsupported", "Missing", "Bad", "Instance", "Quota", "State", "Policy", "Limit",
		"Parameter", "Value", "Exception", "Error", "Fault", "Denied", "Token", "Client", ".", "Id", "Group", "Key",
	})
	drawn.Check(t, func(r *rapid.T) {
		code := strings.Join(rapid.SliceOfN(words, 1, 5).Draw(r, "words"), "")
		err := Classify("", refusal("EC2", "RunInstances", code, rapid.StringMatching("[a-z ]{0,20}").Draw(r, "message")))
		if got := provider.CauseOf(err); !known[code] && got == provider.Configuration {
			r.Errorf("%s is taken for a mistake of the configuration", code)
		}
	})
}

// TestEveryRowCanDecide: none stands behind one that matches all that it matches.
func TestEveryRowCanDecide(t *testing.T) {
	table := Causes()
	for i, r := range table {
		if strings.ContainsAny(r.Code, "*?[") {
			continue
		}
		row, _ := provider.Find(table, r.Service, r.Call, r.Code, r.Text)
		if !reflect.DeepEqual(row, r) {
			t.Errorf("row %d is never reached: %+v; %+v decides", i, r, row)
		}
	}
}

// sources are the folders of the SDK's packages of the services.
func sources(t *testing.T) map[string]string {
	out := map[string]string{}
	for name, f := range map[string]any{
		"acm": acm.New, "autoscaling": autoscaling.New, "logs": logs.New, "elb": elb.New, "iam": iam.New, "kms": kms.New,
		"rds": rds.New, "route53": route53.New, "s3": s3.New, "secretsmanager": secretsmanager.New,
	} {
		file, _ := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).FileLine(reflect.ValueOf(f).Pointer())
		if !filepath.IsAbs(file) {
			t.Skip("the SDK's source is not known: the test was built with -trimpath")
		}
		out[name] = filepath.Dir(file)
	}
	return out
}

// called are the calls of a service that a region has, by the fields of its structs.
func called(v reflect.Type, out map[string]bool) {
	for i := range v.NumField() {
		f := v.Field(i)
		switch {
		case f.Type.Kind() == reflect.Func:
			out[f.Name] = true
		case f.Type.Kind() == reflect.Struct && f.Anonymous:
			called(f.Type, out)
		}
	}
}

// TestEveryCodeOfAServiceHasARow: what the services declare for the calls that the provider makes. EC2 declares none.
func TestEveryCodeOfAServiceHasARow(t *testing.T) {
	unused := regexp.MustCompile("^(CloudHsm|Xks|CustomKeyStore|DryRunOperation|ImportTask|DataAlreadyAccepted|InvalidSequenceToken|" +
		"KeyUnavailable|KMSInvalidMac|KMSInvalidSignature|InvalidCiphertext|InvalidGrant|InvalidImportToken|IncorrectKey|" +
		"ExpiredImportToken|IncorrectTrustAnchor|UnsupportedImageType|Session|QueryCompile|MalformedQuery|PreconditionFailed|" +
		"IncorrectKeyMaterial|InvalidKeyMaterial|ConflictException|KMSInvalid)")
	regions := reflect.TypeFor[Region]()
	for service, dir := range sources(t) {
		field := map[string]string{
			"acm": "ACM", "autoscaling": "Scaling", "logs": "Logs", "elb": "ELB", "iam": "IAM", "kms": "KMS", "rds": "RDS",
			"route53": "DNS", "s3": "S3", "secretsmanager": "Secrets",
		}[service]
		f, ok := regions.FieldByName(field)
		if !ok {
			t.Fatalf("a region has no %s", field)
		}
		calls := map[string]bool{}
		called(f.Type, calls)
		codes := declared(t, dir, calls)
		if len(codes) < 3 {
			t.Errorf("%s declares %d codes: is its source read?", service, len(codes))
		}
		for _, code := range codes {
			if _, ok := provider.Find(Causes(), service, "", code, ""); !ok && !unused.MatchString(code) {
				t.Errorf("%s: %s has no row", service, code)
			}
		}
	}
}

// declared reads the codes of calls from the SDK's source: by call, or of the whole service where the source has schemas.
func declared(t *testing.T, dir string, calls map[string]bool) (out []string) {
	text, err := os.ReadFile(filepath.Join(dir, "deserializers.go"))
	if err != nil {
		all, err := os.ReadFile(filepath.Join(dir, "types", "errors.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`ErrorCode\(\) string \{[^}]*?return "([^"]+)"`).FindAllStringSubmatch(string(all), -1) {
			out = append(out, m[1])
		}
		return out
	}
	for _, m := range regexp.MustCompile(`(?s)func \w+_deserializeOpError(\w+)\(.*?\n}\n`).FindAllStringSubmatch(string(text), -1) {
		if !calls[m[1]] {
			continue
		}
		for _, c := range regexp.MustCompile(`EqualFold\("([^"]+)", errorCode\)`).FindAllStringSubmatch(m[0], -1) {
			out = append(out, c[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// TestAHostileCodeIsNotShown: what answers in the name of AWS chooses the code of an error.
func TestAHostileCodeIsNotShown(t *testing.T) {
	t.Parallel()
	for _, code := range []string{"\x1b[31mred", "a\nb", strings.Repeat("C", 10<<20), "<html>", "caf\u00e9"} {
		err := Classify("op", &smithy.GenericAPIError{Code: code, Message: "m"})
		var of *provider.Error
		if !errors.As(err, &of) || of.Code != "an unreadable code" || !strings.Contains(err.Error(), "an unreadable code: m") {
			t.Errorf("the code %.20q is shown as %.60q", code, err)
		}
	}
	for _, code := range []string{"InvalidInstanceID.NotFound", "Client.X-1_a:b", "Bad Request"} {
		if err := Classify("op", &smithy.GenericAPIError{Code: code, Message: "m"}); !strings.Contains(err.Error(), code) {
			t.Errorf("%v lacks %s", err, code)
		}
	}
}
