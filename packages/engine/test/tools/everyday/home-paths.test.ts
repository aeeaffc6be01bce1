/** `~` in every path parameter is the home folder, for what runs, for rules and for hooks; none makes a folder of that name. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from '@turnwright/test/cli/command-line.ts';
import { oneCellNotebook } from '@turnwright/test/notebook.ts';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, test } from 'vitest';
import type { HookCallback } from '../../../src/index.ts';

type Place = ReturnType<typeof place>;

function furnished(): Place {
  const at = place();
  writeFileSync(join(at.home, 'f.txt'), 'needle\n');
  writeFileSync(join(at.home, 'n.ipynb'), oneCellNotebook('first'));
  return at;
}

/** A call per path parameter, with a path in it, and what it must have done at home. */
const PARAMETERS: readonly (readonly [
  name: string,
  call: (path: string) => Call,
  file: string,
  done: (at: Place, text: string) => unknown,
])[] = [
  ['Read file_path', (p) => ['Read', { file_path: p }], 'f.txt', (_, text) => text.includes('needle')],
  [
    'Write file_path',
    (p) => ['Write', { file_path: p, content: 'x' }],
    'new.txt',
    ({ home }) => existsSync(join(home, 'new.txt')),
  ],
  [
    'Edit file_path',
    (p) => ['Edit', { file_path: p, old_string: 'needle', new_string: 'pin' }],
    'f.txt',
    ({ home }) => readFileSync(join(home, 'f.txt'), 'utf8') === 'pin\n',
  ],
  [
    'NotebookEdit notebook_path',
    (p) => ['NotebookEdit', { notebook_path: p, cell_id: 'c1', new_source: 'changed' }],
    'n.ipynb',
    ({ home }) => readFileSync(join(home, 'n.ipynb'), 'utf8').includes('changed'),
  ],
  [
    'Grep path',
    (p) => ['Grep', { pattern: 'needle', path: p, output_mode: 'content' }],
    'f.txt',
    (_, text) => text.includes('needle'),
  ],
  ['Glob path', (p) => ['Glob', { pattern: 'f.*', path: p }], '', (_, text) => text.includes('f.txt')],
  ['Glob pattern', (p) => ['Glob', { pattern: p }], 'f.*', (_, text) => text.includes('f.txt')],
];

describe.each(PARAMETERS)('%s', (_, call, file, done) => {
  test('~ and ~/x are at home', async () => {
    const at = furnished();
    const path = file === '' ? '~' : `~/${file}`;
    const { answers } = await runCalls([call(path)], at);
    expect(answers[0]?.isError, answers[0]?.text).toBe(false);
    expect(done(at, answers[0]?.text ?? '')).toBe(true);
    expect(existsSync(join(at.project, '~'))).toBe(false);
  });

  test('rules and hooks see the expanded path', async () => {
    const at = furnished();
    const asked: unknown[] = [];
    const hook: HookCallback = async (input) => {
      if (input.hook_event_name === 'PreToolUse') asked.push(input.tool_input);
      return {};
    };
    const [tool] = call('');
    const rule = tool === 'Read' || tool === 'Grep' || tool === 'Glob' ? 'Read' : 'Edit';
    const { answers } = await runCalls([call(file === '' ? '~' : `~/${file}`)], at, {
      settings: { permissions: { deny: [`${rule}(/${at.home}/**)`, `${rule}(/${at.home})`] } },
      hooks: { PreToolUse: [{ hooks: [hook] }] },
    });
    expect(done(at, answers[0]?.text ?? ''), answers[0]?.text).toBe(false);
    if (_.endsWith('file_path') || _.startsWith('NotebookEdit'))
      expect(JSON.stringify(asked)).toContain(join(at.home, file));
  });

  test.each(['~root/x', '~some.one/x'])('%s is refused with a sentence', async (path) => {
    const at = furnished();
    const { answers } = await runCalls([call(path)], at);
    expect(answers[0]).toMatchObject({
      isError: true,
      text: expect.stringMatching(/home folder of another user/),
    });
    expect(existsSync(join(at.project, path))).toBe(false);
  });
});

test('names that only begin with ~ are names, and ./~ is a folder of that name', async () => {
  const at = furnished();
  const names = ['~$letter.docx', '~backup', './~/x'];
  await runCalls(
    names.map((file_path): Call => ['Write', { file_path, content: 'x' }]),
    at,
  );
  for (const name of names) expect(existsSync(join(at.project, name)), name).toBe(true);
});

describe('folders besides the project', () => {
  test.each(['--add-dir', 'settings'])('%s takes ~/x', async (how) => {
    const at = furnished();
    mkdirSync(join(at.home, 'lib'));
    writeFileSync(join(at.home, 'lib/a.txt'), 'needle\n');
    const scenario = join(at.root, 'r.yaml');
    writeFileSync(
      scenario,
      `name: r\nreplies:\n  - blocks: [{ tool_use: { name: Read, input: { file_path: '~/lib/a.txt' } } }]\n  - blocks: [{ text: 'last: {{lastResult}}' }]\n`,
    );
    const ran = await commandLine(
      [
        'rehearse',
        scenario,
        '-p',
        'go',
        ...(how === 'settings'
          ? ['--settings', '{"permissions":{"additionalDirectories":["~/lib"]}}']
          : ['--add-dir', '~/lib']),
      ],
      { cwd: at.project, env: { HOME: at.home } },
    );
    expect(ran.stdout, ran.stderr).toContain('needle');
  });

  test('a missing one is named where it was looked for', async () => {
    const at = furnished();
    const ran = await commandLine(['-p', 'go', '--add-dir', '~/nowhere'], {
      cwd: at.project,
      env: { HOME: at.home },
    });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(join(at.home, 'nowhere')) });
  });
});
