/** What 300 everyday commands may do in each mode without a rule: a table to read, in `fixtures/commands/verdicts-300.txt`. */
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { question, TOOLS, tempFolder, unchangingFiles } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk', 'bypassPermissions'] as const;
const FILES = [
  'src/index.ts',
  'src/server.ts',
  'test/server.test.ts',
  'docs/api.md',
  'lib/parser.py',
  'package.json',
  'README.md',
];
const folder = await tempFolder();
const cwd = join(folder.path, 'proj');
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../test/fixtures/commands/${name}`, import.meta.url));

beforeAll(async () => {
  for (const file of FILES) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), 'x\n');
  }
  execFileSync('git', ['init', '-q'], { cwd });
});
afterAll(() => folder.remove());

it('300 everyday commands get the verdicts of the table', async () => {
  const commands = (await readFile(fixture('everyday-300.txt'), 'utf8'))
    .split('\n')
    .filter((line) => line !== '');
  expect(commands).toHaveLength(300);
  const rows = [`${MODES.map((mode) => mode.padEnd(18)).join('')}command`];
  const files = unchangingFiles();
  for (const command of commands) {
    const verdicts: string[] = [];
    for (const mode of MODES) {
      const permissions = createPermissions({
        files,
        mode,
        home: folder.path,
        allowDangerouslySkipPermissions: true,
      });
      const input = { command: command.replaceAll('\\\\', '\\') };
      verdicts.push((await permissions.decide(question(TOOLS.Bash, input, cwd))).kind);
    }
    rows.push(`${verdicts.map((kind) => kind.padEnd(18)).join('')}${command}`);
  }
  await expect(`${rows.join('\n')}\n`).toMatchFileSnapshot(fixture('verdicts-300.txt'));
});
