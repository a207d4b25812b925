package link

import (
	"context"
	"encoding/json"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/keepalive"
)

const (
	// maxFrame is the largest frame that is read.
	maxFrame = 4 << 20
	// keepAlive is how long a connection may be silent before it is tried, and then before it ends.
	keepAlive = 30 * time.Second
)

// codec writes frames as JSON.
type codec struct{}

var _ encoding.Codec = codec{}

func (codec) Marshal(v any) ([]byte, error)      { return json.Marshal(v) }
func (codec) Unmarshal(data []byte, v any) error { return json.Unmarshal(data, v) }
func (codec) Name() string                       { return "json" }

// Orchestrator serves the streams of nodes.
type Orchestrator interface {
	// Session serves one stream until it ends. recv returns the next frame of the node.
	Session(ctx context.Context, recv func() (FromNode, error), send func(ToNode) error) error
}

const (
	service = "ovi.edge.v1.Site"
	method  = "Session"
)

// NewServer returns a server of an orchestrator.
func NewServer(o Orchestrator, options ...grpc.ServerOption) *grpc.Server {
	s := grpc.NewServer(append(options, grpc.ForceServerCodec(codec{}), grpc.MaxRecvMsgSize(maxFrame),
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: keepAlive, Timeout: keepAlive}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepAlive / 2}),
		grpc.ReadBufferSize(0), grpc.WriteBufferSize(4096), grpc.MaxConcurrentStreams(4))...)
	s.RegisterService(&grpc.ServiceDesc{
		ServiceName: service, HandlerType: (*Orchestrator)(nil),
		Streams: []grpc.StreamDesc{{
			StreamName: method, ServerStreams: true, ClientStreams: true,
			Handler: func(_ any, stream grpc.ServerStream) error {
				return o.Session(stream.Context(), func() (f FromNode, err error) {
					err = stream.RecvMsg(&f)
					return f, err
				}, func(f ToNode) error { return stream.SendMsg(&f) })
			},
		}},
	}, o)
	return s
}

// Conn is a node's end of a stream.
type Conn struct {
	conn   *grpc.ClientConn
	stream grpc.ClientStream
}

// Dial opens a stream to an orchestrator. It ends with its context.
func Dial(ctx context.Context, address string, secure credentials.TransportCredentials, options ...grpc.DialOption) (*Conn, error) {
	conn, err := grpc.NewClient(address, append(options, grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: keepAlive, Timeout: keepAlive}), grpc.WithTransportCredentials(secure),
		grpc.WithDefaultCallOptions(grpc.ForceCodec(codec{}), grpc.MaxCallRecvMsgSize(maxFrame)))...)
	if err != nil {
		return nil, err
	}
	stream, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, "/"+service+"/"+method)
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Conn{conn, stream}, nil
}

// Send sends a frame. One goroutine at a time may send.
func (c *Conn) Send(f FromNode) error { return c.stream.SendMsg(&f) }

// Recv returns the next frame.
func (c *Conn) Recv() (f ToNode, err error) {
	err = c.stream.RecvMsg(&f)
	return f, err
}

// Close ends the stream.
func (c *Conn) Close() error { return c.conn.Close() }
