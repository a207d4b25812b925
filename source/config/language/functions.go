package language

import (
	"encoding/base64"
	"fmt"
	"math/big"
	"net/netip"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// functions are the functions of this package. All are pure, and the size of each result has a limit.
func functions() []cel.EnvOption {
	str, num, dyn := cel.StringType, cel.IntType, cel.DynType
	list, texts := cel.ListType(dyn), cel.ListType(str)
	object := cel.MapType(str, dyn)
	return []cel.EnvOption{
		member("lowerAscii", str, []*cel.Type{str}, func(a []ref.Val) ref.Val {
			return types.String(strings.ToLower(textOf(a[0])))
		}),
		member("upperAscii", str, []*cel.Type{str}, func(a []ref.Val) ref.Val {
			return types.String(strings.ToUpper(textOf(a[0])))
		}),
		member("trim", str, []*cel.Type{str}, func(a []ref.Val) ref.Val {
			return types.String(strings.TrimSpace(textOf(a[0])))
		}),
		member("replace", str, []*cel.Type{str, str, str}, replace),
		member("split", texts, []*cel.Type{str, str}, func(a []ref.Val) ref.Val {
			return types.NewStringList(adapter{}, strings.Split(textOf(a[0]), textOf(a[1])))
		}),
		member("join", str, []*cel.Type{texts}, join),
		member("join_by", str, []*cel.Type{texts, str}, join),
		member("substring", str, []*cel.Type{str, num}, substring),
		member("substring_to", str, []*cel.Type{str, num, num}, substring),
		global("by", object, []*cel.Type{list, str}, by),
		global("merge", object, []*cel.Type{object, object}, merge),
		global("json", str, []*cel.Type{dyn}, toJSON),
		global("base64", str, []*cel.Type{str}, func(a []ref.Val) ref.Val {
			return types.String(base64.StdEncoding.EncodeToString([]byte(textOf(a[0]))))
		}),
		global("cidr.subnet", str, []*cel.Type{str, num, num}, subnet),
		global("cidr.contains", cel.BoolType, []*cel.Type{str, str}, contains),
	}
}

// member declares a function of a value. The part of a name after an underscore tells overloads apart.
func member(name string, of *cel.Type, args []*cel.Type, do func([]ref.Val) ref.Val) cel.EnvOption {
	short, _, _ := strings.Cut(name, "_")
	return cel.Function(short, cel.MemberOverload("ovi_"+name, args, of, cel.FunctionBinding(
		func(a ...ref.Val) ref.Val { return do(a) })))
}

func global(name string, of *cel.Type, args []*cel.Type, do func([]ref.Val) ref.Val) cel.EnvOption {
	return cel.Function(name, cel.Overload("ovi_"+strings.ReplaceAll(name, ".", "_"), args, of, cel.FunctionBinding(
		func(a ...ref.Val) ref.Val { return do(a) })))
}

func textOf(v ref.Val) string {
	s, _ := v.(types.String)
	return string(s)
}

func intOf(v ref.Val) int64 {
	n, _ := v.(types.Int)
	return int64(n)
}

func replace(a []ref.Val) ref.Val {
	s, from, to := textOf(a[0]), textOf(a[1]), textOf(a[2])
	if n := strings.Count(s, from); len(to) > 0 && n > (mostText+len(s))/len(to) {
		return types.NewErr("replace: the text is longer than 1 MiB")
	}
	return types.String(strings.ReplaceAll(s, from, to))
}

func join(a []ref.Val) ref.Val {
	separator := ""
	if len(a) > 1 {
		separator = textOf(a[1])
	}
	var b strings.Builder
	i := 0
	for it := a[0].(traits.Lister).Iterator(); it.HasNext() == types.True; i++ {
		x := it.Next()
		s, ok := x.(types.String)
		switch {
		case !ok:
			return types.NewErr("join: element %d is %s, not a string", i, x.Type().TypeName())
		case b.Len()+len(s)+len(separator) > mostText:
			return types.NewErr("join: the text is longer than 1 MiB")
		}
		if i > 0 {
			b.WriteString(separator)
		}
		b.WriteString(string(s))
	}
	return types.String(b.String())
}

func substring(a []ref.Val) ref.Val {
	s := []rune(textOf(a[0]))
	from, to := intOf(a[1]), int64(len(s))
	if len(a) > 2 {
		to = intOf(a[2])
	}
	if from < 0 || to < from || to > int64(len(s)) {
		return types.NewErr("substring: %d to %d is not in a text of %d characters", from, to, len(s))
	}
	return types.String(s[from:to])
}

// by makes a map of a list of maps, by the value of a field, which must be a different string in each.
func by(a []ref.Val) ref.Val {
	out := map[ref.Val]ref.Val{}
	i := 0
	for it := a[0].(traits.Lister).Iterator(); it.HasNext() == types.True; i++ {
		x := it.Next()
		m, ok := x.(traits.Mapper)
		if !ok {
			return types.NewErr("by: element %d is not a map", i)
		}
		key, found := m.Find(a[1])
		name, ok := key.(types.String)
		switch {
		case !found || !ok:
			return types.NewErr("by: element %d has no key %q with a string", i, textOf(a[1]))
		case out[name] != nil:
			return types.NewErr("by: two elements have the %s %q", textOf(a[1]), string(name))
		}
		out[name] = x
	}
	return adapter{}.NativeToValue(out)
}

// merge returns the keys of both maps. The second one wins.
func merge(a []ref.Val) ref.Val {
	out := map[ref.Val]ref.Val{}
	for _, v := range a {
		m := v.(traits.Mapper)
		for it := m.Iterator(); it.HasNext() == types.True; {
			k := it.Next()
			out[k] = m.Get(k)
		}
	}
	return adapter{}.NativeToValue(out)
}

func toJSON(a []ref.Val) ref.Val {
	left := mostValues
	v, err := result(a[0], &left)
	if err != nil {
		return types.NewErr("json: %v", err)
	}
	s, err := jsonText(v)
	if err != nil {
		return types.NewErr("%v", err)
	}
	return types.String(s)
}

// subnet returns the n-th network with that many more bits in its prefix.
func subnet(a []ref.Val) ref.Val {
	network, err := netip.ParsePrefix(textOf(a[0]))
	bits, n := intOf(a[1]), intOf(a[2])
	most := int64(network.Addr().BitLen())
	switch {
	case err != nil || network != network.Masked():
		return types.NewErr("cidr.subnet: %q is not a network such as 10.0.0.0/16", textOf(a[0]))
	case bits < 0 || int64(network.Bits())+bits > most:
		return types.NewErr("cidr.subnet: %s has no networks with %d more bits", network, bits)
	case n < 0 || bits < 62 && n >= 1<<bits:
		return types.NewErr("cidr.subnet: %s has no network %d with %d more bits", network, n, bits)
	}
	long := int64(network.Bits()) + bits
	at := new(big.Int).SetBytes(network.Addr().AsSlice())
	at.Or(at, new(big.Int).Lsh(big.NewInt(n), uint(most-long)))
	addr, _ := netip.AddrFromSlice(at.FillBytes(make([]byte, most/8)))
	return types.String(netip.PrefixFrom(addr, int(long)).String())
}

// contains reports whether a network contains an address or a network.
func contains(a []ref.Val) ref.Val {
	network, err := netip.ParsePrefix(textOf(a[0]))
	if err != nil {
		return types.NewErr("cidr.contains: %q is not a network such as 10.0.0.0/16", textOf(a[0]))
	}
	if addr, err := netip.ParseAddr(textOf(a[1])); err == nil {
		return types.Bool(network.Contains(addr))
	}
	inner, err := netip.ParsePrefix(textOf(a[1]))
	if err != nil {
		return types.WrapErr(fmt.Errorf("cidr.contains: %q is not an address or a network", textOf(a[1])))
	}
	return types.Bool(network.Bits() <= inner.Bits() && network.Contains(inner.Addr()))
}
