package aws

// networkKinds are the kinds of this package. Each call gives fresh values.
func networkKinds() []kind {
	return []kind{kindOfVPC(), kindOfSubnet(), kindOfGroup(), kindOfRule(), kindOfInternetGateway(), kindOfRouteTable(), kindOfEIP(), kindOfNAT(), kindOfInterface(), kindOfEndpoint()}
}
