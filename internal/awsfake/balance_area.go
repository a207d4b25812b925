package awsfake

import "maps"

func balanceActions() map[string]map[string]handler {
	all := map[string]handler{
		"CreateLoadBalancer": createBalancer, "DescribeLoadBalancers": describeBalancers, "DeleteLoadBalancer": deleteBalancer,
		"SetSubnets": setSubnets, "SetSecurityGroups": setGroups,
		"AddTags": addELBTags, "RemoveTags": removeELBTags, "DescribeTags": describeELBTags,
	}
	maps.Copy(all, targetActions())
	maps.Copy(all, listenerActions())
	return map[string]map[string]handler{"elasticloadbalancing": all}
}

func balanceKinds() []kind {
	return []kind{
		{Name: "target-group", Word: "target_group", Rank: 17, Type: (*targetGroup)(nil)},
		{Name: "load-balancer", Word: "load_balancer", Rank: 18, Type: (*loadBalancer)(nil)},
		{Name: "listener", Rank: 19, Type: (*listener)(nil)},
	}
}
