package compute

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

// Kinds are the kinds of this package. Each call gives fresh values.
func Kinds() []api.Kind {
	return []api.Kind{kindOfEC2(), kindOfEBS(), kindOfKeyPair(), kindOfTemplate(), kindOfScaling()}
}

func kindOfEBS() api.Kind {
	return api.Kind{
		Schema: ebsSchema(),
		List:   listVolumes, ByTag: true, Read: readVolume, Tag: api.TagEC2, Check: checkVolume,
		Create: createVolume, Update: updateVolume, Remove: deleteVolume,
	}
}

func kindOfEC2() api.Kind {
	return api.Kind{
		Schema: ec2Schema(),
		List:   listInstances, ByTag: true, Read: readInstance, Tag: api.TagEC2, Check: checkInstance,
		Create: createInstance, Update: updateInstance, Remove: deleteInstance,
	}
}
