// Package balance has the load balancers of the sandbox, their listeners and target groups. It promises that a repeated
// create with the same settings returns the first one.
package balance

import "github.com/ovi-project/ovi/provider/aws/sandbox/core"

// Actions are the handlers of this area, by service and action.
func Actions() map[string]map[string]core.Handler {
	return map[string]map[string]core.Handler{"elasticloadbalancing": {
		"CreateLoadBalancer": createBalancer, "DescribeLoadBalancers": describeBalancers,
		"DeleteLoadBalancer": deleteBalancer,
		"SetSubnets":         setSubnets, "SetSecurityGroups": setGroups,
		"AddTags": addELBTags, "RemoveTags": removeELBTags, "DescribeTags": describeELBTags,
		"CreateTargetGroup": createTargets, "DescribeTargetGroups": describeTargets, "ModifyTargetGroup": modifyTargets,
		"DeleteTargetGroup": deleteTargets,
		"CreateListener":    createListener, "DescribeListeners": describeListeners, "ModifyListener": modifyListener,
		"DeleteListener": deleteListener,
	}}
}

// Kinds describes the kinds of this area.
func Kinds() []core.Kind {
	return []core.Kind{
		{Name: "target-group", Word: "target_group", Rank: 17, Type: (*targetGroup)(nil)},
		{Name: "load-balancer", Word: "load_balancer", Rank: 18, Type: (*loadBalancer)(nil)},
		{Name: "listener", Rank: 19, Type: (*listener)(nil)},
	}
}
