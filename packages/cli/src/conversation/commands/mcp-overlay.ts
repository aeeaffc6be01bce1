/** `/mcp`: servers with their state; reconnects, switches off and on, shows tools. */
import type { McpServerStatus } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { counted } from '../../words/units.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import type { ConversationCommand } from './command-type.ts';
import { type ListItem, listOverlay } from './list.ts';

export const mcpCommand: ConversationCommand = {
  name: 'mcp',
  summary: 'Shows MCP servers; reconnects, switches off and on',
  async run(_, context) {
    for (;;) {
      const servers = await context.query.mcpServerStatus();
      const isPending = servers.some(({ status }) => status === 'pending');
      const name = await context.open(
        listOverlay({
          title: 'MCP servers',
          items: serverItems(servers),
          empty: 'No MCP server is configured. turnwright mcp add adds one.',
          enter: 'opens it',
          ...(isPending && {
            later: { what: 'Connecting …', items: settled(context).then(serverItems) },
          }),
        }),
      );
      const server = (await context.query.mcpServerStatus()).find((each) => each.name === name);
      if (server === undefined) return;
      await openServer(server, context);
    }
  },
};

const POLL_MS = 200;
const POLLS = 150;

/** The servers when none is connecting any more, or after half a minute. */
async function settled({ clock, query }: ConversationCommandContext): Promise<readonly McpServerStatus[]> {
  for (let poll = 0; ; poll += 1) {
    const servers = await query.mcpServerStatus();
    if (poll === POLLS || servers.every(({ status }) => status !== 'pending')) return servers;
    await new Promise<void>((resolve) => void clock.timer(POLL_MS, resolve));
  }
}

function serverItems(servers: readonly McpServerStatus[]): readonly ListItem<string>[] {
  return servers.map((server) => ({
    value: server.name,
    label: `${MARKS[server.status]} ${server.name}`,
    detail: describeState(server),
    about: [
      ...(server.error === undefined ? [] : [server.error]),
      ...(server.quarantined ?? []),
      ...(server.held ?? []),
    ],
  }));
}

const MARKS: Readonly<Record<McpServerStatus['status'], string>> = {
  connected: '✓',
  pending: '…',
  'needs-auth': '!',
  failed: '✗',
  disabled: '○',
};

function describeState({ name, status, tools = [], scope }: McpServerStatus): string {
  const from = scope === undefined ? '' : ` · ${scope}`;
  switch (status) {
    case 'connected':
      return `connected · ${counted(tools.length, 'tool')}${from}`;
    case 'pending':
      return `connecting${from}`;
    case 'needs-auth':
      return `needs a login: turnwright mcp login ${name}`;
    case 'failed':
      return `failed${from}`;
    case 'disabled':
      return `switched off${from}`;
  }
}

type Action = 'tools' | 'reconnect' | 'off' | 'on';

async function openServer(server: McpServerStatus, context: ConversationCommandContext): Promise<void> {
  const { name } = server;
  const action = await context.open(
    listOverlay({
      title: `${name}: ${describeState(server)}`,
      items: actionItems(server),
      empty: '',
      enter: 'does it',
    }),
  );
  switch (action) {
    case undefined:
      return;
    case 'tools':
      return showTools(server, context);
    case 'reconnect':
      return attempt(context, `${name} is connected.`, (query) => query.reconnectMcpServer(name));
    case 'off':
      return attempt(context, `${name} is switched off.`, (query) => query.toggleMcpServer(name, false));
    case 'on':
      return attempt(context, `${name} is switched on.`, (query) => query.toggleMcpServer(name, true));
  }
}

function actionItems({ status, tools = [] }: McpServerStatus): readonly ListItem<Action>[] {
  if (status === 'disabled') return [{ value: 'on', label: 'Switch it on' }];
  return [
    ...(tools.length > 0
      ? [{ value: 'tools', label: 'Show its tools', detail: counted(tools.length, 'tool') } as const]
      : []),
    { value: 'reconnect', label: status === 'connected' ? 'Connect again' : 'Try to connect again' },
    { value: 'off', label: 'Switch it off', detail: 'for this session' },
  ];
}

/** The list of servers comes back afterwards, so a failure is printed and does not end the command. */
async function attempt(
  { print, query, theme }: ConversationCommandContext,
  done: string,
  act: (query: ConversationCommandContext['query']) => Promise<void>,
): Promise<void> {
  try {
    await act(query);
    print([oneLine(done)]);
  } catch (error) {
    print([theme.bad(oneLine((error as Error).message))]);
  }
}

async function showTools(
  { name, tools = [] }: McpServerStatus,
  context: ConversationCommandContext,
): Promise<void> {
  await context.open(
    listOverlay({
      title: `Tools of ${name}`,
      items: tools.map(({ name: tool, description, annotations }) => ({
        value: tool,
        label: tool,
        detail: [
          annotations?.readOnly === true ? 'reads only' : undefined,
          annotations?.destructive === true ? 'may destroy' : undefined,
        ]
          .filter((part) => part !== undefined)
          .join(' · '),
        about: description === undefined ? [] : [description],
      })),
      empty: 'It has no tools.',
      enter: 'goes back',
    }),
  );
}
