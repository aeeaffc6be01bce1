/** Forks at the steps of a session: files and request are those that the original had there. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { isLong } from '@turnwright/test/long-form.ts';
import {
  type RehearsalServer,
  reply,
  type ScriptedReply,
  startRehearsal,
  thinking,
  toolUse,
} from '@turnwright/testing/rehearsal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forkAt, getSessionMessages, type Options, query, type SDKMessage } from '../../src/index.ts';

let server: RehearsalServer;
let root: string;
let app: string;
let env: Record<string, string>;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.com', ...args], {
    cwd: app,
    encoding: 'utf8',
  });

beforeEach(async () => {
  server = await startRehearsal();
  root = realpathSync(await mkdtemp(join(tmpdir(), 'turnwright-fork-')));
  app = join(root, 'app');
  mkdirSync(join(app, 'src'), { recursive: true });
  const { PATH = '' } = process.env;
  env = {
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'k',
    TURNWRIGHT_HOME: join(root, 'home'),
    HOME: root,
    PATH,
  };
  git('init', '-q');
  writeFileSync(join(app, 'src/a.txt'), 'a0\nrest\n');
  git('add', '.');
  git('commit', '-qm', 'first');
  writeFileSync(join(app, 'notes.txt'), 'not committed\n');
});
afterEach(async () => {
  await server.close();
  await rm(root, { recursive: true, force: true });
});

/** All files, by their names. */
function filesIn(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile() && !join(entry.parentPath, entry.name).includes(`${folder}/.git`))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path, 'utf8')]),
  );
}

async function run(
  replies: readonly ScriptedReply[],
  options: Options,
  { prompt, each }: { readonly prompt?: string; readonly each?: (message: SDKMessage) => void } = {},
) {
  server.setScenario({ name: 'test', replies });
  const before = server.requests.length;
  let id = '';
  let result: Extract<SDKMessage, { type: 'result' }> | undefined;
  const all: Options = {
    env,
    permissionMode: 'bypassPermissions',
    allowDangerouslySkipPermissions: true,
    systemPrompt: { type: 'preset', preset: 'turnwright' },
    ...options,
  };
  for await (const message of query({ prompt, options: all })) {
    each?.(message);
    if (message.type === 'system' && message.subtype === 'init') id = message.session_id;
    if (message.type === 'result') result = message;
  }
  const asked = server.requests.slice(before).filter(({ kind }) => kind === 'main');
  return { id, result, requests: asked };
}

/** Without what differs between any two requests, and with one name for the folder. */
const view = (body: unknown, folder: string): string => {
  const { metadata: _, ...rest } = body as Record<string, unknown>;
  return JSON.stringify(rest).replaceAll(folder, '<folder>');
};

/** Edits and new files in turn, with thinking; then the end. */
function steps(count: number): readonly ScriptedReply[] {
  const a = join(app, 'src/a.txt');
  const call = (at: number) => {
    if (at === 1) return toolUse('Read', { file_path: a });
    if (at % 3 === 2)
      return toolUse('Edit', {
        file_path: a,
        old_string: `a${(at - 2) / 3}\n`,
        new_string: `a${(at + 1) / 3}\n`,
      });
    if (at % 3 === 0) return toolUse('Write', { file_path: join(app, `new/${at}.txt`), content: `${at}\n` });
    return toolUse('Edit', {
      file_path: join(app, `new/${at - 1}.txt`),
      old_string: `${at - 1}`,
      new_string: `of ${at}`,
    });
  };
  return [
    ...Array.from({ length: count - 1 }, (_, i) => reply([thinking(`In ${app} at ${i + 1}.`), call(i + 1)])),
    reply('Done.'),
  ];
}

describe('a fork at each step', () => {
  const count = isLong ? 30 : 5;
  for (const enableFileCheckpointing of isLong ? [false, true] : [false])
    it(
      `has the files and the request of ${count} steps, with checkpoints: ${enableFileCheckpointing}`,
      async () => {
        const files = [filesIn(app)];
        const original = await run(
          steps(count),
          { cwd: app, enableFileCheckpointing },
          {
            prompt: `Work in ${app}.`,
            each: (message) => void (message.type === 'user' && files.push(filesIn(app))),
          },
        );
        expect(original.requests).toHaveLength(count);
        const after = filesIn(app);
        // In place, the request is the same byte for byte, and what was cached is read.
        const { forks: made } = await forkAt(original.id, { at: count, env, inPlace: true });
        const [here] = made;
        const again = await run([reply('Forked.')], here?.options ?? {});
        expect(filesIn(app)).toEqual(files[count - 1]);
        expect(filesIn(here?.keptIn ?? '')).toEqual(after);
        const [sent, had] = [again.requests[0], original.requests[count - 1]];
        expect(view(sent?.body, app)).toBe(view(had?.body, app));
        const { verdict } = sent ?? {};
        if (verdict?.kind !== 'answered' || had?.verdict.kind !== 'answered') throw new Error('not answered');
        const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = verdict.usage;
        const { cache_read_input_tokens: readThen, cache_creation_input_tokens: writtenThen } =
          had.verdict.usage;
        expect([read, written]).toEqual([(readThen ?? 0) + (writtenThen ?? 0), 0]);
        git('worktree', 'remove', '--force', here?.keptIn ?? '');
        for (let at = 1; at <= count; at += 1) {
          const { forks, notes, step } = await forkAt(original.id, { at, env });
          expect([step, notes]).toEqual([`${at}`, []]);
          const [fork] = forks;
          if (fork === undefined) throw new Error('no fork');
          expect(filesIn(fork.cwd)).toEqual(files[at - 1]);
          const ran = await run([reply('Forked.')], fork.options);
          expect(ran.requests).toHaveLength(1);
          // Thinking is signed, and so as it was.
          const [sent, had] = [ran.requests[0]?.body, original.requests[at - 1]?.body];
          expect(view(sent, fork.cwd).replaceAll(app, '<folder>')).toBe(view(had, app));
          expect(ran.result).toMatchObject({ subtype: 'success', num_turns: at, result: 'Forked.' });
          expect((await fork.compare()).files).toEqual([]);
          expect(await fork.removeUnlessUsed()).toEqual({ removed: true });
        }
        expect(filesIn(app)).toEqual(after);
        expect(git('worktree', 'list').trim().split('\n')).toHaveLength(1);
        // The folder itself gets the files of then; those of now are kept.
        const [early] = (await forkAt(original.id, { at: 2, env, inPlace: true })).forks;
        expect(filesIn(app)).toEqual(files[1]);
        expect(filesIn(early?.keptIn ?? '')).toEqual(after);
        await expect(early?.discard()).rejects.toThrow('is the folder itself');
      },
      isLong ? 900_000 : undefined,
    );

  it('takes a message for a step, names what is not known, and says which steps there are', async () => {
    const bash = toolUse('Bash', { command: 'echo made > by-command.txt' });
    const first = await run(
      [reply(toolUse('Write', { file_path: 'w.txt', content: 'w' })), reply('One.')],
      { cwd: app },
      {
        prompt: 'First.',
      },
    );
    await run([reply(bash), reply('Two.')], { cwd: app, resume: first.id }, { prompt: 'Second.' });
    git('commit', '-q', '--allow-empty', '-m', 'later');
    const messages = await getSessionMessages(first.id, { env });
    const named = async (uuid: string | undefined) => {
      const made = await forkAt(first.id, { at: uuid ?? '', env });
      for (const each of made.forks) await each.discard();
      return made;
    };
    // A prompt is read by the step behind it, an answer is a step of its own.
    const prompt = messages.find(({ message }) => JSON.stringify(message).includes('"Second."'));
    const { step, notes } = await named(prompt?.uuid);
    expect([step, notes]).toEqual([
      '2.1',
      [
        expect.stringMatching(
          /^the repository was at [\da-f]{7,} when the session began and is at [\da-f]{7,} now/,
        ),
        expect.stringMatching(/1 call after this step .* stays: echo made > by-command\.txt$/),
      ],
    ]);
    expect((await named(messages.at(-1)?.uuid)).step).toBe('2.2');
    await expect(forkAt(first.id, { at: 3, env })).rejects.toThrow(
      'Its steps are 1.1 to 1.2 and 2.1 to 2.2.',
    );

    const made = await forkAt(first.id, {
      at: '2.1',
      env,
      forks: [{ name: 'other', replacesPrompt: true }, { name: 'same' }],
    });
    const [other, same] = made.forks;
    const ran = await run([reply('Other.')], other?.options ?? {}, { prompt: 'Instead.' });
    const sent = JSON.stringify(ran.requests[0]?.body);
    expect(sent).toContain('Instead.');
    expect(sent).not.toContain('Second.');
    expect((await other?.readCourse())?.steps).toEqual([{ step: '2.1', calls: [], text: 'Other.' }]);
    expect(made.original.steps.map((each) => each.step)).toEqual(['2.1', '2.2']);
    await run(
      [reply(toolUse('Write', { file_path: 'x.txt', content: 'x\n' })), reply('Two.')],
      same?.options ?? {},
    );
    expect((await same?.compare())?.text).toContain('+x');
    expect(await same?.removeUnlessUsed()).toEqual({ removed: false, why: 'x.txt was added' });
    expect(existsSync(join(app, 'x.txt'))).toBe(false);
  });
});
