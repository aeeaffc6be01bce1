import { describe, expect, it } from 'vitest';
import { type AssistantBlock, EMPTY_USAGE } from '../../src/protocol/model/wire.ts';
import type { JournalBody } from '../../src/protocol/session/journal.ts';
import { ViewFold } from '../../src/view/fold.ts';

const stamp = (uuid: string) => ({ uuid, timestamp: '2026-01-01T00:00:00.000Z', submission: 's' });
const block = (uuid: string, content: AssistantBlock, id = 'msg_1'): JournalBody => ({
  ...stamp(uuid),
  type: 'assistant',
  iteration: 1,
  message: {
    id,
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [content],
    stop_reason: null,
    stop_sequence: null,
    usage: EMPTY_USAGE,
  },
});
const call = (uuid: string, id: string) => block(uuid, { type: 'tool_use', id, name: 'Look', input: {} });
const result = (uuid: string, id: string): JournalBody => ({
  ...stamp(uuid),
  type: 'user',
  message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'x' }] },
});
const prompt = (uuid: string): JournalBody => ({
  ...stamp(uuid),
  type: 'user',
  kind: 'prompt',
  message: { role: 'user', content: uuid },
});
const viewAfter = (...bodies: JournalBody[]) => {
  const view = new ViewFold();
  view.apply(bodies);
  return [...view.messages].map(({ uuid }) => uuid);
};

describe('what the engine keeps in memory', () => {
  it('results in the model’s order, behind all blocks of their response, whenever they came', () => {
    expect(
      viewAfter(
        prompt('p'),
        call('a', '1'),
        result('r1', '1'),
        call('b', '2'),
        call('c', '3'),
        result('r3', '3'),
        result('r2', '2'),
        prompt('q'),
      ),
    ).toEqual(['p', 'a', 'b', 'c', 'r1', 'r2', 'r3', 'q']);
  });
  it('no retracted messages, and no errors that the engine wrote', () => {
    const error = {
      ...block('e', { type: 'text', text: 'x' }),
      synthetic: { error: 'unknown' },
    } as JournalBody;
    expect(
      viewAfter(
        prompt('p'),
        block('a', { type: 'text', text: 'a' }),
        { type: 'retract', id: 'i', submission: 's', uuids: ['a'], reason: 'superseded' },
        error,
      ),
    ).toEqual(['p']);
  });
  it('after a compaction the summary, the kept tail and what follows', () => {
    const summary = {
      type: 'user' as const,
      uuid: 'sum',
      timestamp: '',
      message: { role: 'user' as const, content: 'In short: …' },
    };
    const boundary: JournalBody = {
      type: 'boundary',
      id: 'i',
      submission: 's',
      why: 'full',
      edits: [{ kind: 'reset', head: [summary], keep: ['q'], tail: [] }],
    };
    expect(viewAfter(prompt('p'), prompt('q'), boundary, prompt('z'))).toEqual(['sum', 'q', 'z']);
  });
});
