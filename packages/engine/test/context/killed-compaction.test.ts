/** L10.8: whatever prefix of the journal a kill leaves behind, the session is in the old history or in the new one. */
import type { ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { against, bareEnv, temporaryFolder, turnwright } from '@turnwright/test/cli/bin.ts';
import { everyNth } from '@turnwright/test/long-form.ts';
import { recordingStore } from '@turnwright/testing';
import {
  type RehearsalRequest,
  type Reply,
  type RequestKind,
  reply,
  startRehearsal,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { JournalEntry } from '../../src/protocol/session/journal.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';
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

/** Names of files, more than the window takes. */
const FULL = ['a', 'b', 'c', 'd', 'e'];
const MOMENTS = [
  'the summary is asked for',
  'its boundary is announced',
  'half of it is there',
  'it is in use',
];

describe('a process that is killed', { timeout: 300_000 }, () => {
  it.each(everyNth(2, MOMENTS))(
    'when %s: the next one has the whole old history, or the new one',
    async (moment) => {
      let isKilled = false;
      let child: ChildProcess | undefined;
      const never = { timing: { ttftMs: 600_000 } };
      const kill = () => {
        isKilled = true;
        child?.kill('SIGKILL');
      };
      const killOnFirstByte = (number: number) => {
        const looking = setInterval(() => {
          if (!server.timeline.some((event) => event.request === number && event.kind === 'first_byte'))
            return;
          clearInterval(looking);
          kill();
        }, 20);
      };
      const summary = reply(['<summary>The gist.', ' And more.'.repeat(40), '</summary>'].join(''), {
        ...(moment === 'half of it is there' && { timing: { deltaChars: 200, gapMs: 1_000 } }),
      });
      const answer = ({ kind, body, number, results }: RehearsalRequest): Reply => {
        if (kind === 'compaction') {
          if (!isKilled && moment === 'half of it is there') killOnFirstByte(number);
          if (isKilled || moment !== 'the summary is asked for') return summary;
          setImmediate(kill);
          return reply('Never.', never);
        }
        if (!JSON.stringify(body).includes('The gist.'))
          return reply(toolUse('Read', { file_path: `${FULL[results.size]}.txt` }));
        if (isKilled) return reply('Carried on.');
        if (moment === 'it is in use') setImmediate(kill);
        return reply('Never.', never);
      };
      const server = await startRehearsal({ scenario: answer });
      onTestFinished(() => server.close());
      const place = {
        cwd: temporaryFolder(),
        env: { ...bareEnv(against(server)), CLAUDE_CODE_AUTO_COMPACT_WINDOW: '64000' },
      };
      for (const name of FULL)
        writeFileSync(join(place.cwd, `${name}.txt`), `${'words of a line '.repeat(10)}\n`.repeat(400));
      const sent = (kind: RequestKind) =>
        server.requests
          .filter((request) => request.kind === kind)
          .map(({ body }) =>
            JSON.stringify((body as { messages: unknown }).messages).replaceAll(
              ',"cache_control":{"type":"ephemeral"}',
              '',
            ),
          );
      const died = await turnwright(
        ['-p', '--output-format', 'stream-json', '--verbose', '--include-partial-messages', 'Look around.'],
        {
          ...place,
          onStart: (started) => {
            child = started;
          },
          onStdout: (_, soFar) => {
            if (moment === 'its boundary is announced' && soFar.includes('"compact_boundary"')) kill();
          },
        },
      );
      expect(died).toMatchObject({ signal: 'SIGKILL' });
      const before = { main: sent('main'), compaction: sent('compaction') };
      expect(before.compaction).toHaveLength(1);
      expect(await turnwright(['-p', '--continue'], place)).toMatchObject({ stdout: 'Carried on.\n' });
      const after = { main: sent('main').slice(before.main.length), compaction: sent('compaction').slice(1) };
      expect(server.report().rejected).toEqual([]);
      expect(after.main).toEqual([expect.stringContaining('The gist.')]);
      // The old history is summarised again as it was, the new one is used as it was.
      const isOld = moment === 'the summary is asked for' || moment === 'half of it is there';
      expect(after.compaction).toEqual(isOld ? before.compaction : []);
      if (moment === 'it is in use') expect(after.main).toEqual(before.main.slice(-1));
    },
  );
});
