/** Scripts that complete the command line in a shell, made from its commands and flags. */
import type { Command } from 'commander';
import { UsageError } from '../usage-error.ts';

interface Completed {
  readonly name: string;
  readonly does: string;
  readonly flags: readonly string[];
}

const SCRIPTS: Readonly<Record<string, (program: Completed, commands: readonly Completed[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** `shell`: `bash`, `zsh` or `fish`; throws which there are for any other. */
export function completionScript(shell: string, program: Command): string {
  const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
  if (script === undefined)
    throw new UsageError(`There is completion for ${Object.keys(SCRIPTS).join(', ')}, not for '${shell}'.`);
  return script(completed(program), program.commands.map(completed));
}

const completed = (command: Command): Completed => ({
  name: command.name(),
  does: command.description(),
  flags: command.options.flatMap(({ long, hidden }) => (long == null || hidden ? [] : [long])),
});

const names = (commands: readonly Completed[]) => commands.map(({ name }) => name);
const choices = (commands: readonly Completed[], line: (name: string, flags: string) => string) =>
  commands.map(({ name, flags }) => line(name, ['--help', ...flags].join(' '))).join('\n');

/** Files are completed where no word fits. */
function bashScript(program: Completed, commands: readonly Completed[]): string {
  return `# turnwright completion bash >> ~/.bashrc
_turnwright() {
  local words
  case "\${COMP_WORDS[1]}" in
${choices(commands, (name, flags) => `    ${name}) words='${flags}' ;;`)}
    *) words='${program.flags.join(' ')}' ;;
  esac
  if [ "$COMP_CWORD" -eq 1 ]; then words='${[...names(commands), ...program.flags].join(' ')}'; fi
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _turnwright turnwright
`;
}

function zshScript(program: Completed, commands: readonly Completed[]): string {
  return `#compdef turnwright
# turnwright completion zsh > "\${fpath[1]}/_turnwright"
_turnwright() {
  local -a found
  case "\${words[2]}" in
${choices(commands, (name, flags) => `    ${name}) found=(${flags}) ;;`)}
    *) found=(${program.flags.join(' ')}) ;;
  esac
  if (( CURRENT == 2 )); then found=(${[...names(commands), ...program.flags].join(' ')}); fi
  compadd -- $found
  _files
}
if [ "$funcstack[1]" = "_turnwright" ]; then _turnwright; else compdef _turnwright turnwright; fi
`;
}

function fishScript(program: Completed, commands: readonly Completed[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    ...commands.map(({ name, does }) => `-n __fish_use_subcommand -a ${name} -d ${quoted(does)}`),
    ...program.flags.map((flag) => `-n __fish_use_subcommand -l ${flag.slice(2)}`),
    ...commands.flatMap(({ name, flags }) =>
      flags.map((flag) => `-n '__fish_seen_subcommand_from ${name}' -l ${flag.slice(2)}`),
    ),
  ];
  return `# turnwright completion fish > ~/.config/fish/completions/turnwright.fish
${lines.map((line) => `complete -c turnwright ${line}`).join('\n')}
`;
}
