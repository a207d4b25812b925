package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/ovi-project/ovi/provider"
)

// Causes returns the table of AWS: what each refusal of a service means, and what to do about it. The first row that
// matches decides, so that rows of one service or of one text come first, and patterns come last. No pattern means
// that the configuration is wrong: an unread code must not pass for one that blames its author.
func Causes() []provider.Row {
	return slices.Concat(policies(), protections(), spreading(), denials(), credentials(), paces(), quotas(), capacities(),
		outages(), busy(), holders(), absences(), mistakes(), patterns())
}

const (
	hintPolicy   = "compare the policy of the credentials with `ovi kinds --permissions`"
	hintOrg      = "ask the administrator of the AWS organization: one of its policies denies the call"
	hintBoundary = "ask the owner of the permissions boundary to allow the call"
	hintSession  = "use credentials whose session policy allows the call"
	hintEndpoint = "allow the call in the policy of the VPC endpoint that it uses"
	hintPublic   = "ask the owner of the account to change S3 Block Public Access, or grant nothing to the public"
	hintRegion   = "enable the region for the account, or check the credentials"
	hintForeign  = "check which account owns the resource, and whether it is shared with this one"
	hintQuota    = "ask AWS for a higher quota of {service} in Service Quotas, or delete what is not needed"
	hintVPC      = "set subnet or vpc: the account has no default VPC in this region"
	hintKey      = "enable the KMS key, and allow its use in its policy"
	hintRate     = "wait: AWS changes a volume at most four times in 24 hours, and once at a time"
	hintZone     = "use another zone or size, or wait"
	hintAgain    = "run `ovi plan` again: an earlier attempt had other parameters"
	hintImage    = "use an image of this region"
	hintOther    = "use another name, or run `ovi adopt` for the existing resource"
	hintLogin    = "log in again, for example with `aws sso login`"
	hintClock    = "correct the clock of this host"
	hintDecode   = hintPolicy + "; `aws sts decode-authorization-message` decodes the message, which the log has at debug"
)

// policies are denials of which the message, and not the code, tells whose policy it is.
func policies() []provider.Row {
	var out []provider.Row
	for _, code := range []string{
		"UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "AccessDeniedFault", "NotAuthorized",
	} {
		out = append(out,
			provider.Row{Code: code, Text: "service control policy", Cause: provider.Denied, Hint: hintOrg},
			provider.Row{Code: code, Text: "resource control policy", Cause: provider.Denied, Hint: hintOrg},
			provider.Row{Code: code, Text: "permissions boundary", Cause: provider.Denied, Hint: hintBoundary},
			provider.Row{Code: code, Text: "session policy", Cause: provider.Denied, Hint: hintSession},
			provider.Row{Code: code, Text: "vpc endpoint policy", Cause: provider.Denied, Hint: hintEndpoint},
			provider.Row{Service: "s3", Code: code, Text: "blockpublic", Cause: provider.Denied, Hint: hintPublic},
			provider.Row{Service: "s3", Code: code, Text: "block public", Cause: provider.Denied, Hint: hintPublic},
			provider.Row{Service: "s3", Code: code, Text: "public policies", Cause: provider.Denied, Hint: hintPublic},
			provider.Row{Code: code, Text: encoded, Cause: provider.Denied, Hint: hintDecode},
		)
	}
	return append(out,
		provider.Row{Call: "ReleaseAddress", Code: "AuthFailure", Cause: provider.Denied, Hint: hintForeign},
		provider.Row{Code: "AuthFailure", Text: "not authorized", Cause: provider.Denied, Hint: hintForeign},
		provider.Row{Code: "AuthFailure", Text: "permission", Cause: provider.Denied, Hint: hintForeign},
	)
}

// protections are refusals that an attribute of the resource asks for.
func protections() []provider.Row {
	const terminates = "set termination_protection: false and apply, then delete it"
	const deletes = "set deletion_protection: false and apply, then delete it"
	return []provider.Row{
		{Code: "OperationNotPermitted", Text: "disableapitermination", Cause: provider.Configuration, Hint: terminates},
		{Code: "OperationNotPermitted", Text: "terminat", Cause: provider.Configuration, Hint: terminates},
		{Code: "OperationNotPermitted", Text: "deletion protection", Cause: provider.Configuration, Hint: deletes},
		{Code: "InvalidParameterCombination", Text: protectedDB, Cause: provider.Configuration, Hint: deletes},
	}
}

// protectedDB: RDS reports this with a code that has many other meanings.
const protectedDB = "cannot delete protected db instance"

// spreading are refusals of calls that name something that was just created. IAM is the slowest, and each service
// words its refusal of a principal in another way.
func spreading() []provider.Row {
	const hint = "check the principals of the policy: AWS does not know one of them"
	return []provider.Row{
		{Code: "MalformedPolicyDocument", Text: "invalid principal", Cause: provider.Propagation, Hint: hint},
		{Code: "MalformedPolicyDocumentException", Text: "invalid principal", Cause: provider.Propagation, Hint: hint},
		{Code: "MalformedPolicy", Text: "invalid principal", Cause: provider.Propagation, Hint: hint},
		{Code: "InvalidPolicyDocument", Text: "invalid principal", Cause: provider.Propagation, Hint: hint},
		{Code: "InvalidParameter", Text: "invalid principal", Cause: provider.Propagation, Hint: hint},
		{Code: "InvalidParameterException", Text: "invalid principal", Cause: provider.Propagation, Hint: hint},
		{Code: "InvalidParameterException", Text: "kms key does not exist or is not allowed", Cause: provider.Propagation},
		{Code: "InvalidParameterValue", Text: "iam instance profile", Cause: provider.Propagation},
		{Code: "ValidationError", Text: "iam instance profile", Cause: provider.Propagation},
		{Text: "launchplan instance type does not match attribute value", Cause: provider.Propagation},
	}
}

// denials are refusals that another person must end: the owner of an account, a policy or a key.
// The rows of policies come before them, because their messages tell whose policy it is.
func denials() []provider.Row {
	return []provider.Row{
		{Code: "AccessDenied", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "AccessDeniedException", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "AccessDeniedFault", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "UnauthorizedOperation", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "UnauthorizedException", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "NotAuthorized", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "AuthFailure", Cause: provider.Denied, Hint: hintRegion},
		{Code: "OptInRequired", Cause: provider.Denied, Hint: hintRegion},
		{Code: "SubscriptionRequiredException", Cause: provider.Denied, Hint: hintRegion},
		{Code: "Blocked", Cause: provider.Denied, Hint: "ask AWS why the account is blocked"},
		{Code: "PendingVerification", Cause: provider.Denied, Hint: "wait until AWS has verified the account"},
		{Code: "OperationNotPermitted", Cause: provider.Denied},
		{Code: "OperationNotPermittedException", Cause: provider.Denied},
		{Code: "OperationDisabledException", Cause: provider.Denied},
		{Code: "ServiceLinkedRoleFailure", Cause: provider.Denied, Hint: hintPolicy},
		{Code: "VpcEncryptionControlViolationException", Cause: provider.Denied, Hint: hintOrg},
		{Code: "UnmodifiableEntity", Cause: provider.Denied, Hint: "leave it to the AWS service that owns it"},
		{Code: "Forbidden", Cause: provider.Denied},
		{Code: "AllAccessDisabled", Cause: provider.Denied},
		{Code: "InvalidKMSKey.InvalidState", Cause: provider.Denied, Hint: hintKey},
		{Code: "KMSInvalidStateException", Cause: provider.Denied, Hint: hintKey},
		{Code: "KMSKeyNotAccessibleFault", Cause: provider.Denied, Hint: hintKey},
		{Code: "DisabledException", Cause: provider.Denied, Hint: hintKey},
		{Code: "DecryptionFailure", Cause: provider.Denied, Hint: hintKey},
		{Code: "EncryptionFailure", Cause: provider.Denied, Hint: hintKey},
	}
}

// credentials are refusals of the credentials, and not of a right. A wrong clock is one, because a
// signature has a time.
func credentials() []provider.Row {
	return []provider.Row{
		{Code: "ExpiredToken", Cause: provider.Expired, Hint: hintLogin},
		{Code: "ExpiredTokenException", Cause: provider.Expired, Hint: hintLogin},
		{Code: "TokenRefreshRequired", Cause: provider.Expired, Hint: hintLogin},
		{Code: "InvalidToken", Cause: provider.Expired, Hint: hintLogin},
		{Code: "RequestExpired", Cause: provider.Expired, Hint: hintClock},
		{Code: "RequestTimeTooSkewed", Cause: provider.Expired, Hint: hintClock},
		{Code: "InvalidClientTokenId", Cause: provider.Expired, Hint: hintRegion},
		{Code: "UnrecognizedClientException", Cause: provider.Expired, Hint: hintRegion},
		{Code: "InvalidAccessKeyId", Cause: provider.Expired},
		{Code: "SignatureDoesNotMatch", Cause: provider.Expired},
		{Code: "InvalidSignatureException", Cause: provider.Expired},
		{Code: "IncompleteSignature", Cause: provider.Expired},
		{Code: "MissingAuthenticationToken", Cause: provider.Expired},
		{Code: "MissingAuthenticationTokenException", Cause: provider.Expired},
	}
}

// paces are throttled calls. The services of this table use LimitExceededException for quotas, other services for
// throttling, so that the SDK repeats such calls.
func paces() []provider.Row {
	var out []provider.Row
	for _, code := range []string{
		"Throttling", "ThrottlingException", "ThrottledException", "RequestThrottledException", "TooManyRequestsException",
		"ProvisionedThroughputExceededException", "TransactionInProgressException", "RequestLimitExceeded",
		"BandwidthLimitExceeded", "RequestThrottled", "SlowDown", "PriorRequestNotComplete", "EC2ThrottledException",
	} {
		out = append(out, provider.Row{Code: code, Cause: provider.Throttled})
	}
	return out
}

// quotas are limits that are reached. The limit of tags is a mistake of the configuration, which
// itself exceeds it. The limit of changes of a volume passes with time, so it must not count as an
// attempt.
func quotas() []provider.Row {
	out := []provider.Row{
		{Code: "VolumeModificationRateExceeded", Cause: provider.Quota, Hint: hintRate},
		{Code: "IncorrectModificationState", Cause: provider.Quota, Hint: hintRate},
		{Code: "RulesPerSecurityGroupLimitExceeded", Cause: provider.Quota, Hint: hintQuota},
		{Code: "TagLimitExceeded", Cause: provider.Configuration, Hint: "remove tags: a resource can have 50"},
		{Code: "TooManyTags", Cause: provider.Configuration, Hint: "remove tags: a resource can have 50"},
		{Code: "TooManyTagsException", Cause: provider.Configuration, Hint: "remove tags: a resource can have 50"},
	}
	for _, code := range []string{
		"LimitExceeded", "LimitExceededException", "LimitsExceeded", "ServiceQuotaExceededException", "ResourceLimitExceeded",
		"InstanceLimitExceeded", "VcpuLimitExceeded", "MaxSpotInstanceCountExceeded", "TooManyBuckets",
		"TooManyLoadBalancers", "TooManyTargetGroups", "TooManyListeners", "TooManyTargets", "TooManyRules",
		"TooManyCertificates", "TooManyActions", "TooManyRegistrationsForTargetId",
		"TooManyUniqueTargetGroupsPerLoadBalancer", "TooManyHostedZones", "TooManyHealthChecks",
		"TargetGroupAssociationLimit", "DBSubnetGroupQuotaExceeded",
		"DBSubnetQuotaExceededFault", "InstanceQuotaExceeded", "StorageQuotaExceeded", "SnapshotQuotaExceeded",
		"DBParameterGroupQuotaExceeded",
	} {
		out = append(out, provider.Row{Code: code, Cause: provider.Quota, Hint: hintQuota})
	}
	return out
}

// capacities are refusals that another zone, size or price avoids, and that may pass without a
// change.
func capacities() []provider.Row {
	return []provider.Row{
		{Code: "InsufficientInstanceCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientDBInstanceCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientVolumeCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientHostCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientReservedInstanceCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientAddressCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "InsufficientStorageClusterCapacity", Cause: provider.Capacity, Hint: hintZone},
		{Code: "StorageTypeNotAvailableFault", Cause: provider.Capacity, Hint: hintZone},
		{
			Code: "InsufficientFreeAddressesInSubnet", Cause: provider.Capacity,
			Hint: "use another subnet, or free addresses of this one",
		},
		{Code: "SpotMaxPriceTooLow", Cause: provider.Capacity, Hint: "raise spot_max_price, or wait"},
	}
}

// outages are failures inside a service, and calls that took too long there. The SDK repeats them,
// see byTable.
func outages() []provider.Row {
	var out []provider.Row
	for _, code := range []string{
		"InternalError", "InternalFailure", "InternalServerError", "InternalServiceError", "InternalServiceException",
		"ServiceUnavailable", "ServiceUnavailableException", "Unavailable", "RequestTimeout", "RequestTimeoutException",
		"ServiceFailure", "KMSInternalException", "KMSInternal", "DependencyTimeout", "DependencyTimeoutException",
		"InternalFailureException", "InternalServerException", "InternalStreamingException", "ServerInternal",
	} {
		out = append(out, provider.Row{Code: code, Cause: provider.Unreachable})
	}
	return out
}

// busy are refusals because AWS itself works on the resource.
func busy() []provider.Row {
	out := []provider.Row{{
		Code: "InvalidRequestException", Text: "scheduled for deletion", Cause: provider.InUse,
		Hint: "restore the secret, or use another secret_name",
	}}
	for _, code := range []string{
		"InvalidDBInstanceState", "InvalidDBInstanceStateFault", "InvalidDBSnapshotState", "InvalidDBClusterStateFault",
		"IncorrectInstanceState", "IncorrectState", "OperationAborted", "OperationAbortedException",
		"ConcurrentModification", "ConcurrentModificationException", "EntityTemporarilyUnmodifiable",
		"ScalingActivityInProgress", "ScalingActivityInProgressFault", "ResourceContention", "ResourceContentionFault",
		"RequestInProgressException", "InvalidStateException", "InstanceRefreshInProgress",
		"InvalidDBClusterEndpointStateFault", "InvalidDBCapacityReservationState", "CapacityReservationPending",
		"TrustStoreNotReady",
	} {
		out = append(out, provider.Row{Code: code, Cause: provider.InUseByService})
	}
	return out
}

// holders are refusals because another resource uses this one, or has what it needs.
func holders() []provider.Row {
	out := []provider.Row{
		{Code: AddressTaken, Cause: provider.InUse, Hint: "use another private_ip, or omit it"},
		{
			Code: "BucketNotEmpty", Cause: provider.InUse,
			Hint: "empty the bucket, old versions of objects too, then apply again; ovi never does",
		},
		{
			Code: "BucketAlreadyExists", Cause: provider.InUse,
			Hint: "use another name with bucket: another account has this one",
		},
		{Code: "InvalidGroup.Duplicate", Cause: provider.InUse, Hint: hintOther},
		{
			Code: "InvalidParameter", Text: "private-dns-enabled cannot be set", Cause: provider.InUse,
			Hint: "one endpoint of a service in a VPC has its private DNS name: set private_dns: false for the others",
		},
		{Code: "DBInstanceAlreadyExists", Cause: provider.InUse, Hint: hintOther},
		{Code: "DBInstanceAlreadyExistsFault", Cause: provider.InUse, Hint: hintOther},
	}
	for _, code := range []string{
		"DependencyViolation", "VolumeInUse", "BucketAlreadyOwnedByYou", "InvalidSubnet.Conflict", "ResourceInUse",
		"ResourceInUseFault", "ResourceInUseException", "InvalidGroup.InUse", InterfaceInUse, "InvalidPermission.Duplicate",
		"InvalidDBSecurityGroupState", "InvalidDBSubnetGroupStateFault", "InvalidDBSubnetStateFault",
		"InvalidDBParameterGroupState", "InvalidDBParameterGroupStateFault", "DeleteConflict", "ResourceExistsException",
		"DuplicateLoadBalancerName", "DuplicateTargetGroupName", "DuplicateListener", "PriorityInUse",
		"HostedZoneNotEmpty", "HostedZoneAlreadyExists", "ConflictingDomainExists", "EntityAlreadyExists",
		"AlreadyExistsException", "AlreadyExistsFault", "DBSnapshotAlreadyExists", "DBParameterGroupAlreadyExists",
		"DBSubnetGroupAlreadyExists", "SubnetAlreadyInUse", "Resource.AlreadyAssociated",
	} {
		out = append(out, provider.Row{Code: code, Cause: provider.InUse})
	}
	return out
}

// AddressTaken: an address stays in use for a moment after its instance was terminated.
const AddressTaken = "InvalidIPAddress.InUse"

// InterfaceInUse is the error code of a network interface that is still attached.
const InterfaceInUse = "InvalidNetworkInterface.InUse"

// absences are refusals of calls that name something which does not exist. To a delete they are a
// success, see UnlessAbsent.
func absences() []provider.Row {
	const keyPair = "use a key pair of this region, or import it"
	out := []provider.Row{
		{Code: "InvalidAMIID.NotFound", Cause: provider.Configuration, Absent: true, Hint: hintImage},
		{Code: "InvalidKeyPair.NotFound", Cause: provider.Configuration, Absent: true, Hint: keyPair},
	}
	for _, code := range []string{
		"NoSuchBucket", "NoSuchTagSet", "NoSuchPublicAccessBlockConfiguration",
		"ServerSideEncryptionConfigurationNotFoundError", "NoSuchEntity", "NoSuchHostedZone", "NoSuchChange", "NotFound",
	} {
		out = append(out, provider.Row{Code: code, Cause: provider.Configuration, Absent: true})
	}
	return out
}

// mistakes are refusals of the configuration itself.
func mistakes() []provider.Row {
	out := []provider.Row{
		{Code: "VPCIdNotSpecified", Cause: provider.Configuration, Hint: hintVPC},
		{Code: "DefaultVpcDoesNotExist", Cause: provider.Configuration, Hint: hintVPC},
		{Code: "MissingInput", Text: "default vpc", Cause: provider.Configuration, Hint: hintVPC},
		{Code: "InvalidSubnet", Text: "default subnet", Cause: provider.Configuration, Hint: hintVPC},
		{Code: "InvalidVPCNetworkStateFault", Text: "default", Cause: provider.Configuration, Hint: hintVPC},
		{Code: "InvalidAMIID.Malformed", Cause: provider.Configuration, Hint: hintImage},
		{Code: "InvalidAMIID.Unavailable", Cause: provider.Configuration, Hint: hintImage},
		{Code: "IdempotentParameterMismatch", Cause: provider.Configuration, Hint: hintAgain},
		{Code: "IdempotentInstanceTerminated", Cause: provider.Configuration, Hint: hintAgain},
	}
	for _, code := range mistaken() {
		out = append(out, provider.Row{Code: code, Cause: provider.Configuration})
	}
	return out
}

// mistaken lists the codes of mistakes without an advice of their own, by service.
func mistaken() []string {
	return slices.Concat(
		[]string{ // of all
			"InvalidParameterValue", "InvalidParameterCombination", "InvalidParameter", "InvalidParameterException",
			"InvalidParameterValueException", "ValidationError", "ValidationException", "MissingParameter", "InvalidInput",
			"InvalidInputException", "InvalidRequest", "InvalidRequestException", "InvalidArgument", "InvalidArgs",
			"InvalidArgsException",
			"UnsupportedOperation", "UnsupportedOperationException", "Unsupported", "MalformedPolicyDocument",
			"MalformedPolicyDocumentException", "MalformedPolicy", "MalformedXML", "InvalidConfigurationRequest",
			"InvalidTag", "InvalidTagException", "TagException", "TagPolicyException", "InvalidArn", "InvalidArnException",
		},
		[]string{ // EC2
			"InvalidVpc.Range", "InvalidSubnet.Range", "InvalidBlockDeviceMapping", "InvalidVolume.ZoneMismatch",
			"InvalidKey.Format", "InvalidSecurityGroup", "InvalidServiceName", "InvalidUserData.Malformed",
			"InvalidPermission.Malformed", "InvalidGroupId.Malformed", "InvalidInstanceID.Malformed",
			"MissingInput",
		},
		[]string{ // IAM, KMS, ACM, Secrets Manager, CloudWatch Logs
			"PolicyNotAttachable", "InvalidUserType", "InvalidAliasNameException", "InvalidKeyUsageException",
			"InvalidMarkerException", "InvalidDomainValidationOptionsException", "CloudHsmClusterInvalidConfiguration",
			"CloudHsmClusterInvalidConfigurationException", "XksKeyInvalidConfigurationException",
			"PreconditionNotMetException", "PublicPolicyException", "InvalidNextTokenException", "InvalidOperationException",
		},
		[]string{ // RDS, load balancers, Auto Scaling, Route 53, S3
			"DBSubnetGroupDoesNotCoverEnoughAZs", "DBSubnetGroupNotAllowedFault", "ProvisionedIopsNotAvailableInAZFault",
			"DBUpgradeDependencyFailure", "InvalidVPCNetworkStateFault",
			"InvalidSubnet", "InvalidScheme", "InvalidLoadBalancerAction", "AvailabilityZoneNotSupported", "DuplicateTagKeys",
			"NetworkTypeNotSupported", "StorageTypeNotSupported", "InvalidRestoreFault", "IncompatibleProtocols",
			"UnsupportedProtocol", "ALPNPolicyNotSupported", "InvalidChangeBatch", "InvalidDomainName",
			"DelegationSetNotAvailable",
			"DelegationSetNotReusable", "InvalidVPCId", "PublicZoneVPCAssociation", "InvalidBucketName",
			"InvalidNextToken", "InvalidPaginationToken",
		})
}

// patterns name codes by their form, because EC2 has hundreds of them. None blames what the configuration says.
func patterns() []provider.Row {
	return []provider.Row{
		{Code: "NoSuch*", Cause: provider.Configuration, Absent: true},
		{Code: "*NotFound", Cause: provider.Configuration, Absent: true},
		{Code: "*NotFoundFault", Cause: provider.Configuration, Absent: true},
		{Code: "*NotFoundException", Cause: provider.Configuration, Absent: true},
		{Code: "*AlreadyExists*", Cause: provider.InUse},
		{Code: "*.Duplicate", Cause: provider.InUse},
		{Code: "*LimitExceeded", Cause: provider.Quota, Hint: hintQuota},
		{Code: "*LimitExceededException", Cause: provider.Quota, Hint: hintQuota},
		{Code: "*LimitExceededFault", Cause: provider.Quota, Hint: hintQuota},
		{Code: "*QuotaExceeded", Cause: provider.Quota, Hint: hintQuota},
		{Code: "*QuotaExceededFault", Cause: provider.Quota, Hint: hintQuota},
	}
}

// nameOf is the name of a service in the operation of an error: "cloudwatchlogs" of CloudWatch Logs.
func nameOf(service string) string { return strings.ReplaceAll(strings.ToLower(service), " ", "") }

// CauseOfCode returns the row of a refusal, with its advice for the service; false if the table has none.
func CauseOfCode(service, call, code, message string) (provider.Row, bool) {
	row, ok := provider.Find(Causes(), nameOf(service), call, code, message)
	row.Hint = strings.ReplaceAll(row.Hint, "{service}", cmp.Or(service, "the service"))
	return row, ok
}

// encoded introduces what only AWS can decode, in hundreds of characters. It is in lower case, as
// Row.Text must be.
const encoded = "encoded authorization failure message"
