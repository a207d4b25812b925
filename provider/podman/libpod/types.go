package libpod

import "time"

// Container is one container, as inspected.
type Container struct {
	ID              string `json:"Id"`
	Name            string
	Created         time.Time
	Image           string // the ID
	ImageName       string
	Pod             string
	IsInfra         bool
	RestartCount    int
	State           State
	Mounts          []Mount
	Config          Config
	HostConfig      HostConfig
	NetworkSettings NetworkSettings
	Path            string   // of the program that runs
	Args            []string // after it
	BoundingCaps    []string // the capabilities it may have at most
}

// State is what a container does.
type State struct {
	Status    string // created, initialized, running, paused, exited, stopped, stopping, removing
	Running   bool
	Paused    bool
	OOMKilled bool
	ExitCode  int
	Error     string
	StartedAt time.Time
	Health    Health

	FinishedAt time.Time // of the last run
}

// Health is what the health checks of a container found.
type Health struct {
	Status        string // starting, healthy, unhealthy; "" without a check
	FailingStreak int
	Log           []HealthLog
}

// HealthLog is one health check.
type HealthLog struct {
	Start, End string // times, in the form of RFC 3339 with nanoseconds
	ExitCode   int
	Output     string
}

// Config is how a container was created.
type Config struct {
	User        string
	Env         []string
	Cmd         []string
	Entrypoint  Words
	WorkingDir  string
	Labels      map[string]string
	Healthcheck *Healthcheck
	Secrets     []ContainerSecret
	Annotations map[string]string
	// CreateCommand is the command line that created the container, if one did.
	CreateCommand []string
}

// Healthcheck is a health check; its times are in nanoseconds.
type Healthcheck struct {
	Test                           []string
	Interval, Timeout, StartPeriod int64
	Retries                        int
}

// ContainerSecret is a secret that a container mounts.
type ContainerSecret struct {
	Name, ID string
	UID, GID int
	Mode     uint32
}

// HostConfig is what a container uses of its host.
type HostConfig struct {
	PortBindings  map[string][]PortBinding
	RestartPolicy struct {
		Name              string
		MaximumRetryCount int
	}
	NetworkMode       string
	CapAdd, CapDrop   []string
	Privileged        bool
	CPUShares         int64 `json:"CpuShares"`
	Memory            int64
	MemoryReservation int64
	NanoCPUs          int64 `json:"NanoCpus"`
	CPUPeriod         int64 `json:"CpuPeriod"`
	CPUQuota          int64 `json:"CpuQuota"`
	Binds             []string
}

// PortBinding is where a port is published.
type PortBinding struct {
	HostIP   string `json:"HostIp"`
	HostPort string
}

// NetworkSettings are the networks of a container, by name.
type NetworkSettings struct {
	Networks map[string]Endpoint
	Ports    map[string][]PortBinding
}

// Endpoint is a container's place in one network.
type Endpoint struct {
	NetworkID string // a name in Podman 4, an ID in Podman 5
	IPAddress string
	Aliases   []string
}

// Mount is a mounted volume or path.
type Mount struct {
	Type, Name, Source, Destination string
	Options                         []string
	RW                              bool
}

// ListedContainer is one container, as listed.
type ListedContainer struct {
	ID       string `json:"Id"`
	Names    []string
	Image    string
	ImageID  string
	IsInfra  bool
	Labels   map[string]string
	Pod      string
	State    string
	Created  time.Time
	Networks []string
	Ports    []PortMapping
}

// Image is one image.
type Image struct {
	ID           string `json:"Id"`
	RepoTags     []string
	RepoDigests  []string
	Labels       map[string]string
	Config       ImageConfig
	OS           string `json:"Os"`
	Architecture string
}

// ImageConfig are the defaults of an image's containers.
type ImageConfig struct {
	User       string
	Env        []string
	Cmd        []string
	Entrypoint Words
	WorkingDir string
}

// Network is one network.
type Network struct {
	Name       string            `json:"name"`
	ID         string            `json:"id,omitempty"`
	Driver     string            `json:"driver,omitempty"`
	Created    time.Time         `json:"created,omitzero"`
	Subnets    []Subnet          `json:"subnets,omitempty"`
	Internal   bool              `json:"internal,omitempty"`
	DNSEnabled bool              `json:"dns_enabled"`
	Labels     map[string]string `json:"labels,omitempty"`
	Options    map[string]string `json:"options,omitempty"`
}

// Subnet is a range of addresses.
type Subnet struct {
	Subnet  string `json:"subnet"`
	Gateway string `json:"gateway,omitempty"`
}

// Volume is one volume.
type Volume struct {
	Name       string
	Driver     string
	Mountpoint string `json:",omitempty"`
	CreatedAt  string `json:",omitempty"`
	Labels     map[string]string
	Options    map[string]string
	Anonymous  bool `json:",omitempty"`
}

// Secret is one secret, without its value.
type Secret struct {
	ID        string
	CreatedAt time.Time
	Spec      struct {
		Name   string
		Labels map[string]string
	}
}

// Pod is one pod, as inspected.
type Pod struct {
	ID               string `json:"Id"`
	Name             string
	Created          time.Time
	State            string // Created, Running, Stopped, Exited, Degraded, Paused, Dead
	Labels           map[string]string
	InfraContainerID string
	InfraConfig      *struct {
		PortBindings map[string][]PortBinding
		Networks     []string
	}
	Containers []struct{ ID, Name, State string } // style:ok
}

// ListedPod is one pod, as listed.
type ListedPod struct {
	ID      string `json:"Id"`
	Name    string
	Labels  map[string]string
	Status  string
	InfraID string `json:"InfraId"`
}
