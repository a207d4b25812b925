package bucket

import (
	"cmp"
	"crypto/md5" // an ETag is an MD5 sum
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ovi-project/ovi/provider/aws/sandbox/core"
	"github.com/ovi-project/ovi/provider/aws/sandbox/wire"
)

const maxObject = 5 << 20 // the sandbox does not store data

// objects lists a bucket's objects in order of their keys.
func objects(x *core.Exchange, bucketID string) []*object {
	var out []*object
	for _, o := range core.List[*object](x.Tx, "") {
		if o.Bucket == bucketID {
			out = append(out, o)
		}
	}
	slices.SortFunc(out, func(a, b *object) int { return strings.Compare(a.Key, b.Key) })
	return out
}

func putObject(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	if x.Rest.Header.Get("X-Amz-Copy-Source") != "" {
		return nil, wire.FailAs(501, "NotImplemented", "The sandbox does not support copying objects.")
	}
	if len(x.Rest.Body) > maxObject {
		return nil, wire.Failf("EntityTooLarge", "The sandbox stores objects of up to %d bytes.", maxObject)
	}
	sum := md5.Sum(x.Rest.Body)
	o := &object{
		Base: x.Tx.Named(b.ID+"/"+x.Rest.Key, ""), Bucket: b.ID, Key: x.Rest.Key,
		Type: x.Rest.Header.Get("Content-Type"), ETag: `"` + hex.EncodeToString(sum[:]) + `"`, Data: x.Rest.Body,
	}
	x.Tx.Put(o)
	return wire.Raw{Status: 200, Header: http.Header{"Etag": {o.ETag}}, Body: nil}, nil
}

func objectOf(x *core.Exchange) (*object, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	o, ok := core.Find[*object](x.Tx, "", b.ID+"/"+x.Rest.Key)
	if !ok {
		return nil, wire.FailAs(404, "NoSuchKey", "The specified key does not exist.")
	}
	return o, nil
}

func getObject(x *core.Exchange) (any, error) {
	o, err := objectOf(x)
	if err != nil {
		return nil, err
	}
	h := http.Header{
		"Etag": {o.ETag}, "Last-Modified": {o.Made.Format(http.TimeFormat)},
		"Content-Length": {strconv.Itoa(len(o.Data))},
	}
	h.Set("Content-Type", cmp.Or(o.Type, "binary/octet-stream"))
	return wire.Raw{Status: 200, Header: h, Body: o.Data}, nil
}

func headObject(x *core.Exchange) (any, error) {
	out, err := getObject(x)
	if err != nil && wire.ErrorOf(err).Status == 404 {
		return nil, wire.FailAs(404, "NotFound", "Not Found")
	}
	return out, err
}

// deleteObject: deleting a database that does not exist is accepted (S3 API reference:
// DeleteObject).
func deleteObject(x *core.Exchange) (any, error) {
	o, err := objectOf(x)
	if o != nil {
		x.Tx.Drop(o)
	} else if wire.ErrorOf(err).Code != "NoSuchKey" {
		return nil, err
	}
	return empty(204), nil
}

type xmlKeyOf struct {
	Key       string
	VersionID string `xml:"VersionId,omitempty"`
}

func deleteObjects(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	var in struct {
		XMLName xml.Name   `xml:"Delete"`
		Objects []xmlKeyOf `xml:"Object"`
	}
	if xml.Unmarshal(x.Rest.Body, &in) != nil {
		return nil, malformed()
	}
	out := struct {
		XMLName xml.Name   `xml:"DeleteResult"`
		Deleted []xmlKeyOf `xml:"Deleted"`
	}{}
	for _, k := range in.Objects {
		if o, ok := core.Find[*object](x.Tx, "", b.ID+"/"+k.Key); ok {
			x.Tx.Drop(o)
		}
		out.Deleted = append(out.Deleted, xmlKeyOf{Key: k.Key})
	}
	return out, nil
}

type xmlObject struct {
	Key     string
	Version string    `xml:"VersionId,omitempty"`
	Latest  bool      `xml:"IsLatest,omitempty"`
	At      time.Time `xml:"LastModified"`
	ETag    string
	Size    int
	Class   string `xml:"StorageClass"`
}

func nameToken(page int, name string) string {
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d|0|%s", page, name))
}

func afterName(tok string) (string, error) {
	if tok == "" {
		return "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(tok)
	parts := strings.SplitN(string(text), "|", 3)
	if err != nil || len(parts) != 3 {
		return "", wire.Failf("InvalidArgument", "The continuation token provided is incorrect")
	}
	return parts[2], nil
}

type xmlPrefix struct{ Prefix string }

// listObjects lists keys by prefix, folded at a delimiter (S3 API reference:
// ListObjectsV2). Folders do not count against the page.
func listObjects(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	q := x.Rest.Query
	after, err := afterName(q.Get("continuation-token"))
	if err != nil {
		return nil, err
	}
	size, delimiter := 1000, q.Get("delimiter")
	if n := wire.Atoi(q.Get("max-keys")); n > 0 {
		size = min(n, 1000)
	}
	out := struct {
		XMLName xml.Name `xml:"ListBucketResult"`
		Name    string
		Prefix  string
		MaxKeys int
		Count   int         `xml:"KeyCount"`
		More    bool        `xml:"IsTruncated"`
		Next    string      `xml:"NextContinuationToken,omitempty"`
		Objects []xmlObject `xml:"Contents"`
		Folders []xmlPrefix `xml:"CommonPrefixes"`
	}{Name: b.ID, Prefix: q.Get("prefix"), MaxKeys: size}
	for _, o := range objects(x, b.ID) {
		if o.Key <= after || !strings.HasPrefix(o.Key, out.Prefix) {
			continue
		}
		if len(out.Objects) == size {
			out.More, out.Next = true, nameToken(wire.PageOf(x.Call)+1, out.Objects[size-1].Key)
			break
		}
		if head, _, found := strings.Cut(o.Key[len(out.Prefix):], delimiter); found && delimiter != "" {
			folder := out.Prefix + head + delimiter
			if n := len(out.Folders); n == 0 || out.Folders[n-1].Prefix != folder {
				out.Folders = append(out.Folders, xmlPrefix{folder})
			}
			continue
		}
		out.Objects = append(out.Objects,
			xmlObject{Key: o.Key, At: o.Made, ETag: o.ETag, Size: len(o.Data), Class: "STANDARD"})
	}
	out.Count = len(out.Objects) + len(out.Folders)
	return out, nil
}

// listVersions shows the newest version of each object: the sandbox
// keeps no older ones.
func listVersions(x *core.Exchange) (any, error) {
	b, err := bucketOf(x)
	if err != nil {
		return nil, err
	}
	out := struct {
		XMLName  xml.Name `xml:"ListVersionsResult"`
		Name     string
		Versions []xmlObject `xml:"Version"`
	}{Name: b.ID}
	for _, o := range objects(x, b.ID) {
		out.Versions = append(out.Versions, xmlObject{o.Key, "null", true, o.Made, o.ETag, len(o.Data), "STANDARD"})
	}
	return out, nil
}
