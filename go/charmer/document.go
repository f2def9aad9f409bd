// The document in which a program says what it is, and JSON Schemas of Go types.

package charmer

import (
	"cmp"
	"encoding"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

type object = map[string]any

// document is what charmer reads of the program that the bridge was added to; charmer-core publishes its schema.
func (o Options) document(bridge *cobra.Command) object {
	root, _ := o.describe(bridge.Root(), bridge)
	root["name"] = cmp.Or(o.ToolNamePrefix, bridge.Root().Name())
	return prune(object{"charmer": 1, "syntax": "cobra", "name": o.Name, "version": cmp.Or(o.Version, bridge.Root().Version),
		"instructions": o.Instructions, "root": root})
}

// prune takes away what says nothing.
func prune(said object) object {
	for key, value := range said {
		if v := reflect.ValueOf(value); !v.IsValid() || v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 {
			delete(said, key)
		}
	}
	return said
}

// describe says what a command and those below it are, and whether there is anything to call.
func (o Options) describe(cmd, bridge *cobra.Command) (object, bool) {
	said := object{"name": cmd.Name(), "aliases": cmd.Aliases, "about": cmd.Short, "long_about": cmd.Long,
		"examples": cmd.Example, "arguments_exclude_subcommands": cmd.HasSubCommands() && !cmd.Root().TraverseChildren,
		"stands_alone": cmd.DisableFlagParsing || o.selectsFlags}
	at := slices.IndexFunc(o.Selectors, func(one Selector) bool {
		return cmd.Runnable() && (one.CmdSelector == nil || one.CmdSelector(cmd))
	})
	said["flags"], said["groups"] = o.flags(cmd, at)
	if at >= 0 {
		cmd.InitDefaultHelpFlag() // Because of it, help says `[flags]`. The root may be shown under another name.
		said["usage"] = cmd.Root().Name() + strings.TrimPrefix(cmd.UseLine(), cmd.Root().CommandPath())
		said["title"], said["effect"] = cmd.Annotations[AnnotationTitle], effect(cmd)
		said["idempotent"], said["open_world"] = truth(cmd, AnnotationIdempotent), truth(cmd, AnnotationOpenWorld)
		said["args"] = json.RawMessage(cmd.Annotations["charmer_args"])
		said["output"] = json.RawMessage(cmd.Annotations["charmer_output"])
		// Whether flags end at the first argument, pflag does not tell otherwise.
		anywhere := reflect.ValueOf(cmd.Flags()).Elem().FieldByName("interspersed")
		if cmd.DisableFlagParsing || anywhere.IsValid() && !anywhere.Bool() {
			said["options_end_behind"] = 1
		}
		if !cmd.DisableFlagParsing && !slices.Contains(strings.Fields(cmd.Use+" "+cmd.Long+" "+cmd.Example), "--") {
			said["double_dash"] = "neutral"
		}
	}
	below, place, rest := []object(nil), 0, "Available Commands"
	add := func(id, title string) {
		for _, child := range cmd.Commands() {
			isCobras := !cmd.HasParent() && (child.Name() == "help" || child.Name() == "completion")
			if child.GroupID != id || !child.IsAvailableCommand() && !isCobras {
				continue // Help leaves it out, or lists it elsewhere.
			}
			one, calls := o.describe(child, bridge)
			one["listing"] = object{"place": place, "group": strings.TrimSuffix(title, ":")}
			if place++; calls && !isCobras && child != bridge && child.Annotations["charmer_exclude"] == "" {
				below = append(below, one)
			}
		}
	}
	for _, group := range cmd.Groups() {
		add(group.ID, group.Title)
		rest = "Additional Commands"
	}
	add("", rest)
	said["commands"] = below
	prune(said)["runnable"] = at >= 0
	return said, at >= 0 || below != nil
}

// truth is what an annotation says; nil where it says nothing.
func truth(cmd *cobra.Command, key string) *bool {
	value, err := strconv.ParseBool(cmd.Annotations[key])
	return map[bool]*bool{true: &value}[err == nil]
}

// effect is what annotations say of a command's effect, as JSON.
func effect(cmd *cobra.Command) json.RawMessage {
	said := cmd.Annotations["charmer_effect"]
	if reads := truth(cmd, AnnotationReadOnly); said == "" && reads != nil && *reads {
		said = `"read"`
	} else if destroys := truth(cmd, AnnotationDestructive); said == "" && destroys != nil {
		said = map[bool]string{true: `"destroy"`, false: `"write"`}[*destroys]
	}
	return json.RawMessage(said)
}

// flags says what the flags of a command are, and the groups that they are in.
func (o Options) flags(cmd *cobra.Command, at int) (all, groups []object) {
	members := map[string][]string{}
	add := func(takes FlagSelector) func(*pflag.Flag) {
		return func(flag *pflag.Flag) {
			isCobras := flag.Name == "help" || flag.Name == "version" && cmd.Version != ""
			if flag.Hidden || flag.Deprecated != "" || isCobras || takes != nil && !takes(flag) {
				return
			}
			global := cmd.PersistentFlags().Lookup(flag.Name) == flag && !o.selectsFlags
			all = append(all, describeFlag(cmd, flag, global))
			for key, kind := range map[string]string{"cobra_annotation_mutually_exclusive": "exclusive",
				"cobra_annotation_required_if_others_set": "together", "cobra_annotation_one_required": "one_of"} {
				for _, group := range flag.Annotations[key] {
					members[kind+" "+group] = append(members[kind+" "+group], flag.Name)
				}
			}
		}
	}
	switch {
	case cmd.DisableFlagParsing:
	case !o.selectsFlags:
		cmd.LocalFlags().VisitAll(add(nil))
	case at >= 0:
		cmd.LocalFlags().VisitAll(add(o.Selectors[at].LocalFlagSelector))
		cmd.InheritedFlags().VisitAll(add(o.Selectors[at].InheritedFlagSelector))
	}
	for _, group := range slices.Sorted(maps.Keys(members)) {
		if kind, _, _ := strings.Cut(group, " "); len(members[group]) > 1 || kind == "one_of" {
			groups = append(groups, object{"kind": kind, "members": members[group]})
		}
	}
	return all, groups
}

func describeFlag(cmd *cobra.Command, flag *pflag.Flag, global bool) object {
	_, help := pflag.UnquoteUsage(flag)
	said := object{"long": flag.Name, "short": map[bool]string{true: flag.Shorthand}[flag.ShorthandDeprecated == ""],
		"type": flag.Value.Type(), "bare": flag.NoOptDefVal, "default": defaultOf(flag), "global": global, "help": help,
		"required": slices.Contains(flag.Annotations[cobra.BashCompOneRequiredFlag], "true")}
	made := reflect.Indirect(reflect.ValueOf(flag.Value)).Type()
	switch {
	case flag.NoOptDefVal == "true" && flag.Value.Type() != "string":
		said["type"] = "bool"
	case made.PkgPath() == reflect.TypeFor[pflag.Flag]().PkgPath():
	case made.Kind() == reflect.Slice || reflect.TypeOf(flag.Value).Implements(reflect.TypeFor[pflag.SliceValue]()):
		said["type"] = "stringArray"
	default: // A type of the program's own: nobody knows whether all values count or only the last.
		said["choices"], said["may_repeat"] = choices(cmd, flag), said["default"] == nil
	}
	return prune(said)
}

// choices are the values that a flag's completion suggests, where it refuses others. Cobra 1.6 and 1.7 do not tell them.
func choices(cmd *cobra.Command, flag *pflag.Flag) (all []string) {
	type completes interface {
		GetFlagCompletionFunc(string) (func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective), bool)
	}
	if asked, ok := any(cmd).(completes); ok {
		if suggest, ok := asked.GetFlagCompletionFunc(flag.Name); ok && flag.Value.Set(`"@`) != nil {
			values, _ := suggest(cmd, nil, "")
			for _, value := range values {
				if value, _, _ = strings.Cut(value, "\t"); flag.Value.Set(value) == nil {
					all = append(all, value)
				}
			}
		}
	}
	return all
}

// defaultOf is a flag's default; nil where help leaves it out.
func defaultOf(flag *pflag.Flag) any {
	text, kind := flag.DefValue, flag.Value.Type()
	if list, ok := flag.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	if strings.HasSuffix(kind, "Slice") || strings.HasPrefix(kind, "stringTo") {
		all, _ := csv.NewReader(strings.NewReader(strings.Trim(text, "[]"))).Read()
		slices.Sort(all) // They come out of a map.
		return all
	}
	if text == "" || kind != "string" && slices.Contains([]string{"0", "0s", "false", "<nil>", "[]"}, text) {
		return nil
	}
	return text
}

// schemaOf is the JSON Schema of what encoding/json makes of a value's type; a schema stays what it is.
func schemaOf(value any) any {
	of := reflect.TypeOf(value)
	switch given := value.(type) {
	case json.RawMessage, object:
		return given
	case reflect.Type:
		of = given
	}
	types := named{object{}, map[reflect.Type]string{}}
	schema := types.schema(of)
	schema["$defs"] = types.defs
	return schema
}

// named holds the schemas of structs, each of which is written once: they may hold themselves.
type named struct {
	defs  object
	names map[reflect.Type]string
}

func (types named) schema(of reflect.Type) object {
	writes := func(with reflect.Type) bool { return of.Implements(with) || reflect.PointerTo(of).Implements(with) }
	simple := map[reflect.Kind]string{reflect.Bool: "boolean", reflect.Float32: "number", reflect.Float64: "number"}
	switch kind := of.Kind(); {
	case kind == reflect.Pointer:
		return types.schema(of.Elem())
	case of == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case writes(reflect.TypeFor[json.Marshaler]()) || kind == reflect.Interface:
		return object{} // Only its code knows.
	case writes(reflect.TypeFor[encoding.TextMarshaler]()) || kind == reflect.String || of == reflect.TypeFor[[]byte]():
		return object{"type": "string"}
	case simple[kind] != "":
		return object{"type": simple[kind]}
	case kind >= reflect.Int && kind <= reflect.Uintptr:
		return object{"type": "integer"}
	case kind == reflect.Slice || kind == reflect.Array:
		return object{"type": "array", "items": types.schema(of.Elem())}
	case kind == reflect.Map:
		return object{"type": "object", "additionalProperties": types.schema(of.Elem())}
	case kind != reflect.Struct:
		panic(fmt.Sprintf("charmer: JSON has nothing for %v", of))
	}
	if types.names[of] == "" {
		name := fmt.Sprint(of.Name(), len(types.defs))
		said := object{"type": "object", "properties": object{}, "required": []string{}}
		types.names[of], types.defs[name] = name, said
		types.fields(of, said)
	}
	return object{"$ref": "#/$defs/" + types.names[of]}
}

// fields adds the fields of a struct, with those of structs that are embedded in it.
func (types named) fields(of reflect.Type, said object) {
	for i := range of.NumField() {
		field := of.Field(i)
		name, how, _ := strings.Cut(field.Tag.Get("json"), ",")
		kind, inner := field.Type.Kind(), field.Type
		if kind == reflect.Pointer {
			inner = inner.Elem()
		}
		if field.Anonymous && name == "" && inner.Kind() == reflect.Struct {
			types.fields(inner, said)
			continue
		} else if name == "-" && how == "" || !field.IsExported() {
			continue
		}
		name = cmp.Or(name, field.Name)
		schema := types.schema(field.Type)
		if strings.Contains(how, "string") {
			schema = object{"type": "string"}
		}
		if !strings.Contains(how, "omit") {
			said["required"] = append(said["required"].([]string), name)
			if kind == reflect.Pointer || kind == reflect.Slice || kind == reflect.Map {
				schema = object{"anyOf": []any{schema, object{"type": "null"}}}
			}
		}
		said["properties"].(object)[name] = schema
	}
}
