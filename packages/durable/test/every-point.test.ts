import type { JournalBody } from '@turnwright/engine';
import { judge } from '@turnwright/test/durable/judge.ts';
import { eventually, type Fleet, report, startFleet } from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

const SCENARIO = JSON.stringify({ rounds: 2, modelMs: 30, toolMs: 10 });
/** Every so many points are tried. */
const EVERY = inForm(7, 1);

/** The conversation of a session: texts, calls and results, in order. */
async function transcriptOf({ database }: Fleet, sessionId: string): Promise<readonly string[]> {
  const rows = await database.run<{ readonly body: string }>(
    'select body from turnwright.journal where session_id = $1 order by seq',
    [sessionId],
  );
  const bodies = rows.map(({ body }) => JSON.parse(body) as JournalBody);
  const retracted = new Set(bodies.flatMap((body) => (body.type === 'retract' ? body.uuids : [])));
  return bodies.flatMap((body): readonly string[] => {
    if (body.type === 'result') return ['result'];
    if (body.type === 'assistant' && body.settled === true) return [];
    if ((body.type !== 'user' && body.type !== 'assistant') || retracted.has(body.uuid)) return [];
    const { content } = body.message;
    if (typeof content === 'string') return [content];
    return content.map((block) => {
      if (block.type === 'tool_use') return `call ${block.id.replace(`${sessionId}.`, '')}`;
      if (block.type === 'tool_result')
        return `${block.is_error === true ? 'unknown' : 'answer'} ${block.tool_use_id.replace(`${sessionId}.`, '')}`;
      return block.type === 'text' ? block.text : block.type;
    });
  });
}

test('D2: a session whose worker is killed at any point ends like one that was left alone', {
  timeout: 900_000,
}, async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const ended = (id: string) =>
    eventually(async () => (await client.status(id))?.state === 'idle', {
      limitMs: 300_000,
      describe: async () => [id, await client.status(id), await transcriptOf(fleet, id)],
    });
  const undisturbed = await fleet.start('rounds.ts', { SCENARIO });
  await client.send('whole', 'Go.');
  await ended('whole');
  undisturbed.signal('SIGKILL');
  await undisturbed.exited;
  const [{ appends } = { appends: 0 }] = await fleet.database.run<{ readonly appends: number }>(
    `select count(distinct at)::int as appends from turnwright.journal where session_id = 'whole'`,
  );
  const calls = fleet.ledger().flatMap(({ what, details: [id = ''] }) => (what === 'effect' ? [id] : []));
  const points = [
    ...Array.from({ length: appends }, (_, at) => [
      `append ${at + 1} before`,
      `append ${at + 1} after`,
    ]).flat(),
    ...calls.map((id) => `effect ${id.replace('whole', '*')}`),
  ].filter((_, at) => at % EVERY === 0);
  expect(points.length).toBeGreaterThan(5);
  report({ test: 'D2', points: points.length, appends, calls: calls.length });
  const missed: string[] = [];
  // The next worker ends the session of the one before it, and then dies at its own point.
  for (const [at, point] of points.entries()) {
    const id = `killed-${at}`;
    const doomed = await fleet.start('killed.ts', { SCENARIO, KILL: `${id} ${point.replace('*', id)}` });
    if (at > 0) await ended(`killed-${at - 1}`);
    await client.send(id, 'Go.');
    // On a busy machine records are appended together, so that the run may end in fewer appends than the whole one.
    await eventually(
      async () => doomed.child.signalCode !== null || (await client.status(id))?.state === 'idle',
      { describe: () => [point, doomed.stderr()] },
    );
    if (doomed.child.signalCode === null) missed.push(point);
    doomed.signal('SIGKILL');
    await doomed.exited;
  }
  expect(missed.length, missed.join(', ')).toBeLessThan(points.length / 2);
  const last = await fleet.start('rounds.ts', { SCENARIO });
  const whole = await transcriptOf(fleet, 'whole');
  for (const [at, point] of points.entries()) {
    const id = `killed-${at}`;
    await ended(id);
    const transcript = await transcriptOf(fleet, id);
    const calls = transcript.filter((line) => line.startsWith('call '));
    const results = transcript.filter((line) => /^(?:answer|unknown) /.test(line));
    // Each call has one result, and only a call that must not run twice may have an unknown outcome.
    expect(results.map((line) => line.replace(/^\w+ /, '')).toSorted(), point).toEqual(
      calls.map((line) => line.slice('call '.length)).toSorted(),
    );
    for (const line of results) if (line.startsWith('unknown')) expect(line, point).toContain('.unsafe');
    expect(
      transcript.filter((line) => line === 'result'),
      point,
    ).toEqual(['result']);
    // A stream that broke keeps its finished blocks; nothing else is missing, and nothing is added.
    for (const line of transcript)
      expect([...whole, ...whole.map((one) => one.replace('answer', 'unknown'))], point).toContain(line);
    expect(transcript.slice(0, 1), point).toEqual(whole.slice(0, 1));
  }
  const { rerun, doubled, lost } = judge(fleet.ledger());
  expect({ rerun, doubled, lost }).toEqual({ rerun: [], doubled: [], lost: [] });
  last.signal('SIGTERM');
  expect(await last.exited).toBe(0);
});
