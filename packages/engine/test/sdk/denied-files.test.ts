/**
 * A path that is denied is denied for the file, not for the spelling and not for the tool (CVE-2025-54794, CVE-2026-25724,
 * CVE-2025-53109, CVE-2025-59944). In bypassPermissions, so that nothing but the rule stands in the way.
 */
import { link, mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { oneCellNotebook } from '@turnwright/test/notebook.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Options } from '../../src/index.ts';
import { call, type FileCalls, fileCalls } from './file-calls.ts';

const CANARY = 'CANARY-3d5e';

let files: FileCalls;
beforeEach(async () => {
  files = await fileCalls();
  const contents: Record<string, string> = {
    'secrets/key': `token=${CANARY}\n`,
    'secrets/deep/er/key.pem': `${CANARY}\n`,
    'secrets/n.ipynb': oneCellNotebook(`${CANARY}\n`),
    'secrets/p.png': CANARY,
    '.env': `A=${CANARY}\n`,
    'sub/.env': `B=${CANARY}\n`,
    'vault/real.env': `C=${CANARY}\n`,
    'pub/a.txt': 'harmless\n',
    'secrets-not/b.txt': 'harmless too\n',
    'locked/f.txt': 'as it was\n',
    'locked/n.ipynb': oneCellNotebook('as it was\n'),
  };
  for (const [name, content] of Object.entries(contents)) {
    await mkdir(dirname(files.at(name)), { recursive: true });
    await writeFile(files.at(name), content);
  }
  await symlink(files.at('secrets'), files.at('folder-link'));
  await symlink(files.at('secrets/key'), files.at('pub/file-link'));
  await symlink(files.at('folder-link'), files.at('chain-1'));
  await symlink('chain-1/key', files.at('chain-2'));
  await link(files.at('secrets/key'), files.at('pub/hard-link'));
  await link(files.at('sub/.env'), files.at('pub/hard-env'));
  await link(files.at('locked/f.txt'), files.at('pub/hard-locked'));
  await symlink(files.at('vault/real.env'), files.at('linked.env'));
});
afterEach(() => files.close());

const bypass = (...deny: string[]): Options => ({
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
  disallowedTools: deny,
});

const READ = ['Read(secrets/**)', 'Read(.env)', 'Read(linked.env)'];

describe('CVE-2026-25724, CVE-2025-59829, CVE-2025-53109, CVE-2025-59944: Read denied', () => {
  it.each(
    everyNth(8, [
      'secrets/key',
      './secrets/key',
      'pub/../secrets/key',
      'secrets//key',
      'secrets/./key',
      'secrets/key/',
      'SECRETS/KEY',
      'secrets/deep/er/key.pem',
      'secrets/p.png',
      'secrets/n.ipynb',
      'folder-link/key',
      'pub/file-link',
      'chain-2',
      'pub/hard-link',
      'pub/hard-env',
      '.env',
      'sub/.env',
      '.ENV',
      'vault/real.env',
      'linked.env',
      '/proc/self/cwd/../../PROJECT/secrets/key',
      '/proc/self/root/PROJECT/secrets/key',
      '/proc/thread-self/root/PROJECT/secrets/key',
    ]),
  )('no spelling of %s is read, edited, written over or searched', async (spelling) => {
    const path = spelling.startsWith('/proc/self/cwd')
      ? join('/proc/self/cwd', '../'.repeat(40), files.cwd, 'secrets/key')
      : spelling.replace('/PROJECT', files.cwd);
    const answers = await files.answers(
      [
        call('Read', { file_path: path }),
        call('Grep', { pattern: 'CANARY|A=|B=|C=', path, output_mode: 'content' }),
        call('Grep', { pattern: 'CANARY', path, output_mode: 'count' }),
        call('Edit', { file_path: path, old_string: 'CANARY', new_string: 'x' }),
        call('Edit', { file_path: path, old_string: 'no such words', new_string: 'x' }),
        call('NotebookEdit', { notebook_path: path, cell_id: 'c1', new_source: 'x' }),
        call('Write', { file_path: path, content: 'x' }),
      ],
      bypass(...READ),
    );
    const readable = answers.filter(({ isError }) => !isError);
    // Where no such file is (another case, on a file system that tells them apart), Write may make one.
    expect(readable.every(({ text }) => text.endsWith('was created.'))).toBe(true);
    // Whether words are in it or not is not told.
    if (readable.length === 0) expect(answers[3]?.text).toBe(answers[4]?.text);
    expect(files.sent()).not.toContain(CANARY);
    expect(await readFile(files.at('secrets/key'), 'utf8')).toBe(`token=${CANARY}\n`);
  });

  it.each(
    everyNth(6, [
      ['the project', {}],
      ['the folder', { path: 'secrets' }],
      ['a folder within', { path: 'secrets/deep' }],
      ['a link to the folder', { path: 'folder-link' }],
      ['a link to a link', { path: 'chain-1' }],
      ['the folder above', { path: '..' }],
      ['the folder of hard links', { path: 'pub' }],
      ['the folder behind a link of a denied name', { path: 'vault' }],
      ['a glob', { glob: '**/key*' }],
    ]),
  )('a search of %s shows nothing of them', async (_, where) => {
    const { path } = where as { path?: string };
    const answers = await files.answers(
      [
        ...['content', 'files_with_matches', 'count'].map((output_mode) =>
          call('Grep', { pattern: 'CANARY', output_mode, ...where }),
        ),
        call('Grep', { pattern: 'CANARY', output_mode: 'content', '-C': 3, '-n': false, ...where }),
        call('Grep', {
          pattern: '(token|A|B)=\\S+\\n',
          output_mode: 'content',
          '-o': true,
          multiline: true,
          ...where,
        }),
        call('Glob', {
          pattern: '**/{key,key.pem,p.png,.env,hard-link,hard-env,real.env}',
          ...(path && { path }),
        }),
      ],
      bypass(...READ),
    );
    for (const { text } of answers)
      expect(text).not.toMatch(new RegExp(`${CANARY}|key|p\\.png|\\.env|hard-link|hard-env`));
  });

  it.each(['Read', 'Grep', 'Glob'])('a rule for %s with a path holds for all that read', async (tool) => {
    const answers = await files.answers(
      [
        call('Read', { file_path: files.at('secrets/key') }),
        call('Grep', { pattern: 'CANARY', path: 'secrets', output_mode: 'content' }),
        call('Glob', { pattern: 'secrets/*' }),
      ],
      bypass(`${tool}(secrets/**)`),
    );
    for (const { text } of answers) expect(text).not.toMatch(new RegExp(`${CANARY}|p\\.png`));
  });

  it('CVE-2025-54794, CVE-2026-34451: what is harmless is read, searched and written as before, /proj-evil beside /proj included', async () => {
    const answers = await files.answers(
      [
        call('Read', { file_path: files.at('secrets-not/b.txt') }),
        call('Read', { file_path: files.at('pub/a.txt') }),
        call('Grep', { pattern: 'harmless', output_mode: 'content' }),
        call('Edit', { file_path: files.at('pub/a.txt'), old_string: 'harmless', new_string: 'changed' }),
        call('Write', { file_path: files.at('secrets-not/new.txt'), content: 'x' }),
        call('Write', { file_path: files.at('new/.env'), content: 'A=1' }),
      ],
      bypass(...READ),
    );
    expect(answers.map(({ isError }) => isError)).toEqual([false, false, false, false, false, false]);
    expect(answers[2]?.text).toMatch(/pub\/a\.txt:1:harmless\nsecrets-not\/b\.txt:1:harmless too/);
  });

  it.each([
    ['CLAUDE.md imports it', 'CLAUDE.md', '@secrets/key and @.env\n'],
    ['CLAUDE.md imports a link to it', 'CLAUDE.md', 'see @pub/file-link and @linked.env\n'],
    ['CLAUDE.md imports a hard link to it', 'CLAUDE.md', 'see @pub/hard-link\n'],
  ])('nor does it come along: %s', async (_, name, content) => {
    await writeFile(files.at(name), content);
    await files.answers([], { ...bypass(...READ), settingSources: ['project'] });
    expect(files.sent()).toContain(content.trim().slice(0, 20));
    expect(files.sent()).not.toContain(CANARY);
  });

  it.each(['secrets/key', 'folder-link/key', 'pub/hard-link', '.env'])(
    'a prompt that mentions @%s does not bring it along',
    async (name) => {
      await files.answers([], { ...bypass(...READ), prompt: `Look at @${name} please.` });
      expect(files.sent()).toContain(`@${name}`);
      expect(files.sent()).not.toContain(CANARY);
    },
  );
});

describe('CVE-2025-59944: writing denied', () => {
  const CALLS = {
    Write: () => call('Write', { file_path: files.at('locked/new.txt'), content: 'x' }),
    'Write into a new folder': () => call('Write', { file_path: files.at('locked/a/b.txt'), content: 'x' }),
    'Edit that creates': () =>
      call('Edit', { file_path: files.at('locked/e.txt'), old_string: '', new_string: 'x' }),
    Edit: () => call('Edit', { file_path: files.at('locked/f.txt'), old_string: 'was', new_string: 'is' }),
    'Edit of a hard link': () =>
      call('Edit', { file_path: files.at('pub/hard-locked'), old_string: 'was', new_string: 'is' }),
    NotebookEdit: () =>
      call('NotebookEdit', { notebook_path: files.at('locked/n.ipynb'), cell_id: 'c1', new_source: 'x' }),
    'Write in another case': () => call('Write', { file_path: files.at('Locked/new.txt'), content: 'x' }),
    'Write in another Unicode form': () =>
      call('Write', { file_path: files.at('ｌocked/new.txt'), content: 'x' }),
  };
  const rules = ['Write(locked/**)', 'Edit(locked/**)', 'NotebookEdit(locked/**)', 'Edit(/locked)'];
  const cases = rules.flatMap((rule) => Object.keys(CALLS).map((name) => [rule, name] as const));

  it.each(everyNth(5, cases))('%s: %s is denied, in every mode', async (rule, name) => {
    const make = CALLS[name as keyof typeof CALLS];
    for (const options of [
      bypass(rule),
      { permissionMode: 'acceptEdits', disallowedTools: [rule] } as const,
    ]) {
      const [answer] = await files.answers([make()], options);
      expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('denied by the rule') });
    }
    expect((await readdir(files.at('locked'))).sort()).toEqual(['f.txt', 'n.ipynb']);
    expect(await readFile(files.at('locked/f.txt'), 'utf8')).toBe('as it was\n');
  });

  it.each(['Write', 'Edit', 'NotebookEdit'])(
    'a rule that asks before %s asks before all that write',
    async (tool) => {
      const asked: string[] = [];
      await files.answers([CALLS.Write(), CALLS.Edit(), CALLS.NotebookEdit()], {
        permissionMode: 'acceptEdits',
        settings: { permissions: { ask: [`${tool}(locked/**)`] } },
        canUseTool: async (name) => {
          asked.push(name);
          return { behavior: 'deny', message: 'No.' };
        },
      });
      expect(asked).toEqual(['Write', 'Edit', 'NotebookEdit']);
    },
  );

  it('a rule without a path is for its tool alone', async () => {
    const answers = await files.answers([CALLS.Edit()], bypass('NotebookEdit'));
    expect(answers[0]).toMatchObject({ isError: false });
  });
});

describe('CVE-2025-55345, CVE-2025-53110: what lies outside, without a person to ask', () => {
  const LINKS: Record<string, string> = {
    'a linked file': 'file-out',
    'a file in a linked folder': 'folder-out/o.txt',
    'a new file in a linked folder': 'folder-out/new.txt',
    'a link to a file that is not there yet': 'nothing-out',
    'a folder whose name begins with that of the project': '../project-evil/o.txt',
  };
  it.each(Object.entries(LINKS))('%s is neither read nor written in acceptEdits', async (_, name) => {
    const evil = `${files.cwd}-evil`;
    await mkdir(evil);
    for (const folder of [files.outside, evil])
      await writeFile(join(folder, 'o.txt'), `${CANARY} as it was\n`);
    await symlink(join(files.outside, 'o.txt'), files.at('file-out'));
    await symlink(files.outside, files.at('folder-out'));
    await symlink(join(files.outside, 'made.txt'), files.at('nothing-out'));
    const path = join(files.cwd, '/') + name;
    const answers = await files.answers(
      [
        call('Read', { file_path: path }),
        call('Edit', { file_path: path, old_string: 'was', new_string: 'is' }),
        call('Write', { file_path: path, content: 'x' }),
        call('Grep', { pattern: 'CANARY', path, output_mode: 'content' }),
      ],
      { permissionMode: 'acceptEdits' },
    );
    expect(answers.map(({ isError }) => isError)).toEqual([true, true, true, true]);
    expect(files.sent()).not.toContain(CANARY);
    for (const folder of [files.outside, evil]) {
      expect(await readdir(folder)).toEqual(['o.txt']);
      expect(await readFile(join(folder, 'o.txt'), 'utf8')).toBe(`${CANARY} as it was\n`);
    }
  });
});
