package database

import (
	"github.com/ovi-project/ovi/provider/aws/api"
)

// Kinds are the kinds of this package. Each call gives fresh values.
func Kinds() []api.Kind {
	return []api.Kind{kindOfRDS(), kindOfDBSubnets(), kindOfDBParameters()}
}

func kindOfRDS() api.Kind {
	return api.Kind{
		Schema: rdsSchema(),
		List:   listDatabases, Read: readDB, Tag: tagDB, Check: checkDB,
		Create: createDB, Update: updateDB, Remove: deleteDB,
	}
}
