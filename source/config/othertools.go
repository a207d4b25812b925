package config

import "github.com/ovi-project/ovi/source"

// ofOtherTool recognizes a file that was written for another tool, and suggests what to do with it. It returns "" for
// other files, and for each that has a key of a configuration.
func ofOtherTool(root *source.Node) (what, advice string) {
	if root.Shape != source.Object {
		return "", ""
	}
	if root.Get("terraform_version") != nil && root.Get("lineage") != nil {
		return "a Terraform state", "run `ovi import terraform FILE` to write a configuration of its resources"
	}
	if root.Get("terraform_version") != nil && root.Get("format_version") != nil {
		return "the output of `terraform show -json`",
			"run `terraform state pull > FILE`, and `ovi import terraform FILE` to write a configuration of its resources"
	}
	isMap := func(key string) bool { n := root.Get(key); return n != nil && n.Shape == source.Object }
	isOvi := root.Get("version") != nil || root.Get("resources") != nil
	if !isOvi && (isMap("resource") || isMap("terraform") || isMap("module")) {
		return "Terraform's JSON", "write it as HCL, which `ovi import terraform --source DIR` converts"
	}
	for _, key := range []string{"version", "resources", "stack", "provider"} {
		if compose := key == "version" && root.Get("services") != nil; root.Get(key) != nil && !compose {
			return "", ""
		}
	}
	switch {
	case root.Get("AWSTemplateFormatVersion") != nil, isMap("Resources"):
		return "a CloudFormation template",
			"run `ovi import existing` to write a configuration of the resources that it made, see docs/adopt.md"
	case root.Get("apiVersion") != nil && root.Get("kind") != nil:
		switch root.Get("kind").Text {
		case "Pod", "Deployment", "DaemonSet", "StatefulSet", "Job", "CronJob":
			return "a Kubernetes manifest", "write a chart with its containers, see docs/containers.md; " +
				"ovi applies no manifests in a cluster"
		}
		return "a Kubernetes manifest", "apply it with kubectl or Argo CD; " +
			"ovi makes the cluster, see docs/clusters.md"
	case isMap("services"):
		return "a Compose file", "run `ovi import compose FILE` to turn it into a chart"
	}
	return "", ""
}
