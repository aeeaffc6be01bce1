/**
 * Message threads: a request sends only what is new where the endpoint holds just what would be sent, and the whole
 * conversation in every other case. What the endpoint answers to is the same with and without them.
 */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import {
  assistant,
  clientFor,
  type Ran,
  requestOf,
  result,
  run,
  user,
} from '@turnwright/test/model/conversation.ts';
import {
  type RehearsalOptions,
  type RehearsalRequest,
  type RehearsalServer,
  type Reply,
  reply,
  startRehearsal,
  text,
  thinking,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, it } from 'vitest';
import type { ModelClientOptions } from '../../src/model/create-model-client.ts';
import { threadRefusal } from '../../src/model/retry/thread-refusal.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { ModelRequest } from '../../src/protocol/model/model.ts';
import type { AssistantBlock, EffortLevel, StreamEvent, WireTool } from '../../src/protocol/model/wire.ts';

const servers: RehearsalServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

const MODEL = 'claude-opus-5';
const TOOL: WireTool = {
  name: 'Read',
  description: 'Reads.',
  input_schema: { type: 'object', properties: {} },
};
const TOOLS = [TOOL];
const SYSTEM = ['You are careful. '.repeat(40)];

/** A conversation with one client, as the loop would hold it. */
class Talk {
  view: PersistentList<ViewMessage> = PersistentList.from([]);
  more: Partial<ModelRequest> = { model: MODEL, system: SYSTEM, tools: TOOLS, sessionId: 'talk' };
  client;
  readonly ran: Ran[] = [];
  readonly #open: () => ReturnType<typeof clientFor>;

  constructor(url: string, options: Partial<ModelClientOptions>) {
    this.#open = () => clientFor(url, options);
    this.client = this.#open();
  }

  /** The same conversation in another process: nothing is remembered. */
  resume(): void {
    this.client = this.#open();
    this.view = PersistentList.from(this.view);
  }

  edit(change: (messages: ViewMessage[]) => ViewMessage[]): void {
    this.view = PersistentList.from(change([...this.view]));
  }

  async ask(message?: string | ViewMessage, more: Partial<ModelRequest> = {}): Promise<void> {
    if (message !== undefined)
      this.view = this.view.append([typeof message === 'string' ? user(message) : message]);
    const ran = await run(this.client, requestOf(this.view, { ...this.more, ...more }));
    this.ran.push(ran);
    if (ran.outcome.kind === 'complete') this.view = this.view.append(answerOf(ran.events, more.effort));
  }
}

/** The blocks of an answer, each as a message, as the loop reads them. */
function answerOf(events: readonly StreamEvent[], effort?: EffortLevel): ViewMessage[] {
  let id = '';
  let model = MODEL;
  const blocks: { block: AssistantBlock; json: string }[] = [];
  for (const event of events) {
    if (event.type === 'message_start') ({ id, model } = event.message);
    if (event.type === 'content_block_start') blocks[event.index] = { block: event.content_block, json: '' };
    if (event.type !== 'content_block_delta') continue;
    const open = blocks[event.index];
    if (open === undefined) continue;
    const { block } = open;
    if (event.delta.type === 'text_delta' && block.type === 'text')
      open.block = { ...block, text: block.text + event.delta.text };
    if (event.delta.type === 'thinking_delta' && block.type === 'thinking')
      open.block = { ...block, thinking: block.thinking + event.delta.thinking };
    if (event.delta.type === 'signature_delta' && block.type === 'thinking')
      open.block = { ...block, signature: event.delta.signature };
    if (event.delta.type === 'input_json_delta') open.json += event.delta.partial_json;
  }
  return blocks.map(({ block, json }) => ({
    ...assistant(id, block.type === 'tool_use' ? { ...block, input: JSON.parse(json) } : block, { model }),
    ...(effort !== undefined && { effort }),
  }));
}

interface Played {
  readonly threads: readonly string[];
  /** What each answered request was about, as the scenario sees it. */
  readonly conversations: readonly string[];
  readonly answers: readonly string[];
  readonly recorded: readonly number[];
  readonly bytes: readonly number[];
  readonly talk: Talk;
}

interface Row {
  readonly steps: (talk: Talk) => Promise<void>;
  /** The field of each request. */
  readonly threads: readonly string[];
  readonly answer?: (request: RehearsalRequest, thread: string) => Reply | undefined;
  readonly server?: RehearsalOptions;
  /** Attempts differ from those without threads: what was refused is sent again. */
  readonly repeats?: true;
}

const kindOf = (body: unknown): string =>
  (body as { thread?: { type: string } } | undefined)?.thread?.type ?? 'none';

async function play(row: Row, messageThreads: boolean): Promise<Played> {
  const conversations: string[] = [];
  const scenario = (request: RehearsalRequest): Reply => {
    const { messages, system, tools, model } = request.body as Record<string, unknown[]>;
    const special = row.answer?.(request, kindOf(request.body));
    const about = JSON.stringify({ model, system, tools, messages }, (key, value: unknown) =>
      key === 'cache_control' ? undefined : value,
    );
    if (special?.faults === undefined && special?.usage === undefined) conversations.push(about);
    return (
      special ?? reply([thinking('Hm.'), text(`${messages?.length} messages, last: ${request.lastMessage}`)])
    );
  };
  const server = await startRehearsal({ scenario, ...row.server });
  servers.push(server);
  const talk = new Talk(server.url, { messageThreads });
  await row.steps(talk);
  expect(server.report().rejected.filter(({ rule }) => rule !== 'message-thread')).toEqual([]);
  return {
    threads: server.requests.filter(({ path }) => path === '/v1/messages').map(({ body }) => kindOf(body)),
    conversations,
    answers: talk.ran.map(({ events }) =>
      JSON.stringify(answerOf(events).map((m) => 'message' in m && m.message.content)),
    ),
    recorded: talk.ran.map(({ outcome }) => outcome.attempts.at(-1)?.bytes ?? 0),
    bytes: server.requests.map(({ bytes }) => bytes),
    talk,
  };
}

const fault = (status: number, message: string): Reply => ({
  ...reply('x'),
  faults: [
    {
      name: 'http-status',
      status,
      type: status === 404 ? 'not_found_error' : 'invalid_request_error',
      message,
    },
  ],
});

/** Calls once, then speaks. */
const callsFirst: Row['answer'] = ({ lastResult, body }) =>
  lastResult === undefined && (body['messages'] as unknown[]).length < 2
    ? reply([
        thinking('Look.'),
        text('I look.'),
        toolUse('Read', { path: 'ä "x"', n: [1, { b: null }] }, 'call_1'),
      ])
    : undefined;

const twice = async (talk: Talk) => {
  await talk.ask('one');
  await talk.ask('two');
};

const ROWS: Readonly<Record<string, Row>> = {
  'the next turn': {
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three');
    },
    threads: ['create', 'continue', 'continue'],
  },
  'answers in one piece': {
    answer: callsFirst,
    steps: async (talk) => {
      await talk.ask('one', { stream: false });
      await talk.ask(result('call_1', 'It says hello.'), { stream: false });
      await talk.ask('two');
    },
    threads: ['create', 'continue', 'continue'],
  },
  'results of tools': {
    answer: callsFirst,
    steps: async (talk) => {
      await talk.ask('one');
      await talk.ask(result('call_1', 'It says hello.'));
      await talk.ask('two');
    },
    threads: ['create', 'continue', 'continue'],
  },
  'another effort, told inside the conversation': {
    steps: async (talk) => {
      await talk.ask('one', { model: 'claude-opus-5-5', effort: 'low' });
      await talk.ask('two', { model: 'claude-opus-5-5', effort: 'max' });
      await talk.ask('three', { model: 'claude-opus-5-5', effort: 'max' });
    },
    threads: ['create', 'continue', 'continue'],
  },
  'an edit of the view': {
    steps: async (talk) => {
      await twice(talk);
      talk.edit(([, ...rest]) => [user('one, in other words'), ...rest]);
      await talk.ask('three');
      await talk.ask('four');
    },
    threads: ['create', 'continue', 'create', 'continue'],
  },
  'a compaction': {
    steps: async (talk) => {
      await twice(talk);
      talk.edit(() => [user('What was said so far: one, two.')]);
      await talk.ask('three');
    },
    threads: ['create', 'continue', 'create'],
  },
  'other tools': {
    steps: async (talk) => {
      await twice(talk);
      talk.more = { ...talk.more, tools: [TOOL, { ...TOOL, name: 'Write' }] };
      await talk.ask('three');
      await talk.ask('four');
    },
    threads: ['create', 'continue', 'create', 'continue'],
  },
  'another system prompt': {
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three', { system: ['You are quick.'] });
    },
    threads: ['create', 'continue', 'create'],
  },
  'another context before the first message': {
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three', { userContext: ['Today is Monday.'] });
    },
    threads: ['create', 'continue', 'create'],
  },
  'a fallback to another model, and back': {
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three', { model: 'claude-sonnet-5' });
      await talk.ask('four');
      await talk.ask('five');
    },
    threads: ['create', 'continue', 'create', 'create', 'continue'],
  },
  'a retracted answer': {
    steps: async (talk) => {
      await twice(talk);
      talk.view = talk.view.first(talk.view.length - 2).append([user('two, again')]);
      await talk.ask();
    },
    threads: ['create', 'continue', 'create'],
  },
  'an answer that is not repeated as it came': {
    answer: ({ lastMessage }) => (lastMessage === 'two' ? reply('Ends in spaces.  ') : undefined),
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three');
    },
    threads: ['create', 'continue', 'create'],
  },
  'a call whose id the API does not take back': {
    answer: ({ lastResult }) =>
      lastResult === undefined ? reply([toolUse('Read', {}, 'call.1')]) : undefined,
    steps: async (talk) => {
      await talk.ask('one');
      await talk.ask(result('call.1', 'It says hello.'));
      await talk.ask('two');
    },
    threads: ['create', 'create', 'continue'],
  },
  'a message that was put in front of the answer': {
    steps: async (talk) => {
      await talk.ask('one');
      talk.edit((messages) => [...messages.slice(0, 1), user('Meanwhile.'), ...messages.slice(1)]);
      await talk.ask('two');
    },
    threads: ['create', 'create'],
  },
  'a refused answer': {
    answer: ({ lastMessage }) =>
      lastMessage === 'two' ? { ...reply('No.'), stop_reason: 'refusal' } : undefined,
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three');
    },
    threads: ['create', 'continue', 'create'],
  },
  'a resume in another process': {
    steps: async (talk) => {
      await twice(talk);
      talk.resume();
      await talk.ask('three');
      await talk.ask('four');
    },
    threads: ['create', 'continue', 'create', 'continue'],
  },
  'another agent with the same view, and helper calls': {
    steps: async (talk) => {
      await talk.ask('one');
      await talk.ask('two', { agentId: 'a1', querySource: 'agent:digger' });
      await talk.ask('three', { querySource: 'summary' });
    },
    threads: ['create', 'create', 'none'],
  },
  'edits by the API: only once it has answered to what it holds': {
    steps: async (talk) => {
      const contextManagement = { edits: [] };
      await talk.ask('one');
      await talk.ask('two', { contextManagement });
      await talk.ask('three');
      await talk.ask('four', { contextManagement });
    },
    threads: ['create', 'create', 'continue', 'continue'],
  },
  'a thread that the endpoint no longer holds': {
    server: { heldThreads: 0 },
    steps: twice,
    threads: ['create', 'continue', 'create'],
    repeats: true,
  },
  'an endpoint that never holds any is not asked again': {
    server: { heldThreads: 0 },
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three');
      await talk.ask('four');
    },
    threads: ['create', 'continue', 'create', 'continue', 'none', 'none'],
    repeats: true,
  },
  'the same, told by a message alone': {
    answer: (_, thread) =>
      thread === 'continue' ? fault(404, 'previous_message_id: no such response') : undefined,
    steps: twice,
    threads: ['create', 'continue', 'create'],
    repeats: true,
  },
  'an endpoint without threads is not asked again': {
    answer: (_, thread) =>
      thread === 'none' ? undefined : fault(400, 'thread: Extra inputs are not permitted'),
    steps: twice,
    threads: ['create', 'none', 'none'],
    repeats: true,
  },
  'an endpoint without the beta': {
    answer: (_, thread) =>
      thread === 'none'
        ? undefined
        : fault(400, 'Unexpected value(s) `message-threads-2026-08-12` for the `anthropic-beta` header.'),
    steps: twice,
    threads: ['create', 'none', 'none'],
    repeats: true,
  },
  'an endpoint that drops the field answers without the conversation': {
    answer: (_, thread) =>
      thread === 'continue'
        ? {
            ...reply('Who are you?'),
            usage: { input_tokens: 9, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
          }
        : undefined,
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three');
    },
    threads: ['create', 'continue', 'none', 'none'],
    repeats: true,
  },
  'or refuses the new turns alone': {
    answer: (_, thread) =>
      thread === 'continue'
        ? fault(400, 'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: call_1.')
        : undefined,
    steps: async (talk) => {
      await twice(talk);
      await talk.ask('three');
    },
    threads: ['create', 'continue', 'none', 'none'],
    repeats: true,
  },
};

describe('message threads', () => {
  it.each(Object.entries(ROWS))('%s', async (_, row) => {
    const [without, threaded] = [await play(row, false), await play(row, true)];
    expect(threaded.threads).toEqual(row.threads);
    expect(new Set(without.threads)).toEqual(new Set(['none']));
    expect(
      threaded.talk.ran.map(({ notices, outcome }) => [notices, outcome.kind, outcome.retry.retries]),
    ).toEqual(threaded.talk.ran.map(() => [[], 'complete', 0]));
    const masked = (said: readonly string[]) => said.map((one) => one.replaceAll(/msg_rehearsal_\d+/g, ''));
    expect(masked(threaded.conversations)).toEqual(masked(without.conversations));
    expect(masked(threaded.answers)).toEqual(masked(without.answers));
    // What is recorded and estimated is the conversation, whatever was sent of it.
    expect(threaded.recorded).toEqual(without.recorded);
    if (row.repeats) return;
    for (const [at, bytes] of threaded.bytes.entries())
      expect(bytes < 900, `request ${at}: ${bytes}`).toBe(row.threads[at] === 'continue');
  });

  it('a stream that breaks is answered anew by the whole conversation', async () => {
    let breaks = 0;
    const row: Row = {
      answer: ({ lastMessage }) =>
        lastMessage === 'two' && breaks++ === 0
          ? {
              ...reply('A long answer that breaks.'),
              faults: [{ name: 'reset-after-events', after: 4 }],
            }
          : undefined,
      steps: async (talk) => {
        await twice(talk);
        await talk.ask();
        await talk.ask('three');
      },
      threads: [],
    };
    const { threads, talk } = await play(row, true);
    expect(talk.ran.map(({ outcome }) => outcome.kind)).toEqual([
      'complete',
      'broken',
      'complete',
      'complete',
    ]);
    expect(threads).toEqual(['create', 'continue', 'create', 'continue']);
  });

  it('an answer without the conversation is charged', async () => {
    const { talk } = await play(
      ROWS['an endpoint that drops the field answers without the conversation'] as Row,
      true,
    );
    expect(talk.ran[1]?.outcome.attempts).toMatchObject([
      { outcome: 'invalid_request', wasted: true, usage: { input_tokens: 9 } },
      { outcome: 'complete' },
    ]);
  });

  it('goes to no other endpoint than one of Anthropic’s models', async () => {
    const row: Row = { steps: twice, threads: [], server: { windows: { 'qwen3:8b': 32_000 } } };
    const { threads } = await play(
      {
        ...row,
        steps: async (talk) => {
          talk.more = { ...talk.more, model: 'qwen3:8b' };
          await twice(talk);
        },
      },
      true,
    );
    expect(threads).toEqual(['none', 'none']);
  });

  it('knows what a refusal is about', () => {
    const about = (status: number, message: string, errorCode?: string) =>
      threadRefusal({ kind: 'invalid_request', status, message }, { body: {} as never, errorCode });
    expect(about(409, 'busy', 'thread_continue_in_flight')).toBe('lost');
    expect(about(400, 'x', 'thread_unsupported_request')).toBe('unusable');
    expect(about(400, 'Message thread msg_1 has expired')).toBe('lost');
    expect(about(529, 'thread pool exhausted')).toBeUndefined();
    expect(about(400, 'messages.0.content: "see thread.ts" is too long')).toBeUndefined();
  });
});
