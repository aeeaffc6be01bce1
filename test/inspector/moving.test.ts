/** What the page shows of a session that runs, between two of its records. */
import { expect, it } from 'vitest';
import { extendRunning } from '../../packages/inspector/src/moving.ts';
import { makeLanes } from '../../packages/inspector/src/timeline/lanes.ts';
import { inspectEntries } from '../session/inspect-entries.ts';
import { asEntries } from '../session/sample-journal.ts';
import { makeRecords } from './made-session.ts';
import { SAMPLE } from './sample-sessions.ts';

it('time goes on, and so does the iteration that is open; nothing becomes shorter', () => {
  const records = makeRecords({ ...SAMPLE, iterations: [{}, { isCut: true }], result: false });
  const bodies = records.map(({ body }) => body).filter(({ type }) => type !== 'cost');
  const data = inspectEntries(asEntries(bodies), { isRunning: true });
  const moved = extendRunning(data, Date.parse(data.startedAt) + data.end + 5000);
  expect(moved.end).toBe(data.end + 5000);
  expect(moved.iterations[0]).toEqual(data.iterations[0]);
  const [open, before] = [moved.iterations[1], data.iterations[1]];
  expect(open?.end).toBe(moved.end);
  const more = (open?.end ?? 0) - (before?.end ?? 0);
  expect(moved.totals.activeMs).toBe(data.totals.activeMs + more);
  expect(moved.totals.modelMs).toBe(data.totals.modelMs + more);
  expect(extendRunning(data, Date.parse(data.startedAt))).toBe(data);
});

it('so do the lanes of what is open: the model until it has asked for calls, then the calls', () => {
  const made = makeRecords({ ...SAMPLE, iterations: [{}, {}], result: false });
  const bodies = made.map(({ body }) => body).filter(({ type }) => type !== 'cost' && type !== 'result');
  const laneOf = (until: number, name: string) => {
    const data = inspectEntries(asEntries(bodies.slice(0, until)), { isRunning: true });
    const moved = extendRunning(data, Date.parse(data.startedAt) + data.end + 5000);
    const lanes = makeLanes(moved, new Map(), new Set());
    return [lanes.find((lane) => lane.name === name)?.slices.at(-1), moved.end] as const;
  };
  const request = bodies.findLastIndex(({ type }) => type === 'request');
  const answer = bodies.findLastIndex(({ type }) => type === 'assistant');
  const [asked, now] = laneOf(request + 1, 'Model');
  expect(asked).toMatchObject({ paint: 'running', end: now });
  const [call, later] = laneOf(answer + 1, 'Read');
  expect(call).toMatchObject({ paint: 'running', end: later });
  expect(laneOf(answer + 1, 'Model')[0]?.end).toBe(call?.start);
});
