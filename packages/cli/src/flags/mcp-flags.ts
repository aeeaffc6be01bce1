/** Parses `turnwright mcp` by itself: the words after a server's command belong to the server. */
import { type Command, CommanderError, Option } from 'commander';
import { UsageError } from '../usage-error.ts';
import { appended } from './flag-values.ts';

const MCP_SCOPES = ['local', 'user', 'project'] as const;
type McpScope = (typeof MCP_SCOPES)[number];

export interface McpInvocation {
  readonly command: 'mcp';
  readonly call: McpAction;
}

export type McpAction =
  | { readonly action: 'list'; readonly json?: true | undefined }
  | { readonly action: 'get'; readonly server: string; readonly json?: true | undefined }
  | { readonly action: 'login'; readonly server: string; readonly browser?: true | undefined }
  | { readonly action: 'logout'; readonly server: string }
  | {
      readonly action: 'add';
      readonly name: string;
      readonly words: readonly string[];
      readonly flags: AddFlags;
    }
  | {
      readonly action: 'add-json';
      readonly name: string;
      readonly json: string;
      readonly scope: McpScope;
    }
  | { readonly action: 'remove'; readonly name: string; readonly scope?: McpScope | undefined }
  | { readonly action: 'reset-project-choices' };

interface AddFlags {
  readonly scope: McpScope;
  readonly transport?: (typeof TRANSPORTS)[number];
  readonly env?: readonly string[];
  readonly header?: readonly string[];
}

const TRANSPORTS = ['stdio', 'sse', 'http', 'streamable-http'] as const;

/** `argv` begins with `mcp`. `program`: an empty one of the same name. */
export function parseMcpArgs(
  program: Command,
  argv: readonly string[],
  onCall: (invocation: McpInvocation) => void,
): void {
  addMcpCommand(program.enablePositionalOptions(), onCall);
  const isAdd = argv[1] === 'add';
  try {
    program.parse(isAdd ? oneValueEach(argv) : argv, { from: 'user' });
  } catch (error) {
    if (!isAdd || !(error instanceof CommanderError) || error.code !== 'commander.unknownOption') throw error;
    const said = error.message.replace(/^error: u/, 'U').replace(/\n.*$/s, '');
    throw new UsageError(
      `${said}. Flags of the server itself stand behind --, as in turnwright mcp add files -- npx -y files-server.`,
    );
  }
}

/** The command `mcp` with its sub-commands. `onCall` receives the parsed invocation. */
export function addMcpCommand(program: Command, onCall: (invocation: McpInvocation) => void): void {
  const call = (meant: McpAction) => onCall({ command: 'mcp', call: meant });
  const mcp = program
    .command('mcp')
    .description('list, try, add and remove MCP servers; log in to one or out')
    .usage('[list]\n       turnwright mcp <command> …')
    .argument('[words...]')
    .enablePositionalOptions()
    .option('--json', 'list: as JSON')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name(), visibleArguments: () => [] })
    .action((words: string[], { json }: { json?: true }) => {
      if (words.length === 0) return call({ action: 'list', json });
      const names = mcp.commands.map((command) => command.name()).join(', ');
      throw new UsageError(`"${words[0]}" is nothing to do with MCP servers: ${names} are.`);
    });
  const action = (name: McpAction['action'], does: string) =>
    mcp.command(name).description(does).helpOption('-h, --help', 'print this help');
  const scope = () => new Option('-s, --scope <scope>', SCOPES).choices(MCP_SCOPES);

  action('list', 'the servers of this folder, each one tried (the default)')
    .option('--json', 'as JSON')
    .action((_flags: unknown, command: Command) =>
      call({ action: 'list', json: command.optsWithGlobals<{ json?: true }>().json }),
    );
  action('get', 'one of them, with where it is from')
    .argument('<name>')
    .option('--json', 'as JSON')
    .action((server: string, _flags: unknown, command: Command) =>
      call({ action: 'get', server, json: command.optsWithGlobals<{ json?: true }>().json }),
    );
  action('add', 'add a server: a program, or an address')
    .usage('[flags] <name> <command|url> [-- its own flags and words]')
    .argument('<name>')
    .argument('<command|url>')
    .argument('[words...]', 'of the command; those that begin with - stand behind --')
    .addOption(scope().default('local'))
    .addOption(
      new Option('-t, --transport <transport>', 'default stdio, and http for an address').choices(TRANSPORTS),
    )
    .addOption(new Option('-e, --env <K=V>', 'a variable of the program; repeatable').argParser(appended))
    .addOption(new Option('-H, --header <header>', '"Name: value"; repeatable').argParser(appended))
    .action((name: string, command: string, words: string[], flags: AddFlags) =>
      call({ action: 'add', name, words: [command, ...words], flags }),
    );
  action('add-json', 'add a server as .mcp.json would hold it')
    .argument('<name>')
    .argument('<json>')
    .addOption(scope().default('local'))
    .action((name: string, json: string, flags: Pick<AddFlags, 'scope'>) =>
      call({ action: 'add-json', name, json, scope: flags.scope }),
    );
  action('remove', 'remove a server')
    .argument('<name>')
    .addOption(scope())
    .action((name: string, flags: { readonly scope?: McpScope }) =>
      call({ action: 'remove', name, scope: flags.scope }),
    );
  action('login', 'log in to a server')
    .argument('<server>', 'its name here, or its address')
    .option('--browser', 'also open the page')
    .action((server: string, { browser }: { browser?: true }) => call({ action: 'login', server, browser }));
  action('logout', 'log out of a server')
    .argument('<server>', 'its name here, or its address')
    .action((server: string) => call({ action: 'logout', server }));
  action(
    'reset-project-choices',
    "have this folder's .mcp.json asked for again: its trust is revoked",
  ).action(() => call({ action: 'reset-project-choices' }));
}

const SCOPES = 'local (you, this project), user (you, every project) or project (.mcp.json, shared)';

/** Repeats a flag of `add` for each of the values that follow it. */
const LISTS: readonly [flag: RegExp, more: RegExp][] = [
  [/^(?:-e|--env)$/, /^[A-Za-z_][A-Za-z0-9_]*=/],
  [/^(?:-H|--header)$/, /^[A-Za-z0-9_-]+:(?!\/\/)/],
];

function oneValueEach(argv: readonly string[]): readonly string[] {
  const words: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] as string;
    if (word === '--') return [...words, ...argv.slice(at)];
    words.push(word);
    const isMore = LISTS.find(([flag]) => flag.test(word))?.[1];
    if (isMore === undefined || at + 1 >= argv.length) continue;
    at += 1;
    words.push(argv[at] as string);
    for (; isMore.test(argv[at + 1] ?? ''); at += 1) words.push(word, argv[at + 1] as string);
  }
  return words;
}
