names   = ["10.0.0.0/8"]
unknown = 1
