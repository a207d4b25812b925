package api

import "github.com/aws/aws-sdk-go-v2/service/route53"

// dnsCalls are the API calls of hosted zones and their records.
type dnsCalls struct {
	ChangeResourceRecordSets call[route53.ChangeResourceRecordSetsInput, route53.ChangeResourceRecordSetsOutput,
		route53.Options]
	ChangeTagsForResource  call[route53.ChangeTagsForResourceInput, route53.ChangeTagsForResourceOutput, route53.Options]
	CreateHostedZone       call[route53.CreateHostedZoneInput, route53.CreateHostedZoneOutput, route53.Options]
	DeleteHostedZone       call[route53.DeleteHostedZoneInput, route53.DeleteHostedZoneOutput, route53.Options]
	GetChange              call[route53.GetChangeInput, route53.GetChangeOutput, route53.Options]
	GetHostedZone          call[route53.GetHostedZoneInput, route53.GetHostedZoneOutput, route53.Options]
	ListHostedZones        call[route53.ListHostedZonesInput, route53.ListHostedZonesOutput, route53.Options]
	ListHostedZonesByName  call[route53.ListHostedZonesByNameInput, route53.ListHostedZonesByNameOutput, route53.Options]
	ListResourceRecordSets call[route53.ListResourceRecordSetsInput, route53.ListResourceRecordSetsOutput,
		route53.Options]
	ListTagsForResources    call[route53.ListTagsForResourcesInput, route53.ListTagsForResourcesOutput, route53.Options]
	UpdateHostedZoneComment call[route53.UpdateHostedZoneCommentInput, route53.UpdateHostedZoneCommentOutput,
		route53.Options]
}

func dnsCallsOf(c *route53.Client) dnsCalls {
	return dnsCalls{
		ChangeResourceRecordSets: c.ChangeResourceRecordSets,
		ChangeTagsForResource:    c.ChangeTagsForResource,
		CreateHostedZone:         c.CreateHostedZone,
		DeleteHostedZone:         c.DeleteHostedZone,
		GetChange:                c.GetChange,
		GetHostedZone:            c.GetHostedZone,
		ListHostedZones:          c.ListHostedZones,
		ListHostedZonesByName:    c.ListHostedZonesByName,
		ListResourceRecordSets:   c.ListResourceRecordSets,
		ListTagsForResources:     c.ListTagsForResources,
		UpdateHostedZoneComment:  c.UpdateHostedZoneComment,
	}
}
