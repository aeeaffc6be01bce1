/** `/context`, `/cost`, `/status`, `/todos`, `/doctor` and `/explain`: what is printed or read. */
import {
  explainSession,
  type McpServerStatus,
  resolveSettings,
  sessionCost,
  VERSION,
} from '@turnwright/engine';
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { contextText } from '../../commands/context-command.ts';
import { costTable } from '../../commands/cost-command.ts';
import { reportLines, runChecks } from '../../doctor/run-checks.ts';
import { modeName } from '../../words/mode-name.ts';
import { counted, dollars } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import type { ConversationState, Todo } from '../conversation-state.ts';
import type { ViewPart } from '../overlay.ts';
import type { ConversationCommand } from './command-type.ts';

export const contextCommand: ConversationCommand = {
  name: 'context',
  summary: 'Shows what fills the context window',
  async run(_, { columns, print, query }) {
    print(fitted(contextText(await query.getContextUsage(), columns), columns));
  },
};

export const costCommand: ConversationCommand = {
  name: 'cost',
  aliases: ['usage'],
  summary: 'Shows what this session has cost, and for what',
  async run(_, context) {
    const { columns, cwd, env, print, state } = context;
    const isKept = context.options.persistSession !== false && state.session.id !== '';
    const cost = isKept
      ? await sessionCost(state.session.id, { cwd, env }).catch(() => undefined)
      : undefined;
    if (cost === undefined) return print([await spentSoFar(context)]);
    print(fitted(costTable(cost, { columns }), columns));
  },
};

/** Tables fit already; sentences are wrapped. */
function fitted(text: string, columns: number): readonly Row[] {
  return wrap(visible(text), columns);
}

/** Of a session that is not kept, or that has asked nothing yet: it has no rows. */
async function spentSoFar({ query }: ConversationCommandContext): Promise<string> {
  const { session } = await query.usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET();
  return `${dollars(session.total_cost_usd)} so far.`;
}

export const statusCommand: ConversationCommand = {
  name: 'status',
  summary: 'Shows session, model, account, servers and settings',
  async run(_, context) {
    const { columns, cwd, env, options, print, query, state, theme } = context;
    const { settingSources } = options;
    const [{ account }, settings, { sources }, servers] = await Promise.all([
      query.initializationResult(),
      query.getSettings(),
      // As they are now: "always" may have written one since the session began.
      resolveSettings({ cwd, env, settingSources, projectTrusted: false, trustRecorded: true }),
      query.mcpServerStatus(),
    ]);
    const facts = statusFacts({
      state,
      model: settings.applied.model,
      effort: settings.applied.effort ?? undefined,
      credentials: `${account.apiKeySource} (${account.apiProvider})`,
      servers,
      files: sources.flatMap(({ path }) => path ?? []),
      isKept: options.persistSession !== false,
    });
    print(factRows(facts, columns, theme));
  },
};

type Fact = readonly [name: string, value: string];

interface Status {
  readonly state: Pick<ConversationState, 'session'>;
  readonly model: string;
  readonly effort: string | undefined;
  readonly credentials: string;
  readonly servers: readonly McpServerStatus[];
  /** Settings files that were read. */
  readonly files: readonly string[];
  readonly isKept: boolean;
}

function statusFacts(status: Status): readonly Fact[] {
  const { credentials, effort, files, isKept, model, servers, state } = status;
  const { session } = state;
  return [
    ['version', VERSION],
    ['session', `${session.id}${isKept ? '' : ' (not kept)'}`],
    ...(session.title === undefined ? [] : [['title', session.title] as const]),
    ['folder', session.cwd],
    ['model', effort === undefined ? model : `${model}, effort ${effort}`],
    ['credentials', credentials],
    ['mode', modeName(session.mode)],
    ['MCP', servers.length === 0 ? 'none' : serverWords(servers)],
    ['settings', files.length === 0 ? 'no file' : files.join(', ')],
  ];
}

function serverWords(servers: readonly McpServerStatus[]): string {
  const [connected = 0, connecting = 0] = ['connected', 'pending'].map(
    (status) => servers.filter((server) => server.status === status).length,
  );
  const rest = connecting === 0 ? '' : `, ${connecting} ${connecting === 1 ? 'connects' : 'connect'} yet`;
  return `${connected} of ${counted(servers.length, 'server')} connected${rest}`;
}

const NAME_COLUMNS = 13;

function factRows(facts: readonly Fact[], columns: number, theme: Theme): readonly Row[] {
  const hang = ' '.repeat(NAME_COLUMNS);
  return facts.flatMap(([name, value]) =>
    wrap(oneLine(value), Math.max(1, columns - NAME_COLUMNS)).map((row, index) =>
      index === 0 ? theme.dim(name.padEnd(NAME_COLUMNS)) + row : hang + row,
    ),
  );
}

export const todosCommand: ConversationCommand = {
  name: 'todos',
  summary: 'Shows the todo list',
  async run(_, { columns, print, state, theme }) {
    print(todoRows(state.todos, columns, theme));
  },
};

export function todoRows(todos: readonly Todo[], columns: number, theme: Theme): readonly Row[] {
  if (todos.length === 0) return ['There is no todo list.'];
  const done = todos.filter(({ status }) => status === 'completed').length;
  return [
    theme.bold(`Todos · ${done} of ${todos.length} done`),
    ...todos.flatMap(({ text, status }) => {
      const [first = '', ...rest] = wrap(oneLine(text), Math.max(1, columns - 4));
      const rows = [`${MARKS[status]} ${first}`, ...rest.map((row) => `    ${row}`)];
      return status === 'completed' ? rows.map((row) => theme.dim(row)) : rows;
    }),
  ];
}

const MARKS: Readonly<Record<Todo['status'], string>> = {
  pending: '[ ]',
  in_progress: '[>]',
  completed: '[x]',
};

export const doctorCommand: ConversationCommand = {
  name: 'doctor',
  summary: 'Checks settings, model, sandbox and folders',
  async run(_, { columns, cwd, env, print, query, theme }) {
    print([theme.dim('Checking …')]);
    const [servers, hooks, languages] = await Promise.all([
      query.mcpServerStatus(),
      query.hooksListing(),
      query.languageServers(),
    ]);
    const checks = await runChecks({ cwd, env }, { servers, hooks, languages });
    const shown = checks.map((check) => ({ ...check, detail: oneLine(check.detail) }));
    const paint = { ok: theme.good, warning: theme.warn, problem: theme.bad };
    print(reportLines(shown, paint).flatMap((line) => wrap(line, columns, { hang: '  ' })));
  },
};

export const explainCommand: ConversationCommand = {
  name: 'explain',
  summary: 'Explains why each turn ended as it did',
  async run(_, { cwd, env, state, view }) {
    const text = await explainSession(state.session.id, { cwd, env });
    await view({ title: 'Why each turn ended as it did', parts: explainedParts(text) });
  },
};

/**
 * The text of `turnwright explain` by submission. A paragraph is a part under its first line; one that begins
 * with an iteration, because there is only one submission, belongs to the part before it.
 */
function explainedParts(text: string): readonly ViewPart[] {
  const parts: ViewPart[] = [];
  for (const paragraph of text.trimEnd().split('\n\n')) {
    const [first = '', ...more] = paragraph.split('\n');
    const last = parts.at(-1);
    if (/^[ #]/.test(first) && last !== undefined)
      parts[parts.length - 1] = { ...last, lines: [...last.lines, first, ...more] };
    else parts.push({ heading: first, lines: more });
  }
  return parts;
}
