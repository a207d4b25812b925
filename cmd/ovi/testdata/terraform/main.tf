# A stack of three tiers, from which Terraform recorded terraform.tfstate. The values that look secret are not:
# the test proves that none of them leaves the state.

terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}

variable "endpoint" {}

provider "aws" {
  region                      = "us-east-1"
  access_key                  = "EXAMPLE"
  secret_key                  = "not-a-secret"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  s3_force_path_style         = true

  endpoints {
    ec2 = var.endpoint
    elb = var.endpoint
    iam = var.endpoint
    r53 = var.endpoint
    rds = var.endpoint
    s3  = var.endpoint
    sts = var.endpoint
  }
}

# The network.

resource "aws_vpc" "main" {
  cidr_block           = "10.70.0.0/16"
  enable_dns_hostnames = true
  tags                 = { Name = "shop" }
}

resource "aws_subnet" "public" {
  count                   = 2
  vpc_id                  = aws_vpc.main.id
  cidr_block              = "10.70.${count.index}.0/24"
  availability_zone       = element(["us-east-1a", "us-east-1b"], count.index)
  map_public_ip_on_launch = true
  tags                    = { Name = "public-${count.index}" }
}

resource "aws_subnet" "private" {
  for_each          = { a = "10.70.10.0/24", b = "10.70.11.0/24" }
  vpc_id            = aws_vpc.main.id
  cidr_block        = each.value
  availability_zone = "us-east-1${each.key}"
}

resource "aws_internet_gateway" "main" {
  vpc_id = aws_vpc.main.id
  tags   = { Name = "shop" }
}

resource "aws_route_table" "public" {
  vpc_id = aws_vpc.main.id
  route {
    cidr_block = "0.0.0.0/0"
    gateway_id = aws_internet_gateway.main.id
  }
}

resource "aws_route_table_association" "public" {
  count          = 2
  subnet_id      = aws_subnet.public[count.index].id
  route_table_id = aws_route_table.public.id
}

resource "aws_eip" "nat" {
  vpc        = true
  depends_on = [aws_internet_gateway.main]
}

resource "aws_nat_gateway" "main" {
  allocation_id = aws_eip.nat.id
  subnet_id     = aws_subnet.public[0].id
  depends_on    = [aws_internet_gateway.main]
}

resource "aws_route_table" "private" {
  vpc_id = aws_vpc.main.id
}

resource "aws_route" "nat" {
  route_table_id         = aws_route_table.private.id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = aws_nat_gateway.main.id
}

resource "aws_route_table_association" "private" {
  for_each       = aws_subnet.private
  subnet_id      = each.value.id
  route_table_id = aws_route_table.private.id
}

# Two groups that refer to each other, one of them by rules that are resources of their own.

resource "aws_security_group" "lb" {
  name        = "lb"
  description = "the load balancer"
  vpc_id      = aws_vpc.main.id
  ingress {
    from_port   = 80
    to_port     = 80
    protocol    = "tcp"
    cidr_blocks = ["0.0.0.0/0"]
    description = "the internet"
  }
}

resource "aws_security_group" "web" {
  name   = "web"
  vpc_id = aws_vpc.main.id
}

resource "aws_security_group_rule" "web_from_lb" {
  type                     = "ingress"
  from_port                = 8080
  to_port                  = 8080
  protocol                 = "tcp"
  security_group_id        = aws_security_group.web.id
  source_security_group_id = aws_security_group.lb.id
}

resource "aws_security_group_rule" "lb_to_web" {
  type                     = "egress"
  from_port                = 8080
  to_port                  = 8080
  protocol                 = "tcp"
  security_group_id        = aws_security_group.lb.id
  source_security_group_id = aws_security_group.web.id
}

resource "aws_security_group_rule" "web_out" {
  type              = "egress"
  from_port         = 0
  to_port           = 0
  protocol          = "-1"
  security_group_id = aws_security_group.web.id
  cidr_blocks       = ["0.0.0.0/0"]
}

resource "aws_security_group" "db" {
  name   = "db"
  vpc_id = aws_vpc.main.id
  ingress {
    from_port       = 5432
    to_port         = 5432
    protocol        = "tcp"
    security_groups = [aws_security_group.web.id]
  }
}

# The first tier: what the internet reaches.

resource "aws_lb" "web" {
  name            = "shop"
  subnets         = aws_subnet.public[*].id
  security_groups = [aws_security_group.lb.id]
}

resource "aws_lb_target_group" "web" {
  name     = "shop-web"
  port     = 8080
  protocol = "HTTP"
  vpc_id   = aws_vpc.main.id
  health_check {
    path = "/health"
  }
}

resource "aws_lb_listener" "http" {
  load_balancer_arn = aws_lb.web.arn
  port              = 80
  protocol          = "HTTP"
  default_action {
    type             = "forward"
    target_group_arn = aws_lb_target_group.web.arn
  }
}

resource "aws_route53_zone" "main" {
  name = "shop.example"
}

resource "aws_route53_record" "www" {
  zone_id = aws_route53_zone.main.zone_id
  name    = "www.shop.example"
  type    = "A"
  alias {
    name                   = aws_lb.web.dns_name
    zone_id                = aws_lb.web.zone_id
    evaluate_target_health = true
  }
}

resource "aws_route53_record" "mail" {
  zone_id = aws_route53_zone.main.zone_id
  name    = "mail.shop.example"
  type    = "CNAME"
  ttl     = 300
  records = ["mail.example.net"]
}

# The second tier: two instances, and a template. There is no autoscaling group: this version of the provider sends
# empty IDs among those of its subnets, which AWS ignores and moto refuses.

resource "aws_key_pair" "ops" {
  key_name   = "shop-ops"
  public_key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGy7HMCVOTb1x7FJPLpgFk2Py3iLGgu4lm/ehV0fHaiq ops@example.com"
}

resource "aws_iam_role" "app" {
  name = "shop-app"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }]
  })
}

resource "aws_iam_role_policy" "assets" {
  name = "assets"
  role = aws_iam_role.app.id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "s3:GetObject", Resource = "${aws_s3_bucket.assets.arn}/*" }]
  })
}

resource "aws_iam_role_policy_attachment" "ssm" {
  role       = aws_iam_role.app.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_iam_instance_profile" "app" {
  name = "shop-app"
  role = aws_iam_role.app.name
}

module "app" {
  source     = "./app"
  subnet_ids = [for key in ["a", "b"] : aws_subnet.private[key].id]
  group_id   = aws_security_group.web.id
  key_name   = aws_key_pair.ops.key_name
  profile    = aws_iam_instance_profile.app.name
}

# The third tier: the data.

resource "aws_db_subnet_group" "data" {
  name       = "shop-data"
  subnet_ids = values(aws_subnet.private)[*].id
}

resource "aws_db_instance" "orders" {
  identifier              = "shop-orders"
  engine                  = "postgres"
  engine_version          = "16.3"
  instance_class          = "db.t3.micro"
  allocated_storage       = 20
  storage_type            = "gp2"
  name                    = "orders"
  username                = "owner"
  password                = "dummy-password-4f1c9a"
  db_subnet_group_name    = aws_db_subnet_group.data.name
  vpc_security_group_ids  = [aws_security_group.db.id]
  backup_retention_period = 7
  skip_final_snapshot     = true
}

resource "aws_s3_bucket" "assets" {
  bucket = "shop-assets-example"
  versioning {
    enabled = true
  }
}

output "password" {
  value     = aws_db_instance.orders.password
  sensitive = true
}
