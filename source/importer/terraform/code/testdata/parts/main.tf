# Resources that are parts of others, references in texts, lookups, and parts that are listed.
provider "aws" {
  region  = "eu-central-1"
  profile = "prod"
}
provider "aws" {
  alias  = "us"
  region = "us-east-1"
}

data "aws_vpc" "shared" {
  tags = { Name = "shared" }
}
data "aws_subnet" "one" {
  id = "subnet-0abc1234"
}
data "aws_ami" "al2023" {
  most_recent = true
}
data "aws_region" "current" {}

variable "names" {
  type = list(string)
}
variable "create_nat" {
  type    = bool
  default = false
}
variable "settings" {
  type    = map(object({ size = string, disk = optional(number, 20) }))
  default = { a = { size = "t3.micro", disk = 30 } }
}
variable "share" {
  type    = number
  default = 0.5
}
variable "tokens" {
  type      = map(string)
  sensitive = true
}
variable "admin_password" {
  default = "hunter2-default"
}

locals {
  vpc   = data.aws_vpc.shared.id
  upper = [for n in var.names : upper(n) if n != ""]
  byte  = { for i, n in var.names : n => i }
  half  = var.share / 2
  zone  = "${data.aws_region.current.name}a"
}

resource "aws_security_group" "web" {
  name        = "web"
  description = "web of ${"$"}{literal}"
  vpc_id      = local.vpc
}
resource "aws_security_group_rule" "https" {
  type              = "ingress"
  security_group_id = aws_security_group.web.id
  from_port         = 443
  to_port           = 443
  protocol          = "tcp"
  cidr_blocks       = ["0.0.0.0/0", "10.0.0.0/8"]
}
resource "aws_vpc_security_group_egress_rule" "all" {
  security_group_id = aws_security_group.web.id
  ip_protocol       = "-1"
  cidr_ipv4         = "0.0.0.0/0"
}
resource "aws_security_group_rule" "each" {
  for_each          = toset(var.names)
  type              = "ingress"
  security_group_id = aws_security_group.web.id
  from_port         = 80
  to_port           = 80
  protocol          = "tcp"
  cidr_blocks       = [each.value]
}

resource "aws_security_group" "one" {
  vpc_id      = local.vpc
  description = "two"
}
resource "aws_security_group" "two" {
  vpc_id = local.vpc
  ingress {
    from_port       = 80
    to_port         = 80
    protocol        = "tcp"
    security_groups = [aws_security_group.one.id]
  }
}
resource "aws_security_group_rule" "from_two" {
  type                     = "ingress"
  security_group_id        = aws_security_group.one.id
  from_port                = 81
  to_port                  = 81
  protocol                 = "tcp"
  source_security_group_id = aws_security_group.two.id
}

resource "aws_eip" "nat" {
  count = var.create_nat ? 1 : 0
}
resource "aws_nat_gateway" "main" {
  count         = var.create_nat ? 1 : 0
  subnet_id     = data.aws_subnet.one.id
  allocation_id = aws_eip.nat[0].id
}
resource "aws_route_table" "private" {
  vpc_id = local.vpc
}
resource "aws_route" "out" {
  route_table_id         = aws_route_table.private.id
  destination_cidr_block = "0.0.0.0/0"
  nat_gateway_id         = var.create_nat ? aws_nat_gateway.main[0].id : null
}

resource "aws_iam_role" "web" {
  name = "web"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }]
  })
}
resource "aws_iam_role_policy_attachment" "ssm" {
  role       = aws_iam_role.web.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}
resource "aws_iam_role_policy" "logs" {
  name   = "logs"
  role   = aws_iam_role.web.id
  policy = data.aws_iam_policy_document.logs.json
}
resource "aws_iam_role_policy" "unnamed" {
  role   = aws_iam_role.web.id
  policy = data.aws_iam_policy_document.logs.json
}
resource "aws_iam_role_policy" "computed" {
  name   = "${var.share}-logs"
  role   = aws_iam_role.web.id
  policy = data.aws_iam_policy_document.logs.json
}
resource "aws_iam_role_policy" "per_name" {
  for_each = toset(var.names)
  name     = each.key
  role     = aws_iam_role.web.id
  policy   = data.aws_iam_policy_document.logs.json
}
data "aws_iam_policy_document" "logs" {
  statement {
    actions   = ["s3:GetObject"]
    resources = ["${aws_s3_bucket.logs.arn}/*"]
  }
}
resource "aws_iam_policy" "own" {
  name   = "own"
  policy = data.aws_iam_policy_document.logs.json
}
resource "aws_iam_role_policy_attachment" "own" {
  role       = aws_iam_role.web.name
  policy_arn = aws_iam_policy.own.arn
}
resource "aws_iam_role" "jobs" {
  for_each = var.settings
  name     = "jobs-${each.key}"
  assume_role_policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sts:AssumeRole", Principal = { Service = "ec2.amazonaws.com" } }]
  })
  inline_policy {
    name   = "queue"
    policy = file("queue.json")
  }
  inline_policy {
    name   = "logs"
    policy = "{\"Version\": \"2012-10-17\", \"Statement\": [{\"Effect\": \"Allow\", \"Action\": \"logs:*\", \"Resource\": \"*\"}]}"
  }
  inline_policy {
    name   = "logs"
    policy = templatefile("other.json", {})
  }
  dynamic "inline_policy" {
    for_each = var.names
    content {
      name   = inline_policy.value
      policy = "{}"
    }
  }
}
resource "aws_iam_role_policy" "jobs" {
  for_each = var.settings
  name     = "own"
  role     = aws_iam_role.jobs[each.key].id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Action = "sqs:*", Resource = "arn:aws:sqs:*:*:${each.key}" }]
  })
}
resource "aws_iam_role_policy" "else" {
  name   = "broken"
  role   = aws_iam_role.jobs["a"].id
  policy = templatefile("other.json", {})
}
resource "aws_iam_instance_profile" "web" {
  name = "web"
  role = aws_iam_role.web.name
}
resource "aws_instance" "web" {
  for_each               = var.settings
  provider               = aws.us
  ami                    = data.aws_ami.al2023.id
  instance_type          = each.value.size
  vpc_security_group_ids = [aws_security_group.web.id]
  iam_instance_profile   = aws_iam_instance_profile.web.name
  user_data              = templatefile("init.sh", { name = each.key })
  root_block_device {
    volume_size = each.value.disk
  }
  depends_on = [aws_nat_gateway.main, aws_iam_role.web]
  lifecycle {
    ignore_changes        = all
    create_before_destroy = true
    precondition {
      condition     = true
      error_message = "no"
    }
  }
}
resource "aws_instance" "batch" {
  count         = length(var.names)
  ami           = "ami-0123456789abcdef0"
  instance_type = "t3.micro"
  subnet_id     = data.aws_subnet.one.id
  tags          = { Name = var.names[count.index] }
}
resource "aws_s3_bucket" "logs" {
  bucket = "acme-parts-logs"
}
resource "aws_s3_bucket_policy" "logs" {
  bucket = aws_s3_bucket.logs.id
  policy = jsonencode({
    Version   = "2012-10-17"
    Statement = [{ Effect = "Allow", Principal = { AWS = aws_iam_role.web.arn }, Action = "s3:GetObject", Resource = "*" }]
  })
}
resource "aws_s3_bucket_public_access_block" "logs" {
  bucket              = aws_s3_bucket.logs.id
  block_public_acls   = true
  block_public_policy = true
}
resource "aws_db_instance" "orders" {
  identifier          = "parts-orders"
  instance_class      = "db.t3.micro"
  engine              = "postgres"
  allocated_storage   = 20
  password            = var.admin_password
  skip_final_snapshot = false
  publicly_accessible = "no"
  timeouts {
    create = "60m"
  }
}
resource "aws_lb" "web" {
  name               = "parts-web"
  internal           = false
  load_balancer_type = "application"
  security_groups    = [aws_security_group.web.id]
  subnets            = aws_instance.batch[*].subnet_id
}
check "health" {
  assert {
    condition     = true
    error_message = "no"
  }
}
moved {
  from = aws_instance.old
  to   = aws_instance.web["a"]
}
moved {
  from = module.old.aws_instance.a
  to   = aws_instance.batch[0]
}
output "address" {
  value = "http://${aws_instance.batch[0].private_ip}:80"
}
output "all" {
  value = aws_instance.batch[*].id
}
