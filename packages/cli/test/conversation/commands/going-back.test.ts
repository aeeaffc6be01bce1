/** `/resume` and `/rewind` on sessions that were recorded. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listSessions, query } from '@turnwright/engine';
import {
  commandsUnderTest,
  type Harness,
  type HarnessOptions,
} from '@turnwright/test/conversation/commands/command-under-test.ts';
import { gather } from '@turnwright/test/sdk/query-under-test.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { afterEach, describe, expect, it } from 'vitest';
import {
  describeOutcome,
  pickSession,
  sessionItems,
} from '../../../src/conversation/commands/session-list.ts';

let harness: Harness | undefined;
afterEach(() => harness?.close());
const start = async (options?: HarnessOptions) => {
  harness = await commandsUnderTest(options);
  return harness;
};

/** Runs another session of the same folder to its end. */
async function otherSession({ cwd, env, server }: Harness, prompt: string): Promise<string> {
  server.setScenario({ name: 'other', replies: [reply(`About ${prompt}.`)] });
  const { results } = await gather(query({ prompt, options: { cwd, env, tools: [] } }));
  return results[0]?.session_id ?? '';
}

const withoutIds = (screen: string | undefined) =>
  screen?.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<id>').replaceAll(/\$0\.\d{4}/g, '$0.0000');

describe('/resume', () => {
  it('lists the sessions of the folder with age, cost and end, and opens the chosen one', async () => {
    const { run, screens, reopened, printed, ...rest } = await start();
    const old = await otherSession(rest as Harness, 'the old harbour of Rotterdam');
    await otherSession(rest as Harness, 'bridges');
    await run('/resume', ["'harb", 'enter']);
    expect(withoutIds(screens[0])).toMatchInlineSnapshot(`
      "Resume a session
      search: 
      ❯ bridges                       1 h ago · $0.0000 · done
        the old harbour of Rotterdam  1 h ago · $0.0000 · done
        <id>
      type to search · ↑↓ choose · Enter resumes it · Esc leaves"
    `);
    expect(reopened).toEqual([{ resume: old }]);
    await run(`/resume ${old}`);
    expect(reopened).toHaveLength(2);
    await run('/resume', ['escape']);
    expect(reopened).toHaveLength(2);
    expect(printed).toEqual([]);
  });

  it('fits in 40 columns, and begins with the words of its argument', async () => {
    const { run, screens, ...rest } = await start({ columns: 40, rows: 12 });
    await otherSession(rest as Harness, 'the old harbour of Rotterdam');
    await otherSession(rest as Harness, 'bridges');
    await run('/resume harbour');
    expect(withoutIds(screens[0])).toMatchInlineSnapshot(`
      "Resume a session
      search: harbour
      ❯ the old harbour o…  1 h ago · $0.000…
        the old harbour of Rotterdam
        1 h ago · $0.0000 · done
        <id>
      ↑↓ · Enter resumes it · Esc"
    `);
  });

  it('marks the running session and does not open it again', async () => {
    const { ask, run, reopened, printed, screens } = await start();
    await ask('hello', [reply('Hi.')]);
    await run('/resume', ['enter']);
    expect(screens[0]).toContain('✓ hello');
    expect(printed).toEqual(['This session is open already.']);
    expect(reopened).toEqual([]);
  });

  it('picks a session before one is open, for --resume without an id', async () => {
    const { context, ...rest } = await start();
    const id = await otherSession(rest as Harness, 'bridges');
    const place = { ...context, open: async () => id as never };
    expect(await pickSession(place)).toBe(id);
    const sessions = await listSessions({ dir: rest.cwd, env: rest.env, withOutcome: true });
    expect(sessionItems(sessions, Date.now())[0]).toMatchObject({ value: id, label: 'bridges' });
  });

  it('says in a word or two how a session ended', () => {
    const ended = (terminal_reason: 'completed' | 'max_turns' | 'aborted_tools') =>
      describeOutcome({
        costUsd: 0,
        isPriced: true,
        lastResult: { subtype: 'success', is_error: false, terminal_reason },
      });
    expect([ended('completed'), ended('max_turns'), ended('aborted_tools')]).toEqual([
      'done',
      'turn limit',
      'interrupted',
    ]);
    expect(describeOutcome({ costUsd: 0, isPriced: true })).toBe('unfinished');
  });
});

describe('/rewind', () => {
  const editing = { tools: ['Write'], permissionMode: 'acceptEdits' } as const;
  const write = (cwd: string, content: string) =>
    reply([toolUse('Write', { file_path: join(cwd, 'a.txt'), content })]);

  async function twoEdits(size: Pick<HarnessOptions, 'columns' | 'rows'> = {}) {
    const started = await start({ ...size, options: editing });
    const { ask, cwd } = started;
    await ask('Write a poem into a.txt', [write(cwd, 'one\n'), reply('Done.')]);
    await ask('And another line', [reply('Which one?')]);
    await ask('two', [
      reply([toolUse('Read', { file_path: join(cwd, 'a.txt') })]),
      write(cwd, 'one\ntwo\n'),
      reply('Done.'),
    ]);
    return started;
  }

  it('restores the files and the conversation to before the chosen prompt', async () => {
    const { cwd, run, screens, reopened, printed, state } = await twoEdits();
    await run('/rewind', ['enter', 'enter']);
    expect(screens.map((screen) => screen.replaceAll(cwd, '<cwd>'))).toMatchInlineSnapshot(`
      [
        "Go back to before a prompt
      search: 
      ❯ two                      1 h ago · 1 file
        And another line         1 h ago
        Write a poem into a.txt  1 h ago · 1 file
        changed a.txt
      type to search · ↑↓ choose · Enter goes there · Esc leaves",
        "Before “two”
      search: 
      ❯ Both              forgets 1 prompt · 1 file (+0 −1)
        The conversation  forgets 1 prompt
        The files         1 file (+0 −1)
        a.txt
      type to search · ↑↓ choose · Enter restores it · Esc leaves",
      ]
    `);
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(printed).toEqual(['Restored 1 file (+0 −1).']);
    expect(reopened).toEqual([
      { resume: state.current.session.id, resumeSessionAt: expect.any(String), draft: 'two' },
    ]);
  });

  it('restores only the files, or only the conversation', async () => {
    const { cwd, run, reopened } = await twoEdits();
    await run('/rewind', ['enter', "'the conv", 'enter']);
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(reopened).toHaveLength(1);
    await run('/rewind', ["'poem", 'enter', "'the files", 'enter']);
    await expect(readFile(join(cwd, 'a.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    expect(reopened).toHaveLength(1);
  });

  it('says nothing of restored files at a later prompt', async () => {
    const { ask, run, screens } = await twoEdits();
    await ask('and now?', [reply('Nothing.')]);
    await run('/rewind', ["'poem", 'enter', "'the files", 'enter']);
    await run('/rewind', ['escape']);
    expect(screens.at(-1)).toMatch(/and now\? +1 h ago\n/);
  });

  it('begins a new session before the first prompt, which is back in the editor', async () => {
    const { run, reopened } = await twoEdits();
    await run('/rewind', ['end', 'enter', 'enter']);
    expect(reopened).toEqual([{ draft: 'Write a poem into a.txt' }]);
  });

  it('changes nothing when it is left with Esc, and nothing while the session works', async () => {
    const { cwd, run, reopened, printed, state } = await twoEdits();
    await run('/rewind', ['enter', 'escape']);
    await run('/rewind', ['escape']);
    state.current = { ...state.current, phase: 'tools' };
    await run('/rewind', ['enter', 'enter']);
    expect(printed).toEqual(['It still works. Interrupt it with Esc, then go back.']);
    expect(reopened).toEqual([]);
    expect(await readFile(join(cwd, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
  });

  it('offers the conversation alone where no checkpoints are kept, and says why', async () => {
    const { ask, run, screens } = await start({ options: { enableFileCheckpointing: false } });
    await ask('hello', [reply('Hi.')]);
    await run('/rewind', ['enter', 'escape']);
    expect(screens[1]).toContain('File checkpointing is off');
    expect(screens[1]).not.toContain('The files');
  });

  it('fits in 40 columns', async () => {
    const { run, screens } = await twoEdits({ columns: 40, rows: 12 });
    await run('/rewind', ['enter', 'escape']);
    expect(screens[0]).toMatchInlineSnapshot(`
      "Go back to before a prompt
      search: 
      ❯ two                  1 h ago · 1 file
        And another line     1 h ago
        Write a poem into …  1 h ago · 1 file
        changed a.txt
      ↑↓ · Enter goes there · Esc"
    `);
  });

  it('has nothing to show before the first prompt', async () => {
    const { run, screens } = await start();
    await run('/rewind');
    expect(screens[0]).toContain('Nothing was asked in this session yet.');
  });
});
