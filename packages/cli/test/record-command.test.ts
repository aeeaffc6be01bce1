/** `turnwright record`: a session as a scenario file that plays to the same decisions. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { against, rehearse, temporaryFolder } from '@turnwright/test/cli/bin.ts';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { reply, toolUse } from '@turnwright/testing/rehearsal';
import { expect, test } from 'vitest';

interface Decided {
  readonly kind: string;
  readonly transition?: string;
  readonly terminal?: string;
}

/** The journal of a session that is kept below a folder. */
function journalBelow(folder: string, id: string): string {
  const projects = join(folder, 'projects');
  const folders = existsSync(projects) ? readdirSync(projects) : [];
  return folders.map((name) => join(projects, name, `${id}.jsonl`)).find(existsSync) ?? '';
}

/** Homes of rehearsals. */
const homes = () =>
  readdirSync(tmpdir()).flatMap((name) =>
    name.startsWith('turnwright-') ? [join(tmpdir(), name, 'home')] : [],
  );

/** What was decided in the session that is kept below a folder. */
function decisionsBelow(folder: string, id: string): readonly unknown[] {
  const path = journalBelow(folder, id);
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"type":"decision"'))
    .map((line) => {
      const { decision, rules } = (
        JSON.parse(line) as { record: { decision: Decided; rules: { name: string; verdict: string }[] } }
      ).record;
      const { kind, transition, terminal } = decision;
      return { kind, transition, terminal, rules: rules.map(({ name, verdict }) => `${name}: ${verdict}`) };
    });
}

const asJson = ['--output-format', 'json'];

test('a session is written, and plays to the same decisions, redacted too', async () => {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  writeFileSync(join(cwd, 'notes.txt'), 'Swordfish.\n');
  const server = await rehearse(
    reply(['I read {{the notes}}.', toolUse('Read', { file_path: join(cwd, 'notes.txt') })], {
      faults: [{ name: 'http-status', status: 529, retryAfter: '0', times: 1 }],
    }),
    reply('The word is Swordfish, and', { stop_reason: 'max_tokens' }),
    reply('The word is Swordfish, and nothing else.'),
  );
  const env = { ...against(server), TURNWRIGHT_HOME: home };
  const ran = await commandLine(['-p', 'Which word is it?', ...asJson], { env, cwd });
  const { session_id: id } = JSON.parse(ran.stdout);
  const before = decisionsBelow(home, id);
  expect(before.length).toBe(3);

  const written = await commandLine(['record', '--output', 'bug.yaml'], { env, cwd });
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).toBe('bug.yaml is written. To play it: turnwright rehearse bug.yaml\n');
  const text = readFileSync(join(cwd, 'bug.yaml'), 'utf8');
  expect(text).toContain('task: "Which word is it?"');
  expect(text).toContain('"file_path":"{{vars.root}}/notes.txt"');

  const redacted = await commandLine(['record', id.slice(0, 8), '--redact'], { env, cwd });
  for (const word of ['Swordfish', 'notes', 'Which', cwd]) expect(redacted.stdout).not.toContain(word);
  writeFileSync(join(cwd, 'redacted.yaml'), redacted.stdout);

  for (const file of ['bug.yaml', 'redacted.yaml']) {
    const played = await commandLine(['rehearse', file, '-p', ...asJson], { cwd });
    expect([played.code, played.stderr]).toEqual([0, '']);
    const { session_id: again } = JSON.parse(played.stdout);
    const home = homes().find((each) => journalBelow(each, again) !== '') ?? '';
    expect(decisionsBelow(home, again)).toEqual(before);
  }

  const twice = await commandLine(['record', '--output', 'bug.yaml'], { env, cwd });
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('bug.yaml exists already')]);
  const explained = await commandLine(['explain', '--redact'], { env, cwd });
  expect(explained.stdout).toMatch(/^The model gave its answer/);
  expect(explained.stdout).not.toContain('notes.txt');
});

test('a session that holds no answer, one that is not there, and a submission that it does not have', async () => {
  const [cwd, home] = [temporaryFolder(), temporaryFolder()];
  const server = await rehearse(reply('Hello.'));
  const env = { ...against(server), TURNWRIGHT_HOME: home };
  expect((await commandLine(['record'], { env, cwd })).code).toBe(2);
  const ran = await commandLine(['-p', 'Hello?', ...asJson], { env, cwd });
  expect(await commandLine(['record', '--submission', '2'], { env, cwd })).toMatchObject({
    code: 2,
    stdout: '',
  });
  const path = journalBelow(home, JSON.parse(ran.stdout).session_id);
  const asked = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => /"type":"(?:submission|user)"/.test(line));
  writeFileSync(path, `${asked.join('\n')}\n`);
  expect(await commandLine(['record'], { env, cwd })).toMatchObject({ code: 4, stdout: '' });
});
