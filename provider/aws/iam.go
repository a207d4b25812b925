package aws

import (
	"encoding/json"
	"slices"
	"strings"
)

// operation is a call this provider makes, with the permissions it takes. A test compares
// this table with the calls that the other tests really made.
type operation struct {
	call    string   // "ec2.RunInstances"
	actions []string // of IAM; empty: the one of the same name
	destroy bool     // takes things away
}

// operations are all of them.
func operations() []operation {
	all := []operation{{call: "sts.GetCallerIdentity"}, {call: "ssm.GetParameter"}}
	all = append(all, ec2Operations()...)
	return append(all, dataOperations()...)
}

func ec2Operations() []operation {
	return []operation{
		{call: "ec2.DescribeVpcs"},
		{call: "ec2.DescribeSubnets"},
		{call: "ec2.DescribeSecurityGroups"},
		{call: "ec2.DescribeInstances"},
		{call: "ec2.DescribeVolumes"},
		{call: "ec2.DescribeVolumesModifications"},
		{call: "ec2.DescribeImages"},
		{call: "ec2.DescribeIamInstanceProfileAssociations"},
		{call: "ec2.CreateTags"},
		{call: "ec2.DeleteTags"},
		{call: "ec2.CreateVpc"},
		{call: "ec2.ModifyVpcAttribute"},
		{call: "ec2.DeleteVpc", destroy: true},
		{call: "ec2.CreateSubnet"},
		{call: "ec2.ModifySubnetAttribute"},
		{call: "ec2.DeleteSubnet", destroy: true},
		{call: "ec2.CreateSecurityGroup"},
		{call: "ec2.DeleteSecurityGroup", destroy: true},
		{call: "ec2.AuthorizeSecurityGroupIngress"},
		{call: "ec2.AuthorizeSecurityGroupEgress"},
		{call: "ec2.RevokeSecurityGroupIngress"},
		{call: "ec2.RevokeSecurityGroupEgress"},
		{call: "ec2.RunInstances", actions: []string{"ec2:RunInstances", "iam:PassRole"}},
		{call: "ec2.StartInstances"},
		{call: "ec2.StopInstances"},
		{call: "ec2.ModifyInstanceAttribute"},
		{call: "ec2.ModifyInstanceMetadataOptions"},
		{call: "ec2.TerminateInstances", destroy: true},
		{call: "ec2.AssociateIamInstanceProfile", actions: []string{"ec2:AssociateIamInstanceProfile", "iam:PassRole"}},
		{call: "ec2.ReplaceIamInstanceProfileAssociation", actions: []string{"ec2:ReplaceIamInstanceProfileAssociation", "iam:PassRole"}},
		{call: "ec2.DisassociateIamInstanceProfile"},
		{call: "ec2.CreateVolume"},
		{call: "ec2.ModifyVolume"},
		{call: "ec2.AttachVolume"},
		{call: "ec2.DetachVolume"},
		{call: "ec2.DeleteVolume", destroy: true},
	}
}

func dataOperations() []operation {
	return []operation{
		{call: "rds.DescribeDBInstances"},
		{call: "rds.DescribeDBEngineVersions"},
		{call: "rds.DescribeDBSubnetGroups"},
		// The first database of an account makes RDS's own role; a managed password is a secret
		// of Secrets Manager, made in the caller's name.
		{call: "rds.CreateDBInstance", actions: []string{
			"rds:CreateDBInstance", "rds:AddTagsToResource", "iam:CreateServiceLinkedRole",
			"secretsmanager:CreateSecret", "secretsmanager:TagResource", "kms:DescribeKey",
		}},
		{call: "rds.ModifyDBInstance"},
		{call: "rds.StartDBInstance"},
		{call: "rds.StopDBInstance"},
		{call: "rds.AddTagsToResource"},
		{call: "rds.RemoveTagsFromResource"},
		{call: "rds.DeleteDBInstance", actions: []string{"rds:DeleteDBInstance", "rds:CreateDBSnapshot", "rds:AddTagsToResource"}, destroy: true},

		{call: "s3.ListBuckets", actions: []string{"s3:ListAllMyBuckets"}},
		{call: "s3.HeadBucket", actions: []string{"s3:ListBucket"}},
		{call: "s3.GetBucketTagging"},
		{call: "s3.GetBucketVersioning"},
		{call: "s3.GetPublicAccessBlock", actions: []string{"s3:GetBucketPublicAccessBlock"}},
		{call: "s3.GetBucketEncryption", actions: []string{"s3:GetEncryptionConfiguration"}},
		{call: "s3.CreateBucket", actions: []string{"s3:CreateBucket", "s3:TagResource"}},
		{call: "s3.PutBucketTagging"},
		{call: "s3.PutBucketVersioning"},
		{call: "s3.PutPublicAccessBlock", actions: []string{"s3:PutBucketPublicAccessBlock"}},
		{call: "s3.PutBucketEncryption", actions: []string{"s3:PutEncryptionConfiguration"}},
		{call: "s3.DeleteBucket", destroy: true},
	}
}

func (o operation) permissions() []string {
	if len(o.actions) > 0 {
		return o.actions
	}
	return []string{strings.Replace(o.call, ".", ":", 1)}
}

type policy struct {
	Version   string
	Statement []statement
}

type statement struct {
	Sid       string
	Effect    string
	Action    []string
	Resource  string
	Condition map[string]map[string]string `json:",omitempty"`
}

// IAMPolicy is the smallest policy with which everything of this provider works, as JSON. It
// is in parts, so that somebody who only plans can take the first alone; of EC2, only
// what carries ovi's tag may be destroyed.
func IAMPolicy() []byte {
	obs := statement{Sid: "OviLook", Effect: "Allow", Resource: "*"}
	change := statement{Sid: "OviChange", Effect: "Allow", Resource: "*"}
	destroy := statement{
		Sid: "OviDestroyItsOwn", Effect: "Allow", Resource: "*",
		Condition: map[string]map[string]string{"StringEquals": {"aws:ResourceTag/" + tagManaged: "true"}},
	}
	end := statement{Sid: "OviDestroy", Effect: "Allow", Resource: "*"}
	for _, o := range operations() {
		_, name, _ := strings.Cut(o.call, ".")
		into := &change
		switch {
		case reads(name):
			into = &obs
		case o.destroy && strings.HasPrefix(o.call, "ec2."):
			into = &destroy
		case o.destroy:
			into = &end
		}
		into.Action = append(into.Action, o.permissions()...)
	}
	p := policy{Version: "2012-10-17"}
	for _, s := range []statement{obs, change, destroy, end} {
		slices.Sort(s.Action)
		s.Action = slices.Compact(s.Action)
		p.Statement = append(p.Statement, s)
	}
	out, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		return nil // of strings alone: it cannot fail
	}
	return append(out, '\n')
}
