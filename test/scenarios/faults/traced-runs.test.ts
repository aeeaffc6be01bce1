import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Context, context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  createSdkMcpServer,
  type ModelRequest,
  type Options,
  query,
  type SDKMessage,
  type Tracer,
  tool,
} from '@turnwright/engine';
import {
  callTool,
  failure,
  hang,
  reply,
  retries,
  type ScriptStep,
  say,
  scriptedModel,
} from '@turnwright/testing';
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
const parentContext = (): Context => trace.setSpanContext(ROOT_CONTEXT, PARENT);

const SECRET = 'the launch code';

afterEach(() => {
  context.disable();
});

/** The SDK, with every span in the order of their starts: their times have a resolution of 1 ms. */
function exporting() {
  const exporter = new InMemorySpanExporter();
  const started: ReadableSpan[] = [];
  const inOrder: SpanProcessor = {
    onStart: (span) => void started.push(span),
    onEnd: () => undefined,
    forceFlush: async () => undefined,
    shutdown: async () => undefined,
  };
  const provider = new BasicTracerProvider({ spanProcessors: [inOrder, new SimpleSpanProcessor(exporter)] });
  return { exporter, started, tracer: provider.getTracer('test') };
}

type Tree = readonly (string | readonly [string, Tree])[];

/** The names of the spans below the given parent. */
function treeBelow(parent: string, spans: readonly ReadableSpan[]): Tree {
  return spans
    .filter((span) => span.parentSpanContext?.spanId === parent)
    .map((span) => {
      const below = treeBelow(span.spanContext().spanId, spans);
      return below.length === 0 ? span.name : [span.name, below];
    });
}

interface Given {
  readonly tracing: Options['tracing'];
  readonly main: readonly ScriptStep[];
  /** Answers of the agent. */
  readonly agent?: readonly ScriptStep[];
  readonly options?: Options;
}

const ofAgent = ({ querySource }: ModelRequest) => querySource.startsWith('agent:');

function start({ tracing, main, agent = [], options = {} }: Given) {
  const root = mkdtempSync(join(tmpdir(), 'turnwright-traced-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const models = { main: scriptedModel(main), agent: scriptedModel(agent) };
  const running = query({
    prompt: `Say nothing of ${SECRET}.`,
    options: {
      cwd: root,
      env: { TURNWRIGHT_HOME: join(root, 'home') },
      tools: [],
      tracing: tracing && { iterations: false, ...tracing },
      ...options,
      engine: {
        callModel: (request, call) =>
          (ofAgent(request) ? models.agent : models.main).callModel(request, call),
        ...options.engine,
      },
    },
  });
  return { running, models };
}

async function gathered(running: AsyncIterable<SDKMessage>): Promise<SDKMessage[]> {
  const messages: SDKMessage[] = [];
  for await (const message of running) messages.push(message);
  return messages;
}

async function run(given: Given): Promise<SDKMessage[]> {
  const { running, models } = start(given);
  const messages = await gathered(running);
  models.main.assertComplete();
  return messages;
}

const looks = tool(
  'look',
  'Looks.',
  { at: z.string() },
  async ({ at }) => ({
    content: [{ type: 'text', text: `Nothing at ${at}, ${SECRET}.` }],
  }),
  { annotations: { readOnlyHint: true } },
);
const fails = tool('fail', 'Fails.', {}, async () => {
  throw new Error(`It knows ${SECRET}.`);
});
const desk = () => createSdkMcpServer({ name: 'desk', tools: [looks, fails] });
const withDesk = (): Options => ({ mcpServers: { desk: desk() }, allowedTools: ['mcp__desk'] });
const look = (at: string) => callTool('mcp__desk__look', { at: `${at} ${SECRET}` });

it('F164 model, tool and hook spans are children of the given trace, with retries and failures', async () => {
  const { exporter, started, tracer } = exporting();
  const messages = await run({
    tracing: { tracer, context: parentContext() },
    main: [
      retries([{ status: 529 }], reply([look('door'), look('window')])),
      callTool('mcp__desk__fail'),
      say('Nothing to see.'),
    ],
    options: {
      ...withDesk(),
      hooks: { PreToolUse: [{ matcher: 'mcp__desk__look', hooks: [async () => ({})] }] },
    },
  });

  const spans = started;
  expect(exporter.getFinishedSpans()).toHaveLength(spans.length);
  expect(treeBelow(PARENT.spanId, spans)).toEqual([
    [
      'invoke_agent',
      [
        expect.stringMatching(/^chat claude-/),
        expect.stringMatching(/^chat claude-/),
        ['execute_tool mcp__desk__look', ['hook PreToolUse']],
        ['execute_tool mcp__desk__look', ['hook PreToolUse']],
        expect.stringMatching(/^chat claude-/),
        'execute_tool mcp__desk__fail',
        expect.stringMatching(/^chat claude-/),
      ],
    ],
  ]);
  expect(new Set(spans.map((span) => span.spanContext().traceId))).toEqual(new Set([PARENT.traceId]));

  const sessionId = messages.at(-1)?.session_id;
  const named = (start: string) => spans.filter(({ name }) => name.startsWith(start));
  const [submission] = named('invoke_agent');
  expect(submission?.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.conversation.id': sessionId,
    'turnwright.terminal_reason': 'completed',
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(submission?.status.code).toBe(SpanStatusCode.UNSET);
  const [refused, answered, ...others] = named('chat');
  const asked = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': expect.stringContaining('claude'),
  };
  expect(refused?.attributes).toMatchObject({
    ...asked,
    'error.type': 'overloaded',
    'http.response.status_code': 529,
  });
  expect(answered?.attributes).toMatchObject({
    ...asked,
    'http.request.resend_count': 1,
    'gen_ai.usage.input_tokens': expect.any(Number),
    'gen_ai.response.finish_reasons': ['tool_use'],
  });
  expect(others.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([
    undefined,
    undefined,
  ]);
  expect(
    named('execute_tool').map(({ attributes, status }) => [attributes['error.type'], status.code]),
  ).toEqual([
    [undefined, SpanStatusCode.UNSET],
    [undefined, SpanStatusCode.UNSET],
    ['tool_error', SpanStatusCode.ERROR],
  ]);
  expect(named('execute_tool')[0]?.attributes).toMatchObject({
    'gen_ai.tool.name': 'mcp__desk__look',
    'gen_ai.tool.call.id': 'toolu_1',
  });
  expect(named('hook')[0]?.attributes).toEqual({
    'turnwright.hook.event': 'PreToolUse',
    'turnwright.hook.type': 'callback',
    'turnwright.hook.outcome': 'answered',
  });
});

it('F164 no span holds what was said, called or answered', async () => {
  const { exporter, tracer } = exporting();
  await run({
    tracing: { tracer },
    main: [look('door'), callTool('mcp__desk__fail'), say(`It is ${SECRET}.`)],
    options: withDesk(),
  });
  const held = exporter
    .getFinishedSpans()
    .map(({ name, attributes, events, status }) => ({ name, attributes, events, status }));
  expect(held.length).toBeGreaterThan(5);
  expect(JSON.stringify(held)).not.toContain(SECRET);
});

it('F164 a subagent is below the call that started it, with model, tool and hook spans of its own', async () => {
  const { exporter, started, tracer } = exporting();
  await run({
    tracing: { tracer, context: parentContext() },
    main: [
      callTool('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'digger' }),
      say('It dug.'),
    ],
    agent: [look('hole'), say('A hole.')],
    options: {
      ...withDesk(),
      tools: ['Agent'],
      agents: { digger: { description: 'Digs.', prompt: 'You are a digger.' } },
      hooks: { PostToolUse: [{ matcher: 'mcp__desk__look', hooks: [async () => ({})] }] },
    },
  });
  const spans = started;
  expect(exporter.getFinishedSpans()).toHaveLength(spans.length);
  expect(treeBelow(PARENT.spanId, spans)).toEqual([
    [
      'invoke_agent',
      [
        expect.stringMatching(/^chat /),
        [
          'execute_tool Agent',
          [
            [
              'invoke_agent digger',
              [
                expect.stringMatching(/^chat /),
                ['execute_tool mcp__desk__look', ['hook PostToolUse']],
                expect.stringMatching(/^chat /),
              ],
            ],
          ],
        ],
        expect.stringMatching(/^chat /),
      ],
    ],
  ]);
  const agent = spans.find(({ name }) => name === 'invoke_agent digger');
  expect(agent?.attributes).toMatchObject({
    'gen_ai.agent.name': 'digger',
    'gen_ai.usage.output_tokens': expect.any(Number),
  });
  expect(agent?.status.code).toBe(SpanStatusCode.UNSET);
});

it('F164 what is active at query() is the parent, and a tool that makes spans makes children of its call', async () => {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  const { started, tracer } = exporting();
  const asks = tool('ask', 'Asks a database.', {}, async () => {
    tracer.startSpan('SELECT').end();
    return { content: [{ type: 'text', text: 'Rows.' }] };
  });
  const given: Given = {
    tracing: { tracer },
    main: [callTool('mcp__base__ask'), say('Rows.')],
    options: {
      mcpServers: { base: createSdkMcpServer({ name: 'base', tools: [asks] }) },
      allowedTools: ['mcp__base'],
    },
  };
  // The caller reads the messages elsewhere.
  const { running } = context.with(parentContext(), () => start(given));
  await gathered(running);
  expect(treeBelow(PARENT.spanId, started)).toEqual([
    [
      'invoke_agent',
      [
        expect.stringMatching(/^chat /),
        ['execute_tool mcp__base__ask', ['SELECT']],
        expect.stringMatching(/^chat /),
      ],
    ],
  ]);
});

/** How each span ended, in the order of their ends. */
const endsIn = (exporter: InMemorySpanExporter) =>
  exporter
    .getFinishedSpans()
    .map(({ name, attributes, status }) => [name.split(' ')[0], attributes['error.type'], status.code]);

it('F164 an interrupted run ends every span, with an error in those that were cut off', async () => {
  const { exporter, started, tracer } = exporting();
  const stop = new AbortController();
  const hanging = tool('wait', 'Waits.', {}, async () => {
    stop.abort();
    return new Promise<never>(() => {});
  });
  const { running } = start({
    tracing: { tracer },
    main: [look('door'), callTool('mcp__slow__wait'), say('Never.')],
    options: {
      abortController: stop,
      mcpServers: { desk: desk(), slow: createSdkMcpServer({ name: 'slow', tools: [hanging] }) },
      allowedTools: ['mcp__desk', 'mcp__slow'],
    },
  });
  const messages = gathered(running);
  await expect(messages).rejects.toThrow('aborted');
  await running.close();
  const ends = endsIn(exporter);
  expect(ends).toHaveLength(started.length);
  const cutOff = ends.filter(([, error]) => error !== undefined);
  expect(cutOff.toSorted()).toEqual([
    ['chat', 'aborted', SpanStatusCode.ERROR],
    ['execute_tool', 'aborted', SpanStatusCode.ERROR],
    ['invoke_agent', expect.stringContaining('aborted'), SpanStatusCode.ERROR],
  ]);
  expect(ends.filter(([, error]) => error === undefined).toSorted()).toEqual([
    ['chat', undefined, SpanStatusCode.UNSET],
    ['execute_tool', undefined, SpanStatusCode.UNSET],
  ]);
});

it('F164 a run that its consumer leaves during an answer ends every span', async () => {
  const { exporter, tracer } = exporting();
  const { running } = start({
    tracing: { tracer },
    main: [hang(say('The first words'))],
  });
  for await (const message of running) if (message.type === 'assistant') break;
  await running.close();
  expect(endsIn(exporter)).toEqual([
    ['chat', 'aborted', SpanStatusCode.ERROR],
    ['invoke_agent', 'aborted', SpanStatusCode.ERROR],
  ]);
});

it('F164 a failed request and the submission that it ends are errors', async () => {
  const { exporter, tracer } = exporting();
  await run({
    tracing: { tracer },
    main: [{ kind: 'failed', failure: failure({ kind: 'authentication', status: 401 }) }],
  }).catch(() => undefined);
  const ends = exporter
    .getFinishedSpans()
    .map(({ attributes, status }) => [
      attributes['error.type'],
      attributes['http.response.status_code'],
      status.code,
    ]);
  expect(ends).toEqual([
    ['authentication', 401, SpanStatusCode.ERROR],
    ['api_error', undefined, SpanStatusCode.ERROR],
  ]);
});

it('F164 without an SDK and its exporters, the tracer of the API alone changes nothing', async () => {
  const messages = await run({
    tracing: { tracer: trace.getTracer('nothing is registered') },
    main: [look('door'), say('Nothing.')],
    options: withDesk(),
  });
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Nothing.' });
});

const broken = () => {
  throw new Error('This tracer is broken.');
};

it.each<readonly [string, Tracer]>([
  ['whose spans cannot start', { startSpan: broken, startActiveSpan: broken }],
  [
    'whose spans refuse everything',
    { startSpan: () => ({ setAttributes: broken, addEvent: broken, setStatus: broken, end: broken }) },
  ],
  [
    'that fails after it has begun a span',
    {
      startSpan: broken,
      startActiveSpan(_name, _options, _within, work) {
        void work(undefined as never);
        return broken();
      },
    },
  ],
  ['that never begins a span', { startSpan: () => undefined as never, startActiveSpan: () => undefined }],
])('F164 a tracer %s harms nothing, and each tool and hook runs once', async (_, tracer) => {
  let hooked = 0;
  let looked = 0;
  const counts = tool('count', 'Counts.', {}, async () => {
    looked += 1;
    return { content: [] };
  });
  const messages = await run({
    tracing: { tracer, context: parentContext() },
    main: [
      retries([{}], callTool('mcp__c__count')),
      callTool('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'digger' }),
      say('Done.'),
    ],
    agent: [say('Dug.')],
    options: {
      mcpServers: { c: createSdkMcpServer({ name: 'c', tools: [counts] }) },
      allowedTools: ['mcp__c'],
      tools: ['Agent'],
      agents: { digger: { description: 'Digs.', prompt: 'You are a digger.' } },
      hooks: {
        PreToolUse: [
          {
            matcher: 'mcp__c__count',
            hooks: [
              async () => {
                hooked += 1;
                return {};
              },
            ],
          },
        ],
      },
    },
  });
  expect(messages.at(-1)).toMatchObject({ subtype: 'success', result: 'Done.' });
  expect({ hooked, looked }).toEqual({ hooked: 1, looked: 1 });
});

it('F164 a tracer without startSpan is refused', () => {
  expect(() => query({ prompt: 'Go.', options: { tracing: { tracer: {} as Tracer } } })).toThrow(
    'The option "tracing" must be an object whose tracer has startSpan()',
  );
});
