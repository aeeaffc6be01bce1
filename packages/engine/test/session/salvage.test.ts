/** F70: records in a line that does not decode as a whole. */
import { expect, it } from 'vitest';
import { salvageLine } from '../../src/session/journal/salvage.ts';

const foreign = (uuid: string, more: object = {}) =>
  JSON.stringify({ parentUuid: null, uuid, sessionId: 'x1', type: 'user', ...more });
const uuidsIn = (line: string | Buffer) =>
  salvageLine(Buffer.from(line)).records.map((decoded) => 'record' in decoded && decoded.record['uuid']);

it('two records on one line, and what a truncated one precedes', () => {
  expect(uuidsIn(foreign('a') + foreign('b'))).toEqual(['a', 'b']);
  expect(uuidsIn(foreign('a').slice(0, 30) + foreign('b'))).toEqual(['b']);
  expect(uuidsIn('no record')).toEqual([]);
});

it('NULs before, between and after records', () => {
  const nul = '\0'.repeat(5);
  expect(uuidsIn(nul + foreign('a'))).toEqual(['a']);
  expect(uuidsIn(foreign('a') + nul)).toEqual(['a']);
  expect(uuidsIn(foreign('a') + nul + foreign('b') + nul)).toEqual(['a', 'b']);
  expect(salvageLine(Buffer.from(nul))).toEqual({ records: [], onlyNul: true });
  expect(salvageLine(Buffer.from(''))).toEqual({ records: [], onlyNul: false });
});

it('a record without a session is part of another one', () => {
  const inner = JSON.stringify({ parentUuid: null, uuid: 'inner', type: 'user' });
  expect(uuidsIn(`{"broken ${inner}`)).toEqual([]);
  expect(uuidsIn(foreign('a', { uuid: 7 }))).toEqual([]);
});
