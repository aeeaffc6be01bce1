/** What `/metrics` and `/healthz` of a worker say: of itself, and of the database as a whole. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { newDatabase } from '@turnwright/test/durable/cluster.ts';
import { openedClient } from '@turnwright/test/durable/opened.ts';
import { eventually } from '@turnwright/test/durable/processes.ts';
import { deferred, pause, reply, say } from '@turnwright/testing';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import {
  durableClient,
  inProcessRunner,
  openDatabase,
  prepareDatabase,
  serveHealth,
  setTenantLimits,
  worker,
} from '../src/index.ts';
import { prometheusText } from '../src/watch/figure.ts';
import { alwaysAnswering } from './programs/scripted.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const { callModel } = alwaysAnswering(() => say('Done.'));

/** A worker that has answered two prompts of one tenant; another session is set aside, and one waits for its host. */
const watched = lazily(async () => {
  const url = newDatabase();
  const runner = inProcessRunner();
  await prepareDatabase(url, { runner });
  const database = await openDatabase({ url });
  const client = durableClient(url);
  await setTenantLimits(database, 'a "quoted"\\tenant', { runs: 5 });
  for (const prompt of ['One.', 'Two.']) await client.send('s1', prompt, { tenant: 'a "quoted"\\tenant' });
  await database.run(
    `insert into turnwright.sessions (session_id, state, updated_at, queued_at, host) values
      ('bad', 'poisoned', now(), null, null), ('far', 'queued', now(), now() - interval '90 s', 'far')`,
  );
  const running = await worker({
    db: url,
    runner,
    options: { settingSources: [], cwd: '/tmp', engine: { callModel } },
  });
  const served = await serveHealth({ health: running.health, port: 0 });
  await eventually(async () => (await client.status('s1'))?.state === 'idle', {
    describe: () => client.sessions(),
  });
  return {
    url: served.url,
    database,
    text: async () => (await fetch(`${served.url}/metrics`)).text(),
    async close() {
      await served.close();
      await client.close();
      await running.drain(0);
      await database.close();
    },
  };
});
afterAll(async () => (await watched()).close());

const namesIn = (text: string) => [...new Set(text.match(/\bturnwright_[a-z_]+/g) ?? [])];
/** The name under which the figure is exposed: a histogram has three series. */
const family = (name: string) => name.replace(/_(?:bucket|sum|count)$/, '');

describe('/metrics', () => {
  it('tells of the worker, of what was used by whom, and of the database as a whole', async () => {
    const text = await (await watched()).text();
    for (const line of [
      'turnwright_results_total 2',
      'turnwright_results_by_reason_total{reason="completed"} 2',
      /^turnwright_tokens_total\{tenant="a \\"quoted\\"\\\\tenant",model="[^"]+",kind="output"\} [1-9]\d*$/m,
      /^turnwright_queue_wait_seconds_count [1-9]$/m,
      /^turnwright_run_seconds_bucket\{le="\+Inf"\} [1-9]$/m,
      'turnwright_tenant_limit{tenant="a \\"quoted\\"\\\\tenant",limit="runs"} 5',
      /^turnwright_tenant_dollars_today\{tenant="a \\"quoted\\"\\\\tenant"\} \d/m,
      'turnwright_model_request_seconds_count 2',
      'turnwright_database_up 1',
      'turnwright_sessions{state="poisoned"} 1',
      /^turnwright_oldest_queued_seconds (?:9\d|1\d\d)(?:\.\d+)?$/m,
      'turnwright_workers 1',
      /^turnwright_worker_connections [1-9]\d*$/m,
    ])
      if (typeof line === 'string') expect(text.split('\n')).toContain(line);
      else expect(text).toMatch(line);
  });

  it('has every figure that the pages, the alerts and the dashboard name, and these name every figure', async () => {
    const text = await (await watched()).text();
    const there = namesIn(text).map(family);
    const page = readFileSync(join(root, 'docs/deploy.md'), 'utf8');
    const files = ['alerts.yaml', 'dashboard.json'].map((name) =>
      readFileSync(join(root, 'docs/assets/monitoring', name), 'utf8'),
    );
    // Those that come with the first cost.
    const later = ['turnwright_cost_dollars_total'];
    const known = new Set([...there, ...later]);
    const named = [page, ...files].flatMap(namesIn).map(family);
    expect(named.filter((name) => !known.has(name) && !/_(?:dbos|version)$/.test(name))).toEqual([]);
    const onPage = new Set(namesIn(page).map(family));
    expect([...known].filter((name) => !onPage.has(name))).toEqual([]);
  });

  it('is what Prometheus takes, whose rules and queries find it', { timeout: 120_000 }, async (context) => {
    if (spawnSync('promtool', ['--version']).error !== undefined)
      return context.skip('There is no Prometheus: apt-get install prometheus');
    const { url, text } = await watched();
    const lint = spawnSync('promtool', ['check', 'metrics'], { input: await text(), encoding: 'utf8' });
    expect(lint.stderr.split('\n').filter((line) => /error|invalid/i.test(line))).toEqual([]);
    const rules = join(root, 'docs/assets/monitoring/alerts.yaml');
    const checked = spawnSync('promtool', ['check', 'rules', rules], { encoding: 'utf8' });
    expect({ status: checked.status, stderr: checked.stderr }).toMatchObject({ status: 0 });

    const port = await freePort();
    const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
    const config = join(folder, 'prometheus.yml');
    writeFileSync(
      config,
      JSON.stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [rules],
        scrape_configs: [{ job_name: 'turnwright', static_configs: [{ targets: [new URL(url).host] }] }],
      }),
    );
    const prometheus = spawn(
      'prometheus',
      [
        `--config.file=${config}`,
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
    onTestFinished(() => void prometheus.kill('SIGKILL'));
    const ask = async (path: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`).catch(() => undefined);
      return answer?.ok === true ? ((await answer.json()) as { data: never }).data : undefined;
    };
    const query = (expr: string) =>
      ask(`query?query=${encodeURIComponent(expr)}`) as Promise<{ result: readonly unknown[] } | undefined>;
    await eventually(async () => ((await query('turnwright_database_up == 1'))?.result.length ?? 0) > 0, {
      limitMs: 60_000,
      describe: () => ask('targets'),
    });
    const dashboard = JSON.parse(
      readFileSync(join(root, 'docs/assets/monitoring/dashboard.json'), 'utf8'),
    ) as { panels: readonly { targets: readonly { expr: string }[] }[] };
    for (const { expr } of dashboard.panels.flatMap(({ targets }) => targets)) {
      expect(await query(expr), expr).toBeDefined();
      // Rates need more than one scrape.
      if (!expr.includes('[')) expect((await query(expr))?.result, expr).not.toEqual([]);
    }
    await eventually(
      async () => {
        const { alerts = [] } =
          ((await ask('alerts')) as { alerts?: readonly { labels: { alertname: string } }[] } | undefined) ??
          {};
        return alerts.some(({ labels }) => labels.alertname === 'TurnwrightPoisoned');
      },
      { limitMs: 60_000, describe: () => ask('rules') },
    );
  });

  it('brings figures of one name together, and escapes labels', () => {
    const gauge = (state: string) => ({
      name: 'a',
      help: 'A.',
      type: 'gauge' as const,
      value: 1,
      labels: { state },
    });
    const other = { name: 'b', help: 'B.', type: 'gauge' as const, value: 2 };
    expect(prometheusText([gauge('x'), other, gauge('y"\\\n')])).toBe(
      '# HELP a A.\n# TYPE a gauge\na{state="x"} 1\na{state="y\\"\\\\\\n"} 1\n# HELP b B.\n# TYPE b gauge\nb 2\n',
    );
  });
});

describe('/healthz', () => {
  it('fails while the database refuses what sessions write, and says why', async () => {
    const url = newDatabase();
    const runner = inProcessRunner();
    await prepareDatabase(url, { runner });
    const database = await openDatabase({ url });
    onTestFinished(() => database.close());
    const client = openedClient({ url });
    const released = deferred<void>();
    const { callModel: held } = alwaysAnswering(() => reply([pause(released.promise), say('Done.')]));
    const running = await worker({
      db: url,
      runner,
      options: { settingSources: [], cwd: '/tmp', engine: { callModel: held } },
    });
    onTestFinished(() => running.drain(0));
    await client.send('s1', 'Go.');
    await eventually(async () => (await client.status('s1'))?.state === 'running');
    expect(running.health.state()).toEqual({ ok: true });
    await database.run(`
      create function fail() returns trigger language plpgsql as $$ begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
      end $$;
      create trigger fail before insert on turnwright.journal for each row execute function fail()`);
    released.resolve();
    await eventually(() => !running.health.state().ok);
    expect(running.health.state().why).toMatch(
      /^What sessions do cannot be stored: The disk of the server .* is full/,
    );
    await database.run('drop trigger fail on turnwright.journal');
    await eventually(() => running.health.state().ok);
    await eventually(async () => (await client.status('s1'))?.state === 'idle');
  });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
