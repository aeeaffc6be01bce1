/** What others have written takes our reports: OpenTelemetry's own collector and Prometheus, where the machine has them. */
import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { against, rehearse, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { reply } from '@turnwright/testing/rehearsal';
import { expect, it, onTestFinished, vi } from 'vitest';

const COLLECTOR = [process.env['OTELCOL'], 'otelcol', 'otelcol-contrib'].find((program) =>
  runs(program, '--version'),
);
/** Its receiver for OTLP came with 2.47, and its flag with 3.0. */
const PROMETHEUS = runs('prometheus', '--web.enable-otlp-receiver', '--version') ? 'prometheus' : undefined;

function runs(program: string | undefined, ...flags: string[]): boolean {
  return program !== undefined && spawnSync(program, flags).status === 0;
}

async function openPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** What it has printed so far. */
function start(program: string, flags: readonly string[]): () => string {
  const child = spawn(program, flags);
  onTestFinished(() => void child.kill());
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  return () => printed;
}

const report = async (env: Readonly<Record<string, string>>) => {
  const model = await rehearse(reply([{ type: 'text', text: 'Hello.' }]));
  const ran = await turnwright(['-p', '--otel', 'Say hello.'], { env: { ...against(model), ...env } });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
};

it.skipIf(COLLECTOR === undefined)(
  'the collector of OpenTelemetry (otelcol, or OTELCOL) takes spans and metrics, with the configuration of docs/tracing.md',
  async () => {
    const page = readFileSync(fileURLToPath(new URL('../../../docs/tracing.md', import.meta.url)), 'utf8');
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const port = await openPort();
    const file = join(temporaryFolder(), 'collector.yaml');
    writeFileSync(file, yaml.replace('127.0.0.1:4318', `127.0.0.1:${port}`));
    const printed = start(COLLECTOR as string, ['--config', file]);
    await vi.waitFor(() => expect(printed()).toContain('Everything is ready'), { timeout: 20_000 });
    await report({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
    await vi.waitFor(() => expect(printed()).toMatch(/Name\s*: invoke_agent[\s\S]*Name: turnwright\.cost/));
  },
  60_000,
);

it.skipIf(PROMETHEUS === undefined)(
  'Prometheus with --web.enable-otlp-receiver (3.0 or later) takes metrics',
  async () => {
    const port = await openPort();
    const folder = temporaryFolder();
    const file = join(folder, 'prometheus.yml');
    writeFileSync(file, 'scrape_configs: []\n');
    start('prometheus', [
      '--web.enable-otlp-receiver',
      ...[`--config.file=${file}`, `--storage.tsdb.path=${folder}`, `--web.listen-address=127.0.0.1:${port}`],
    ]);
    const url = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${url}/-/ready`)).ok).toBe(true), { timeout: 20_000 });
    await report({ OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/api/v1/otlp`, OTEL_TRACES_EXPORTER: 'none' });
    const names = await (await fetch(`${url}/api/v1/label/__name__/values`)).text();
    expect(names).toContain('turnwright');
  },
  60_000,
);
