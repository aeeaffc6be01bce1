/** Commands of Claude Code that are not here: what to do in their place, at a terminal and in a run. */

const SETTINGS =
  'Settings are files: /config lists those of this session, `turnwright init` writes one that explains its keys (docs/settings.md).';
const ACCOUNT =
  'Your provider has the account: /cost says what this session has used, /status which key it uses.';
const UPDATE = 'npm updates Turnwright, the way it was installed.';
const REVIEW =
  'Say it as a prompt ("review the changes of this branch"), or make it a command of your own: .claude/commands/<name>.md.';
const IDE = 'Nothing is connected to an editor; name files with @path, and Ctrl+G opens the draft in yours.';
const CLOUD = 'Sessions run on this machine, or on workers of yours: turnwright durable --help.';
const BACKGROUND =
  'Agents and commands in the background are listed above the prompt while they run, and the model stops them when asked.';

const ADVICE: Readonly<Record<string, string>> = {
  'add-dir': 'In a run: --add-dir <folder>.',
  agents: 'Agents are files in .claude/agents (docs/agents.md); at a terminal /agents lists them.',
  background: 'Run it beside this one: turnwright -p "…" & in another terminal.',
  bashes: BACKGROUND,
  branch: '/fork goes on in a copy of this session; /rewind goes back to an earlier prompt.',
  btw: 'At a terminal /btw asks beside the conversation; a run has no such place.',
  bug: 'Report it where the source of Turnwright is; turnwright doctor and TURNWRIGHT_DEBUG=1 say what to add.',
  chrome: 'Add a browser as an MCP server: turnwright mcp add.',
  checkpoint: '/rewind lists the prompts to go back to, with what happened to files.',
  color: '/theme chooses the colours.',
  config: SETTINGS,
  copy: 'At a terminal /copy copies the last answer; in a run it is on stdout.',
  cwd: 'Start Turnwright in the other folder, or add it with /add-dir.',
  desktop: CLOUD,
  diff: 'In a run: git diff. In a conversation /diff shows it.',
  doctor: 'In a run: turnwright doctor.',
  exit: 'A run ends by itself.',
  explain: 'In a run: turnwright explain <id>.',
  export: 'At a terminal /export writes the conversation to a file; turnwright sessions show <id> prints it.',
  fast: 'Set fastMode in the settings, or the option fastMode.',
  feedback: 'Report it where the source of Turnwright is.',
  fork: 'In a run: --resume <id> --fork-session, or turnwright sessions fork <id>.',
  hooks: 'Hooks stand in the settings (docs/hooks.md); at a terminal /hooks lists them.',
  ide: IDE,
  'install-github-app': 'docs/recipes/run-in-github-actions.md is a workflow to copy.',
  keybindings: '? on an empty prompt lists the keys; docs/screen.md says how to change them.',
  login: 'turnwright login stores a key; in a conversation /login does.',
  logout: 'turnwright logout removes a stored key.',
  mcp: 'In a run: turnwright mcp list, and --mcp-config <file>.',
  memory: 'Memory files are CLAUDE.md here and above; at a terminal /memory lists them.',
  'migrate-installer': UPDATE,
  mobile: CLOUD,
  'output-style':
    'Set outputStyle in the settings: a built-in style, or a file in .claude/output-styles (docs/skills.md).',
  passes: ACCOUNT,
  permissions:
    'In a run: --allowedTools and --disallowedTools; at a terminal /permissions shows and changes rules.',
  plan: 'Start with --permission-mode plan; in a conversation /plan or Shift+Tab switches to it.',
  plugin: 'Plugins are folders: --plugin-dir <folder> (docs/plugins.md).',
  plugins: 'Plugins are folders: --plugin-dir <folder> (docs/plugins.md).',
  'pr-comments': REVIEW,
  'privacy-settings': 'Nothing is sent but requests to the model: there is no telemetry to switch off.',
  quit: 'A run ends by itself.',
  'release-notes': 'CHANGELOG.md of the package says what changed.',
  'reload-plugins': 'Start again with --continue: plugins are read at the start.',
  'remote-control': CLOUD,
  'remote-env': CLOUD,
  rename: 'In a run: turnwright sessions rename <id> <title>.',
  resume: 'In a run: --resume <id>, or --continue.',
  review: REVIEW,
  rewind: 'In a run: --resume <id> --resume-session-at <message>; at a terminal /rewind lists the prompts.',
  sandbox:
    'Set "sandbox": { "enabled": true } in the settings; /doctor says whether it works here (docs/sandbox.md).',
  'security-review': REVIEW,
  settings: SETTINGS,
  share: '/export writes the conversation to a file.',
  stats: ACCOUNT,
  status: 'In a run: turnwright doctor, and turnwright auth status.',
  statusline: 'Set statusLine in your user settings: a command whose first lines are shown (docs/screen.md).',
  stickers: 'There are none.',
  stop: 'Esc interrupts what runs.',
  tasks: BACKGROUND,
  teleport: CLOUD,
  theme: 'At a terminal /theme chooses the colours.',
  'terminal-setup':
    'A backslash at the end, Alt+Enter or Ctrl+J begins a new line in any terminal (docs/screen.md).',
  todo: '/todos shows the list.',
  todos: 'At a terminal /todos shows the list; in a run it is the input of TodoWrite in the stream.',
  'think-back': ACCOUNT,
  undo: '/rewind goes back to an earlier prompt, with its files.',
  update: UPDATE,
  upgrade: ACCOUNT,
  version: '/status says the version; turnwright --version, too.',
  vim: 'The prompt has no vim keys; Ctrl+G opens it in your own editor ($VISUAL, $EDITOR).',
  voice: 'There is no voice input.',
};

/** Commands that are a task in themselves: the model does what it can with them. */
const TASKS: readonly string[] = ['pr-comments', 'review', 'security-review'];

/** The sentence for a prompt that is such a command; undefined: it is none, and the model's. */
export function adviceForPrompt(text: string): string | undefined {
  const [, name = ''] = /^\/([a-z-]+)(?:[ \t].*)?$/.exec(text.trim()) ?? [];
  const advice = TASKS.includes(name) ? undefined : findCommandAdvice(name);
  return advice === undefined ? undefined : `/${name} is no command of this session. ${advice}`;
}

/** undefined: no other program has a command of this name. */
export function findCommandAdvice(name: string): string | undefined {
  return Object.hasOwn(ADVICE, name) ? ADVICE[name] : undefined;
}
