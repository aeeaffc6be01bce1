import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { isAlive, until, untilFile } from '../processes.ts';
import { rehearse } from '../rehearse.ts';

const sockets = () => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;

/** A command with a child of its own, which outlives its shell unless somebody sees to it. */
const FAMILY = 'sleep 60 & echo $! > child; echo $$ > shell; wait';
const pidIn = (run: { readonly cwd: string }, name: string) =>
  Number(readFileSync(join(run.cwd, name), 'utf8'));

describe('L10.9 nothing outlives its scope', () => {
  it('L10.9 after a plain run: no timer (the harness looks), no child, no socket', async () => {
    const before = sockets();
    const run = await rehearse({
      replies: [reply(toolUse('Bash', { command: 'sleep 60 & echo $! > child' })), reply('Done.')],
    });
    expect(isAlive(pidIn(run, 'child'))).toBe(false);
    await until(() => sockets() <= before);
  });

  it.each(['interrupt', 'close', 'abort', 'leave'] as const)(
    'L10.9 %s in the middle of a command: the whole family is gone',
    async (how) => {
      const before = sockets();
      const abortController = new AbortController();
      const run = await rehearse({
        replies: [reply(toolUse('Bash', { command: FAMILY }))],
        options: { abortController },
        onMessage: async (message, { query, cwd }) => {
          if (message.type !== 'assistant') return;
          const started = untilFile(join(cwd, 'shell'));
          if (how === 'leave') {
            await started;
            await query.return();
            return;
          }
          void started.then((): unknown => {
            if (how === 'interrupt') return query.interrupt();
            if (how === 'close') return query.close();
            return abortController.abort();
          });
        },
      });
      await until(() => !isAlive(pidIn(run, 'child')) && !isAlive(pidIn(run, 'shell')));
      await until(() => sockets() <= before);
      await until(() => !process.getActiveResourcesInfo().includes('ProcessWrap'));
    },
  );

  it('L10.9 a command that ignores SIGTERM is dead when its call has been answered', async () => {
    const living: boolean[] = [];
    const run = await rehearse({
      replies: [reply(toolUse('Bash', { command: `trap '' TERM; ${FAMILY}` }))],
      partial: true,
      onMessage: (message, { query, cwd }) => {
        if (message.type === 'assistant') void untilFile(join(cwd, 'shell')).then(() => query.interrupt());
        if (message.type === 'user') living.push(isAlive(pidIn({ cwd }, 'shell')));
      },
    });
    expect(new Set(living)).toEqual(new Set([false]));
    expect(isAlive(pidIn(run, 'child'))).toBe(false);
  });

  it('L10.9 a stream that is left in the middle gives its socket back', async () => {
    const before = sockets();
    const run = await rehearse({
      replies: [reply(['First.', 'Second'], { faults: [{ name: 'stall', after: 6 }] })],
      onMessage: (message, { query }) => message.type === 'assistant' && query.return(),
    });
    expect(run.results).toEqual([]);
    await until(() => sockets() <= before);
    await until(() => run.server.timeline.some((event) => event.kind === 'socket_closed'));
  });
});
