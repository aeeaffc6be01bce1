/** A protected file on the line of a program that is allowed: the program is not known to only read it. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';

const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(async () => {
  for (const name of ['.claude/skills/pdf', '.git/hooks', 'src'])
    await mkdir(join(cwd, name), { recursive: true });
  await writeFile(join(cwd, '.mcp.json'), '{}');
  await writeFile(join(cwd, '.claude/skills/pdf/run.py'), '');
  await symlink(join(cwd, '.mcp.json'), join(cwd, 'plain'));
});
afterAll(() => folder.remove());

const kindOf = async (command: string, allow: string) =>
  (
    await createPermissions({ files: nodeFiles, home: folder.path, allow: [allow] }).decide(
      question(TOOLS.Bash, { command }, cwd),
    )
  ).kind;

const WRITTEN = [
  'shuf -o .mcp.json a',
  'shuf -o.mcp.json a',
  'iconv -o .mcp.json a',
  'xxd -r a .mcp.json',
  'openssl enc -in a -out .mcp.json',
  'python3 -m json.tool a .mcp.json',
  'patch -o .mcp.json a b',
  'gcc -o .git/hooks/pre-commit a.c',
  'zip .mcp.json a',
  'ar q .mcp.json a',
  'strip -o .mcp.json a',
  'ssh-keygen -f .mcp.json',
  'git fast-export --export-marks=.mcp.json HEAD',
  'git bundle create .mcp.json HEAD',
  'git checkout-index --prefix=.claude/ a',
  'git worktree add .claude/x',
  // Others of the kind.
  'unzip x.zip -d .claude',
  'pandoc a.md --output=.vscode/settings.json',
  'ffmpeg -i a .npmrc',
  'split a .claude/part',
  'jq-next -i . .mcp.json',
  'magick a.png .husky/pre-commit',
  'terraform plan -out=.mcp.json',
  'shuf -o plain a',
  'protoc --python_out=.claude/ a.proto',
  'tar -xf x.tar -C .claude',
  'curl -D .mcp.json http://a.example/',
  'rsync --log-file=.mcp.json a b',
  'shuf -o src/../.mcp.json a',
  'env -C .claude shuf -o settings.json a',
  `python3 -c "open('.mcp.json','w')"`,
];

it.each(WRITTEN)('%s is asked about, whatever rule allows the program', async (command) => {
  const program =
    command.split(' ')[0] === 'git' ? command.split(' ').slice(0, 2).join(' ') : command.split(' ')[0];
  expect(await kindOf(command, `Bash(${program}:*)`)).toBe('ask');
  expect(await kindOf(command, 'Bash')).toBe('ask');
});

it.each([
  'shuf -o {a,.mcp.json} b',
  'shuf -o ~/.bashrc b',
  'shuf -o "$HOME/.bashrc" b',
  'shuf -o .mcp.jso? b',
  'shuf -o .[m]cp.json b',
  'for f in .mcp.json; do shuf -o $f b; done',
  'find . -fprint {a,.mcp.json}',
  'find . -fprint ~/.bashrc',
  'find . -fprint0 ~/.bashrc',
  'find . -fls ~/.bashrc',
  'find . -fprintf ~/.bashrc x',
  'find . {-fprint,.mcp.json}',
  'find . -fprint .mcp.jso?',
])('%s is asked about, although Bash is allowed', async (command) => {
  expect(await kindOf(command, 'Bash')).toBe('ask');
});

it.each([
  ['npm test', 'npm:*'],
  ['python3 .claude/skills/pdf/run.py --out report.pdf', 'python3:*'],
  ['node .claude/skills/pdf/run.mjs a b', 'node:*'],
  ['bash .claude/hooks/check.sh', 'bash:*'],
  ['cat .mcp.json', 'cat:*'],
  ['jq . .mcp.json', 'jq:*'],
  ['git add .mcp.json .claude/settings.json', 'git add:*'],
  ['git commit -m "fix .mcp.json" .mcp.json', 'git commit:*'],
  ['git push origin main', 'git push:*'],
  ['tar -cf x.tar .claude', 'tar:*'],
  ['rsync -a --exclude=.git .claude backup', 'rsync:*'],
  ['grep -r x --exclude-dir=.git .', 'grep:*'],
  ['prettier --write src', 'prettier:*'],
  ['docker run -e A=b image', 'docker run:*'],
  ['gcc -o out src/a.c', 'gcc:*'],
  ['shellcheck .husky/pre-commit', 'shellcheck:*'],
])('%s runs with its rule', async (command, rule) => {
  expect(await kindOf(command, `Bash(${rule})`)).toBe('allow');
  expect(await kindOf(command, 'Bash')).toBe('allow');
});
