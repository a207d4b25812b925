terraform {
  required_version = ">= 1.5"
  backend "s3" { bucket = "state" }
}
provider "aws" {
  region = var.region
  default_tags { tags = { environment = terraform.workspace } }
}
provider "random" {}
resource "aws_vpc" "main" {
  cidr_block           = var.cidr
  enable_dns_hostnames = true
  tags                 = merge(local.tags, { Name = "shop" })
}
resource "aws_subnet" "app" {
  for_each          = toset(var.zones)
  vpc_id            = aws_vpc.main.id
  cidr_block        = cidrsubnet(var.cidr, 8, index(var.zones, each.key))
  availability_zone = "${var.region}${each.key}"
}
resource "aws_subnet" "data" {
  for_each          = local.slots
  vpc_id            = aws_vpc.main.id
  cidr_block        = cidrsubnet(var.cidr, 8, each.value + 100)
  availability_zone = "${var.region}${each.key}"
}
resource "aws_internet_gateway" "main" { vpc_id = aws_vpc.main.id }
resource "aws_route_table" "public" {
  vpc_id = aws_vpc.main.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.main.id
  }
}
resource "aws_route_table_association" "data" {
  for_each       = local.slots
  subnet_id      = aws_subnet.data[each.key].id
  route_table_id = aws_route_table.public.id
}
resource "aws_security_group" "web" {
  name   = "web"
  vpc_id = aws_vpc.main.id
  dynamic "ingress" {
    for_each = var.ports
    content {
      from_port   = ingress.value
      to_port     = ingress.value
      protocol    = "tcp"
      cidr_blocks = ["0.0.0.0/0"]
      description = ingress.key
    }
  }
  egress {
    from_port   = 0
    to_port     = 0
    protocol    = "-1"
    cidr_blocks = ["0.0.0.0/0"]
  }
}
resource "aws_instance" "web" {
  count                  = var.replicas
  ami                    = "ami-0123456789abcdef0"
  instance_type          = var.size
  subnet_id              = aws_subnet.data["a"].id
  vpc_security_group_ids = [aws_security_group.web.id]
  root_block_device { volume_size = 30 }
  user_data = "HOST=web-${count.index}"
  tags      = { Name = "web-${count.index}" }
  lifecycle {
    ignore_changes = [user_data, tags["LastScan"]]
  }
  provisioner "local-exec" { command = "echo hi" }
}
resource "aws_s3_bucket" "audit" {
  count  = local.prod ? 1 : 0
  bucket = "shop-audit-${terraform.workspace}"
  lifecycle { prevent_destroy = true }
}
resource "aws_s3_bucket_versioning" "audit" {
  count  = local.prod ? 1 : 0
  bucket = aws_s3_bucket.audit[0].id
  versioning_configuration { status = "Enabled" }
}
resource "aws_lambda_function" "thumbs" { function_name = "thumbs" }
module "orders" {
  source   = "./modules/database"
  name     = "orders"
  size     = local.prod ? "db.m6i.large" : "db.t3.micro"
  subnets  = [for s in aws_subnet.data : s.id]
  vpc_id   = aws_vpc.main.id
  password = var.password
}
module "remote" {
  source = "terraform-aws-modules/vpc/aws"
}
moved {
  from = aws_instance.app
  to   = aws_instance.web
}
