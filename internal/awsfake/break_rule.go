package awsfake

import "fmt"

// ruleByHand lets SSH from the networks of an office into a group, which is given by its ID, name or ref.
func (h hand) ruleByHand(region, group string) (string, error) {
	e, err := h.find(Breakage{Do: "create", Resource: group, Kind: "security_group", Region: region})
	if err != nil {
		return "", err
	}
	id := e.meta().ID
	_, err = h.call(region, "ec2", "AuthorizeSecurityGroupIngress", map[string]string{
		"GroupId": id, "IpPermissions.1.IpProtocol": "tcp", "IpPermissions.1.FromPort": "22", "IpPermissions.1.ToPort": "22",
		"IpPermissions.1.IpRanges.1.CidrIp": "10.0.0.0/8", "IpPermissions.1.IpRanges.1.Description": "by hand",
	})
	if err != nil {
		return "", err
	}
	g, _ := find[*securityGroup](h.t, region, id)
	return fmt.Sprintf("created security_group_rule %s in %s", g.Rules[len(g.Rules)-1].ID, id), nil
}
