package libpod

// ContainerSpec is how a container is created.
type ContainerSpec struct {
	Name           string                 `json:"name"`
	Image          string                 `json:"image"`
	Pod            string                 `json:"pod,omitempty"`
	Entrypoint     []string               `json:"entrypoint,omitempty"`
	Command        []string               `json:"command,omitempty"`
	Env            map[string]string      `json:"env,omitempty"`
	WorkDir        string                 `json:"work_dir,omitempty"`
	User           string                 `json:"user,omitempty"`
	Labels         map[string]string      `json:"labels"`
	NetNS          *Namespace             `json:"netns,omitempty"`
	Networks       map[string]NetworkLink `json:"networks,omitempty"`
	PortMappings   []PortMapping          `json:"portmappings,omitempty"`
	Volumes        []NamedVolume          `json:"volumes,omitempty"`
	Mounts         []BindMount            `json:"mounts,omitempty"`
	Secrets        []SecretMount          `json:"secrets,omitempty"`
	SecretEnv      map[string]string      `json:"secret_env,omitempty"`
	Health         *Healthcheck           `json:"healthconfig,omitempty"`
	ResourceLimits *Resources             `json:"resource_limits,omitempty"`
	RestartPolicy  string                 `json:"restart_policy,omitempty"`
	RestartTries   *uint                  `json:"restart_tries,omitempty"`
	Sysctl         map[string]string      `json:"sysctl,omitempty"`
	Privileged     bool                   `json:"privileged,omitempty"`
	CapAdd         []string               `json:"cap_add,omitempty"`
	CapDrop        []string               `json:"cap_drop,omitempty"`
}

// Namespace is a kind of namespace.
type Namespace struct {
	Mode string `json:"nsmode"`
}

// NetworkLink is a container's place in a network.
type NetworkLink struct {
	Aliases []string `json:"aliases,omitempty"`
}

// PortMapping publishes a port.
type PortMapping struct {
	HostIP        string `json:"host_ip,omitempty"`
	ContainerPort int    `json:"container_port"`
	HostPort      int    `json:"host_port,omitempty"`
	Range         int    `json:"range,omitempty"`
	Protocol      string `json:"protocol,omitempty"`
}

// NamedVolume mounts a volume.
type NamedVolume struct {
	Name    string
	Dest    string
	Options []string `json:",omitempty"`
}

// BindMount mounts a path of the host.
type BindMount struct {
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Destination string   `json:"destination"`
	Options     []string `json:"options,omitempty"`
}

// SecretMount is a secret as a file.
type SecretMount struct {
	Source string
	Target string
	UID    uint32
	GID    uint32
	Mode   uint32
}

// Resources are limits and shares; nil is not set.
type Resources struct {
	Memory *Memory `json:"memory,omitempty"`
	CPU    *CPU    `json:"cpu,omitempty"`
}

// Memory is in bytes.
type Memory struct {
	Limit       *int64 `json:"limit,omitempty"`
	Reservation *int64 `json:"reservation,omitempty"`
	Swap        *int64 `json:"swap,omitempty"`
}

// CPU is a quota of each period, in microseconds, and a weight.
type CPU struct {
	Quota  *int64  `json:"quota,omitempty"`
	Period *uint64 `json:"period,omitempty"`
	Shares *uint64 `json:"shares,omitempty"`
}

// PodSpec is how a pod is created.
type PodSpec struct {
	Name          string                 `json:"name"`
	Labels        map[string]string      `json:"labels"`
	NetNS         *Namespace             `json:"netns,omitempty"`
	Networks      map[string]NetworkLink `json:"networks,omitempty"`
	PortMappings  []PortMapping          `json:"portmappings,omitempty"`
	RestartPolicy string                 `json:"restart_policy,omitempty"`
}
