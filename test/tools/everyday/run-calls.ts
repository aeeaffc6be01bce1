/** Calls of a scripted model, one answer each, through `query()` with real files and processes; what the model reads of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Options, query, type SDKMessage } from '@turnwright/engine';
import { reply, startRehearsal, toolUse } from '@turnwright/testing/rehearsal';
import { onTestFinished } from 'vitest';

/** Calls of one answer; a list: several in one; a text: the answer of an agent. */
export type Step = Call | readonly Call[] | string;
export type Call = readonly [tool: string, input: Record<string, unknown>];

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  /** Blocks that are no text, such as images. */
  readonly blocks: readonly { readonly type: string }[];
}

export interface Ran {
  /** In the order of the calls. */
  readonly answers: readonly Answer[];
  readonly messages: readonly SDKMessage[];
  /** The body of the last request. */
  readonly sent: string;
}

/** A folder with a home and a project, until the test is over. */
export function place(): { readonly root: string; readonly home: string; readonly project: string } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-everyday-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const [home, project] = [join(root, 'home'), join(root, 'project')];
  for (const folder of [home, project]) mkdirSync(folder);
  return { root, home, project };
}

export async function runCalls(
  steps: readonly Step[],
  { home, project }: { readonly home: string; readonly project: string },
  options: Options = {},
): Promise<Ran> {
  let count = 0;
  const replies = steps.map((step) => {
    if (typeof step === 'string') return reply(step);
    const calls = typeof step[0] === 'string' ? [step as Call] : (step as readonly Call[]);
    return reply(calls.map(([tool, input]) => toolUse(tool, input, `toolu_${++count}`)));
  });
  const server = await startRehearsal({
    scenario: { name: 'everyday', replies: [...replies, reply('Done.')] },
  });
  const messages: SDKMessage[] = [];
  try {
    const run = query({
      prompt: 'Go.',
      options: {
        cwd: project,
        env: {
          PATH: process.env['PATH'] ?? '',
          HOME: home,
          ANTHROPIC_BASE_URL: server.url,
          ANTHROPIC_API_KEY: 'sk-test',
        },
        permissionMode: 'bypassPermissions',
        allowDangerouslySkipPermissions: true,
        persistSession: false,
        stderr() {},
        ...options,
      },
    });
    for await (const message of run) messages.push(message);
    const sent = server.requests.filter(({ path }) => path === '/v1/messages').at(-1)?.body;
    return { answers: answersIn(sent, count), messages, sent: JSON.stringify(sent) };
  } finally {
    await server.close();
  }
}

type Block = {
  type: string;
  text?: string;
  tool_use_id?: string;
  is_error?: boolean;
  content?: string | Block[];
};

function answersIn(sent: unknown, count: number): Answer[] {
  const { messages } = sent as { messages: { content: string | Block[] }[] };
  const blocks = messages.flatMap(({ content }) => (typeof content === 'string' ? [] : content));
  return Array.from({ length: count }, (_, at) => {
    const result = blocks.find(({ tool_use_id: id }) => id === `toolu_${at + 1}`);
    const content = result?.content ?? '';
    return {
      text:
        typeof content === 'string'
          ? content
          : content.flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n'),
      isError: result?.is_error === true,
      blocks: typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text'),
    };
  });
}
