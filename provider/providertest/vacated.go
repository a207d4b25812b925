package providertest

import (
	"context"
	"slices"

	"github.com/ovi-project/ovi/provider"
	"github.com/ovi-project/ovi/resource"
)

// checkVacated checks a create whose things another resource gives up before. The check must not refuse it because that
// resource still has them.
func checkVacated(
	ctx context.Context, p provider.Provider, q provider.Request, needs, has []resource.Hold, id string,
) error {
	c, ok := p.(provider.Checker)
	if !ok {
		return nil
	}
	for _, h := range needs {
		if slices.ContainsFunc(has, h.Clashes) {
			q.Vacated = append(q.Vacated, provider.Vacated{Hold: h, ID: id})
		}
	}
	return c.Check(ctx, q)
}
