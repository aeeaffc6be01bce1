/** The project that the command lines of the corpus are about, and those of the attacks. */
import { execFileSync } from 'node:child_process';
import { link, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILES = [
  ...['src/index.ts', 'src/server.ts', 'src/util/format.ts', 'test/server.test.ts', 'lib/parser.py'],
  ...['package.json', 'tsconfig.json', 'README.md', 'CHANGELOG.md', 'docs/api.md', 'config/app.yaml'],
  ...['scripts/build.sh', 'logs/app.log', 'data.csv', 'notes.txt', '.github/workflows/ci.yml', 'Dockerfile'],
];

export async function makeProject(cwd: string): Promise<void> {
  for (const file of FILES) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), `foo in ${file}\n`);
  }
  execFileSync('git', ['init', '-q'], { cwd });
}

/** With everything that a hostile one holds; `outside` is a folder beside it. */
export async function makeTrap(cwd: string, outside: string): Promise<void> {
  await makeProject(cwd);
  await mkdir(join(outside, 'folder'), { recursive: true });
  await writeFile(join(outside, 'secret.ts'), 'secret\n');
  await writeFile(join(outside, 'folder/secret.ts'), 'secret\n');
  const at = (name: string) => join(cwd, name);
  for (const folder of [
    'links',
    'dash',
    'odd',
    'lines',
    'hard',
    'bare/objects',
    'bare/refs',
    'nested',
    'bin',
  ])
    await mkdir(at(folder), { recursive: true });
  await symlink(join(outside, 'secret.ts'), at('links/leads-out.ts'));
  await symlink(join(outside, 'folder'), at('links/folder'));
  await symlink(join(outside, 'secret.ts'), at('links/packed.gz'));
  await symlink(join(outside, 'secret.ts'), at('packed.gz'));
  await symlink('../nowhere', at('links/dangling.md'));
  for (const name of ['--output=x.ts', '-o.json', '-rf', '-exec', '--files0-from=a.txt', 'plain.txt'])
    await writeFile(at(`dash/${name}`), 'x\n');
  for (const name of ['-o.cfg', '@args.bin', '--pre=x.pat', '-delete.find'].map((each) => each))
    await writeFile(at(name), 'x\n');
  execFileSync('mkfifo', [at('odd/pipe.txt')]);
  await writeFile(at('lines/a\nb.ts'), 'x\n');
  await writeFile(at('lines/c\u202ed.md'), 'x\n');
  await writeFile(at('.env'), 'KEY=1\n');
  await link(at('.env'), at('hard/innocent.txt'));
  await writeFile(at('bare/HEAD'), 'ref: refs/heads/main\n');
  await writeFile(at('bare/config'), '[core]\n\tfsmonitor = ./x\n');
  execFileSync('git', ['init', '-q'], { cwd: at('nested') });
  await writeFile(at('nested/.git/config'), '[core]\n\tfsmonitor = ./x\n', { flag: 'a' });
  for (const name of ['ls', 'node', 'wc']) await writeFile(at(`bin/${name}`), '#!/bin/sh\n', { mode: 0o755 });
}

const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../test/fixtures/commands/${name}`, import.meta.url));

export { fixture };

export interface Line {
  readonly category: string;
  /** As it is written in the file. */
  readonly written: string;
  readonly command: string;
}

/** Category and line, apart by a tab; a line break is `\n`, a backslash in front of an n doubled. */
export async function linesOf(name: string, cwd: string): Promise<readonly Line[]> {
  const text = await readFile(fixture(name), 'utf8');
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [category = '', written = ''] = line.split('\t');
      const command = written
        .replace(/\\([\\n])/g, (_, sign) => (sign === 'n' ? '\n' : '\\'))
        .replaceAll('{cwd}', cwd);
      return { category, written, command };
    });
}
