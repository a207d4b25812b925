variable "name" { type = string }
variable "size" { type = string }
variable "vpc_id" { type = string }
variable "subnets" { type = list(string) }
variable "password" { type = string }
resource "aws_security_group" "this" {
  vpc_id = var.vpc_id
  description = "database"
}
resource "aws_db_subnet_group" "this" {
  name       = var.name
  subnet_ids = var.subnets
}
resource "aws_db_instance" "this" {
  identifier             = var.name
  instance_class         = var.size
  engine                 = "postgres"
  allocated_storage      = 20
  username               = "shop"
  password               = var.password
  db_subnet_group_name   = aws_db_subnet_group.this.name
  vpc_security_group_ids = [aws_security_group.this.id]
  skip_final_snapshot    = true
}
output "endpoint" { value = aws_db_instance.this.endpoint }
