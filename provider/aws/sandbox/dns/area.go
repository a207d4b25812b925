// Package dns has the Route 53 of the sandbox: hosted zones, their records, and changes on their way to all servers. It
// promises that a batch of changes is made whole or not at all.
package dns

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
)

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{"route53": {
		"CreateHostedZone": createZone, "GetHostedZone": getZone, "ListHostedZones": listZones,
		"ListHostedZonesByName":   zonesByName,
		"UpdateHostedZoneComment": updateZone, "DeleteHostedZone": deleteZone,
		"ChangeTagsForResource": changeZoneTags, "ListTagsForResources": listZoneTags,
		"ChangeResourceRecordSets": changeRecords, "ListResourceRecordSets": listRecords, "GetChange": getChange,
	}}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{Name: "hosted-zone", Word: "dns_zone", Rank: 21, Type: (*HostedZone)(nil)},
		{Name: "record-set", Word: "dns_record", Rank: 22, Type: (*RecordSet)(nil)},
		{Name: "dns-change", Type: (*dnsChange)(nil)},
	}
}
