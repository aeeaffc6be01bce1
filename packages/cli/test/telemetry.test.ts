/** C1, C4 and what a person sets: the built command line reports to a collector on loopback. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { against, bareEnv, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { startCollector, treeBelow } from '@turnwright/test/otlp-collector.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, it, onTestFinished, vi } from 'vitest';

const PARENT = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const SECRET = 'the launch code';

const jsonTo = (url: string) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
});

const lookAround = () =>
  rehearse(
    reply([toolUse('Bash', { command: 'printf %s "$TRACEPARENT" > seen.txt', description: 'looks' })]),
    reply([{ type: 'text', text: `All is well, ${SECRET}.` }]),
  );

it('--otel: spans of a run under the inbound parent, its metrics, and the parent of its requests and commands', async () => {
  const [collector, model] = await Promise.all([startCollector(), lookAround()]);
  const cwd = temporaryFolder();
  const ran = await turnwright(
    ['-p', SECRET, '--otel', '--allowedTools', 'Bash', '--output-format', 'json'],
    {
      cwd,
      env: {
        ...against(model),
        ...jsonTo(collector.url),
        OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc',
        OTEL_RESOURCE_ATTRIBUTES: 'team.id=platform',
        TRACEPARENT: `00-${PARENT.traceId}-${PARENT.spanId}-01`,
      },
    },
  );
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const { spans, points, requests } = collector;
  expect(treeBelow(PARENT.spanId, spans)).toEqual([
    [
      'invoke_agent',
      [
        ['turnwright.iteration', [expect.stringMatching(/^chat /), 'execute_tool Bash']],
        ['turnwright.iteration', [expect.stringMatching(/^chat /)]],
      ],
    ],
  ]);
  expect(new Set(spans.map(({ traceId }) => traceId))).toEqual(new Set([PARENT.traceId]));
  expect(spans[0]?.resource).toMatchObject({ 'service.name': 'turnwright', 'team.id': 'platform' });
  expect(requests.every(({ headers }) => headers.authorization === 'Bearer abc')).toBe(true);

  // The command, and each request to the model, know the span that they are a part of.
  const spanOf = (name: string) => spans.filter((span) => span.name.startsWith(name));
  const headerOf = ({ spanId }: { spanId: string }) => `00-${PARENT.traceId}-${spanId}-01`;
  expect(readFileSync(join(cwd, 'seen.txt'), 'utf8')).toBe(spanOf('execute_tool').map(headerOf)[0]);
  const asked = model.requests.map(({ headers }) => headers['traceparent']);
  expect(asked).toEqual(spanOf('chat').map(headerOf));

  // One truth: the result, the spans and the metrics say the same.
  const result = JSON.parse(ran.stdout) as { usage: Record<string, number>; total_cost_usd: number };
  const sumOf = (name: string) =>
    points.filter(({ metric }) => metric === name).reduce((sum, point) => sum + point.sum, 0);
  const chats = spanOf('chat').map(({ attributes }) => Number(attributes['gen_ai.usage.output_tokens']));
  const output = result.usage['output_tokens'] as number;
  expect(chats.reduce((sum, tokens) => sum + tokens, 0)).toBe(output);
  expect(sumOf('gen_ai.client.inference.usage.output_tokens')).toBe(output);
  expect(sumOf('turnwright.cost')).toBeCloseTo(result.total_cost_usd, 10);
  expect(points.map(({ metric }) => metric)).toEqual(
    expect.arrayContaining(['gen_ai.invoke_agent.duration', 'gen_ai.execute_tool.duration']),
  );
  // Nothing of what was said, called or answered.
  for (const { body } of requests) expect(body.toString('utf8')).not.toContain(SECRET);
  for (const { body } of requests) expect(body.toString('utf8')).not.toContain('seen.txt');
});

it('contents are reported where the usual variable asks for them', async () => {
  const [collector, model] = await Promise.all([startCollector(), lookAround()]);
  await turnwright(['-p', SECRET, '--otel', '--allowedTools', 'Bash'], {
    env: {
      ...against(model),
      ...jsonTo(collector.url),
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    },
  });
  const held = collector.spans.map(({ attributes }) => attributes);
  expect(held.map((each) => each['gen_ai.input.messages']).join()).toContain(SECRET);
  expect(held.map((each) => each['gen_ai.output.messages']).join()).toContain(SECRET);
  expect(held.map((each) => each['gen_ai.tool.call.arguments']).join()).toContain('seen.txt');
});

it('the metrics and events of Claude Code, by variables of the person’s settings; those of a repository count for nothing', async () => {
  const [collector, model] = await Promise.all([
    startCollector(),
    rehearse(
      reply([toolUse('Write', { file_path: 'a.txt', content: 'one\ntwo\n' })]),
      reply([toolUse('Write', { file_path: 'b.txt', content: 'one\n' })]),
      reply([{ type: 'text', text: 'Done.' }]),
    ),
  ]);
  const env = {
    CLAUDE_CODE_ENABLE_TELEMETRY: '1',
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_LOGS_EXPORTER: 'otlp',
    ...jsonTo(collector.url),
  };
  const cwd = temporaryFolder();
  const home = temporaryFolder();
  const run = (folder: string) =>
    turnwright(['-p', SECRET, '--permission-mode', 'acceptEdits', '--output-format', 'json'], {
      cwd,
      env: bareEnv({ ...against(model), TURNWRIGHT_HOME: folder }),
    });
  writeFileSync(join(home, 'settings.json'), JSON.stringify({ env }));
  const ran = await run(home);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const result = JSON.parse(ran.stdout) as { usage: Record<string, number>; total_cost_usd: number };
  const { points, events, spans } = collector;
  expect(spans).toEqual([]);
  const sumOf = (name: string, attributes: Record<string, unknown> = {}) =>
    points
      .filter(({ metric }) => metric === name)
      .filter((point) => Object.entries(attributes).every(([key, value]) => point.attributes[key] === value))
      .reduce((sum, point) => sum + point.sum, 0);
  expect(sumOf('claude_code.session.count')).toBe(1);
  expect(sumOf('claude_code.token.usage', { type: 'output' })).toBe(result.usage['output_tokens']);
  expect(sumOf('claude_code.cost.usage')).toBeCloseTo(result.total_cost_usd, 10);
  expect(sumOf('claude_code.code_edit_tool.decision', { decision: 'accept', tool_name: 'Write' })).toBe(2);
  expect(events.map(({ name }) => name)).toEqual([
    'claude_code.user_prompt',
    'claude_code.api_request',
    'claude_code.tool_decision',
    'claude_code.tool_result',
    'claude_code.api_request',
    'claude_code.tool_decision',
    'claude_code.tool_result',
    'claude_code.api_request',
  ]);
  expect(events[0]?.attributes).toMatchObject({ prompt_length: SECRET.length, 'event.sequence': 0 });
  expect(JSON.stringify(events)).not.toContain(SECRET);

  const before = collector.requests.length;
  mkdirSync(join(cwd, '.claude'));
  writeFileSync(join(cwd, '.claude', 'settings.json'), JSON.stringify({ env }));
  const { stderr } = await run(temporaryFolder());
  expect(stderr).toContain('is passed over: the folder is not trusted.');
  expect(collector.requests).toHaveLength(before);
});

/** A port that nobody listens at. */
async function closedPort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

it.each([
  ['is not there', closedPort],
  ['hangs', async () => (await startCollector({ answer: () => undefined })).url],
  [
    'refuses',
    async () => (await startCollector({ answer: (response) => void response.writeHead(403).end('No.') })).url,
  ],
])('C4 a collector that %s costs one warning and a second at most', async (_, open) => {
  const [url, model] = await Promise.all([open(), rehearse(reply([{ type: 'text', text: 'Paris.' }]))]);
  let answeredMs = 0;
  const ran = await turnwright(['-p', 'Where?', '--otel'], {
    env: { ...against(model), ...jsonTo(url) },
    onStdout: () => {
      answeredMs = performance.now();
    },
  });
  // The rest is the end of the process, on a busy machine.
  expect(performance.now() - answeredMs).toBeLessThan(2_000);
  expect(ran).toMatchObject({ code: 0, stdout: 'Paris.\n' });
  expect(ran.stderr.trim().split('\n')).toEqual([
    expect.stringMatching(/^OpenTelemetry: reports were lost: /),
  ]);
});

it('OTEL_SDK_DISABLED switches all of it off, and what is not supported is said', async () => {
  const [collector, model] = await Promise.all([
    startCollector(),
    rehearse(reply([{ type: 'text', text: 'Paris.' }])),
  ]);
  const env = { ...against(model), ...jsonTo(collector.url) };
  const off = await turnwright(['-p', 'Where?', '--otel'], { env: { ...env, OTEL_SDK_DISABLED: 'true' } });
  expect(off).toMatchObject({ code: 0, stderr: '' });
  expect(collector.requests).toEqual([]);
  const odd = await turnwright(['-p', 'Where?', '--otel'], {
    env: { ...env, OTEL_TRACES_EXPORTER: 'zipkin', OTEL_METRICS_EXPORTER: 'none' },
  });
  expect(odd).toMatchObject({
    code: 0,
    stderr:
      'OpenTelemetry: OTEL_TRACES_EXPORTER names "zipkin", which is not supported: "otlp" and "none" are.\n',
  });
});

it('protobuf is what is sent where nothing else is set', async () => {
  const [collector, model] = await Promise.all([
    startCollector(),
    rehearse(reply([{ type: 'text', text: 'Paris.' }])),
  ]);
  await turnwright(['-p', 'Where?', '--otel'], {
    env: { ...against(model), OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  });
  expect(collector.requests.map(({ path, headers }) => [path, headers['content-type']]).toSorted()).toEqual([
    ['/v1/metrics', 'application/x-protobuf'],
    ['/v1/traces', 'application/x-protobuf'],
  ]);
});

it('the collector of docs/tracing.md prints the spans of a run', async () => {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/tracing.md', import.meta.url)), 'utf8');
  const [, program = ''] = /```js\n([\s\S]*?)```/.exec(page) ?? [];
  const file = join(temporaryFolder(), 'collector.mjs');
  writeFileSync(file, program);
  const address = await closedPort();
  const collector = spawn(process.execPath, [file], { env: { PORT: new URL(address).port } });
  onTestFinished(() => void collector.kill());
  let printed = '';
  collector.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  await vi.waitFor(() => expect(printed).toContain(`takes spans at ${address}`), { timeout: 10_000 });
  const model = await rehearse(reply([{ type: 'text', text: 'Hello.' }]));
  await turnwright(['-p', '--otel', 'Say hello.'], { env: { ...against(model), ...jsonTo(address) } });
  await vi.waitFor(() => expect(printed).toMatch(/^chat claude-.*\nturnwright\.iteration\ninvoke_agent\n$/m));
});
