/** Flags of Claude Code that are not here, each with what to use in its place. */

const LATER = 'Leave it out: there is nothing of that kind here.';
const IN_CLOUD = 'Sessions run on this machine, or on workers of yours (turnwright durable --help).';
const BARE =
  'Use --setting-sources "" --strict-mcp-config: no settings, hooks, CLAUDE.md, skills and servers but those of flags.';
const IN_BACKGROUND =
  'Run it with your shell (turnwright -p "…" &) or as a durable session: turnwright send <session> "…".';

const ADVICE: Readonly<Record<string, string>> = {
  '--autocompact': 'Set CLAUDE_CODE_AUTO_COMPACT_WINDOW=<tokens>, or autoCompactWindow in the settings.',
  '--background': IN_BACKGROUND,
  '--bare': BARE,
  '--bg': IN_BACKGROUND,
  '--brief': 'The answer itself says what is to be said; --output-format json gives it to programs.',
  '--chrome': 'Add a browser as an MCP server: turnwright mcp add.',
  '--cloud': IN_CLOUD,
  '--desktop': 'The conversation is in this terminal: turnwright --continue.',
  '--environment': IN_CLOUD,
  '--exclude-dynamic-system-prompt-sections':
    'Leave it out: what differs by machine is in the first message already, but for the working directory.',
  '--file': 'Download the file first, and name it in the task: @path.',
  '--from-pr': 'Choose the session from the list of --resume; turnwright sessions tag gives them names.',
  '--ide': `${LATER} Files and selections are named with @path.`,
  '--no-chrome': LATER,
  '--plugin-url': 'Download and unpack the plugin, then: --plugin-dir <folder>.',
  '--remote-control': `${IN_CLOUD} A program drives the command line with --input-format stream-json.`,
  '--remote-control-session-name-prefix': LATER,
  '--restricted': `${BARE} --tools Read Edit Write Glob Grep leaves out what runs commands and reads the network.`,
  '--safe-mode': BARE,
  '--system-prompt-snapshot':
    'Leave it out: each process sends the prompt that its flags and files say, and keeps it while it runs.',
  '--teleport': IN_CLOUD,
  '--tmux': 'Start it in your own tmux: tmux new turnwright.',
};

/** What to do in place of an unknown flag that others have; undefined: they do not have it either. */
export function foreignFlagAdvice(message: string): string | undefined {
  const flag = /unknown option '([^'=]+)/.exec(message)?.[1] ?? '';
  const advice = Object.hasOwn(ADVICE, flag) ? ADVICE[flag] : undefined;
  return advice === undefined
    ? undefined
    : `${flag} is a flag of Claude Code that Turnwright does not have. ${advice}`;
}
