package libpod

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"

	"github.com/ovi-project/ovi/internal/engineapi"
)

// single is what Podman 4 says of an image that is not a list of images, behind its manifest.
const single = "Treating single images as manifest lists is not implemented"

type manifest struct {
	Config    struct{ Digest string }
	Manifests []struct {
		Digest   string
		Platform struct{ Architecture, OS string }
	}
}

// RegistryImage asks the registry of an image for the ID that a pull would give it; "" if the
// registry has the image and does not tell, as for a platform that it has no image for.
func (r *Reader) RegistryImage(ctx context.Context, name, os, architecture string) (string, error) {
	m, err := r.manifest(ctx, name)
	if err != nil || len(m.Manifests) == 0 {
		return strings.TrimPrefix(m.Config.Digest, "sha256:"), err
	}
	for _, x := range m.Manifests {
		if x.Platform.OS == os && x.Platform.Architecture == architecture {
			m, err = r.manifest(ctx, repository(name)+"@"+x.Digest)
			return strings.TrimPrefix(m.Config.Digest, "sha256:"), err
		}
	}
	return "", nil
}

// manifest reads the manifest of an image in its registry.
func (r *Reader) manifest(ctx context.Context, name string) (m manifest, err error) {
	err = r.slow(ctx, "/manifests/"+name+"/json", &m)
	var said *engineapi.Error
	if !errors.As(err, &said) || !strings.Contains(said.Message, single) {
		return m, err
	}
	_, quoted, _ := strings.Cut(said.Message, "parsing manifest blob ")
	if quoted, err = strconv.QuotedPrefix(quoted); err == nil {
		quoted, err = strconv.Unquote(quoted)
	}
	if err != nil || json.Unmarshal([]byte(quoted), &m) != nil {
		return manifest{}, nil // it exists, and that is all that is known
	}
	return m, nil
}

// repository is the name of an image without its tag or digest.
func repository(name string) string {
	name, _, _ = strings.Cut(name, "@")
	if i := strings.LastIndexByte(name, ':'); i > strings.LastIndexByte(name, '/') {
		return name[:i]
	}
	return name
}
