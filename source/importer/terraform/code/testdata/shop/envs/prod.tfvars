cidr = "10.3.0.0/16"
replicas = 4
size = "m6i.large"
password = "hunter3-hunter3"
