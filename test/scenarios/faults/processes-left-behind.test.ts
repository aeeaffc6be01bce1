import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { toolResults } from '../outline.ts';
import { isAlive } from '../processes.ts';
import { rehearse } from '../rehearse.ts';

describe('F99 a server that is started with &', () => {
  it.each([
    ['with the pipes it inherited', 'sleep 60 & echo $! > pid; echo up'],
    ['without them', 'sleep 60 > /dev/null 2>&1 < /dev/null & echo $! > pid; echo up'],
    ['under nohup', 'nohup sleep 60 & echo $! > pid; echo up'],
  ])('F99 %s: the call returns, and the processes it left are ended and reported', async (_, command) => {
    const run = await rehearse({ replies: [reply(toolUse('Bash', { command })), reply('Up.')] });
    const [result] = toolResults(run.messages);
    expect(result?.text).toMatch(/^up\n\(Processes it had left in the background were stopped/);
    expect(isAlive(Number(readFileSync(join(run.cwd, 'pid'), 'utf8')))).toBe(false);
  });

  it('F99 run_in_background is the way to keep one: it is registered, and outlives its call', async () => {
    const lives: boolean[] = [];
    const run = await rehearse({
      replies: [
        reply(toolUse('Bash', { command: 'echo $$ > pid; exec sleep 60', run_in_background: true })),
        reply(toolUse('Bash', { command: 'until [ -s pid ]; do sleep 0.02; done' })),
        reply('Up.'),
      ],
      options: { engine: { backgroundWaitMs: 1 } },
      onMessage: (message, { cwd }) => {
        if (message.type === 'result') lives.push(isAlive(Number(readFileSync(join(cwd, 'pid'), 'utf8'))));
      },
    });
    expect(lives).toEqual([true]);
    expect(run.entries.filter(({ type }) => type === 'task')).toMatchObject([
      { event: 'started' },
      { event: 'ended', endedBy: 'session' },
    ]);
    expect(isAlive(Number(readFileSync(join(run.cwd, 'pid'), 'utf8')))).toBe(false);
  });
});
