import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as client from '@anthropic-ai/claude-agent-sdk';
import * as own from '@turnwright/engine';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CaseOptions, gather, prompt, prompts, type Stage, throughBothDoors } from './doors.ts';

/** Asks on this stage. The client's own functions look where the environment of their process says: in its home. */
function askingAt(stage: Stage) {
  const before = process.env['CLAUDE_CONFIG_DIR'];
  beforeEach(() => {
    process.env['CLAUDE_CONFIG_DIR'] = stage.home;
  });
  afterEach(() => {
    if (before === undefined) delete process.env['CLAUDE_CONFIG_DIR'];
    else process.env['CLAUDE_CONFIG_DIR'] = before;
  });
  return async (text: string, options: CaseOptions = {}) => {
    stage.play(reply(`Answer to ${text}.`));
    const { result } = await gather(stage.start(text, options));
    return { id: result?.session_id ?? '', sent: JSON.stringify(stage.asked().at(-1)?.['messages']), result };
  };
}

throughBothDoors('sessions', (stage) => {
  const ask = askingAt(stage);

  it('resume goes on under the same id, costs add up', async () => {
    const first = await ask('one');
    const second = await ask('two', { resume: first.id });
    expect(second.id).toBe(first.id);
    expect(second.sent).toContain('Answer to one.');
    expect(second.result?.total_cost_usd).toBeGreaterThan(first.result?.total_cost_usd ?? 0);
  });

  it('continue takes the newest session of the folder', async () => {
    const first = await ask('one');
    const second = await ask('two', { continue: true });
    expect(second.id).toBe(first.id);
    expect(second.sent).toContain('Answer to one.');
  });

  it.each(['a prompt', 'no prompt at all'])(
    'what cannot be resumed is refused at the start: a result, then the throw; with %s',
    async (given) => {
      const first = await ask('one');
      const unknown = '99999999-9999-4999-8999-999999999999';
      const refusals = [
        [{ resume: unknown }, `No conversation found with session ID: ${unknown}`],
        [{ resume: first.id, resumeSessionAt: unknown }, `No message found with message.uuid of: ${unknown}`],
      ] as const;
      for (const [options, why] of refusals) {
        const lines: string[] = [];
        const input = prompts();
        if (given === 'a prompt') input.push(prompt('two'));
        else input.end();
        const running = stage.start(input, { ...options, stderr: (line: string) => lines.push(line) });
        const initialized = running.initializationResult().catch((error: Error) => error.message);
        const { messages, error } = await gather(running);
        expect(messages).toMatchObject([
          { type: 'result', subtype: 'error_during_execution', is_error: true, num_turns: 0, errors: [why] },
        ]);
        expect(messages[0]).not.toHaveProperty('terminal_reason');
        expect(String(error)).toContain(`returned an error result: ${why}`);
        expect(await initialized).toContain(why);
        expect(lines.join('')).toContain(why);
      }
      expect(stage.asked()).toHaveLength(1);
    },
  );

  it('isolation of commands that is not there: a result, then the throw', async () => {
    const lines: string[] = [];
    const stderr = (line: string) => lines.push(line);
    const managedSettings = { sandbox: { enabled: true, bwrapPath: '/nowhere/bwrap' } };
    const { messages, error } = await gather(stage.start('one', { managedSettings, stderr }));
    expect(messages).toMatchObject([
      {
        type: 'result',
        subtype: 'error_during_execution',
        is_error: true,
        num_turns: 0,
        startup_failure_reason: 'sandbox_required_unavailable',
      },
    ]);
    expect(messages[0]).not.toHaveProperty('terminal_reason');
    const [why = ''] = (messages[0] as { errors?: string[] }).errors ?? [];
    expect(why).toMatch(
      /^Sandbox required but unavailable: sandbox is enabled but \S+ (?:does not work here|is not supported)/,
    );
    expect(String(error)).toContain(`returned an error result: ${why}`);
    expect(lines.join('')).toContain(why);
    expect(stage.asked()).toEqual([]);
  });

  it('a session that another process holds is refused at the start', async () => {
    const input = prompts();
    stage.play(reply('Here.'));
    input.push(prompt('one'));
    const holder = stage.start(input);
    const { value: begun } = await holder.next();
    const { messages } = await gather(stage.start('two', { resume: begun?.session_id }));
    expect(messages).toMatchObject([{ type: 'result', errors: [expect.stringContaining('is in use by')] }]);
    input.end();
    await gather(holder);
  });

  it('a fork has the history and an id of its own', async () => {
    const first = await ask('one');
    const forked = await ask('two', { resume: first.id, forkSession: true });
    expect(forked.id).not.toBe(first.id);
    expect(forked.sent).toContain('Answer to one.');
    expect(forked.result?.total_cost_usd).toBeGreaterThan(first.result?.total_cost_usd ?? 0);
    const again = await ask('three', { resume: first.id });
    expect(again.sent).not.toContain('two');
  });

  it('sessionId names a new session; persistSession false leaves nothing behind', async () => {
    const sessionId = '33333333-3333-4333-8333-333333333333';
    expect((await ask('one', { sessionId })).id).toBe(sessionId);
    const kept = await readdir(join(stage.home, 'projects'), { recursive: true });
    await ask('two', { persistSession: false });
    expect(await readdir(join(stage.home, 'projects'), { recursive: true })).toEqual(kept);
  });

  it("the client's session functions read what was written", async () => {
    const { id } = await ask('What is a larch?');
    const sessions = await client.listSessions({ dir: stage.cwd });
    expect(sessions).toMatchObject([{ sessionId: id, firstPrompt: 'What is a larch?', cwd: stage.cwd }]);
    expect(await client.getSessionInfo(id, { dir: stage.cwd })).toMatchObject({
      sessionId: id,
      summary: expect.stringContaining('larch'),
    });
    const messages = await client.getSessionMessages(id, { dir: stage.cwd });
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant']);
    expect(JSON.stringify(messages)).toContain('Answer to What is a larch?.');
  });

  it("tool calls and their results are in the client's reading, in order", async () => {
    stage.play(reply(toolUse('Bash', { command: 'echo larch' })), reply('It is larch.'));
    const { result } = await gather(stage.start('Look.'));
    const messages = await client.getSessionMessages(result?.session_id ?? '', { dir: stage.cwd });
    expect(messages.map(({ type }) => type)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(JSON.stringify(messages[2])).toContain('tool_result');
  });

  it("a title that the client's renameSession wrote is emitted when the session is resumed", async () => {
    const first = await ask('one');
    await client.renameSession(first.id, 'About one', { dir: stage.cwd });
    expect(await client.getSessionInfo(first.id, { dir: stage.cwd })).toMatchObject({
      customTitle: 'About one',
    });
    stage.play(reply('Answer to two.'));
    const { messages } = await gather(stage.start('two', { resume: first.id }));
    expect(messages.slice(0, 2)).toMatchObject([
      { subtype: 'session_title_changed', title: 'About one' },
      { subtype: 'init' },
    ]);
    expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).toContain('Answer to one.');
  });

  it("a session that the client's forkSession made can be resumed", async () => {
    const first = await ask('one');
    const { sessionId } = await client.forkSession(first.id, { dir: stage.cwd, title: 'The fork' });
    stage.play(reply('Answer to two.'));
    const { messages, result } = await gather(stage.start('two', { resume: sessionId }));
    expect(messages[0]).toMatchObject({ subtype: 'session_title_changed', title: 'The fork' });
    expect(result?.session_id).toBe(sessionId);
    expect(JSON.stringify(stage.asked().at(-1)?.['messages'])).toContain('Answer to one.');
    // What was spent before is on the bill of the session it was spent in.
    const [used] = Object.values(result?.modelUsage ?? {});
    expect(used?.outputTokens).toBe(result?.usage.output_tokens);
  });
});

/** The client's functions and ours on the same files, whoever wrote them. */
throughBothDoors('session functions', (stage) => {
  const ask = askingAt(stage);
  const texts = (messages: readonly unknown[]) =>
    JSON.stringify(messages).match(/Answer to \w+\.|"content":"\w+"/g);

  it('both read the same of a session, page by page', async () => {
    const { id } = await ask('one');
    await ask('two', { resume: id });
    const at = { dir: stage.cwd };
    const theirs = await client.getSessionMessages(id, at);
    expect(await own.getSessionMessages(id, at)).toMatchObject(theirs as object[]);
    expect(await own.getSessionMessages(id, { ...at, limit: 2, offset: 1 })).toMatchObject(
      theirs.slice(1, 3) as object[],
    );
    const [info] = await client.listSessions(at);
    expect((await own.listSessions(at))[0]).toMatchObject(JSON.parse(JSON.stringify(info)));
  });

  it('what one writes the other reads: names, tags, marks, forks', async () => {
    const { id } = await ask('one');
    const at = { dir: stage.cwd };
    for (const [writer, reader] of [
      [client, own],
      [own, client],
    ] as const) {
      const name = writer === own ? 'By us' : 'By the client';
      await writer.renameSession(id, name, at);
      await writer.tagSession(id, name, at);
      await writer.archiveSession(id, at);
      expect(await reader.getSessionInfo(id, at)).toMatchObject({
        customTitle: name,
        tag: name,
        archived: true,
      });
      await writer.tagSession(id, null, at);
      await writer.unarchiveSession(id, at);
      const info = await reader.getSessionInfo(id, at);
      expect(info).toMatchObject({ archived: false });
      expect(info?.tag).toBeUndefined();
      const fork = await writer.forkSession(id, { ...at, title: `Fork: ${name}` });
      expect(await reader.getSessionInfo(fork.sessionId, at)).toMatchObject({ customTitle: `Fork: ${name}` });
      expect(texts(await reader.getSessionMessages(fork.sessionId, at))).toEqual(
        texts(await writer.getSessionMessages(id, at)),
      );
      expect((await ask('more', { resume: fork.sessionId })).sent).toContain('Answer to one.');
      await reader.deleteSession(fork.sessionId, at);
      expect(await writer.getSessionInfo(fork.sessionId, at)).toBeUndefined();
    }
  });

  it('resumeSessionAt: what came after it is sent no more, nor read', async () => {
    const { id } = await ask('one');
    await ask('two', { resume: id });
    const [, answer] = await client.getSessionMessages(id, { dir: stage.cwd });
    const on = await ask('three', { resume: id, resumeSessionAt: answer?.uuid });
    expect(on.sent).toContain('Answer to one.');
    expect(on.sent).not.toContain('two');
    const again = await ask('four', { resume: id });
    expect(again.sent).toContain('Answer to three.');
    expect(again.sent).not.toContain('two');
    for (const reader of [client, own])
      expect(texts(await reader.getSessionMessages(id, { dir: stage.cwd }))?.join()).not.toContain('two');
  });

  it('resumeDropsTurn refuses to lose more than the turn', async () => {
    const { id } = await ask('one');
    await ask('two', { resume: id });
    const [, answer] = await client.getSessionMessages(id, { dir: stage.cwd });
    stage.play();
    const options = {
      resume: id,
      resumeSessionAt: answer?.uuid,
      resumeDropsTurn: '33333333-3333-4333-8333-333333333333',
    };
    const { result } = await gather(stage.start('x', options));
    expect(result).toMatchObject({
      subtype: 'error_during_execution',
      errors: [expect.stringMatching(/^Resume rejected by --resume-drops-turn:/)],
    });
  });

  it('title names a new session', async () => {
    const { id } = await ask('one', { title: 'A name' });
    for (const reader of [client, own])
      expect(await reader.getSessionInfo(id, { dir: stage.cwd })).toMatchObject({ customTitle: 'A name' });
  });
});

throughBothDoors('session store', (stage) => {
  const ask = async (text: string, options: CaseOptions = {}) => {
    stage.play(reply(`Answer to ${text}.`));
    const gathered = await gather(stage.start(text, options));
    const sent = JSON.stringify(stage.asked().at(-1)?.['messages']);
    return { ...gathered, id: gathered.result?.session_id ?? '', sent };
  };

  it.each([
    ['their', client.InMemorySessionStore],
    ['our', own.InMemorySessionStore],
  ] as const)('%s store gets the session, and brings it back', async (_, Store) => {
    const sessionStore = new Store();
    const first = await ask('one', { sessionStore });
    expect(sessionStore.size).toBe(1);
    const second = await ask('two', { sessionStore, resume: first.id });
    expect(second.id).toBe(first.id);
    expect(second.sent).toContain('Answer to one.');
    const third = await ask('three', { sessionStore, continue: true });
    expect(third.sent).toContain('Answer to two.');
    for (const reader of [client, own]) {
      const messages = await reader.getSessionMessages(first.id, { dir: stage.cwd, sessionStore });
      expect(messages).toHaveLength(6);
      expect(await reader.listSessions({ dir: stage.cwd, sessionStore })).toMatchObject([
        { sessionId: first.id, firstPrompt: 'one', cwd: stage.cwd },
      ]);
    }
  });

  it('a store that refuses: the run goes on, and the stream tells of it', async () => {
    const sessionStore = { append: async () => Promise.reject(new Error('no room')), load: async () => null };
    const { result, messages } = await ask('one', { sessionStore });
    expect(result).toMatchObject({ is_error: false });
    expect(messages.some((message) => JSON.stringify(message).includes('mirror_error'))).toBe(true);
  });
});
