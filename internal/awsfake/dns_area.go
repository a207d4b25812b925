package awsfake

func dnsActions() map[string]map[string]handler {
	return map[string]map[string]handler{"route53": {
		"CreateHostedZone": createZone, "GetHostedZone": getZone, "ListHostedZones": listZones, "ListHostedZonesByName": zonesByName,
		"UpdateHostedZoneComment": updateZone, "DeleteHostedZone": deleteZone,
		"ChangeTagsForResource": changeZoneTags, "ListTagsForResources": listZoneTags,
		"ChangeResourceRecordSets": changeRecords, "ListResourceRecordSets": listRecords, "GetChange": getChange,
	}}
}

func dnsKinds() []kind {
	return []kind{
		{Name: "hosted-zone", Word: "dns_zone", Rank: 21, Type: (*hostedZone)(nil)},
		{Name: "record-set", Word: "dns_record", Rank: 22, Type: (*recordSet)(nil)},
		{Name: "dns-change", Type: (*dnsChange)(nil)},
	}
}
