/** Commands of Claude Code that are not here: what to do in their place, at a terminal and in a run. */

const SETTINGS =
  'Settings are files: `turnwright init` writes one that explains its keys (docs/settings.md); at a terminal /config shows and changes them.';
const ACCOUNT =
  'Your provider has the account: /cost says what this session has used, /status which key it uses.';
const UPDATE = 'npm updates Turnwright, the way it was installed.';
const PROMPT =
  'Say it as a prompt, or make it a command of your own: the text goes into .claude/commands/<name>.md (docs/commands.md).';
const IDE = 'Nothing is connected to an editor; name files with @path, and Ctrl+G opens the draft in yours.';
const CLOUD = 'Sessions run on this machine, or on workers of yours: turnwright durable --help.';
const BACKGROUND = 'In a run the model stops background work when asked; at a terminal /tasks lists it.';
const BESIDE = 'Run it beside this one: turnwright -p "…" & in another terminal.';
const REPORT =
  'Report it where the source of Turnwright is; turnwright doctor and TURNWRIGHT_DEBUG=1 say what to add.';
const FORK = 'In a run: --resume <id> --fork-session, or turnwright sessions fork <id>.';
const REWIND =
  'In a run: --resume <id> --resume-session-at <message>; at a terminal /rewind lists the prompts.';
const LOOP = 'Repeat a run with cron or a loop of the shell: turnwright -p "…" (docs/cli.md).';
const VERIFY = `${PROMPT} Hooks run a check after each edit (docs/hooks.md).`;
const PLUGINS = 'Plugins are folders: --plugin-dir <folder> (docs/plugins.md).';
const DRAWN =
  'The screen stays in the scrollback of your terminal, which scrolls, searches and copies it (docs/screen.md).';
const WEB_DESIGN =
  'There is no connection to a design service; an MCP server can be one (turnwright mcp add).';
const CLOUDS =
  'Cloud providers are configured by variables or settings (docs/models.md); turnwright doctor says what is missing.';

/** Not here at all. No command of the conversation may have one of these names. */
const NOWHERE: Readonly<Record<string, string>> = {
  advisor:
    'No second model is consulted; agents in .claude/agents may name a model of their own (docs/agents.md).',
  android: CLOUD,
  app: CLOUD,
  artifacts: 'Results are files of your folder; there is no place on the web for them.',
  'auto-mode-setup': 'There is no auto mode: rules (/permissions) and the sandbox (/sandbox) save questions.',
  autocompact: 'Set autoCompactWindow (tokens) or autoCompactEnabled: /config autoCompactWindow.',
  'autofix-pr': CLOUD,
  background: BESIDE,
  batch: `Ask for agents in worktrees in a prompt (docs/agents.md). ${BESIDE}`,
  bg: BESIDE,
  bug: REPORT,
  cd: 'Start Turnwright in the other folder, or add it with /add-dir.',
  checkup: 'turnwright doctor checks the setup; at a terminal /doctor does.',
  chrome: 'Add a browser as an MCP server: turnwright mcp add.',
  'claude-api': PROMPT,
  color: 'In the settings theme chooses the colours; at a terminal /theme does.',
  cwd: 'Start Turnwright in the other folder, or add it with /add-dir.',
  dataviz: PROMPT,
  debug: 'Start with --debug, or read why a turn ended: /explain.',
  'deep-research': 'Ask for it as a prompt: WebSearch and WebFetch are tools, and agents may share the work.',
  'design-login': WEB_DESIGN,
  'design-sync': WEB_DESIGN,
  desktop: CLOUD,
  fast: 'Set fastMode in the settings: /config fastMode, or the option fastMode.',
  feedback: REPORT,
  'fewer-permission-prompts':
    'turnwright policy try measures rules against your earlier sessions; /permissions adds one.',
  focus: 'Results are short in the transcript and whole in the viewer: Ctrl+O.',
  heapdump: 'node --heapsnapshot-signal=SIGUSR2 writes one of any program, this one too.',
  ide: IDE,
  import: 'AGENTS.md and CLAUDE.md are read as they are (docs/memory.md); servers go into .mcp.json.',
  insights: 'turnwright sessions lists and searches your sessions; turnwright cost adds up what they cost.',
  'install-github-app': 'docs/recipes/run-in-github-actions.md is a workflow to copy.',
  'install-slack-app': 'There is no app for Slack; a program of yours can call the library (docs/start.md).',
  ios: CLOUD,
  keybindings: '? on an empty prompt lists the keys; the setting keybindings changes them (docs/screen.md).',
  'list-agents': 'turnwright sessions lists the sessions of this folder; /tasks those that this one runs.',
  loop: LOOP,
  'migrate-installer': UPDATE,
  mobile: CLOUD,
  passes: ACCOUNT,
  peers: 'turnwright sessions lists the sessions of this folder; they do not talk to each other.',
  plugin: PLUGINS,
  plugins: PLUGINS,
  powerup:
    'npm start in the source, or turnwright without a key, shows a rehearsed run; docs/start.md goes on.',
  'pr-comments': `gh pr view --comments shows them. ${PROMPT}`,
  'privacy-settings':
    'Nothing is sent but requests to the model, and what you report with --otel to a collector of yours.',
  proactive: LOOP,
  radio: 'There is none.',
  rc: CLOUD,
  recap: 'Ask for it in a prompt, or look back with Ctrl+O; /explain says why each turn ended.',
  'release-notes': 'CHANGELOG.md of the package says what changed.',
  'reload-plugins': 'Start again with --continue: plugins are read at the start.',
  'reload-skills': 'At a terminal /skills reads them again.',
  'remote-control': CLOUD,
  'remote-env': CLOUD,
  routines: LOOP,
  run: VERIFY,
  'run-skill-generator': VERIFY,
  schedule: LOOP,
  'scroll-speed': DRAWN,
  'security-review':
    '/review looks at changes; say what matters behind it, for example /review main..HEAD security.',
  'setup-bedrock': CLOUDS,
  'setup-vertex': CLOUDS,
  share: 'turnwright sessions show <id> prints a session; at a terminal /export writes it to a file.',
  simplify: PROMPT,
  stats: ACCOUNT,
  stickers: 'There are none.',
  stop: 'Esc interrupts what runs; /tasks stops what is in the background.',
  subtask: 'Ask for an agent in a prompt; it may run in the background (/tasks).',
  'team-onboarding': '/init writes what a newcomer needs into CLAUDE.md.',
  teleport: CLOUD,
  'terminal-setup':
    'A backslash at the end, Alt+Enter or Ctrl+J begins a new line in any terminal (docs/screen.md).',
  'think-back': ACCOUNT,
  todo: 'At a terminal /todos shows the list, and Ctrl+T hides it.',
  tp: CLOUD,
  tui: DRAWN,
  ultraplan: 'Start with --permission-mode plan; at a terminal /plan or Shift+Tab switches to it.',
  ultrareview: '/review looks at changes, a branch or a pull request.',
  update: UPDATE,
  upgrade: ACCOUNT,
  'usage-credits': ACCOUNT,
  verify: VERIFY,
  version: 'turnwright --version says it, and so does /status at a terminal.',
  vim: 'The prompt has no vim keys; Ctrl+G opens it in your own editor ($VISUAL, $EDITOR).',
  voice: 'There is no voice input.',
  'web-setup': CLOUD,
  workflows: 'Ask for agents in a prompt; /tasks shows those in the background.',
};

/** Commands of the conversation at a terminal: what to do in a run. */
const IN_A_RUN: Readonly<Record<string, string>> = {
  'add-dir': '--add-dir <folder> adds it.',
  agents: 'Agents are files in .claude/agents (docs/agents.md); at a terminal /agents lists them.',
  'allowed-tools': 'In a run: --allowedTools and --disallowedTools.',
  bashes: BACKGROUND,
  branch: FORK,
  btw: 'turnwright -p --resume <id> --fork-session "…" asks in a copy, which leaves the session as it is.',
  checkpoint: REWIND,
  config: SETTINGS,
  continue: 'In a run: --continue.',
  copy: 'At a terminal /copy copies the last answer; in a run it is on stdout.',
  diff: 'In a run: git diff. In a conversation /diff shows it.',
  doctor: 'In a run: turnwright doctor.',
  exit: 'A run ends by itself.',
  explain: 'In a run: turnwright explain <id>.',
  export: 'At a terminal /export writes the conversation to a file; turnwright sessions show <id> prints it.',
  fork: FORK,
  hooks: 'Hooks stand in the settings (docs/hooks.md); at a terminal /hooks lists them.',
  login: 'turnwright login stores a key; in a conversation /login does.',
  logout: 'turnwright logout removes a stored key.',
  mcp: 'In a run: turnwright mcp list, and --mcp-config <file>.',
  memory: 'Memory files are CLAUDE.md here and above; at a terminal /memory lists them.',
  'output-style':
    'Set outputStyle in the settings: a built-in style, or a file in .claude/output-styles (docs/skills.md).',
  permissions:
    'In a run: --allowedTools and --disallowedTools; at a terminal /permissions shows and changes rules.',
  plan: 'Start with --permission-mode plan; in a conversation /plan or Shift+Tab switches to it.',
  queue: 'A run has no queue: give one task, or a stream of them (--input-format stream-json).',
  quit: 'A run ends by itself.',
  rename: 'In a run: turnwright sessions rename <id> <title>.',
  resume: 'In a run: --resume <id>, or --continue.',
  rewind: REWIND,
  sandbox:
    'Set "sandbox": { "enabled": true } in the settings; turnwright doctor says whether it works here (docs/sandbox.md).',
  settings: SETTINGS,
  skills: 'Skills are folders in .claude/skills (docs/skills.md); at a terminal /skills lists them.',
  status: 'In a run: turnwright doctor, and turnwright auth status.',
  statusline: 'A run has no status line; at a terminal /statusline sets it (docs/screen.md).',
  tasks: BACKGROUND,
  theme: 'At a terminal /theme chooses the colours.',
  todos: 'At a terminal /todos shows the list; in a run it is the input of TodoWrite in the stream.',
  undo: REWIND,
};

/** Tasks in themselves, by words that say what is meant: the model does what it can with them. */
const TASKS: readonly string[] = ['pr-comments', 'security-review', 'simplify', 'verify'];

/** The sentence for a prompt that is such a command; undefined: it is none, and the model's. */
export function adviceForPrompt(text: string): string | undefined {
  const [, name = ''] = /^\/([a-z-]+)(?:[ \t].*)?$/.exec(text.trim()) ?? [];
  const advice = TASKS.includes(name) ? undefined : (findCommandAdvice(name) ?? find(IN_A_RUN, name));
  return advice === undefined ? undefined : `/${name} is no command of this session. ${advice}`;
}

/** undefined: it is a command of the conversation, or no other program has a command of this name. */
export function findCommandAdvice(name: string): string | undefined {
  return find(NOWHERE, name);
}

const find = (table: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;
