import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reply, type ScenarioFunction, toolUse } from '@turnwright/testing/rehearsal';
import { describe, expect, it } from 'vitest';
import type { HookCallback, Options, SDKMessage } from '../../src/index.ts';
import { projectSlug } from '../../src/session/paths.ts';
import { type Project, projectUnderTest } from './project-under-test.ts';

const on: Options = { settings: { relevantMemory: true } };

const recalls = (messages: readonly SDKMessage[]) =>
  messages.filter((message) => message.type === 'system' && message.subtype === 'memory_recall');

/** Where the user's own notes about this project are. */
const notesOf = ({ cwd, home }: Project) =>
  join(home, 'projects', cwd.replaceAll(/[^a-zA-Z0-9]/g, '-'), 'memory');

/**
 * Works on until `seen` stands in what it is sent, so nothing depends on how fast the choice is made. `choose` answers
 * the question that offers no tools, with the numbers of the files that are meant.
 */
const until =
  (seen: string, files: readonly string[]): ScenarioFunction =>
  ({ tools, body, number, lastMessage }) => {
    if (tools.length === 0) {
      const lines = lastMessage.split('\n');
      const numbers = files.map((file) => lines.find((line) => line.includes(file))?.split('.')[0] ?? '99');
      return reply(numbers.join(', '));
    }
    if (JSON.stringify(body).includes(seen) || number > 60) return reply('Done.');
    return reply(toolUse('Bash', { command: 'true' }));
  };

describe('memory that bears on a prompt', () => {
  it('is added behind tool results once a small model has chosen it, and reported to the host', async () => {
    const project = await projectUnderTest({
      '.claude/rules/sql.md': '---\npaths: ["**/*.sql"]\n---\nOne migration a table.',
    });
    const notes = notesOf(project);
    project.write({
      [join(notes, 'release.md')]: '---\ndescription: how releases are made\n---\nTags are signed.',
      [join(notes, 'lunch.md')]: 'Pizza on Fridays.',
    });
    project.server.setScenario(until('Tags are signed.', ['release.md', 'sql.md']));
    const ran = await project.run({ prompt: 'Cut a release with the migration.', options: on, keep: true });
    const asked = ran.sent.find((body) => body.includes('numbered list of notes')) ?? '';
    expect(asked).toContain('Cut a release with the migration.');
    expect(asked).toContain('how releases are made');
    expect(asked).toContain('**/*.sql');
    expect(recalls(ran.messages)).toMatchObject([
      {
        mode: 'select',
        memories: [
          { path: join(notes, 'release.md'), scope: 'personal' },
          { path: project.at('.claude/rules/sql.md'), scope: 'team' },
        ],
      },
    ]);
    const last = ran.sent.at(-1) ?? '';
    expect(last).toContain('One migration a table.');
    expect(last).not.toContain('Pizza on Fridays.');
    expect(last.split('Tags are signed.')).toHaveLength(2);
    expect(ran.sent.filter((body) => body.includes('numbered list of notes'))).toHaveLength(1);
    // Its cost is the session's.
    expect(Object.keys(ran.results[0]?.modelUsage ?? {})).toHaveLength(2);
  });

  it('is off by default, asks nothing where there is nothing to choose from, and is no repository to switch on', async () => {
    const project = await projectUnderTest({ 'CLAUDE.md': 'Known.' });
    const replies = () => [reply(toolUse('Bash', { command: 'true' })), reply('Done.')];
    expect((await project.run({ prompt: 'Go.', options: on, replies: replies() })).sent).toHaveLength(2);
    project.write({
      [join(notesOf(project), 'a.md')]: 'A note.',
      '.claude/settings.json': JSON.stringify({ relevantMemory: true }),
    });
    expect((await project.run({ prompt: 'Go.', replies: replies() })).sent).toHaveLength(2);
    // The notes are the user's, so a session that reads nothing of the user's does not look.
    const ofProject = { ...on, settingSources: ['project' as const] };
    expect((await project.run({ prompt: 'Go.', options: ofProject, replies: replies() })).sent).toHaveLength(
      2,
    );
  });

  it.each([
    ['w-x', 'w/x'],
    ['w_x', 'w-x'],
    ['w.x', 'w x'],
    ['w/x', 'w-x'],
    ['wüx', 'w-x'],
    ['w/-x', 'w--x'],
  ])('of %s are its own, beside a project at %s whose folder has the same name', async (here, there) => {
    const project = await projectUnderTest();
    const [own, other] = [here, there].map((name) => join(project.folder, name));
    for (const folder of [own, other]) mkdirSync(join(folder ?? '', '.git'), { recursive: true });
    const shared = join(project.home, 'projects', projectSlug(own ?? ''), 'memory');
    expect(projectSlug(own ?? '')).toBe(projectSlug(other ?? ''));
    project.write({ [join(shared, 'shared.md')]: 'SHARED note.' });
    const said: string[] = [];
    const asksIn = async (cwd: string | undefined) => {
      let asked = false;
      let left = 5;
      project.server.setScenario(({ tools }) => {
        if (tools.length > 0)
          return asked || left-- === 0 ? reply('Done.') : reply(toolUse('Bash', { command: 'true' }));
        asked = true;
        return reply('none');
      });
      const stderr = (line: string) => void said.push(line);
      const ran = await project.run({ prompt: 'Go.', options: { ...on, cwd, stderr }, keep: true });
      return ran.sent.filter((body) => body.includes('numbered list of notes')).join();
    };
    // As long as it is alone there, the place that it had is its own.
    expect(await asksIn(own)).toContain('SHARED');
    expect(said.filter((line) => line.startsWith('Notes'))).toEqual([]);
    expect(await asksIn(other)).not.toContain('SHARED');
    const [line] = said.filter((each) => each.startsWith('Notes in'));
    const named = /.* to (.+)\.$/.exec(line ?? '')?.[1] ?? '';
    expect(dirname(named)).toBe(dirname(shared));
    project.write({ [join(named, 'mine.md')]: 'MINE alone.' });
    expect(await asksIn(other)).toContain('MINE alone.');
    expect(await asksIn(own)).not.toMatch(/SHARED|MINE/);
  });

  it('is not waited for, and its question ends with the turn', async () => {
    const project = await projectUnderTest();
    project.write({ [join(notesOf(project), 'a.md')]: 'A note.' });
    project.server.setScenario(({ tools, call }) => {
      if (tools.length === 0) return reply('1', { timing: { headersMs: 600_000 } });
      return call === 1 ? reply(toolUse('Bash', { command: 'true' })) : reply('Done.');
    });
    const ran = await project.run({ prompt: 'Go.', options: on, keep: true });
    expect(ran.results[0]).toMatchObject({ subtype: 'success', result: 'Done.' });
    expect(recalls(ran.messages)).toEqual([]);
  });

  it('leaves out what was read, stays in bounds, and passes over numbers that name nothing', async () => {
    const project = await projectUnderTest();
    const notes = notesOf(project);
    const names = ['a', 'b', 'c', 'd'].map((name) => join(notes, `${name}.md`));
    project.write(
      Object.fromEntries(names.map((path, i) => [path, `${'x'.repeat(1_500)} note ${i} END${i}`])),
    );
    project.server.setScenario(({ tools, body, number }) => {
      if (tools.length === 0) return reply('99, 2, 1, 3, 4');
      const done = JSON.stringify(body).includes('cut off; the rest is in') || number > 60;
      return done ? reply('Done.') : reply(toolUse('Bash', { command: 'true' }));
    });
    const settings = { relevantMemory: { maxFiles: 3, maxChars: 2_000, model: 'sonnet' } };
    const ran = await project.run({ prompt: `Look at @${names[1]}`, options: { settings }, keep: true });
    const last = ran.sent.at(-1) ?? '';
    expect(last.split('END1')).toHaveLength(2);
    expect(last).toContain('END0');
    expect(last).not.toContain('END2');
    expect(last).not.toContain('note 3');
    expect(recalls(ran.messages)).toMatchObject([{ memories: [{ path: names[0] }, { path: names[2] }] }]);
    const asked = ran.sent.find((body) => body.includes('numbered list of notes')) ?? '';
    expect(JSON.parse(asked).model).toContain('sonnet');
  });

  it('is known when the session goes on: it is not chosen again', async () => {
    const project = await projectUnderTest();
    const note = join(notesOf(project), 'a.md');
    project.write({ [note]: 'A note.' });
    project.server.setScenario(until('A note.', ['a.md']));
    const first = await project.run({ prompt: 'Go.', options: on, keep: true });
    const resume = first.results[0]?.session_id;
    const replies = [reply(toolUse('Bash', { command: 'true' }), { times: 3 }), reply('Done.')];
    const warnings: string[] = [];
    const second = await project.run({
      prompt: 'Again.',
      replies,
      options: { ...on, resume, stderr: (line) => void warnings.push(line) },
    });
    expect(second.sent.at(-1)?.split('A note.')).toHaveLength(2);
    expect(recalls(second.messages)).toEqual([]);
    expect(warnings).toEqual([]);
  });

  it('is there again after a compaction, as it is then; hooks hear of it both times', async () => {
    const project = await projectUnderTest({ 'big.txt': 'wide wide wide wide\n'.repeat(1_900) });
    const note = join(notesOf(project), 'a.md');
    project.write({ [note]: 'A note.' });
    const heard: unknown[] = [];
    const hook: HookCallback = async (input) => {
      if ('load_reason' in input) heard.push(input.load_reason);
      return {};
    };
    project.server.setScenario((request) => {
      const { body, kind, lastMessage } = request;
      if (kind === 'compaction') return reply('<summary>The gist.</summary>');
      if (JSON.stringify(body).includes('The gist.')) return reply('Done.');
      if (/^(?:And\?|More\.)$/.test(lastMessage)) return reply(toolUse('Read', { file_path: 'big.txt' }));
      return until('A note.', ['a.md'])(request);
    });
    const ran = await project.run({
      prompt: ['Go.', 'And?', 'More.', '/compact', 'Go on.'],
      options: { ...on, hooks: { InstructionsLoaded: [{ hooks: [hook] }] } },
      keep: true,
    });
    expect(ran.results[3]).toMatchObject({ result: '' });
    const last = ran.sent.findLast((body) => body.includes('The gist.') && body.includes('"tools"')) ?? '';
    expect(last.split('A note.')).toHaveLength(2);
    expect(heard).toEqual(['recall', 'compact']);
  });
});
