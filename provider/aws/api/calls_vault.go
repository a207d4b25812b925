package api

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/acm"
	logs "github.com/aws/aws-sdk-go-v2/service/cloudwatchlogs"
	"github.com/aws/aws-sdk-go-v2/service/kms"
	"github.com/aws/aws-sdk-go-v2/service/secretsmanager"
)

// logGroupCalls are the API calls of log groups.
type logGroupCalls struct {
	AssociateKmsKey       call[logs.AssociateKmsKeyInput, logs.AssociateKmsKeyOutput, logs.Options]
	CreateLogGroup        call[logs.CreateLogGroupInput, logs.CreateLogGroupOutput, logs.Options]
	DeleteLogGroup        call[logs.DeleteLogGroupInput, logs.DeleteLogGroupOutput, logs.Options]
	DeleteRetentionPolicy call[logs.DeleteRetentionPolicyInput, logs.DeleteRetentionPolicyOutput, logs.Options]
	DescribeLogGroups     call[logs.DescribeLogGroupsInput, logs.DescribeLogGroupsOutput, logs.Options]
	DisassociateKmsKey    call[logs.DisassociateKmsKeyInput, logs.DisassociateKmsKeyOutput, logs.Options]
	ListTagsForResource   call[logs.ListTagsForResourceInput, logs.ListTagsForResourceOutput, logs.Options]
	PutRetentionPolicy    call[logs.PutRetentionPolicyInput, logs.PutRetentionPolicyOutput, logs.Options]
	TagResource           call[logs.TagResourceInput, logs.TagResourceOutput, logs.Options]
	UntagResource         call[logs.UntagResourceInput, logs.UntagResourceOutput, logs.Options]
}

func logGroupCallsOf(c *logs.Client) logGroupCalls {
	return logGroupCalls{
		AssociateKmsKey:       c.AssociateKmsKey,
		CreateLogGroup:        c.CreateLogGroup,
		DeleteLogGroup:        c.DeleteLogGroup,
		DeleteRetentionPolicy: c.DeleteRetentionPolicy,
		DescribeLogGroups:     c.DescribeLogGroups,
		DisassociateKmsKey:    c.DisassociateKmsKey,
		ListTagsForResource:   c.ListTagsForResource,
		PutRetentionPolicy:    c.PutRetentionPolicy,
		TagResource:           c.TagResource,
		UntagResource:         c.UntagResource,
	}
}

// kmsCalls are the API calls of keys and their aliases.
type kmsCalls struct {
	CancelKeyDeletion    call[kms.CancelKeyDeletionInput, kms.CancelKeyDeletionOutput, kms.Options]
	CreateAlias          call[kms.CreateAliasInput, kms.CreateAliasOutput, kms.Options]
	CreateKey            call[kms.CreateKeyInput, kms.CreateKeyOutput, kms.Options]
	DeleteAlias          call[kms.DeleteAliasInput, kms.DeleteAliasOutput, kms.Options]
	DescribeKey          call[kms.DescribeKeyInput, kms.DescribeKeyOutput, kms.Options]
	DisableKey           call[kms.DisableKeyInput, kms.DisableKeyOutput, kms.Options]
	DisableKeyRotation   call[kms.DisableKeyRotationInput, kms.DisableKeyRotationOutput, kms.Options]
	EnableKey            call[kms.EnableKeyInput, kms.EnableKeyOutput, kms.Options]
	EnableKeyRotation    call[kms.EnableKeyRotationInput, kms.EnableKeyRotationOutput, kms.Options]
	GetKeyPolicy         call[kms.GetKeyPolicyInput, kms.GetKeyPolicyOutput, kms.Options]
	GetKeyRotationStatus call[kms.GetKeyRotationStatusInput, kms.GetKeyRotationStatusOutput, kms.Options]
	ListAliases          call[kms.ListAliasesInput, kms.ListAliasesOutput, kms.Options]
	ListKeys             call[kms.ListKeysInput, kms.ListKeysOutput, kms.Options]
	ListResourceTags     call[kms.ListResourceTagsInput, kms.ListResourceTagsOutput, kms.Options]
	PutKeyPolicy         call[kms.PutKeyPolicyInput, kms.PutKeyPolicyOutput, kms.Options]
	ScheduleKeyDeletion  call[kms.ScheduleKeyDeletionInput, kms.ScheduleKeyDeletionOutput, kms.Options]
	TagResource          call[kms.TagResourceInput, kms.TagResourceOutput, kms.Options]
	UntagResource        call[kms.UntagResourceInput, kms.UntagResourceOutput, kms.Options]
	UpdateAlias          call[kms.UpdateAliasInput, kms.UpdateAliasOutput, kms.Options]
	UpdateKeyDescription call[kms.UpdateKeyDescriptionInput, kms.UpdateKeyDescriptionOutput, kms.Options]
}

func kmsCallsOf(c *kms.Client) kmsCalls {
	return kmsCalls{
		CancelKeyDeletion:    c.CancelKeyDeletion,
		CreateAlias:          c.CreateAlias,
		CreateKey:            c.CreateKey,
		DeleteAlias:          c.DeleteAlias,
		DescribeKey:          c.DescribeKey,
		DisableKey:           c.DisableKey,
		DisableKeyRotation:   c.DisableKeyRotation,
		EnableKey:            c.EnableKey,
		EnableKeyRotation:    c.EnableKeyRotation,
		GetKeyPolicy:         c.GetKeyPolicy,
		GetKeyRotationStatus: c.GetKeyRotationStatus,
		ListAliases:          c.ListAliases,
		ListKeys:             c.ListKeys,
		ListResourceTags:     c.ListResourceTags,
		PutKeyPolicy:         c.PutKeyPolicy,
		ScheduleKeyDeletion:  c.ScheduleKeyDeletion,
		TagResource:          c.TagResource,
		UntagResource:        c.UntagResource,
		UpdateAlias:          c.UpdateAlias,
		UpdateKeyDescription: c.UpdateKeyDescription,
	}
}

// secretCalls are the API calls of Secrets Manager.
type secretCalls struct {
	CreateSecret      call[secretsmanager.CreateSecretInput, secretsmanager.CreateSecretOutput, secretsmanager.Options]
	DeleteSecret      call[secretsmanager.DeleteSecretInput, secretsmanager.DeleteSecretOutput, secretsmanager.Options]
	DescribeSecret    call[secretsmanager.DescribeSecretInput, secretsmanager.DescribeSecretOutput, secretsmanager.Options]
	GetRandomPassword call[secretsmanager.GetRandomPasswordInput, secretsmanager.GetRandomPasswordOutput,
		secretsmanager.Options]
	ListSecrets   call[secretsmanager.ListSecretsInput, secretsmanager.ListSecretsOutput, secretsmanager.Options]
	RestoreSecret call[secretsmanager.RestoreSecretInput, secretsmanager.RestoreSecretOutput, secretsmanager.Options]
	TagResource   call[secretsmanager.TagResourceInput, secretsmanager.TagResourceOutput, secretsmanager.Options]
	UntagResource call[secretsmanager.UntagResourceInput, secretsmanager.UntagResourceOutput, secretsmanager.Options]
	UpdateSecret  call[secretsmanager.UpdateSecretInput, secretsmanager.UpdateSecretOutput, secretsmanager.Options]
}

func secretCallsOf(c *secretsmanager.Client) secretCalls {
	return secretCalls{
		CreateSecret: withSecret(c.CreateSecret,
			func(in *secretsmanager.CreateSecretInput) bool { return in.SecretString != nil }),
		DeleteSecret:      c.DeleteSecret,
		DescribeSecret:    c.DescribeSecret,
		GetRandomPassword: c.GetRandomPassword,
		ListSecrets:       c.ListSecrets,
		RestoreSecret:     c.RestoreSecret,
		TagResource:       c.TagResource,
		UntagResource:     c.UntagResource,
		UpdateSecret: withSecret(c.UpdateSecret,
			func(in *secretsmanager.UpdateSecretInput) bool { return in.SecretString != nil }),
	}
}

// acmCalls are the API calls of certificates.
type acmCalls struct {
	AddTagsToCertificate      call[acm.AddTagsToCertificateInput, acm.AddTagsToCertificateOutput, acm.Options]
	DeleteCertificate         call[acm.DeleteCertificateInput, acm.DeleteCertificateOutput, acm.Options]
	DescribeCertificate       call[acm.DescribeCertificateInput, acm.DescribeCertificateOutput, acm.Options]
	ListCertificates          call[acm.ListCertificatesInput, acm.ListCertificatesOutput, acm.Options]
	ListTagsForCertificate    call[acm.ListTagsForCertificateInput, acm.ListTagsForCertificateOutput, acm.Options]
	RemoveTagsFromCertificate call[acm.RemoveTagsFromCertificateInput, acm.RemoveTagsFromCertificateOutput, acm.Options]
	RequestCertificate        call[acm.RequestCertificateInput, acm.RequestCertificateOutput, acm.Options]
}

func acmCallsOf(c *acm.Client) acmCalls {
	return acmCalls{
		AddTagsToCertificate:      c.AddTagsToCertificate,
		DeleteCertificate:         c.DeleteCertificate,
		DescribeCertificate:       c.DescribeCertificate,
		ListCertificates:          c.ListCertificates,
		ListTagsForCertificate:    c.ListTagsForCertificate,
		RemoveTagsFromCertificate: c.RemoveTagsFromCertificate,
		RequestCertificate:        c.RequestCertificate,
	}
}

// keptCalls are the API calls of secrets, logs, keys and certificates.
type keptCalls struct {
	ACM     acmCalls
	KMS     kmsCalls
	Logs    logGroupCalls
	Secrets secretCalls
}

func keptCallsOf(service func(string) aws.Config, calls func(*string)) keptCalls {
	return keptCalls{
		ACM:  acmCallsOf(acm.NewFromConfig(service("acm"), func(o *acm.Options) { calls(o.BaseEndpoint) })),
		KMS:  kmsCallsOf(kms.NewFromConfig(service("kms"), func(o *kms.Options) { calls(o.BaseEndpoint) })),
		Logs: logGroupCallsOf(logs.NewFromConfig(service("logs"), func(o *logs.Options) { calls(o.BaseEndpoint) })),
		Secrets: secretCallsOf(secretsmanager.NewFromConfig(service("secretsmanager"),
			func(o *secretsmanager.Options) { calls(o.BaseEndpoint) })),
	}
}
