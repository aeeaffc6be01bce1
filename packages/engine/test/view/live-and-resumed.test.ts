/**
 * The view that the engine keeps while it writes the journal is the one that a resume makes of the same records, after
 * every single record (L4.1): responses whose results come early, late or out of order, retractions of answers whose
 * calls have run, fallbacks, edits of every kind, submissions that were never ended.
 */

import { assistant, attachment, toolResult, toolUse, user } from '@turnwright/test/session/sample-journal.ts';
import { recordingStore } from '@turnwright/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createSessionJournal } from '../../src/engine/storage/session-journal.ts';
import type { ViewMessage } from '../../src/protocol/model/messages.ts';
import type { ViewEdit } from '../../src/protocol/model/view.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import { createJournalWriter } from '../../src/session/journal/journal-writer.ts';
import { resumeSession } from '../../src/session/resume/resume.ts';

/** What is recorded next; numbers choose among what there is. */
type Act =
  | { readonly do: 'prompt' | 'request' | 'end' | 'text' | 'think' | 'call' | 'note' | 'error' }
  | { readonly do: 'result' | 'settle' | 'repeat'; readonly which: number }
  | { readonly do: 'retract'; readonly from: number }
  | {
      readonly do: 'edit';
      readonly as: 'replacement' | 'snip' | 'collapse' | 'boundary';
      readonly at: number;
      readonly count: number;
    };

const which = fc.nat(8);
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Act>({ do: 'prompt' }) },
  { weight: 4, arbitrary: fc.constant<Act>({ do: 'request' }) },
  { weight: 2, arbitrary: fc.constant<Act>({ do: 'end' }) },
  { weight: 3, arbitrary: fc.constantFrom<Act>({ do: 'text' }, { do: 'think' }) },
  { weight: 7, arbitrary: fc.constant<Act>({ do: 'call' }) },
  { weight: 2, arbitrary: fc.constantFrom<Act>({ do: 'note' }, { do: 'error' }) },
  { weight: 7, arbitrary: which.map((n): Act => ({ do: 'result', which: n })) },
  { weight: 1, arbitrary: which.map((n): Act => ({ do: 'settle', which: n })) },
  { weight: 1, arbitrary: which.map((n): Act => ({ do: 'repeat', which: n })) },
  { weight: 3, arbitrary: fc.nat(4).map((from): Act => ({ do: 'retract', from })) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('edit' as const),
      as: fc.constantFrom('replacement' as const, 'snip' as const, 'collapse' as const, 'boundary' as const),
      at: which,
      count: fc.nat(3),
    }),
  },
);

/** Makes records of acts. `view` is what stands there when the act comes. */
function recorderOf() {
  let n = 0;
  let submission = 'none';
  let iteration = 0;
  let messageId = 'msg-0';
  const blocks: string[] = [];
  const calls: { readonly id: string; readonly uuid: string }[] = [];
  const next = (kind: string) => `${kind}-${++n}`;
  const block = (content: Parameters<typeof assistant>[2]): JournalBody => {
    const message = assistant(next('block'), messageId, content);
    blocks.push(message.uuid);
    return { ...message, submission, iteration };
  };
  return (given: Act, view: readonly ViewMessage[]): readonly JournalBody[] => {
    switch (given.do) {
      case 'prompt':
        submission = next('s');
        iteration = 0;
        return [
          {
            type: 'submission',
            id: `${submission}/submission`,
            submission,
            model: 'm',
            permissionMode: 'default',
          },
          { ...user(next('prompt'), 'Go on.', { kind: 'prompt' }), submission },
        ];
      case 'request':
        iteration += 1;
        // Some endpoints name all their answers alike.
        messageId = n % 3 === 0 ? 'msg-same' : next('msg');
        return [
          {
            type: 'request',
            id: next('request'),
            submission,
            iteration,
            attempt: 1,
            model: 'm',
            maxTokens: 8,
            querySource: 'main',
          },
        ];
      case 'end':
        return [{ type: 'result', id: next('result'), submission, result: {} }];
      case 'text':
        return [block({ type: 'text', text: 'said' })];
      case 'think':
        return [block({ type: 'thinking', thinking: 'hm', signature: 's' })];
      case 'call': {
        const id = next('toolu');
        const made = block(toolUse(id));
        calls.push({ id, uuid: blocks.at(-1) as string });
        return [made];
      }
      case 'note':
        return [{ ...attachment(next('note')), submission }];
      case 'error':
        return [
          {
            ...assistant(next('error'), next('msg'), { type: 'text', text: 'API Error' }),
            synthetic: { error: 'unknown' },
            submission,
            iteration,
          },
        ];
      case 'result': {
        const call = calls[calls.length - 1 - given.which];
        return call === undefined ? [] : [{ ...toolResult(next('result'), call.id), submission }];
      }
      case 'repeat': {
        const call = calls[calls.length - 1 - given.which];
        return call === undefined ? [] : [{ ...toolResult(next('extra'), `${call.id}-unknown`), submission }];
      }
      case 'settle': {
        const told = view.filter((message) => message.type === 'assistant').at(-1 - given.which);
        return told?.type === 'assistant' ? [{ ...told, submission, iteration, settled: true }] : [];
      }
      case 'retract': {
        const uuids = blocks.slice(-1 - given.from);
        return uuids.length === 0
          ? []
          : [{ type: 'retract', id: next('retract'), submission, uuids, reason: 'fallback' }];
      }
      case 'edit':
        return [
          { type: given.as, id: next('edit'), submission, edits: [editOf(given, view, next)], why: 'test' },
        ];
    }
  };
}

function editOf(
  { as, at, count }: Extract<Act, { do: 'edit' }>,
  view: readonly ViewMessage[],
  next: (kind: string) => string,
): ViewEdit {
  const uuids = view.slice(at, at + count + 1).map(({ uuid }) => uuid);
  const summary = user(next('summary'), 'What was.', { kind: 'summary', isSynthetic: true });
  switch (as) {
    case 'replacement':
      return {
        kind: 'replace',
        uuid: uuids[0] ?? 'nothing',
        item: { ...summary, uuid: uuids[0] ?? 'nothing' },
      };
    case 'snip':
      return { kind: 'remove', uuids };
    case 'collapse':
      return { kind: 'splice', uuids, items: [summary] };
    case 'boundary':
      return { kind: 'reset', head: [summary], keep: uuids, tail: [] };
  }
}

/** What the model is sent of it, in this order. What an answer cost is not part of that. */
const shown = (view: Iterable<ViewMessage>) =>
  [...view].map((message) => ({
    uuid: message.uuid,
    type: message.type,
    content: message.type === 'attachment' ? message.rendered : message.message.content,
  }));

async function liveJournal() {
  const store = recordingStore();
  const open = () =>
    createSessionJournal(async () => {
      const recorder = await createJournalWriter({ store, sessionId: 's' });
      const earlier = store.entries('s');
      const recovered = earlier.length === 0 ? undefined : resumeSession(earlier);
      return { recorder, earlierOwners: 0, recovered, close: () => recorder.close() };
    });
  return { store, open };
}

describe('the live view and the resumed view', () => {
  it('are equal after every record, also in a process that has taken the session over', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), fc.nat(40), async (acts, takenOverAt) => {
        const { store, open } = await liveJournal();
        const record = recorderOf();
        let journal = open();
        await journal.open();
        for (const [at, each] of [{ do: 'prompt' } as const, ...acts].entries()) {
          if (at === takenOverAt) {
            await journal.close();
            journal = open();
            await journal.open();
          }
          for (const body of record(each, journal.view.messages.slice())) {
            await journal.recorder.append([body]);
            const resumed = resumeSession(store.entries('s'));
            // Between two submissions a resume closes what is open; the next record does so in the live view.
            if (resumed.interrupted !== undefined || body.type === 'result')
              expect(shown(journal.view.messages), JSON.stringify(body)).toEqual(
                shown(resumed.view.messages),
              );
          }
        }
        await journal.close();
      }),
      { numRuns: 300 },
    );
  });

  it('a retracted call takes its result with it', async () => {
    const { store, open } = await liveJournal();
    const journal = open();
    await journal.open();
    const record = recorderOf();
    const acts: readonly Act[] = [
      { do: 'prompt' },
      { do: 'request' },
      { do: 'call' },
      { do: 'result', which: 0 },
      { do: 'retract', from: 0 },
      { do: 'request' },
      { do: 'call' },
      { do: 'result', which: 0 },
    ];
    for (const each of acts) await journal.recorder.append(record(each, []));
    expect([...journal.view.messages].map(({ type }) => type)).toEqual(['user', 'assistant', 'user']);
    expect(shown(journal.view.messages)).toEqual(shown(resumeSession(store.entries('s')).view.messages));
    await journal.close();
  });
});
