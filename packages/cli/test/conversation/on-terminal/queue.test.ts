/** The queue of prompts: order, edits, interrupts, and a kill (A9). */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rehearse } from '@turnwright/test/cli/bin.ts';
import { converse, type Talk } from '@turnwright/test/conversation/on-terminal/converse.ts';
import { hasTmux, pause } from '@turnwright/test/terminal/tmux.ts';
import { type RehearsalServer, reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, test } from 'vitest';

const busy = reply('Never said.', { timing: { ttftMs: 60_000 } });

/** Texts of the person in the last request. */
function promptsOf(server: RehearsalServer): readonly string[] {
  const body = server.requests.at(-1)?.body as
    | { readonly messages: readonly { readonly role: string; readonly content: unknown }[] }
    | undefined;
  return (body?.messages ?? [])
    .filter(({ role }) => role === 'user')
    .map(({ content }) => JSON.stringify(content));
}

const queueRows = (talk: Talk) => talk.screen().filter((row) => /^(?:queued|held) \d/.test(row));

async function queueOfThree(talk: Talk): Promise<void> {
  await talk.enter('begin');
  await talk.seen('waiting for');
  for (const text of ['alpha', 'beta', 'gamma']) await talk.enter(text);
  await talk.seen('queued 3: gamma');
}

describe.skipIf(!hasTmux)('the queue', () => {
  test('three are queued, the last is edited, one is dropped, the work is interrupted: the order holds', async () => {
    const server = await rehearse(busy, reply('First.'), reply('Second.'));
    const talk = await converse(server);
    await talk.seen('opus-5-5');
    await queueOfThree(talk);
    talk.keys('M-Up');
    await talk.seen('› gamma');
    await talk.enter(' and more');
    await talk.seen('queued 3: gamma and more');
    await talk.enter('/queue');
    await talk.seen('beta');
    talk.keys('Escape');
    await pause(150);
    talk.keys('Escape');
    await talk.seen('held 1: alpha');
    expect(queueRows(talk).map((row) => row.replace(/ {2}.*$/, ''))).toEqual([
      'held 1: alpha',
      'held 2: beta',
      'held 3: gamma and more',
    ]);
    expect(talk.history().join('\n')).toContain('stopped: interrupted while the model was answering');
    // Nothing goes by itself; Enter sends the first one.
    await pause(500);
    expect(server.requests.filter(({ path }) => path === '/v1/messages')).toHaveLength(1);
    talk.keys('Enter');
    await talk.seen('First.');
    await talk.seen('held 1: beta');
    expect(promptsOf(server).at(-1)).toContain('alpha');
    talk.keys('M-Up');
    await talk.seen('› gamma and more');
    talk.keys('C-c');
    await talk.gone('gamma and more');
    expect(queueRows(talk)).toHaveLength(1);
    talk.keys('Enter');
    await talk.seen('Second.');
    expect(promptsOf(server).at(-1)).toContain('beta');
    expect(queueRows(talk)).toEqual([]);
  });

  test('a queued prompt joins the work between two requests', async () => {
    const server = await rehearse(
      reply([toolUse('Bash', { command: 'until [ -e go ]; do sleep 0.2; done; ls' })]),
      reply('Both are done.'),
    );
    const talk = await converse(server, { args: ['--allowedTools', 'Bash'] });
    await talk.seen('opus-5-5');
    await talk.enter('begin');
    await talk.seen('tool runs');
    await talk.enter('and this too');
    await talk.seen('queued 1: and this too');
    writeFileSync(join(talk.cwd, 'go'), '');
    await talk.seen('Both are done.');
    expect(promptsOf(server).at(-1)).toContain('and this too');
    await talk.until('done · 2 turns');
  });

  test('after a kill the draft and the queue are there again, in a file that the owner alone reads', async () => {
    const server = await rehearse(busy, reply('Alpha is answered.'));
    const talk = await converse(server);
    await talk.seen('opus-5-5');
    await queueOfThree(talk);
    talk.type('half a thought');
    await pause(600);
    const sessions = join(talk.env['TURNWRIGHT_HOME'] as string, 'projects');
    const files = readdirSync(sessions, { recursive: true }).map(String);
    const draft = join(sessions, files.find((name) => name.endsWith('draft.json')) as string);
    expect(statSync(draft).mode & 0o777).toBe(0o600);
    const { pid } = JSON.parse(readFileSync(draft, 'utf8')) as { readonly pid: number };
    process.kill(pid, 'SIGKILL');
    await talk.until('ended with 137');
    const again = await converse(server, { cwd: talk.cwd, env: talk.env, args: ['--continue'] });
    await again.seen('› half a thought');
    expect(queueRows(again).map((row) => row.replace(/ {2}.*$/, ''))).toEqual([
      'held 1: alpha',
      'held 2: beta',
      'held 3: gamma',
    ]);
  });

  test('a draft of a conversation that had not begun is there when the next one begins', async () => {
    const server = await rehearse(busy);
    const talk = await converse(server);
    await talk.seen('opus-5-5');
    talk.type('never sent');
    await pause(600);
    const sessions = join(talk.env['TURNWRIGHT_HOME'] as string, 'projects');
    const files = readdirSync(sessions, { recursive: true }).map(String);
    const draft = join(sessions, files.find((name) => name.endsWith('draft.json')) as string);
    process.kill((JSON.parse(readFileSync(draft, 'utf8')) as { readonly pid: number }).pid, 'SIGKILL');
    await talk.until('ended with 137');
    const again = await converse(server, { cwd: talk.cwd, env: talk.env });
    await again.seen('› never sent');
  });
});
