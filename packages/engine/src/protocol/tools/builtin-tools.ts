/** The facts of built-in tools that other rooms act on: each is written here, and nowhere else. */

/** Tools that rules, the sandbox and dialogs treat alike. */
export type ToolFamily = 'read' | 'write' | 'command' | 'url';

/** What other rooms must know of a tool. A tool of a host or a server has none of these fields. */
export interface ToolFacts {
  /**
   * A path that is denied to one tool of a family is denied to all of it, and to commands. The first of a
   * family leads it: its rules are offered, and allow for all.
   */
  readonly family?: ToolFamily;
  /** Names under which calls, rules and hooks of earlier versions reach it. */
  readonly formerNames?: readonly string[];
  /**
   * What makes it. `options`: options alone. `tasks`: the session's background tasks too. `session`: the
   * engine, for one session. `part`: agents, skills, compaction or tool search bring it. Absent: earlier
   * versions had it, and rules may still name it.
   */
  readonly madeOf?: 'options' | 'tasks' | 'session' | 'part';
  /** It cannot be chosen: a session has it when it is needed. */
  readonly isUnlisted?: true;
  /**
   * Its results set something that a resumed session and a summary keep. Of `todos` and `plan` the last
   * result counts, of the others each one.
   */
  readonly sets?: 'todos' | 'plan' | 'loaded_tools' | 'snipped_results';
  /**
   * How a person is asked about a call of it: by its own questions, with its plan, or as for others, but
   * never for good (`once`).
   */
  readonly asks?: 'questions' | 'plan' | 'once';
  /** It writes what belongs to the session alone, so that no mode asks about it. */
  readonly isOwnRecord?: true;
  /** How the screen shows a call: a command with its output, a file with its lines, a change as a diff. */
  readonly shownAs?: 'command' | 'new_file' | 'change' | 'agent';
  /** It limits its results itself, and what they come from is on disk already. */
  readonly limitsItself?: true;
  /** Prompts that wait are delivered at its end, whatever their priority. */
  readonly waits?: true;
}

/** Within a family the order counts: the first one leads it. */
const ROWS = {
  Agent: { madeOf: 'part', formerNames: ['Task'], shownAs: 'agent' },
  AskUserQuestion: { madeOf: 'session', asks: 'questions' },
  Bash: { madeOf: 'options', family: 'command', shownAs: 'command' },
  Edit: { madeOf: 'options', family: 'write', shownAs: 'change' },
  EnterPlanMode: { madeOf: 'session', asks: 'once' },
  ExitPlanMode: { madeOf: 'session', asks: 'plan', sets: 'plan' },
  Read: { madeOf: 'options', family: 'read', limitsItself: true },
  Glob: { madeOf: 'options', family: 'read' },
  Grep: { madeOf: 'options', family: 'read' },
  History: { madeOf: 'part' },
  LS: { family: 'read' },
  LSP: { madeOf: 'part', family: 'read' },
  MultiEdit: { family: 'write' },
  NotebookEdit: { madeOf: 'options', family: 'write' },
  NotebookRead: { family: 'read' },
  SendMessage: { madeOf: 'part' },
  Skill: { madeOf: 'part' },
  Sleep: { madeOf: 'session', waits: true },
  Snip: { madeOf: 'part', isUnlisted: true, sets: 'snipped_results' },
  StructuredOutput: { madeOf: 'part', isUnlisted: true, isOwnRecord: true },
  TaskOutput: { madeOf: 'tasks', formerNames: ['BashOutput', 'AgentOutput'] },
  TaskStop: { madeOf: 'tasks', formerNames: ['KillShell'] },
  TodoWrite: { madeOf: 'options', sets: 'todos', isOwnRecord: true },
  ToolSearch: { madeOf: 'part', sets: 'loaded_tools' },
  WebFetch: { madeOf: 'session', family: 'url' },
  WebSearch: { madeOf: 'session' },
  Write: { madeOf: 'options', family: 'write', shownAs: 'new_file' },
} as const satisfies Readonly<Record<string, ToolFacts>>;

/** The tool that loads others. */
export const TOOL_SEARCH_TOOL = 'ToolSearch' satisfies keyof typeof ROWS;

type RowName = keyof typeof ROWS;

/** A built-in tool that a session can choose. */
export type BuiltinToolName = {
  [Name in RowName]: (typeof ROWS)[Name] extends { madeOf: string }
    ? (typeof ROWS)[Name] extends { isUnlisted: true }
      ? never
      : Name
    : never;
}[RowName];

const FACTS: Readonly<Record<RowName, ToolFacts>> = ROWS;
const NONE: ToolFacts = Object.freeze({});
const NAMES = Object.keys(ROWS) as readonly RowName[];

/**
 * The facts of a tool by its name; those of a tool that is not built in are empty.
 *
 * @example toolFacts('Bash').family // 'command'
 */
export const toolFacts = (name: string): ToolFacts =>
  Object.hasOwn(FACTS, name) ? FACTS[name as RowName] : NONE;

const select = (isMeant: (facts: ToolFacts) => boolean): readonly RowName[] =>
  NAMES.filter((name) => isMeant(FACTS[name]));

/** The built-in tools, as `tools`, rules and hook matchers name them. */
export const BUILTIN_TOOL_NAMES = select(
  ({ madeOf, isUnlisted }) => madeOf !== undefined && isUnlisted !== true,
).toSorted() as readonly BuiltinToolName[];

/** Former tool names that are still accepted, and the tools that they name. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  NAMES.flatMap((name) => (FACTS[name].formerNames ?? []).map((former) => [former, name])),
);

/** Names of built-in tools that are made in this way. */
export const toolsMadeOf = (what: NonNullable<ToolFacts['madeOf']>): readonly string[] =>
  select(({ madeOf, isUnlisted }) => madeOf === what && isUnlisted !== true);

/** All names of a family, the tool that leads it first. */
export const toolsOfFamily = (family: ToolFamily): readonly string[] =>
  select((facts) => facts.family === family);

/** The tool that leads a family: `Read`, `Edit`, `Bash` or `WebFetch`. */
export const leaderOfFamily = (family: ToolFamily): string => toolsOfFamily(family)[0] as string;
