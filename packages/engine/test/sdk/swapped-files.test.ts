/** The file that was judged is the file that is opened (CVE-2026-39861, CVE-2025-53109): nothing that is put in its place. */
import { mkdir, readdir, readFile, rename, rm, symlink, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { call, type FileCalls, fileCalls, yesAfter } from './file-calls.ts';

const CANARY = 'CANARY-7f3a';
const NOTEBOOK = JSON.stringify({
  cells: [{ cell_type: 'code', id: 'c1', source: [CANARY], metadata: {}, outputs: [], execution_count: 1 }],
  metadata: {},
  nbformat: 4,
  nbformat_minor: 5,
});

let files: FileCalls;
beforeEach(async () => {
  files = await fileCalls();
  for (const folder of [files.at('pub'), files.outside]) {
    const text = folder === files.outside ? `${CANARY}\n` : 'harmless\n';
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'a.txt'), text);
    await writeFile(join(folder, 'b.ipynb'), NOTEBOOK.replace(CANARY, text.trim()));
    await writeFile(join(folder, 'p.png'), text);
  }
  await writeFile(join(files.outside, `${CANARY}.txt`), '');
});
afterEach(() => files.close());

/** Every call is put to the host. */
const ASKED = {
  settings: { permissions: { ask: ['Read', 'Grep', 'Glob', 'Write', 'Edit', 'NotebookEdit'] } },
};

const outsideNow = async () =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(files.outside)).map(async (name) => [
        name,
        await readFile(join(files.outside, name), 'utf8'),
      ]),
    ),
  );

const swapFolder = async () => {
  await rename(files.at('pub'), files.at('pub.moved'));
  await symlink(files.outside, files.at('pub'));
};
const swapFile = (name: string) => async () => {
  await rm(files.at(`pub/${name}`), { force: true });
  await symlink(join(files.outside, name), files.at(`pub/${name}`));
};

const CALLS = {
  Read: () => call('Read', { file_path: files.at('pub/a.txt') }),
  'Read of a picture': () => call('Read', { file_path: files.at('pub/p.png') }),
  'Read of a notebook': () => call('Read', { file_path: files.at('pub/b.ipynb') }),
  'Write that creates': () => call('Write', { file_path: files.at('pub/new.txt'), content: 'x' }),
  'Write into a new folder': () => call('Write', { file_path: files.at('pub/new/x.txt'), content: 'x' }),
  Edit: () => call('Edit', { file_path: files.at('pub/a.txt'), old_string: 'harmless', new_string: 'x' }),
  'Edit that creates': () =>
    call('Edit', { file_path: files.at('pub/e.txt'), old_string: '', new_string: 'x' }),
  NotebookEdit: () =>
    call('NotebookEdit', { notebook_path: files.at('pub/b.ipynb'), cell_id: 'c1', new_source: 'x' }),
  'Grep of a folder': () => call('Grep', { pattern: 'CANARY|harmless', path: 'pub', output_mode: 'content' }),
  'Grep of a file': () =>
    call('Grep', { pattern: 'CANARY|harmless', path: 'pub/a.txt', output_mode: 'content' }),
  'Grep for names': () => call('Grep', { pattern: 'CANARY', path: 'pub' }),
  Glob: () => call('Glob', { pattern: '*.txt', path: 'pub' }),
} as const;

describe('CVE-2026-39861: while the person answers, the folder is swapped for a link', () => {
  it.each(Object.entries(CALLS))('%s fails, and nothing outside is read or written', async (_, make) => {
    const before = await outsideNow();
    let asked = 0;
    const [answer] = await files.answers([make()], {
      ...ASKED,
      canUseTool: yesAfter(async () => {
        asked += 1;
        await swapFolder();
      }),
    });
    expect(asked).toBe(1);
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/leads elsewhere than when/) });
    expect(files.sent()).not.toContain(`${CANARY}\\n`);
    expect(files.sent()).not.toContain(`${CANARY}.txt`);
    expect(await outsideNow()).toEqual(before);
  });
});

describe('CVE-2026-39861: while the person answers, the file is swapped for a link', () => {
  it.each([
    ['Read', 'a.txt'],
    ['Read of a notebook', 'b.ipynb'],
    ['Edit', 'a.txt'],
    ['NotebookEdit', 'b.ipynb'],
    ['Grep of a file', 'a.txt'],
    ['Write that creates', 'new.txt'],
  ] as const)('%s of %s fails, and nothing outside is read or written', async (name, file) => {
    const before = await outsideNow();
    const [answer] = await files.answers([CALLS[name]()], {
      ...ASKED,
      canUseTool: yesAfter(swapFile(file)),
    });
    expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/leads elsewhere than when/) });
    expect(files.sent()).not.toContain(`${CANARY}\\n`);
    expect(await outsideNow()).toEqual(before);
  });
});

it('Write over a file that was read fails when it has become a link', async () => {
  const before = await outsideNow();
  const path = files.at('pub/a.txt');
  let questions = 0;
  const [, answer] = await files.answers(
    [call('Read', { file_path: path }), call('Write', { file_path: path, content: 'x' })],
    {
      ...ASKED,
      canUseTool: yesAfter(async () => {
        questions += 1;
        if (questions === 2) await swapFile('a.txt')();
      }),
    },
  );
  expect(answer).toMatchObject({ isError: true });
  expect(await outsideNow()).toEqual(before);
});

it('F89: a folder that did not exist when the call was judged is no link when it is made', async () => {
  const [answer] = await files.answers(
    [call('Write', { file_path: files.at('later/deep/x.txt'), content: 'x' })],
    { ...ASKED, canUseTool: yesAfter(() => symlink(files.outside, files.at('later'))) },
  );
  expect(answer).toMatchObject({ isError: true, text: expect.stringMatching(/leads elsewhere than when/) });
  expect(await readdir(files.outside)).not.toContain('deep');
});

it('a link that was there is followed as before, to where the question says', async () => {
  await symlink(files.at('pub'), files.at('alias'));
  const questions: { message: string | undefined; blockedPath: string | undefined }[] = [];
  const [answer] = await files.answers(
    [call('Write', { file_path: files.at('alias/new.txt'), content: 'x' })],
    {
      canUseTool: async (_, input, { decisionReason, blockedPath }) => {
        questions.push({ message: decisionReason, blockedPath });
        return { behavior: 'allow', updatedInput: input };
      },
    },
  );
  expect(answer).toMatchObject({ isError: false });
  expect(questions).toEqual([
    {
      message: expect.stringContaining(`The path leads to ${files.at('pub/new.txt')}.`),
      blockedPath: files.at('pub/new.txt'),
    },
  ]);
  expect(await readFile(files.at('pub/new.txt'), 'utf8')).toBe('x');
});

it('what a link leads to is judged anew when the input is rewritten', async () => {
  await symlink(files.outside, files.at('way-out'));
  const [answer] = await files.answers([call('Read', { file_path: files.at('pub/a.txt') })], {
    ...ASKED,
    canUseTool: async () => {
      await unlink(files.at('way-out'));
      await mkdir(files.at('way-out'));
      await writeFile(files.at('way-out/a.txt'), 'inside now\n');
      return { behavior: 'allow', updatedInput: { file_path: files.at('way-out/a.txt') } };
    },
  });
  expect(answer).toMatchObject({ isError: false, text: expect.stringContaining('inside now') });
});
