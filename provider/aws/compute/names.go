package compute

// latestImage stands for the current Amazon Linux 2023. It is resolved when an instance is
// created and never compared: a new release of the image replaces nothing.
const latestImage = "al2023"

// Attributes of ec2 that other files name.
const (
	hopLimit  = "imds_hop_limit"
	SpotAttr  = "spot"
	spotPrice = "spot_max_price"
)
