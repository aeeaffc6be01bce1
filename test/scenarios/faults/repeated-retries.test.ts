import { type FaultName, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf, openCalls } from '../sent.ts';

const TROUBLE: readonly FaultName[] = [
  'http-status',
  'reset-before-headers',
  'cut',
  'html-error-page',
  'truncated-json',
];

describe('F05 retries of a failed step', () => {
  it('F05 five failures in a row leave no orphan, and no request has more calls than the one before', async () => {
    const run = await rehearse({
      files: { 'a.txt': 'x' },
      replies: [
        reply(toolUse('Read', { file_path: 'a.txt' })),
        ...TROUBLE.map((fault) => reply('lost', { faults: [fault] })),
        reply('Done.'),
      ],
    });
    expect(run.sent).toHaveLength(2 + TROUBLE.length);
    expect(run.sent.flatMap(openCalls)).toEqual([]);
    expect(run.sent.slice(1).map((body) => blocksOf(body, 'tool_use').length)).toEqual(
      run.sent.slice(1).map(() => 1),
    );
    expect(
      new Set(run.sent.slice(1).map((body) => JSON.stringify(body.messages.map(({ role }) => role)))).size,
    ).toBe(1);
    expect(successOf(run)).toMatchObject({ is_error: false, result: 'Done.', num_turns: 2 });
  });
});
