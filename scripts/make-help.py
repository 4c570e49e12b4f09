#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The manual page and the completions for bash, zsh and fish, from the program's own help:

    make-help.py PROGRAM [--check]

Writes share/; with --check it only compares, and fails where a file is not what it would write."""
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
SHARE = ROOT / "share"
# What the values of options are, where their type does not say it; files are completed as such.
VALUES = {"--output": "FILE", "--report": "FILE", "--guess": "FILE", "--parameter": "NAME=VALUE",
          "--start": "NAME=VALUE", "--method-option": "NAME=VALUE", "--integrator-option": "NAME=VALUE",
          "--variables": "PATTERN", "--method": "METHOD", "--reference": "METHOD", "--methods": "METHOD,...",
          "--integrator": "INTEGRATOR", "--chart": "EQUATIONS", "--animate": "SHAPES", "--scheme": "SCHEME",
          "--input": "INPUT", "--members": "FILE", "--random": "NAME~DISTRIBUTION", "--checkpoint": "FILE",
          "--resume": "FILE", "--checkpoint-every": "TIME",
          "--color": "WHEN", "--interpolation": "INTERPOLATION", "--petsc-options": "OPTIONS"}


class Option:
    def __init__(self, left, text):
        names, _, kind = left.partition(" ")
        self.names = names.split(",")
        self.long = next((name for name in self.names if name.startswith("--")), self.names[0])
        self.text = text
        self.repeatable = "..." in kind
        kind, _, self.default = re.sub(r" (?:\.\.\.|REQUIRED|Needs: .*)", "", kind).partition("=")
        self.value = kind and VALUES.get(self.long, {"FLOAT": "NUMBER", "INT": "N", "FLOAT x 2": "A B"}.get(kind, kind))


class Command:
    def __init__(self, name, text, words):
        self.name, self.text = name, text
        self.options, self.positional = [], None
        for section, left, meaning in entries(words):
            if section == "Options":
                self.options.append(Option(left, meaning))
            elif section == "Positionals":
                self.positional = (left.split()[0], "REQUIRED" in left, meaning)


def entries(text):
    """(section, left side, meaning) of every line of a help text; long left sides have a line of their own."""
    section, waiting = "", None
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            section = line[:-1]
        elif re.match(r"  \S", line):
            left, _, meaning = line.strip().partition("  ")
            if meaning.strip():
                yield section, left, meaning.strip()
            else:
                waiting = left
        elif waiting and line.strip():
            yield section, waiting, line.strip()
            waiting = None


class Program:
    def __init__(self, path):
        self.path = str(pathlib.Path(path).resolve())
        help_text = self.run("--help")
        self.text = help_text.splitlines()[0]
        self.options = [Option(left, text) for section, left, text in entries(help_text) if section == "Options"]
        self.commands = [Command(name, text, self.run(name, "--help"))
                         for section, name, text in entries(help_text) if section == "Subcommands"]
        catalogue = json.loads(self.run("methods", "--json"))
        names = {key: [row["name"] for row in catalogue[key]] for key in ("methods", "integrators", "bvp_methods")}
        self.methods = ["auto", *names["methods"]]
        self.integrators = ["auto", *names["integrators"]]
        self.bvp_methods = names["bvp_methods"]
        self.catalogue = sorted(set(names["methods"] + names["integrators"] + names["bvp_methods"]))
        self.starters = re.findall(r"^  (\w+)", self.run("new"), re.M)
        self.papers = re.search(r"there are: (.*)\.", self.run("reproduce", "?"))[1].split(", ")

    def run(self, *words):
        run = subprocess.run([self.path, *words], capture_output=True, text=True, check=False)
        return run.stdout + run.stderr

    def values(self, command, option):
        """The words that an option takes, None where it takes a file, [] where nothing is known."""
        if option.value == "FILE":
            return None
        if option.value in ("METHOD", "METHOD,..."):
            return self.bvp_methods if command.name == "solve-bvp" else self.methods
        if option.value == "INTEGRATOR":
            return self.integrators
        return {"SCHEME": ["gauss", "radau", "lobatto"], "WHEN": ["auto", "always", "never"],
                "INTERPOLATION": ["linear", "hold", "smooth"]}.get(option.value, [])

    def arguments(self, command):
        """The same of the argument of a command."""
        known = {"methods": self.catalogue, "new": self.starters, "reproduce": self.papers}
        return known.get(command.name) if command.positional else []


def roff(text):
    return text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")


def manual(program):
    version = program.run("--version").strip()
    lines = [r'.\" SPDX-License-Identifier: BSD-3-Clause', r'.\" Written by scripts/make-help.py from the help of the program.',
             f'.TH DAEDAL 1 "" "Daedal {version}" "User Commands"', ".SH NAME",
             r"daedal \- solve differential\-algebraic equations of any index", ".SH SYNOPSIS", r".B daedal",
             r".I COMMAND", r".RI [ OPTIONS ]", r".RI [ ARGUMENT ]", ".SH DESCRIPTION", roff(program.text), ".PP",
             roff("A model is a text in flat Modelica or Base Modelica, or - for standard input. The program finds its"
                  " index and a consistent start, chooses a method, integrates on the constraints and checks the result"
                  " against the equations."), ".SH OPTIONS"]

    def option_lines(option):
        names = ", ".join(rf"\fB{roff(name)}\fR" for name in option.names)
        value = rf" \fI{roff(option.value)}\fR" if option.value else ""
        default = f" [{option.default}]" if option.default else ""
        return [".TP", names + value, roff(option.text + default + ".")]

    for option in program.options:
        lines += option_lines(option)
    lines.append(".SH COMMANDS")
    for command in program.commands:
        argument = ""
        if command.positional:
            name = command.positional[0].upper()
            argument = rf" \fI{name}\fR" if command.positional[1] else rf" [\fI{name}\fR]"
        lines += [f'.SS "daedal {roff(command.name)}{argument}"', roff(command.text + ".")]
        if command.positional:
            lines += [".TP", rf"\fI{command.positional[0].upper()}\fR", roff(command.positional[2] + ".")]
        for option in command.options:
            if option.long != "--help":
                lines += option_lines(option)
    lines.append(".SH EXIT STATUS")
    for code, meaning in ((0, "Solved."), (1, "The run failed or could not start; what was computed is written."),
                          (2, "Misuse: unknown option, file that cannot be read or written."),
                          (3, "The model is wrong: syntax, balance, structure."), (130, "Interrupted.")):
        lines += [".TP", str(code), roff(meaning)]
    lines += [".SH EXAMPLES", ".nf", "daedal new pendulum", "daedal analyze pendulum.mo",
              roff("daedal simulate pendulum.mo -o pendulum.csv --report pendulum.html"),
              roff("daedal compare pendulum.mo --methods auto,ggl,baumgarte --tolerances 1e-4,1e-6"), ".fi",
              ".SH SEE ALSO", roff("The guide: docs/index.md of the sources.")]
    return "\n".join(lines) + "\n"


def bash(program):
    lines = ["# SPDX-License-Identifier: BSD-3-Clause", "# Written by scripts/make-help.py from the help of the program.",
             "_daedal() {", "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}",
             "  local command=${COMP_WORDS[1]} words=", "  COMPREPLY=()", "  if ((COMP_CWORD == 1)); then",
             f"    words='{' '.join([c.name for c in program.commands] + [n for o in program.options for n in o.names])}'",
             "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")", "    return", "  fi",
             '  case "$command $before" in']
    for command in program.commands:
        for option in command.options:
            if not option.value:
                continue
            patterns = "|".join(f'"{command.name} {name}"' for name in option.names)
            values = program.values(command, option)
            # Names of variables and numbers are the user's: nothing is offered.
            action = "mapfile -t COMPREPLY < <(compgen -f -- \"$word\")" if values is None else \
                f"mapfile -t COMPREPLY < <(compgen -W '{' '.join(values)}' -- \"$word\")" if values else ":"
            lines.append(f"    {patterns})\n      {action}\n      return\n      ;;")
    lines += ["  esac", '  case "$command" in']
    for command in program.commands:
        names = " ".join(name for option in command.options for name in option.names)
        arguments = program.arguments(command)
        lines.append(f"    {command.name})\n      words='{names}'")
        lines.append('      if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word"); fi')
        if arguments is None:
            lines.append('      if [[ $word != -* ]]; then mapfile -t COMPREPLY < <(compgen -f -- "$word"); fi')
        elif arguments:
            lines.append(f"      if [[ $word != -* ]]; then mapfile -t COMPREPLY < <(compgen -W '{' '.join(arguments)}' -- \"$word\"); fi")
        lines.append("      ;;")
    return "\n".join([*lines, "  esac", "}", "complete -o filenames -F _daedal daedal"]) + "\n"


def quoted(text, escaped="'"):
    for character in "\\" + escaped:
        text = text.replace(character, "\\" + character)
    return text


def zsh(program):
    def described(text):
        return re.sub(r"([\[\]:\\])", r"\\\1", text).replace("'", "'\\''")

    def action(values):
        return "_files" if values is None else f"({' '.join(values)})" if values else ""

    lines = ["#compdef daedal", "# SPDX-License-Identifier: BSD-3-Clause",
             "# Written by scripts/make-help.py from the help of the program.", "_daedal() {", "  local line state",
             "  _arguments -C \\"]
    lines += [f"    '({' '.join(o.names)})'{'{' + ','.join(o.names) + '}' if len(o.names) > 1 else o.names[0]}"
              f"'[{described(o.text)}]' \\" for o in program.options]
    lines += ["    '1:command:->command' '*::argument:->argument'", '  case "$state" in', "    command)",
              "      local -a commands=("]
    lines += [f"        '{c.name}:{described(c.text)}'" for c in program.commands]
    lines += ["      )", "      _describe command commands", "      ;;", "    argument)", '      case "${line[1]}" in']
    for command in program.commands:
        lines.append(f"        {command.name})\n          _arguments \\")
        for option in command.options:
            value = f":{option.value.lower().replace(',...', '')}:{action(program.values(command, option))}" if option.value else ""
            for name in option.names:
                star = "*" if option.repeatable else ""
                lines.append(f"            '{star}{name}[{described(option.text)}]{value}' \\")
        arguments = program.arguments(command)
        if command.positional:
            lines.append(f"            '1:{command.positional[0]}:{action(arguments)}'")
        lines.append("          ;;")
    return "\n".join([*lines, "      esac", "      ;;", "  esac", "}", '_daedal "$@"']) + "\n"


def fish(program):
    lines = ["# SPDX-License-Identifier: BSD-3-Clause", "# Written by scripts/make-help.py from the help of the program.",
             "complete -c daedal -f"]

    def option_line(option, condition, values):
        names = " ".join(f"-l {n[2:]}" if n.startswith("--") else f"-s {n[1:]}" for n in option.names)
        value = "" if not option.value else " -r -F" if values is None else \
            f" -x -a '{' '.join(values)}'" if values else " -x"
        return f"complete -c daedal -n '{condition}' {names}{value} -d '{quoted(option.text)}'"

    for option in program.options:
        lines.append(option_line(option, "__fish_use_subcommand", []))
    for command in program.commands:
        lines.append(f"complete -c daedal -n __fish_use_subcommand -a {command.name} -d '{quoted(command.text)}'")
    for command in program.commands:
        condition = f"__fish_seen_subcommand_from {command.name}"
        arguments = program.arguments(command)
        if arguments is None:
            lines.append(f"complete -c daedal -n '{condition}' -F")
        elif arguments:
            lines.append(f"complete -c daedal -n '{condition}' -a '{' '.join(arguments)}'")
        for option in command.options:
            lines.append(option_line(option, condition, program.values(command, option)))
    return "\n".join(lines) + "\n"


def main():
    program = Program(sys.argv[1])
    files = {"man/man1/daedal.1": manual, "bash-completion/completions/daedal": bash,
             "zsh/site-functions/_daedal": zsh, "fish/vendor_completions.d/daedal.fish": fish}
    stale = []
    for name, write in files.items():
        path, text = SHARE / name, write(program)
        if "--check" not in sys.argv:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        elif not path.exists() or path.read_text() != text:
            stale.append(f"share/{name} is not what the program's help says: run scripts/make-help.py {sys.argv[1]}")
    print("\n".join(stale or [f"{len(files)} files fit {len(program.commands)} commands"]))
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
