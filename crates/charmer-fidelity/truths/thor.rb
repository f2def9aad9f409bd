# Prints the true tree of a program of Thor as JSON: the commands and options that its class has.
#
#     ruby thor.rb FILE CLASS

require "json"
require "thor"
require ARGV[0]

TYPES = { boolean: "bool", numeric: "numeric", array: "list", hash: "map" }.freeze

def flag_of(option)
  flag = { type: TYPES.fetch(option.type, "value"), required: option.required ? true : false }
  flag[:hidden] = true if option.hide
  flag[:enum] = option.enum.map(&:to_s) if option.enum
  short = option.aliases.map { |one| "-#{one.delete_prefix('-')}" }.find { |one| one.length == 2 }
  flag[:short] = short if short
  flag
end

def add(tree, path, type)
  common = type.class_options.values
  type.all_commands.each do |name, command|
    below = [path, name.tr("_", "-")].reject(&:empty?).join(" ")
    options = common + command.options.values
    tree[below] = { flags: options.to_h { |one| ["--#{one.name.tr('_', '-')}", flag_of(one)] } }
    tree[below][:hidden] = true if command.hidden? || name == "help"
    inner = type.subcommand_classes[name]
    add(tree, below, inner) if inner
  end
end

tree = { "" => { flags: {}, runnable: false } }
add(tree, "", ARGV[1].split("::").inject(Object) { |scope, name| scope.const_get(name) })
puts JSON.generate(tree)
