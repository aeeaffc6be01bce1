/** Programs that type for a person: a line that arrives at once, with Enter behind it, is sent. Needs `npm run build`. */
import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import pty from '@lydell/node-pty';
import { against, BIN, bareEnv, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { converse } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux } from '@turnwright/test/terminal/tmux.ts';
import { type RehearsalServer, reply, startRehearsal } from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';

let server: RehearsalServer;
afterEach(() => server.close());

const rehearse = async () => {
  server = await startRehearsal({
    scenario: { name: 'driven', replies: [reply('First.'), reply('Second.')] },
  });
  return server;
};
const prompts = () =>
  server.requests.map(({ body }) => JSON.stringify((body as { messages: unknown[] }).messages.at(-1)));

const hasExpect = spawnSync('expect', ['-v']).status === 0;

describe('a line that is typed at once', () => {
  it.runIf(hasTmux)('by tmux send-keys is sent', async () => {
    const talk = await converse(await rehearse());
    talk.keys('hello again', 'Enter');
    await talk.until('First.');
    await talk.seen('done');
    talk.keys('/exit', 'Enter');
    await talk.prompted();
    expect(prompts()[0]).toContain('hello again');
  });

  it.runIf(hasExpect)('by expect is sent, also before the screen is there', async () => {
    const { url } = await rehearse();
    const script = `
      set timeout 60
      spawn ${process.execPath} ${BIN}
      send "typed before\\r"
      expect "First."
      expect "done"
      send "hello again\\r"
      expect "Second."
      send "/exit\\r"
      expect eof`;
    const env = bareEnv({ TERM: 'xterm-256color', ...against({ url }) });
    await promisify(execFile)('expect', ['-c', script], { cwd: temporaryFolder(), env });
    expect(prompts()[0]).toContain('typed before');
    expect(prompts()[1]).toContain('hello again');
  });

  it('by a program with a pseudo-terminal is sent, with either line end', async () => {
    const env = bareEnv({ TERM: 'xterm-256color', ...against(await rehearse()) });
    const terminal = pty.spawn(process.execPath, [BIN], { cols: 80, rows: 24, cwd: temporaryFolder(), env });
    onTestFinished(() => terminal.kill('SIGKILL'));
    let shown = '';
    terminal.onData((data) => {
      shown += data;
    });
    const seen = (text: string) => expect.poll(() => shown, { timeout: 60_000 }).toContain(text);
    await seen('›');
    terminal.write('hello again\r');
    await seen('First.');
    await seen('done');
    terminal.write('hi\n');
    await seen('Second.');
    expect(prompts()[1]).toContain('hi');
  });
});
