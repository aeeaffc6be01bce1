/** What a record is that a store has returned: its keys may be in another order, so its sum cannot be checked. */
import { expect, it } from 'vitest';
import { JOURNAL_VERSION } from '../../src/protocol/session/journal.ts';
import { decodeStored } from '../../src/session/journal/envelope.ts';

const ours = { v: JOURNAL_VERSION, seq: 3, epoch: 2, type: 'result', sum: 'abc' };

it.each([
  ['one of ours', ours, 'ok'],
  ['one of ours in a fork', { forkedFrom: 'x', ...ours }, 'ok'],
  [
    'one of ours in another order',
    { sum: 'abc', type: 'result', epoch: 2, seq: 3, v: JOURNAL_VERSION },
    'ok',
  ],
  ['a takeover', { ...ours, type: 'takeover', owner: 'me' }, 'takeover'],
  ['one of a newer version', { ...ours, v: JOURNAL_VERSION + 1 }, 'newer'],
  ['the copy of another program', { ...ours, forkedFrom: 'x' }, 'foreign'],
  ['one without a sum', { ...ours, sum: undefined }, 'foreign'],
  ['one without a version', { ...ours, v: undefined }, 'foreign'],
  ['one without a number', { ...ours, seq: '3' }, 'foreign'],
  ['one without an epoch', { ...ours, epoch: undefined }, 'foreign'],
  ['one without a type', { uuid: 'u' }, 'torn'],
])('%s', (_, record, kind) => {
  expect(decodeStored(record).kind).toBe(kind);
});

it('the head of a takeover, and the fields of a record', () => {
  expect(decodeStored({ ...ours, type: 'takeover', owner: 'me' })).toEqual({
    kind: 'takeover',
    head: { seq: 3, epoch: 2 },
    owner: 'me',
  });
  expect(decodeStored({ ...ours, id: 'r' })).toMatchObject({
    entry: { seq: 3, epoch: 2, type: 'result', id: 'r' },
  });
  expect(decodeStored({ ...ours, sum: undefined, at: 1 })).toMatchObject({ record: { at: 1 } });
});
