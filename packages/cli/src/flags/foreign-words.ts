/**
 * Words that are commands of other programs: sent to a model as a task, they would cost money and do nothing.
 */
import { UsageError } from '../usage-error.ts';

/**
 * `turnwright help`, `help sessions` and `version` as the flags that mean the same; anything else as it is.
 */
export function asFlags(argv: readonly string[], commands: readonly string[]): readonly string[] {
  const [first, second, ...more] = argv;
  if (first === 'version' && second === undefined) return ['--version'];
  if (first !== 'help' || more.length > 0) return argv;
  if (second === undefined) return ['--help'];
  return commands.includes(second) ? [second, '--help'] : argv;
}

/** Throws what to do instead when the whole task is one of these words. */
export function rejectForeignWord(words: readonly string[]): void {
  const [word = '', ...more] = words;
  const advice = more.length === 0 ? ADVICE.get(word.toLowerCase()) : undefined;
  if (advice === undefined) return;
  throw new UsageError(`There is no command '${word}'. ${advice} As a task: turnwright -- ${word}`);
}

const CREDENTIALS =
  '`turnwright login` stores an API key or, with --token, a bearer token; `turnwright auth status` says which credentials are used.';
const CHAT = 'Without a task, turnwright opens a conversation at the terminal.';
const RESUME =
  '`turnwright --continue` goes on with the newest session of this folder, `turnwright --resume` lets you choose one; `turnwright sessions` lists them.';
const SETTINGS =
  'Settings are JSON files, such as .turnwright/settings.json, which `turnwright init` writes; see docs/settings.md.';
const PERMISSIONS =
  'Give rules with --allowedTools and --disallowedTools, or in the settings; `turnwright trust --show` says what this folder asks for. See docs/permissions.md.';
const UPDATE = 'Update or remove Turnwright with npm, the way it was installed.';
const PLUGINS = 'Plugins are folders that a flag names: --plugin-dir <folder>; see docs/plugins.md.';
const AGENTS = 'Subagents are files in .claude/agents or .turnwright/agents; see docs/agents.md.';

const ADVICE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    help: 'Use turnwright --help.',
    version: 'Use turnwright --version.',
    'setup-token': CREDENTIALS,
    chat: CHAT,
    interactive: CHAT,
    repl: CHAT,
    continue: RESUME,
    resume: RESUME,
    config: SETTINGS,
    settings: SETTINGS,
    permissions: PERMISSIONS,
    model:
      'Choose the model with --model, ANTHROPIC_MODEL or /model in a conversation; `turnwright models` lists them.',
    update: UPDATE,
    upgrade: UPDATE,
    install: UPDATE,
    uninstall: UPDATE,
    completions: 'Use turnwright completion bash, zsh or fish.',
    plugin: PLUGINS,
    plugins: PLUGINS,
    agent: AGENTS,
    agents: AGENTS,
    skills: 'Skills are folders in .claude/skills or .turnwright/skills; see docs/skills.md.',
    hooks: 'Hooks stand in the settings; see docs/hooks.md.',
    exec: 'Give the task itself: turnwright -p "fix the failing test".',
    run: 'Give the task itself: turnwright "fix the failing test".',
    serve: 'A rehearsed model listens with `turnwright rehearse bundled --serve`.',
    status: 'Use turnwright doctor.',
    list: 'Use turnwright sessions.',
    session: 'Use turnwright sessions.',
    history: 'Use turnwright sessions.',
  }),
);
