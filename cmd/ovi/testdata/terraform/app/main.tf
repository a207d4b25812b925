# The instances of the second tier.

variable "subnet_ids" {}
variable "group_id" {}
variable "key_name" {}
variable "profile" {}

data "aws_subnet" "of" {
  count = 2
  id    = var.subnet_ids[count.index]
}

resource "aws_instance" "web" {
  count                  = 2
  ami                    = "ami-12c6146b"
  instance_type          = "t3.micro"
  subnet_id              = var.subnet_ids[count.index]
  vpc_security_group_ids = [var.group_id]
  key_name               = var.key_name
  iam_instance_profile   = var.profile
  user_data              = "#!/bin/sh\nexport TOKEN=dummy-token-83be20\n"
  tags                   = { Name = "web-${count.index}", team = "shop" }
}

resource "aws_ebs_volume" "data" {
  availability_zone = data.aws_subnet.of[0].availability_zone
  size              = 20
  type              = "gp2"
  tags              = { Name = "web-data" }
}

resource "aws_volume_attachment" "data" {
  device_name = "/dev/sdf"
  volume_id   = aws_ebs_volume.data.id
  instance_id = aws_instance.web[0].id
}

resource "aws_launch_template" "web" {
  name                   = "shop-web"
  image_id               = "ami-12c6146b"
  instance_type          = "t3.micro"
  key_name               = var.key_name
  vpc_security_group_ids = [var.group_id]
  user_data              = base64encode("#!/bin/sh\nexport TOKEN=dummy-token-83be20\n")
  iam_instance_profile {
    name = var.profile
  }
}
