cidr = "10.2.0.0/16"
replicas = 2
