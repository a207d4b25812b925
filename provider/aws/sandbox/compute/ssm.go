package compute

import (
	"encoding/json"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

// getParameter knows the public parameters that name the current Amazon Linux
// images ("Calling AMI public parameters").
func getParameter(x *core.Exchange) (any, error) {
	var in struct{ Name string }
	if err := json.Unmarshal(x.JSON, &in); err != nil {
		return nil, wire.Failf("SerializationException", "The request is not JSON: %v", err)
	}
	const linux = "/aws/service/ami-amazon-linux-latest/"
	var value string
	switch in.Name {
	case linux + "al2023-ami-kernel-default-x86_64", linux + "al2023-ami-kernel-6.1-x86_64",
		linux + "al2023-ami-minimal-kernel-default-x86_64":
		value = imageX86
	case linux + "al2023-ami-kernel-default-arm64", linux + "al2023-ami-kernel-6.1-arm64",
		linux + "al2023-ami-minimal-kernel-default-arm64":
		value = imageARM
	default:
		return nil, wire.Failf("ParameterNotFound", "The sandbox has no parameter %s.", in.Name)
	}
	type parameter struct {
		Name, Type, Value, ARN, DataType string
		Version                          int
		LastModifiedDate                 float64
	}
	return struct{ Parameter parameter }{parameter{
		Name: in.Name, Type: "String", Value: value, ARN: "arn:aws:ssm:" + x.Region + "::parameter" + in.Name,
		DataType: "aws:ec2:image", Version: 1, LastModifiedDate: 1767225600,
	}}, nil
}
