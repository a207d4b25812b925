variable "region" {
  type = string
  default = "us-east-1"
}
variable "cidr" {
  type = string
  description = "The network"
  validation {
    condition = can(regex("^10\\.", var.cidr))
    error_message = "The network ${var.cidr} is not private."
  }
}
variable "zones" { default = ["a", "b"] }
variable "replicas" {
  type = number
  default = 1
}
variable "size" {
  type = string
  default = "t3.micro"
}
variable "ports" {
  type = map(number)
  default = { http = 80, https = 443 }
}
variable "password" {
  type = string
  sensitive = true
  default = "hunter2-hunter2"
}
locals {
  prod  = terraform.workspace == "prod"
  slots = { a = 0, b = 1 }
  tags  = { team = "shop" }
}
output "vpc" { value = aws_vpc.main.id }
output "endpoint" { value = module.orders.endpoint }
output "pw" { 
  value = var.password
  sensitive = true
}
