import type { Options } from '@turnwright/engine';
import { reply, type ScriptedReply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { inForm, isLong } from '../../long-form.ts';
import { toolResults } from '../outline.ts';
import { rehearse, successOf } from '../rehearse.ts';
import { blocksOf } from '../sent.ts';

const TOLD = /called (\d+) times with this same input/;
const REFUSED = /made (\d+) times with the same result/;

async function calls(list: readonly ScriptedReply['blocks'][number][], options: Options = {}) {
  const run = await rehearse({
    replies: [...list.map((call) => reply([call])), reply('Enough.')],
    files: { 'a.txt': 'same' },
    options,
  });
  const told = run.sent.map(
    (body) => blocksOf(body, 'text').filter(({ text }) => TOLD.test(text ?? '')).length,
  );
  const refused = toolResults(run.messages).filter(({ text }) => REFUSED.test(text));
  expect(successOf(run).result).toBe('Enough.');
  return { told: told.at(-1), refused, ran: run.entries.filter(({ type }) => type === 'intent').length };
}

const again = (times: number, call: () => ReturnType<typeof toolUse>) => Array.from({ length: times }, call);
const look = () => toolUse('Bash', { command: 'cat a.txt' });

const REFUSE_AT = inForm(7, 15);
const guard = { engine: { repeatGuard: { nudgeAt: inForm(3, 5), refuseAt: REFUSE_AT } } };
/** Where all are the same, they bring two notices and three refusals. */
const CALLS = REFUSE_AT + 2;
const EDITS = inForm(8, 30);

describe('F150 an identical successful call, again and again', () => {
  it('F150 the model is notified, at first and at each doubling of the number; the calls run', async () => {
    expect(await calls(again(21, look))).toMatchObject({ told: 2, refused: [], ran: 21 });
  });

  it('F150 a host may have it refused in the end; the run goes on', async () => {
    const { told, refused, ran } = await calls(again(CALLS, look), guard);
    expect(told).toBe(2);
    expect(refused).toHaveLength(3);
    expect(refused[0]).toMatchObject({ isError: true, text: expect.stringContaining('<tool_use_error>') });
    expect(ran).toBe(REFUSE_AT - 1);
  });

  it('F150 polling whose result changes is progress', async () => {
    const poll = () => toolUse('Bash', { command: 'echo x >> log; wc -l < log' });
    expect(await calls(again(CALLS, poll), guard)).toMatchObject({ told: 0, refused: [], ran: CALLS });
  });

  it(`F150 so are ${EDITS} edits that resemble each other`, async () => {
    const edits = Array.from({ length: EDITS }, (_, i) =>
      toolUse('Write', { file_path: `n${i}.txt`, content: 'x' }),
    );
    expect(await calls(edits, guard)).toMatchObject({ told: 0, refused: [], ran: EDITS });
  });

  it('F150 and the same look after each of several changes', async () => {
    const rounds = Array.from({ length: CALLS }, (_, i) => [
      toolUse('Bash', { command: `echo ${i} > other.txt` }),
      look(),
    ]).flat();
    expect(await calls(rounds, guard)).toMatchObject({ told: 0, refused: [], ran: 2 * CALLS });
  });

  it.runIf(isLong)('F150 it can be turned off', async () => {
    expect(await calls(again(12, look), { engine: { repeatGuard: false } })).toMatchObject({
      told: 0,
      ran: 12,
    });
  });
});
