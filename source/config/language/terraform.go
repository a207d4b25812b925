package language

// otherFunction suggests how to write what a function of Terraform does; "" if no advice is known.
func otherFunction(name string) string {
	return map[string]string{
		"length": "use size(VALUE)", "upper": "use TEXT.upperAscii()", "lower": "use TEXT.lowerAscii()",
		"trimspace": "use TEXT.trim()", "join": "use LIST.join('SEPARATOR')", "split": "use TEXT.split('SEPARATOR')",
		"replace": "use TEXT.replace('OLD', 'NEW')", "substr": "use TEXT.substring(FROM, TO)",
		"format": "write the text around each ${…}, or join with +", "concat": "use LIST + LIST",
		"contains": "use VALUE in LIST", "distinct": "use LIST.distinct()", "flatten": "use LIST.flatten()",
		"reverse": "use LIST.reverse()", "sort": "use LIST.sort()",
		"element": "use LIST[INDEX]",
		"slice":   "use LIST.slice(FROM, TO)",
		"toset":   "remove the call: for_each takes a list of strings or a map",
		"tolist":  "remove the call: for_each takes a list of strings or a map",
		"tomap":   "remove the call: {'KEY': VALUE} is a map",
		"keys":    "use MAP.map(k, k)", "values": "use MAP.transformList(k, v, v)", "zipmap": "use transformMap",
		"lookup":   "use 'KEY' in MAP ? MAP['KEY'] : DEFAULT",
		"coalesce": "use VALUE != null ? VALUE : OTHER", "try": "use has(VALUE.FIELD) ? VALUE.FIELD : OTHER",
		"can": "use has(VALUE.FIELD)", "tostring": "use string(VALUE)", "tonumber": "use int(VALUE)",
		"tobool": "use VALUE == 'true'",
		"max":    "use math.greatest(A, B)", "min": "use math.least(A, B)",
		"abs": "use math.abs(N)", "ceil": "use math.ceil(N)",
		"floor": "use math.floor(N)", "range": "use lists.range(N)", "jsonencode": "use json(VALUE)",
		"base64encode": "use base64(TEXT)", "cidrsubnet": "use cidr.subnet(NET, BITS, N)",
		"file": "use ${file:PATH}", "templatefile": "use ${file:PATH}, or write the text with ${…} in it",
		"timestamp": "give it as a variable: --set NAME=VALUE; an expression has no clock",
		"now":       "give it as a variable: --set NAME=VALUE; an expression has no clock",
		"uuid":      "give it as a variable: --set NAME=VALUE; an expression has no randomness",
	}[name]
}
