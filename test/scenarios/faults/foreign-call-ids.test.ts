import { reply } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { answered, said } from '../history.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const round = (id: string, n: number) => [
  answered(`a${n}`, { type: 'tool_use', id, name: 'shell', input: {} }),
  said(`r${n}`, [{ type: 'tool_result', tool_use_id: id, content: `result ${n}` }]),
];

describe('F07 a history made by another provider', () => {
  it('F07 ids that the API refuses are remapped, the same way on both sides and without a collision', async () => {
    const initialMessages = [
      said('p', 'Run three.'),
      ...round('shell:0', 0),
      ...round('shell.0', 1),
      ...round('shell_0', 2),
    ];
    const run = await rehearse({ replies: [reply('Three.')], options: { engine: { initialMessages } } });
    const calls = blocksOf(run.sent[0], 'tool_use').map((block) => block.id);
    const results = blocksOf(run.sent[0], 'tool_result');
    expect(new Set(calls).size).toBe(3);
    for (const id of calls) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(results.map((block) => block.tool_use_id)).toEqual(calls);
    expect(results.map((block) => block.content)).toEqual(['result 0', 'result 1', 'result 2']);
    expect(successOf(run).result).toBe('Three.');
  });
});
