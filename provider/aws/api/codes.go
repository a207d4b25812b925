package api

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/smithy-go"

	"github.com/ovi-project/ovi/provider"
)

// ClassOfCode is the one map from the codes of all services to classes. Codes that are
// not listed are Unclassified here; the HTTP status then decides.
func ClassOfCode(code, message string) provider.Class {
	if _, ok := retry.DefaultThrottleErrorCodes[code]; ok {
		return provider.Throttled
	}
	switch code {
	case "AccessDenied", "AccessDeniedException", "UnauthorizedOperation", "AuthFailure", "InvalidClientTokenId",
		"ExpiredToken",
		"ExpiredTokenException", "SignatureDoesNotMatch", "UnrecognizedClientException", "OptInRequired", "Blocked",
		"PendingVerification", "RequestExpired", "OperationNotPermitted", "MissingAuthenticationToken", "InvalidAccessKeyId",
		"Forbidden":
		return provider.Denied
	case "NoSuchBucket", "NoSuchTagSet", "NoSuchPublicAccessBlockConfiguration",
		"ServerSideEncryptionConfigurationNotFoundError",
		"ParameterNotFound", "NotFound", "NoSuchEntity", "NoSuchHostedZone", "NoSuchChange":
		return provider.NotFound
	case "DependencyViolation", "IdempotentParameterMismatch", "IdempotentInstanceTerminated", "VolumeInUse",
		"BucketNotEmpty", "BucketAlreadyExists",
		"BucketAlreadyOwnedByYou", "OperationAborted", "InvalidSubnet.Conflict", "InvalidDBInstanceState", "ResourceInUse",
		"IncorrectInstanceState", "IncorrectState", "InvalidPermission.Duplicate", "InvalidGroup.Duplicate",
		"InvalidGroup.InUse", AddressTaken, InterfaceInUse,
		"InvalidDBSecurityGroupState", "DeleteConflict", "ResourceInUseException", "ResourceExistsException",
		"InvalidDBParameterGroupState", "OperationAbortedException", "DuplicateLoadBalancerName", "DuplicateTargetGroupName",
		"DuplicateListener", "ConcurrentModification", "PriorRequestNotComplete", "HostedZoneNotEmpty",
		"HostedZoneAlreadyExists", "ConflictingDomainExists", "EntityTemporarilyUnmodifiable",
		"VolumeModificationRateExceeded", "IncorrectModificationState":
		return provider.Conflict
	case "InternalError", "InternalFailure", "InternalServerError", "ServiceUnavailable", "Unavailable",
		"InsufficientInstanceCapacity",
		"InsufficientVolumeCapacity", "InsufficientHostCapacity", "InsufficientDBInstanceCapacity", "RequestTimeout",
		"RequestTimeoutException":
		return provider.Transient
	case "InvalidParameterCombination":
		if protectedDB(message) {
			return provider.Denied
		}
		return provider.Permanent
	}
	switch {
	case strings.HasSuffix(code, "NotFound"), strings.HasSuffix(code, "NotFoundFault"),
		strings.HasSuffix(code, "NotFoundException"):
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

// protectedDB: RDS reports this with a code that has many other meanings.
func protectedDB(message string) bool {
	return strings.Contains(message, "Cannot delete protected DB Instance")
}

// HintFor suggests what to do about a refusal.
func HintFor(code, message string) string {
	switch code {
	case "OperationNotPermitted":
		if strings.Contains(message, "disableApiTermination") || strings.Contains(message, "terminat") {
			return "set termination_protection: false and apply, then delete it"
		}
	case "InvalidParameterCombination":
		if protectedDB(message) {
			return "set deletion_protection: false and apply, then delete it"
		}
	case AddressTaken:
		return "use another private_ip, or omit it"
	case "InvalidAMIID.NotFound", "InvalidAMIID.Malformed", "InvalidAMIID.Unavailable":
		return "use an image of this region"
	case "InvalidKeyPair.NotFound":
		return "use a key pair of this region, or import it"
	case "BucketNotEmpty":
		return "empty the bucket, old versions of objects too, then apply again; ovi never does"
	case "BucketAlreadyExists":
		return "use another name with bucket: another account has this one"
	case "IdempotentParameterMismatch":
		return "run `ovi plan` again: an earlier attempt had other parameters"
	case "UnauthorizedOperation", "AccessDenied", "AccessDeniedException":
		return "compare the policy of the credentials with `ovi kinds --permissions`"
	case "AuthFailure", "OptInRequired", "InvalidClientTokenId", "UnrecognizedClientException":
		return "enable the region for the account, or check the credentials"
	case "RequestExpired":
		return "correct the clock of this host"
	case "ExpiredToken", "ExpiredTokenException":
		return "log in again, for example with `aws sso login`"
	case "InsufficientInstanceCapacity", "InsufficientDBInstanceCapacity":
		return "use another zone or size, or apply again later"
	case "VolumeModificationRateExceeded", "IncorrectModificationState":
		return "apply again later: AWS changes a volume once in about six hours"
	case "InvalidGroup.Duplicate", "DBInstanceAlreadyExists":
		return "use another name, or run `ovi adopt` for the existing resource"
	}
	return ""
}

func hintForClass(c provider.Class, err error) string {
	switch {
	case c == provider.Denied && noCredentials(err):
		return "run `aws configure`, use --profile, or try it with --sandbox"
	case c == provider.Uncertain:
		return "run `ovi plan` to find out whether it was done"
	}
	return ""
}

// LaunchPlanLag: EC2 answers so when an instance is started soon after its type was changed.
func LaunchPlanLag(err error) bool {
	var api smithy.APIError
	return errors.As(err, &api) && strings.Contains(api.ErrorMessage(),
		"LaunchPlan instance type does not match attribute value")
}

// AddressTaken: an address stays in use for a moment after its instance was terminated.
const AddressTaken = "InvalidIPAddress.InUse"

// InterfaceInUse is the error code of a network interface that is still attached.
const InterfaceInUse = "InvalidNetworkInterface.InUse"

// noCredentials: the SDK has no type for it, only these words.
func noCredentials(err error) bool {
	s := err.Error()
	return strings.Contains(s, "get credentials") || strings.Contains(s, "refresh cached credentials") ||
		strings.Contains(s, "failed to get shared config profile")
}
