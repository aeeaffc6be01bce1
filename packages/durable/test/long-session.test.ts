/** A long session whose process was killed is continued at once: by its snapshot, and the records behind it. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type JournalEntry, type JournalStore, query } from '@turnwright/engine';
import { openedDatabase } from '@turnwright/test/durable/opened.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { callTool, fakeTool, type ScriptStep, scriptedModel } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createJournalStore } from '../src/postgres/journal-rows.ts';

const form = inForm({ entries: 2_500, isJudged: false }, { entries: 10_000, isJudged: true });

const sessionId = '5e1f6f0a-2b0e-4f6b-9d6a-0a8d5a3c1b77';
const folder = mkdtempSync(join(tmpdir(), 'long-session-'));
const look = fakeTool({ name: 'Look', effectClass: 'pure', readOnly: true, answer: async () => 'ok' });

/** Runs the session until the model is asked for the time `stopAt`; then `asked` resolves, and nothing ends. */
function run(store: JournalStore, stopAt: number, options: object) {
  let calls = 0;
  let asked: (messages: number) => void = () => undefined;
  const stopped = new Promise<number>((resolve) => {
    asked = resolve;
  });
  const answer: ScriptStep = (request) => {
    calls += 1;
    if (calls < stopAt) return callTool('Look', { n: calls });
    asked(request.view.slice().length);
    return { kind: 'hang' };
  };
  const controller = new AbortController();
  const model = scriptedModel(Array.from({ length: stopAt + 1 }, () => answer));
  const running = query({
    ...options,
    options: {
      ...('options' in options ? (options.options as object) : {}),
      settingSources: [],
      allowedTools: ['Look'],
      cwd: folder,
      abortController: controller,
      engine: { callModel: model.callModel, tools: [look], home: folder, store },
    },
  } as Parameters<typeof query>[0]);
  const over = (async () => {
    for await (const message of running)
      if (message.type === 'result' && !controller.signal.aborted) throw new Error(JSON.stringify(message));
  })();
  onTestFinished(async () => {
    controller.abort();
    await over.catch(() => undefined);
  });
  return Promise.race([stopped, over.then(() => Promise.reject(new Error('The session ended.')))]);
}

/** What becomes of a process that is killed: nothing is closed. */
const withoutClose = (store: JournalStore): JournalStore => ({ ...store, close: async () => undefined });

test('D9: the first new step of a long session that was killed', { timeout: 300_000 }, async () => {
  const db = await openedDatabase();
  const newStore = () => createJournalStore(db, { cwd: folder });
  // Five records per round: request, call and intent, response, result.
  const before = await run(withoutClose(await newStore()), Math.ceil(form.entries / 5), {
    prompt: 'Go.',
    options: { sessionId },
  });
  const [row] = await db.run<{ readonly head: number; readonly snapshot: number | null }>(
    `select head, (select seq from turnwright.snapshots where session_id = $1) as snapshot
      from turnwright.sessions where session_id = $1`,
    [sessionId],
  );
  const startMs = performance.now();
  const cpuBefore = process.cpuUsage();
  const after = await run(await newStore(), 1, { options: { resume: sessionId } });
  const firstStepMs = Math.round(performance.now() - startMs);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuMs = Math.round((user + system) / 1_000);
  console.info(
    JSON.stringify({ test: 'D9', entries: row?.head, snapshot: row?.snapshot, firstStepMs, cpuMs }),
  );
  expect(row?.head).toBeGreaterThanOrEqual(form.entries);
  expect(row?.snapshot).toBeGreaterThan(0);
  // The request that was open when the process was killed is made again.
  expect(after).toBe(before);
  if (form.isJudged) expect(firstStepMs).toBeLessThan(1_000);
});

test('what a resume gets of a snapshot and the records behind it is what it gets of all of them', async () => {
  const db = await openedDatabase();
  await run(withoutClose(await createJournalStore(db, { cwd: folder })), form.entries / 5, {
    prompt: 'Go.',
    options: { sessionId },
  });
  const toResume = async () =>
    (await (await createJournalStore(db, { cwd: folder })).takeOver(sessionId, { toResume: true })).toResume;
  const bySnapshot = await toResume();
  await db.run('delete from turnwright.snapshots');
  const ofAll = await toResume();
  // A snapshot keeps session and folder once, and parents follow from the order.
  const comparable = (entries: readonly JournalEntry[] = []) =>
    entries.map((entry) => ({ ...entry, sessionId: '', cwd: '', parentUuid: undefined }));
  expect(bySnapshot?.length).toBeGreaterThan(1_000);
  expect(comparable(bySnapshot)).toEqual(comparable(ofAll));
});
