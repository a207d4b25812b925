package aws

import (
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"

	"github.com/ovi-project/ovi/provider"
)

// classOfCode is the one map from the codes of all services to classes. Codes that nobody
// listed are Unclassified here; the HTTP status then decides.
func classOfCode(code, message string) provider.Class {
	if _, ok := retry.DefaultThrottleErrorCodes[code]; ok {
		return provider.Throttled
	}
	switch code {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthFailure", "InvalidClientTokenId", "ExpiredToken",
		"ExpiredTokenException", "SignatureDoesNotMatch", "UnrecognizedClientException", "OptInRequired", "Blocked",
		"PendingVerification", "OperationNotPermitted", "MissingAuthenticationToken", "InvalidAccessKeyId", "Forbidden":
		return provider.Denied
	case "NoSuchBucket", "NoSuchTagSet", "NoSuchPublicAccessBlockConfiguration", "ServerSideEncryptionConfigurationNotFoundError",
		"ParameterNotFound", "NotFound":
		return provider.NotFound
	case "DependencyViolation", "IdempotentParameterMismatch", "IdempotentInstanceTerminated", "VolumeInUse", "BucketNotEmpty", "BucketAlreadyExists",
		"BucketAlreadyOwnedByYou", "OperationAborted", "InvalidSubnet.Conflict", "InvalidDBInstanceState", "ResourceInUse",
		"IncorrectInstanceState", "IncorrectState", "InvalidPermission.Duplicate", "InvalidGroup.Duplicate", "InvalidGroup.InUse",
		"InvalidDBSecurityGroupState", "VolumeModificationRateExceeded", "IncorrectModificationState":
		return provider.Conflict
	case "InternalError", "InternalFailure", "InternalServerError", "ServiceUnavailable", "Unavailable", "InsufficientInstanceCapacity",
		"InsufficientVolumeCapacity", "InsufficientHostCapacity", "InsufficientDBInstanceCapacity", "RequestTimeout", "RequestTimeoutException":
		return provider.Transient
	case "InvalidParameterCombination":
		if protectedDB(message) {
			return provider.Denied
		}
		return provider.Permanent
	}
	switch {
	case strings.HasSuffix(code, "NotFound"), strings.HasSuffix(code, "NotFoundFault"):
		return provider.NotFound
	case strings.Contains(code, "AlreadyExists"), strings.HasSuffix(code, ".Duplicate"):
		return provider.Conflict
	case strings.HasPrefix(code, "Invalid"), strings.HasPrefix(code, "Missing"), strings.Contains(code, "LimitExceeded"),
		strings.HasPrefix(code, "Unsupported"), strings.HasPrefix(code, "Malformed"), strings.Contains(code, "QuotaExceeded"),
		strings.HasPrefix(code, "Validation"):
		return provider.Permanent
	}
	return provider.Unclassified
}

// protectedDB: RDS says this with a code that has many other meanings.
func protectedDB(message string) bool {
	return strings.Contains(message, "Cannot delete protected DB Instance")
}

// hintFor says what a person can do about a refusal.
func hintFor(code, message string) string {
	switch code {
	case "OperationNotPermitted":
		if strings.Contains(message, "disableApiTermination") || strings.Contains(message, "terminat") {
			return "it is protected; set termination_protection: false and apply, then delete it"
		}
	case "InvalidParameterCombination":
		if protectedDB(message) {
			return "it is protected; set deletion_protection: false and apply, then delete it"
		}
	case "BucketNotEmpty":
		return "ovi never empties a bucket: empty it by hand, old versions of objects too, then apply again"
	case "BucketAlreadyExists":
		return "somebody else has a bucket of this name: choose another with bucket:"
	case "IdempotentParameterMismatch":
		return "an earlier attempt asked for something else: plan again"
	case "UnauthorizedOperation", "AccessDenied", "AccessDeniedException":
		return "the credentials may not do this: compare their policy with `ovi kinds --iam`"
	case "ExpiredToken", "ExpiredTokenException":
		return "the credentials have expired: log in again"
	case "InsufficientInstanceCapacity", "InsufficientDBInstanceCapacity":
		return "AWS has no such machine free there now: another zone or size may do"
	case "VolumeModificationRateExceeded", "IncorrectModificationState":
		return "AWS changes a volume once in about six hours: apply again later"
	case "InvalidGroup.Duplicate", "DBInstanceAlreadyExists":
		return "`ovi adopt` takes over what exists; or choose another name"
	}
	return ""
}

func hintForClass(c provider.Class, err error) string {
	switch {
	case c == provider.Denied && noCredentials(err):
		return "no usable credentials were found: see `aws configure`, --profile, or practise with --sandbox"
	case c == provider.Uncertain:
		return "no answer came, so it may have been done: plan again to see"
	}
	return ""
}

// launchPlanLag: EC2 says this when an instance is started soon after its type was changed.
func launchPlanLag(err error) bool {
	return err != nil && strings.Contains(err.Error(), "LaunchPlan instance type does not match attribute value")
}
