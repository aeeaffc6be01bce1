/** A session that a worker writes to a database, looked at meanwhile: without its lease, and without a gap. */
import { inspectSession, openInspection, query, replaySession } from '@turnwright/engine';
import type { JournalBody } from '@turnwright/engine/protocol/session/journal.ts';
import { openedDatabase } from '@turnwright/test/durable/opened.ts';
import { makeRecords, spendingIn } from '@turnwright/test/inspector/made-session.ts';
import { AGENT, AGENT_ID, SAMPLE, SAMPLE_ID } from '@turnwright/test/inspector/sample-sessions.ts';
import { callTool, fakeTool, reply, say, scriptedModel } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { openInspectionSources } from '../src/index.ts';
import { createJournalStore } from '../src/postgres/journal-rows.ts';

test('is followed as it grows, with its agents', async () => {
  const db = await openedDatabase();
  const store = await createJournalStore(db, { cwd: '/work/project' });
  const agent = makeRecords(AGENT);
  const bodies = makeRecords({ ...SAMPLE, more: spendingIn(agent) }).map(({ body }): JournalBody => {
    const isAnswer = body.type === 'user' && JSON.stringify(body.message).includes('Three callers');
    return isAnswer ? { ...body, toolUseResult: { agentId: AGENT_ID } } : body;
  });
  const { epoch } = await store.takeOver(SAMPLE_ID);
  const half = bodies.findIndex(({ type }) => type === 'decision') + 1;
  await store.append(SAMPLE_ID, epoch, 0, bodies.slice(0, half));

  const sources = await openInspectionSources(db.url);
  onTestFinished(() => sources.close());
  expect((await sources.list(10)).map(({ sessionId }) => sessionId)).toEqual([SAMPLE_ID]);
  const inspection = await openInspection(SAMPLE_ID, { source: await sources.open(SAMPLE_ID) });
  expect(inspection.data().iterations.map(({ step }) => step)).toEqual(['1']);
  expect(await inspection.refresh()).toBe(false);

  const before = await db.run('select epoch from turnwright.sessions where session_id = $1', [SAMPLE_ID]);
  await store.append(SAMPLE_ID, epoch, half, bodies.slice(half));
  const name = `agent-${AGENT_ID}`;
  const { epoch: own } = await store.takeOver(name);
  await store.append(
    name,
    own,
    0,
    agent.map(({ body }) => body),
  );
  expect(await inspection.refresh()).toBe(true);
  await inspection.refresh();
  const data = inspection.data();
  expect(data).toMatchObject({ state: 'stopped', terminal: 'completed', damage: [] });
  expect(data.agents.map(({ type, iterations }) => [type, iterations])).toEqual([
    ['main', 8],
    ['explorer', 3],
  ]);
  expect(data.totals.costUsd).toBe(data.agents[0]?.treeCostUsd);
  const [detail] = await inspection.details([`${AGENT_ID}:1.1`]);
  expect(detail?.calls[0]).toMatchObject({ name: 'Grep', output: { text: 'src/a.ts\nsrc/b.ts\nsrc/c.ts' } });
  // Nothing was taken over.
  expect(await db.run('select epoch from turnwright.sessions where session_id = $1', [SAMPLE_ID])).toEqual(
    before,
  );
});

test('a session that the database does not have is not found', async () => {
  const db = await openedDatabase();
  const sources = await openInspectionSources(db.url);
  onTestFinished(() => sources.close());
  await expect(sources.open('nope')).rejects.toMatchObject({ code: 'session_not_found' });
  await expect(
    inspectSession('nope', { cwd: '/', env: { TURNWRIGHT_HOME: '/nowhere' } }),
  ).rejects.toMatchObject({
    code: 'session_not_found',
  });
});

test('is replayed from there, with its agents', async () => {
  const db = await openedDatabase();
  const store = await createJournalStore(db, { cwd: '/' });
  const { callModel } = scriptedModel([
    reply([callTool('Agent', { description: 'dig', prompt: 'Dig.', subagent_type: 'worker' })]),
    reply([callTool('Look', {})]),
    say('Dug.'),
    say('Done.'),
  ]);
  const sessionId = '6f1f0f5c-3c55-4a27-9d53-0d5a5f1c2b3a';
  const options = {
    cwd: '/',
    sessionId,
    settingSources: [],
    allowedTools: ['Agent', 'Look'],
    agents: { worker: { description: 'Works.', prompt: 'You work.' } },
    engine: { callModel, store, extraTools: [fakeTool({ name: 'Look', readOnly: true })] },
  };
  for await (const _ of query({ prompt: 'Go.', options }));

  const sources = await openInspectionSources(db.url);
  onTestFinished(() => sources.close());
  const report = await replaySession(sessionId, { source: await sources.open(sessionId) });
  expect(report).toEqual({ runs: 2, iterations: 4, notRecorded: [] });
});
