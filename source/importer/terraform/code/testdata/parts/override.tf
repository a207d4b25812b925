resource "aws_lb" "web" {
  internal = true
}
