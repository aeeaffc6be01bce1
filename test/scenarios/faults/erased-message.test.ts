import { spawnSync } from 'node:child_process';
import { eraseFromSession, getSessionMessages, InMemorySessionStore } from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import { rehearse } from '../rehearse.ts';

const KEY = 'pasted-key-4711-0815';
const at = ({ home }: { readonly home: string }) => ({ env: { TURNWRIGHT_HOME: home } });
/** Every byte under a folder. */
const kept = (folder: string) => spawnSync('grep', ['-rah', '', folder], { encoding: 'latin1' }).stdout;

describe('F76 a key that was pasted by mistake', () => {
  const replies = [reply(toolUse('Bash', { command: `echo using ${KEY}` })), reply(`I have used ${KEY}.`)];
  const asked = (prompt = `Use the key ${KEY} and tell nobody.`) =>
    rehearse({ prompt, replies, options: { permissionMode: 'bypassPermissions' } });
  const goOn = async (first: Awaited<ReturnType<typeof asked>>) => {
    return rehearse({
      place: first,
      prompt: 'Go on.',
      replies: [reply('Yes.')],
      options: { resume: first.sessionId },
    });
  };

  it('F76 is in no later request and in no file when its text is erased, and the session goes on', async () => {
    const first = await asked();
    const id = first.sessionId;
    expect(kept(first.home)).toContain(KEY);
    expect(await eraseFromSession(id, { text: KEY }, at(first))).toBeGreaterThanOrEqual(4);
    expect(kept(first.home)).not.toContain(KEY);
    const second = await goOn(first);
    expect(JSON.stringify(second.sent[0])).toContain('Use the key [erased] and tell nobody.');
    expect(JSON.stringify(second.sent[0])).toContain('using [erased]');
    expect(JSON.stringify(second.sent)).not.toContain(KEY);
    expect(second.results[0]).toMatchObject({ subtype: 'success', result: 'Yes.' });
  });

  it('F76 a message is erased with what it says, wherever other records repeat it', async () => {
    const first = await asked();
    const id = first.sessionId;
    const [prompt] = await getSessionMessages(id, at(first));
    await eraseFromSession(id, { messageId: prompt?.uuid }, at(first));
    expect(kept(first.home)).not.toContain('and tell nobody');
    const second = await goOn(first);
    expect(JSON.stringify(second.sent)).not.toContain('and tell nobody');
    expect(JSON.stringify(second.sent[0])).toContain('[erased]');
    expect(second.results[0]).toMatchObject({ subtype: 'success' });
  });

  it('F76 a key in a result that is kept in a file of its own is erased there', async () => {
    const long = [reply(toolUse('Bash', { command: `seq 20000; echo ${KEY}` })), reply('Done.')];
    const first = await rehearse({ replies: long, options: { permissionMode: 'bypassPermissions' } });
    const id = first.sessionId;
    await eraseFromSession(id, { text: KEY }, at(first));
    expect(kept(first.home)).not.toContain(KEY);
  });

  it('F76 a store is rewritten too, and one that cannot delete says so', async () => {
    const sessionStore = new InMemorySessionStore();
    const first = await rehearse({
      prompt: `Use ${KEY}.`,
      replies: [reply('Yes.')],
      options: { sessionStore },
    });
    const id = first.sessionId;
    const dir = first.cwd;
    await eraseFromSession(id, { text: KEY }, { dir, sessionStore });
    const messages = await getSessionMessages(id, { dir, sessionStore });
    expect(JSON.stringify(messages)).toContain('Use [erased].');
    expect(JSON.stringify(messages)).not.toContain(KEY);
    const without = { append: () => Promise.resolve(), load: () => Promise.resolve([{ type: 'user' }]) };
    await expect(eraseFromSession(id, { text: KEY }, { dir, sessionStore: without })).rejects.toMatchObject({
      code: 'invalid_option',
    });
  });

  it.each([
    ['neither a message nor a text', {}],
    ['both', { messageId: 'x', text: 'long enough' }],
    ['a short text', { text: 'the' }],
    ['an unknown message', { messageId: '00000000-0000-4000-8000-000000000000' }],
  ])('F76 %s is refused, and nothing is changed', async (_, request) => {
    const first = await asked();
    const id = first.sessionId;
    const before = kept(first.home);
    await expect(eraseFromSession(id, request, at(first))).rejects.toMatchObject({
      code: 'invalid_option',
    });
    expect(kept(first.home)).toBe(before);
  });
});
