/** C2: what is below what; what other processes are given; and what it costs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { createSdkMcpServer, type Options, query, type SDKMessage, tool } from '@turnwright/engine';
import { temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { type CollectedSpan, treeBelow } from '@turnwright/test/otlp-collector.ts';
import { callTool, reply, retries, type ScriptStep, say, scriptedModel } from '@turnwright/testing';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** A tracer with the ids of OpenTelemetry, which keeps its spans. */
function keepSpans() {
  const spans: { -readonly [K in keyof CollectedSpan]: CollectedSpan[K] }[] = [];
  const key = Symbol.for('OpenTelemetry Context Key SPAN');
  type Context = { getValue(key: symbol): unknown };
  const start = (name: string, { attributes }: { readonly attributes: object }, context?: Context) => {
    const parent = context?.getValue(key) as { spanContext(): { spanId: string } } | undefined;
    const spanId = String(spans.length + 1).padStart(16, '0');
    const traceId = 'a'.repeat(32);
    const parentSpanId = parent?.spanContext().spanId;
    const span = {
      traceId,
      spanId,
      parentSpanId,
      name,
      kind: 0,
      attributes: { ...attributes },
      status: 0,
      resource: {},
    };
    spans.push(span);
    return {
      spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
      setAttributes: (more: object) => void Object.assign(span.attributes, more),
      addEvent: () => undefined,
      setStatus: () => undefined,
      end: () => undefined,
    };
  };
  return { spans, tracer: { startSpan: start } };
}

interface Scripts {
  readonly main: readonly ScriptStep[];
  readonly agents?: readonly (readonly ScriptStep[])[];
}

async function play({ main, agents = [] }: Scripts, options: Options): Promise<SDKMessage[]> {
  const mainModel = scriptedModel(main);
  const models = new Map<string, ReturnType<typeof scriptedModel>>();
  const left = [...agents];
  const messages: SDKMessage[] = [];
  const running = query({
    prompt: 'Go.',
    options: {
      cwd: temporaryFolder(),
      persistSession: false,
      settingSources: [],
      env: { PATH: process.env['PATH'] },
      ...options,
      engine: {
        callModel(request, call) {
          if (request.agentId === undefined) return mainModel.callModel(request, call);
          const model = models.get(request.agentId) ?? scriptedModel(left.shift() ?? []);
          models.set(request.agentId, model);
          return model.callModel(request, call);
        },
      },
    },
  });
  for await (const message of running) messages.push(message);
  return messages;
}

const look = tool('look', 'Looks.', { at: z.string() }, async () => ({ content: [] }), {
  annotations: { readOnlyHint: true },
});
const desk = () => createSdkMcpServer({ name: 'desk', tools: [look] });
const looking = (at: string) => callTool('mcp__desk__look', { at });
const asking = (agent: string) =>
  callTool('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: agent });

const CHAT = expect.stringMatching(/^chat /);

it('C2 three nested agents, calls side by side and retries are each below their own', async () => {
  const { spans, tracer } = keepSpans();
  const digger = (description: string) => ({
    description,
    prompt: 'You dig.',
    tools: ['Agent', 'mcp__desk__look'],
  });
  await play(
    {
      main: [reply([looking('door'), looking('window')]), asking('one'), say('Done.')],
      agents: [
        [asking('two'), say('One.')],
        [asking('three'), say('Two.')],
        [retries([{ status: 529 }], looking('hole')), say('Three.')],
      ],
    },
    {
      tracing: { tracer },
      mcpServers: { desk: desk() },
      allowedTools: ['mcp__desk', 'Agent'],
      maxSubagentDepth: 3,
      agents: { one: digger('One.'), two: digger('Two.'), three: digger('Three.') },
    },
  );
  const iteration = (...below: unknown[]) => ['turnwright.iteration', [CHAT, ...below]];
  const agent = (name: string, ...iterations: unknown[]) => [
    'execute_tool Agent',
    [[`invoke_agent ${name}`, iterations]],
  ];
  const retried = ['turnwright.iteration', [CHAT, CHAT, 'execute_tool mcp__desk__look']];
  const three = agent('three', retried, iteration());
  const two = agent('two', iteration(three), iteration());
  const one = agent('one', iteration(two), iteration());
  expect(treeBelow(undefined, spans)).toEqual([
    [
      'invoke_agent',
      [
        iteration('execute_tool mcp__desk__look', 'execute_tool mcp__desk__look'),
        iteration(one),
        iteration(),
      ],
    ],
  ]);
  const numbers = spans
    .filter(({ name }) => name === 'turnwright.iteration')
    .map(({ attributes }) => [
      attributes['turnwright.iteration.number'],
      attributes['turnwright.iteration.transition'],
    ]);
  expect(numbers[0]).toEqual([1, 'next_turn']);
  expect(numbers).toContainEqual([3, 'completed']);
});

it('a command of a hook has the span of the hook, and one of Bash that of its call', async () => {
  const { spans, tracer } = keepSpans();
  const cwd = temporaryFolder();
  const print = (file: string) => `printf %s "$TRACEPARENT" > ${join(cwd, file)}`;
  await play(
    { main: [callTool('Bash', { command: print('bash.txt'), description: 'prints' }), say('Done.')] },
    {
      cwd,
      tracing: { tracer },
      allowedTools: ['Bash'],
      settings: {
        hooks: {
          PreToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command: print('hook.txt') }] }],
        },
      },
    },
  );
  const parentOf = (name: string) => {
    const span = spans.find((each) => each.name === name);
    return `00-${span?.traceId}-${span?.spanId}-01`;
  };
  expect(readFileSync(join(cwd, 'bash.txt'), 'utf8')).toBe(parentOf('execute_tool Bash'));
  expect(readFileSync(join(cwd, 'hook.txt'), 'utf8')).toBe(parentOf('hook PreToolUse'));
});

it('C1 without tracing no environment and no request has a parent', async () => {
  const cwd = temporaryFolder();
  await play(
    {
      main: [
        callTool('Bash', { command: `printf %s "$TRACEPARENT" > a.txt`, description: 'prints' }),
        say('Done.'),
      ],
    },
    { cwd, allowedTools: ['Bash'] },
  );
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('');
});

it('a server of MCP has the span of its call, in _meta', async () => {
  const { spans, tracer } = keepSpans();
  const asked: unknown[] = [];
  const instance = new McpServer({ name: 'desk', version: '1.0.0' });
  instance.registerTool('note', { description: 'Notes.' }, ({ _meta }) => {
    asked.push(_meta?.['traceparent']);
    return { content: [] };
  });
  await play(
    { main: [callTool('mcp__desk__note'), say('Done.')] },
    {
      tracing: { tracer },
      mcpServers: { desk: { type: 'sdk', name: 'desk', instance } },
      allowedTools: ['mcp__desk'],
    },
  );
  const call = spans.find(({ name }) => name === 'execute_tool mcp__desk__note');
  expect(asked).toEqual([`00-${call?.traceId}-${call?.spanId}-01`]);
});
