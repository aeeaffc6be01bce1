/** L10.8: whatever prefix of the journal a kill leaves behind, the session is in the old history or in the new one. */
import { expect, it } from 'vitest';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
import { recordingStore } from '../../src/testing/index.ts';
import { isWhole } from './conversation.ts';
import { done, lookAt, refusal, rehearsedEngine, resultOf, SUMMARY, script } from './rehearsed-engine.ts';

const FILLED = [lookAt(6_200), lookAt(6_200), lookAt(250), done()];
const uuids = (view: Iterable<ViewMessage>) => [...view].map((message) => message.uuid);

/** Every prefix resumes to a whole conversation that is either not compacted or compacted, never in between. */
function checkPrefixes(entries: readonly JournalEntry[]): void {
  const at = entries.findIndex((entry) => entry.type === 'boundary');
  expect(at).toBeGreaterThan(0);
  const edit = entries[at];
  const reset = edit?.type === 'boundary' ? edit.edits[0] : undefined;
  const head = uuids(reset?.kind === 'reset' ? reset.head : reset?.kind === 'splice' ? reset.items : []);
  const old = uuids(resumeSession(entries.slice(0, at)).view.messages);
  let asNew = 0;
  for (let length = 1; length <= entries.length; length++) {
    const { view, interrupted } = resumeSession(entries.slice(0, length));
    const closing = interrupted?.closing ?? [];
    const closed = [
      ...view.messages,
      ...closing.filter((body): body is ViewMessage & typeof body => body.type === 'user'),
    ];
    expect(isWhole(closed), `prefix of ${length}`).toBe(true);
    const now = uuids(view.messages);
    const isNew = head.every((uuid) => now.includes(uuid));
    if (length <= at) expect(now, `prefix of ${length}`).toEqual(old.slice(0, now.length));
    else expect(isNew, `prefix of ${length}`).toBe(true);
    if (!isNew)
      expect(
        now.some((uuid) => head.includes(uuid)),
        'half done',
      ).toBe(false);
    if (isNew) asNew += 1;
  }
  expect(asNew).toBe(entries.length - at);
}

it('F18: a summary', async () => {
  const run = await rehearsedEngine({ reply: script(FILLED) });
  await run.run('Look around.');
  checkPrefixes(run.store.entries(run.engine.sessionId));
});

it('F15: a trim without a model', async () => {
  const more = [lookAt(6_200), lookAt(6_200), lookAt(3_000), lookAt(250), done()];
  const run = await rehearsedEngine({ reply: script(more, () => refusal(500)) });
  await run.run('Look around.');
  checkPrefixes(run.store.entries(run.engine.sessionId));
});

it('/compact', async () => {
  const run = await rehearsedEngine({ reply: script([lookAt(500), lookAt(500), done()]) });
  await run.run('Look around.');
  await run.run('/compact');
  checkPrefixes(run.store.entries(run.engine.sessionId));
});

it('killed right before and right after its edit, the session goes on', async () => {
  const larger = [lookAt(8_000), lookAt(8_000), lookAt(250), done()];
  const first = await rehearsedEngine({ reply: script(larger) });
  await first.run('Look around.');
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const at = entries.findIndex((entry) => entry.type === 'boundary');
  for (const [length, summaries] of [
    [at, 1],
    [at + 1, 0],
  ] as const) {
    const store = recordingStore();
    const { epoch } = await store.takeOver(sessionId);
    await store.append(sessionId, epoch, 0, entries.slice(0, length));
    const second = await rehearsedEngine({
      reply: (request) => (request.kind === 'main' ? done('Carried on.') : SUMMARY),
      config: { store, resume: sessionId },
    });
    const messages = [];
    for await (const message of second.engine.resume()) messages.push(message);
    expect(resultOf(messages)).toMatchObject({ result: 'Carried on.' });
    expect(second.sent('compaction')).toHaveLength(summaries);
    expect(second.server.report().rejected).toEqual([]);
    expect(JSON.stringify(second.sent('main')[0]?.messages)).toContain('The gist.');
  }
});

it('F18: failures of a previous process count: the third one, after a kill, switches it off', async () => {
  const small = Array.from({ length: 6 }, () => lookAt(50));
  const first = await rehearsedEngine({
    reply: script([lookAt(6_900), lookAt(6_900), ...small, done()], () => refusal(529)),
  });
  await first.run('Look around.');
  expect(first.sent('compaction')).toHaveLength(3);
  const { sessionId } = first.engine;
  const entries = first.store.entries(sessionId);
  const at = entries.findIndex(
    (entry) => entry.type === 'decision' && entry.record.next?.compaction?.consecutiveFailures === 2,
  );
  const store = recordingStore();
  const { epoch } = await store.takeOver(sessionId);
  await store.append(sessionId, epoch, 0, entries.slice(0, at + 1));
  const second = await rehearsedEngine({
    reply: script([...small.slice(0, 3), done('Carried on.')], () => refusal(529)),
    config: { store, resume: sessionId },
  });
  const messages = [];
  for await (const message of second.engine.resume()) messages.push(message);
  expect(resultOf(messages)).toMatchObject({ result: 'Carried on.' });
  expect(second.sent('compaction')).toHaveLength(1);
  expect(JSON.stringify(messages)).toContain('3 times in a row');
});
