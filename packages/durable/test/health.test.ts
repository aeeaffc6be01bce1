/** The health endpoint of a worker. */
import { expect, onTestFinished, test } from 'vitest';
import { serveHealth, type WorkerHealth } from '../src/index.ts';

const figures: WorkerHealth['figures'] = () => [
  { name: 'turnwright_runs_started_total', help: 'Runs that this worker began.', type: 'counter', value: 3 },
  { name: 'turnwright_runs', help: 'Runs at this moment.', type: 'gauge', value: 1 },
];

async function served(health: WorkerHealth): Promise<string> {
  const server = await serveHealth({ health, port: 0 });
  onTestFinished(() => server.close());
  return server.url;
}

test('/healthz is 200 while the worker is well, and 503 with the reason when it is not', async () => {
  let state: ReturnType<WorkerHealth['state']> = { ok: true };
  const url = await served({ figures, state: () => state });
  const well = await fetch(`${url}/healthz`);
  expect([well.status, await well.text()]).toEqual([200, 'ok\n']);
  state = { ok: false, why: 'The worker drains: it takes no new runs.' };
  const draining = await fetch(`${url}/healthz`);
  expect([draining.status, await draining.text()]).toEqual([
    503,
    'The worker drains: it takes no new runs.\n',
  ]);
});

test('/metrics is the text format of Prometheus', async () => {
  const url = await served({ figures, state: () => ({ ok: true }) });
  const answer = await fetch(`${url}/metrics`);
  expect(answer.headers.get('content-type')).toContain('version=0.0.4');
  expect(await answer.text()).toBe(`# HELP turnwright_runs_started_total Runs that this worker began.
# TYPE turnwright_runs_started_total counter
turnwright_runs_started_total 3
# HELP turnwright_runs Runs at this moment.
# TYPE turnwright_runs gauge
turnwright_runs 1
`);
});

test('it listens on loopback alone, answers GET alone, and says what there is', async () => {
  const url = await served({ figures, state: () => ({ ok: true }) });
  expect(new URL(url).hostname).toBe('127.0.0.1');
  expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
  expect(await (await fetch(`${url}/`)).text()).toContain('/healthz and /metrics');
});

test('a port that is taken is named, with what to do', async () => {
  const url = await served({ figures, state: () => ({ ok: true }) });
  const port = Number(new URL(url).port);
  const again = serveHealth({ health: { figures, state: () => ({ ok: true }) }, port });
  await expect(again).rejects.toThrow(`127.0.0.1:${port}`);
  await expect(again).rejects.toMatchObject({ code: 'invalid_option' });
});
