package language

import (
	"slices"
	"strings"
)

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
		"cidrhost": "use cidr.subnet(NET, BITS, N) with BITS up to /32: the network of one address",
		"one":      "use LIST[0]", "compact": "use LIST.filter(x, x != '')",
		"setproduct": "use LIST.map(x, OTHER.map(y, x + '-' + y)).flatten()",
		"regex":      "use TEXT.matches('RE2') in a condition, or TEXT.split('SEPARATOR')[N]",
		"startswith": "use TEXT.startsWith('START')", "endswith": "use TEXT.endsWith('END')",
		"alltrue": "use LIST.all(x, x)", "anytrue": "use LIST.exists(x, x)",
		"yamlencode": "use json(VALUE): JSON is YAML", "jsondecode": "write the value, or json of it where a text is needed",
		"sensitive":    "declare a variable with type: secret",
		"nonsensitive": "declare a variable with another type than secret, and list its source under public",
		"not":          "use !(CONDITION)",
		"timestamp":    "give it as a variable: --set NAME=VALUE; an expression has no clock",
		"now":          "give it as a variable: --set NAME=VALUE; an expression has no clock",
		"uuid":         "give it as a variable: --set NAME=VALUE; an expression has no randomness",
	}[name]
}

// otherKey suggests what to write instead of a key of a variable that another language has.
func otherKey(name string) string {
	switch name {
	case "description":
		return "use doc"
	case "sensitive":
		return "use type: secret"
	case "validation":
		return "use check: CONDITION and message: TEXT"
	case "nullable":
		return "use a type with ?, such as type: string?"
	case "value":
		return "use default"
	}
	return "to give the variable a map, put the map under default"
}

// otherType suggests the type of a variable that another language calls differently; "" if no advice is known.
func otherType(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	of, inner, _ := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	switch of {
	case "str", "text", "string":
		return "use string"
	case "integer", "int64", "long":
		return "use int"
	case "float", "double", "decimal":
		return "use number"
	case "boolean":
		return "use bool"
	case "any", "dynamic":
		return "omit the type: the variable has the type of its default; or use object"
	case "set", "list", "array", "tuple":
		if slices.Contains([]string{"string", "int", "number", "bool", "object", "secret"}, inner) {
			return "use list(" + inner + ")"
		}
		return "use list(TYPE), for example list(string)"
	case "map":
		return "use map(TYPE), for example map(string)"
	case "object", "struct":
		return "use object; a check can tell its keys: check: has(vars.NAME.KEY)"
	case "password", "sensitive":
		return "use secret"
	}
	return ""
}
