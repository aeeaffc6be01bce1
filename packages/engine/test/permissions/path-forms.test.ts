/** Path rules by their form: which files each one forbids, or allows, to which tool, command and sandbox. */
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder, toolNamed } from '@turnwright/test/permissions/ask-doubles.ts';
import { CLOSED } from '@turnwright/test/sandbox/support.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { planMounts } from '../../src/sandbox/linux/mounts.ts';

const folder = await tempFolder();
const [cwd, home] = [join(folder.path, 'p'), join(folder.path, 'home')];
const FILES = [
  ...['secrets/a', 'sub/secrets/a', 'sub/deep/secrets/b/c', '.env', 'sub/.env', 'd/e/f', 'sub/d/e/f'],
  ...[
    'k1',
    'k2',
    'sub/k1',
    'k3',
    'build',
    'sub/build/o',
    'a b/c',
    '!x',
    '#h',
    '[id]/x',
    'i/x',
    'star*',
    'starry',
  ],
  ...[
    'src/a.ts',
    'pkg/src/a.ts',
    '../home/.notes/id',
    '../home/.notes/old/id',
    '../q/x',
    'q/x',
    'x]y',
    '{a,b}/x',
  ],
];
beforeAll(async () => {
  for (const file of FILES) {
    await mkdir(dirname(join(cwd, file)), { recursive: true });
    await writeFile(join(cwd, file), 'text');
  }
  await mkdir(join(folder.path, 'else'));
  await writeFile(join(folder.path, 'else/a'), 'text');
  await symlink('../else', join(cwd, 'linked'));
});
afterAll(() => folder.remove());

const reads = (name: string) => toolNamed(name, { ...TOOLS.Read, name });
const writes = (name: string) => toolNamed(name, { ...TOOLS.Write, name });
const READERS = ['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'].map(reads);
const WRITERS = ['Edit', 'Write', 'MultiEdit', 'NotebookEdit'].map(writes);

const quoted = (path: string) => `'${path}'`;
const READING = [
  (path: string) => `cat ${quoted(path)}`,
  (path: string) => `cp ${quoted(path)} /tmp/x`,
  (path: string) => `wc -l < ${quoted(path)}`,
];
const WRITING = [
  (path: string) => `echo x > ${quoted(path)}`,
  (path: string) => `tee ${quoted(path)}`,
  (path: string) => `sed -i s/a/b/ ${quoted(path)}`,
];

const engine = (rules: {
  readonly deny?: readonly string[];
  readonly ask?: readonly string[];
  readonly allow?: readonly string[];
}) => createPermissions({ files: nodeFiles, home, additionalDirectories: [folder.path], ...rules });

/** The form of a rule, what it forbids, and what it leaves alone. `PROJECT` is the folder's path, less its slash. */
const FORMS: readonly [specifier: string, forbidden: readonly string[], left: readonly string[]][] = [
  ['secrets/**', ['secrets/a', 'sub/secrets/a', 'sub/deep/secrets/b/c'], ['.env']],
  ['secrets/', ['secrets/a', 'sub/secrets/a'], ['.env']],
  ['secrets', ['secrets/a', 'sub/deep/secrets/b/c'], ['.env']],
  ['./secrets/**', ['secrets/a', 'sub/secrets/a'], ['.env']],
  ['./[s]ecrets/**', ['secrets/a', 'sub/secrets/a'], ['.env']],
  ['**/secrets/*', ['secrets/a', 'sub/secrets/a', 'sub/deep/secrets/b/c'], ['.env']],
  ['/secrets/**', ['secrets/a'], ['sub/secrets/a']],
  ['/.env', ['.env'], ['sub/.env']],
  ['.env', ['.env', 'sub/.env'], ['secrets/a']],
  ['./.env', ['.env', 'sub/.env'], ['secrets/a']],
  ['d/e/f', ['d/e/f', 'sub/d/e/f'], ['src/a.ts']],
  ['d/**/f', ['d/e/f', 'sub/d/e/f'], ['src/a.ts']],
  ['/d/**/f', ['d/e/f'], ['sub/d/e/f']],
  ['d/*', ['d/e/f', 'sub/d/e/f'], ['.env']],
  ['d/f', [], ['d/e/f']],
  ['src/**', ['src/a.ts', 'pkg/src/a.ts'], ['.env']],
  ['*/secrets/a', ['sub/secrets/a'], ['sub/deep/secrets/b/c']],
  ['src/*.ts', ['src/a.ts', 'pkg/src/a.ts'], ['.env']],
  ['k[12]', ['k1', 'k2', 'sub/k1'], ['k3', '.env']],
  ['k[!1]', ['k2', 'k3'], ['k1']],
  ['k[^1]', ['k2'], ['k1']],
  ['k[[:digit:]]', ['k1', 'sub/k1', 'k3'], ['.env']],
  ['[j-l]?', ['k1', 'k2'], ['.env']],
  ['x[]]y', ['x]y'], ['k1']],
  ['build/', ['sub/build/o'], ['build']],
  ['build', ['build', 'sub/build/o'], ['k1']],
  ['a b/c', ['a b/c'], ['k1']],
  ['a\\ b/c', ['a b/c'], ['k1']],
  ['\\!x', ['!x'], ['k1']],
  ['#h', ['#h'], ['k1']],
  ['[id]/x', ['[id]/x', 'i/x'], ['q/x']],
  ['\\[id\\]/x', ['[id]/x'], ['i/x']],
  ['star\\*', ['star*'], ['starry']],
  ['star*', ['star*', 'starry'], ['k1']],
  ['~/.notes/**', ['../home/.notes/id', '../home/.notes/old/id'], ['k1']],
  ['~/.notes/*', ['../home/.notes/id', '../home/.notes/old/id'], ['k1']],
  ['//PROJECT/d/**', ['d/e/f'], ['sub/d/e/f']],
  ['//PROJECT/../q/**', ['../q/x'], ['q/x']],
  ['../q/**', ['../q/x'], ['q/x']],
  ['src/../d/**', ['d/e/f', 'sub/d/e/f'], ['src/a.ts']],
  ['linked/**', ['linked/a', '../else/a'], ['.env']],
  ['$HOME/.notes/**', [], ['../home/.notes/id']],
  ['{a,b}/x', ['{a,b}/x'], ['q/x']],
];
const inProject = (specifier: string) => specifier.replace('PROJECT', cwd.slice(1));

/** One of them, by turns. */
const oneOf = <T>(all: readonly T[], at: number): readonly T[] =>
  all.filter((_, each) => each === at % all.length);
/** All of them in the long form. */
const allOf = <T>(all: readonly T[], at: number): readonly T[] => inForm(oneOf(all, at), all);

describe.each(FORMS)('forbidden by (%s)', (form, forbidden, left) => {
  const at = FORMS.findIndex(([each]) => each === form);
  const named = [...allOf(READERS, at), ...allOf(WRITERS, at)];
  const specifier = inProject(form);
  const rules = named.map(({ name }) => `${name}(${specifier})`);

  it.each(rules)('%s, for every tool of its family and every command', async (rule) => {
    const isReading = READERS.some(({ name }) => rule.startsWith(`${name}(`));
    for (const behavior of inForm(['deny'] as const, ['deny', 'ask'] as const)) {
      const permissions = engine({ [behavior]: [rule], allow: ['Bash', 'Read(//**)', 'Edit(//**)'] });
      const verdictOn = async (tool: ReturnType<typeof reads>, input: Record<string, string>) =>
        (await permissions.decide(question(tool, input, cwd))).kind;
      const some = behavior === 'deny' ? allOf : oneOf;
      const family = some(isReading ? READERS : WRITERS, at);
      const commands = some<(path: string) => string>(isReading ? READING : WRITING, at);
      for (const path of forbidden) {
        for (const tool of family)
          expect(await verdictOn(tool, { path }), `${tool.name} ${path}`).toBe(behavior);
        for (const command of commands)
          expect(await verdictOn(TOOLS.Bash, { command: command(path) }), command(path)).toBe(behavior);
      }
      for (const path of left) {
        for (const tool of family)
          expect(await verdictOn(tool, { path }), `${tool.name} ${path}`).toBe('allow');
        for (const command of commands)
          expect(await verdictOn(TOOLS.Bash, { command: command(path) }), command(path)).toBe('allow');
      }
    }
  });

  it('and in the sandbox', async () => {
    for (const [tool, source, kind] of allOf(
      [
        ['Read', 'deniedReads', 'hidden'],
        ['LS', 'deniedReads', 'hidden'],
        ['NotebookRead', 'deniedReads', 'hidden'],
        ['Edit', 'deniedWrites', 'readOnly'],
        ['MultiEdit', 'deniedWrites', 'readOnly'],
      ] as const,
      at,
    )) {
      const permissions = engine({ deny: [`${tool}(${specifier})`] });
      const patterns = permissions.pathPatterns(source === 'deniedReads' ? 'denyRead' : 'denyWrite', { cwd });
      const { mounts } = await planMounts({ ...CLOSED, writable: [folder.path], [source]: patterns });
      const isHeld = (path: string) => {
        const at = join(cwd, path).replace(`${cwd}/linked`, join(folder.path, 'else'));
        return mounts.some(
          (mount) => mount.kind === kind && (at === mount.path || at.startsWith(`${mount.path}/`)),
        );
      };
      for (const path of forbidden) expect(isHeld(path), `${tool} ${path}`).toBe(true);
      for (const path of left) expect(isHeld(path), `${tool} ${path}`).toBe(false);
    }
  });
});

/** An allow rule is tied to the folder, unless it is a bare name. */
it.each<[specifier: string, allowed: readonly string[], asked: readonly string[]]>([
  ['src/**', ['src/a.ts'], ['pkg/src/a.ts']],
  ['./src/**', ['src/a.ts'], ['pkg/src/a.ts']],
  ['/src/**', ['src/a.ts'], ['pkg/src/a.ts']],
  ['[s]rc/**', ['src/a.ts'], ['pkg/src/a.ts']],
  ['src', ['src/a.ts', 'pkg/src/a.ts'], ['d/e/f']],
  ['src/', ['src/a.ts', 'pkg/src/a.ts'], ['d/e/f']],
  ['build/', ['sub/build/o'], ['build']],
  ['*.ts', ['src/a.ts', 'pkg/src/a.ts'], ['d/e/f']],
  ['d/e/f', ['d/e/f'], ['sub/d/e/f']],
  ['[id]/x', ['i/x'], ['[id]/x']],
  ['\\[id\\]/x', ['[id]/x'], ['i/x']],
  ['k[!1]', ['k2', 'k3'], ['k1']],
  ['//PROJECT/d/**', ['d/e/f'], ['sub/d/e/f']],
  ['~/.notes/**', ['../home/.notes/old/id'], ['k1']],
  ['~/.notes', ['../home/.notes/old/id'], ['k1']],
  ['~/old', [], ['../home/.notes/old/id']],
  ['{a,b}/x', ['{a,b}/x'], ['q/x']],
])('allowed by Edit(%s)', async (specifier, allowed, asked) => {
  const permissions = createPermissions({
    files: nodeFiles,
    home,
    allow: [`Edit(${inProject(specifier)})`],
    ignoreCase: false,
  });
  const verdictOn = async (path: string) =>
    (await permissions.decide(question(TOOLS.Write, { path }, cwd))).kind;
  for (const path of allowed) expect(await verdictOn(path), path).toBe('allow');
  for (const path of asked) expect(await verdictOn(path), path).toBe('ask');
});

/** Who may write is opened to every command of the sandbox by one tool's rule alone. */
it.each<[rule: string, opens: boolean]>([
  ['Edit(/out/**)', true],
  ['Write(/out/**)', false],
  ['MultiEdit(/out/**)', false],
  ['NotebookEdit(/out/**)', false],
  ['Read(/out/**)', false],
  ['Edit', false],
])('the allow rule %s makes a place writable in the sandbox: %s', async (rule, opens) => {
  expect(engine({ allow: [rule] }).pathPatterns('allowWrite', { cwd })).toHaveLength(opens ? 1 : 0);
  const redirected = question(TOOLS.Bash, { command: 'echo x > out/x' }, cwd);
  const { kind } = await createPermissions({ files: nodeFiles, home, allow: [rule] }).decide(redirected);
  expect(kind).toBe(opens || rule === 'Edit' ? 'allow' : 'ask');
});
