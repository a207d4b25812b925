package compute

import (
	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/ec2"
	"github.com/ovi-project/ovi/provider/aws/sandbox/network"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// fixAddress gives an instance the address that it asks for.
func fixAddress(x *core.Exchange, in *ec2.Instance, sn *network.Subnet, private string) (err error) {
	if private == "" {
		return nil
	}
	if count, err := x.P.Num("MaxCount", 1); err != nil || count > 1 {
		return wire.Failf("InvalidParameterCombination", "The parameter PrivateIpAddress cannot be used with more than one instance.")
	}
	in.Private, err = network.FreeAddress(x, sn, private)
	return err
}
