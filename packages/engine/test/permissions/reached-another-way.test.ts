/** Denied files behind links, under other names, in folders and in words that only the shell can fill in. */
import { link, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { question, TOOLS, tempFolder } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPermissions, type PermissionOptions } from '../../src/permissions/permission-engine.ts';
import type { PermissionQuestion } from '../../src/protocol/tools/gate-ports.ts';

const folder = await tempFolder();
const base = folder.path;
const cwd = join(base, 'proj');
afterAll(() => folder.remove());

beforeAll(async () => {
  for (const name of ['proj/secrets', 'proj/pub/deep', 'proj/links', 'proj/vault', 'proj/big', 'store'])
    await mkdir(join(base, name), { recursive: true });
  await mkdir(join(cwd, 'node_modules'));
  const write = (name: string) => writeFile(join(base, name), 'x');
  for (const name of ['key', 'pub/plain', 'pub/deep/f', 'secrets/key', 'secrets/free', 'node_modules/hidden'])
    await write(`proj/${name}`);
  for (const name of ['store/f', 'store/config']) await write(name);
  await link(join(cwd, 'secrets/key'), join(cwd, 'pub/alias'));
  await link(join(cwd, 'node_modules/hidden'), join(cwd, 'pub/shown'));
  await link(join(base, 'store/f'), join(cwd, 'pub/other'));
  await symlink(join(base, 'store'), join(cwd, 'links/out'));
  await symlink(join(base, 'store/config'), join(cwd, 'links/config'));
  await symlink(join(base, 'store/config'), join(cwd, 'config'));
  await symlink('/nowhere/at/all', join(cwd, 'lost'));
  await symlink('/nowhere/at/all', join(cwd, 'vault/lost'));
  await symlink('proj', join(base, 'linked'));
  await symlink('pub', join(cwd, 'short'));
});

type Make = Partial<PermissionOptions> & Pick<Partial<PermissionQuestion>, 'root' | 'cwd'>;
const bypass = { mode: 'bypassPermissions', allowDangerouslySkipPermissions: true } as const;

function verdictOn(
  tool: 'Bash' | 'Edit' | 'Read',
  input: Record<string, string>,
  { root, cwd: at = cwd, ...options }: Make,
) {
  const permissions = createPermissions({ files: nodeFiles, home: '/home/me', ...options });
  return permissions.decide(question(TOOLS[tool], input, at, root === undefined ? {} : { root }));
}
const readOf = async (path: string, deny: string, more: Make = {}) =>
  (await verdictOn('Read', { path }, { ...bypass, deny: [deny], ...more })).kind;
const lineOf = async (command: string, deny: string | readonly string[], more: Make = {}) =>
  (await verdictOn('Bash', { command }, { ...bypass, deny: [deny].flat(), ...more })).kind;

/** The disk, with a folder of so many entries, or of these. */
const withEntries = (path: string, names: number | readonly string[]) => ({
  ...nodeFiles,
  lstat: async (at: string) => (at.endsWith('/absent') ? undefined : nodeFiles.lstat(at)),
  readDir: async (at: string) =>
    at === path
      ? typeof names === 'number'
        ? Array.from({ length: names }, () => 'absent')
        : [...names]
      : nodeFiles.readDir(at),
});
const { readDir: _, ...withoutReadDir } = nodeFiles;

describe('links', () => {
  it.each([
    ['Read(links/config)', join(base, 'store/config'), 'deny'],
    ['Read(config)', join(base, 'store/config'), 'deny'],
    ['Read(links/out/**)', join(base, 'store/f'), 'deny'],
    ['Read(*/out/f)', 'links/out/f', 'deny'],
    ['Read(lost)', 'pub/plain', 'allow'],
    ['Read(secrets/key)', 'key', 'allow'],
    ['Read(/key)', 'pub/plain', 'allow'],
    ['Read(/*.env)', 'pub/plain', 'allow'],
    ['Read(**)', 'pub/plain', 'deny'],
    ['Read(**)', join(base, 'store/config'), 'allow'],
  ])('%s for %s: %s', async (rule, path, kind) => {
    expect(await readOf(path, rule)).toBe(kind);
  });

  it('a session in a folder behind a link has both its spellings', async () => {
    const root = join(base, 'linked');
    expect(await readOf(join(cwd, 'secrets/free'), 'Read(*/free)', { root })).toBe('deny');
    expect(await readOf(join(cwd, 'pub/plain'), 'Read(*/free)', { root })).toBe('allow');
    const lost = { root: join(cwd, 'lost') };
    expect(await readOf(join(cwd, 'pub/plain'), 'Read(free)', lost)).toBe('allow');
  });
});

describe('other names of one file', () => {
  it.each([
    ['Read(secrets/**)', 'pub/alias', 'deny'],
    ['Read(secrets/key)', 'pub/alias', 'deny'],
    ['Read(**/key)', 'pub/alias', 'deny'],
    ['Read(/)', join(base, 'store/f'), 'deny'],
    ['Read(k?y)', 'pub/alias', 'deny'],
    ['Read(secrets/free)', 'pub/alias', 'allow'],
    ['Read(k?y)', 'pub/other', 'allow'],
    ['Read(secrets/**)', 'pub/plain', 'allow'],
    // Folders of other programs are looked into where a pattern begins in one.
    ['Read(hidd?n)', 'pub/shown', 'allow'],
    ['Read(node_modules/**)', 'pub/shown', 'deny'],
  ])('%s for %s: %s', async (rule, path, kind) => {
    expect(await readOf(path, rule)).toBe(kind);
  });

  it('what is beyond the limit may be one, but only where the rule lies', async () => {
    const secrets = join(cwd, 'secrets');
    expect(await readOf('pub/other', 'Read(/secrets/**)', { files: withEntries(secrets, 20_000) })).toBe(
      'allow',
    );
    expect(await readOf('pub/other', 'Read(/secrets/**)', { files: withEntries(secrets, 20_001) })).toBe(
      'deny',
    );
    const pub = withEntries(join(cwd, 'pub'), 20_001);
    expect(await readOf('pub/other', 'Read(/secrets/**)', { files: pub })).toBe('allow');
    expect(await readOf('pub/other', 'Read(secrets/**)', { files: pub })).toBe('deny');
    expect(await readOf('pub/plain', 'Read(pub/absent*)', { files: pub })).toBe('allow');
  });

  it('a folder that cannot be listed, and files that are gone, hold none', async () => {
    const gone = withEntries(join(cwd, 'secrets'), ['gone', 'key']);
    expect(await readOf('pub/alias', 'Read(secrets/**)', { files: gone })).toBe('deny');
    expect(await readOf('pub/alias', 'Read(absent/**)')).toBe('allow');
    expect(await readOf('pub/alias', 'Read(secrets/**)', { files: withoutReadDir })).toBe('allow');
    expect(await readOf('pub/alias', 'Read(secrets/key)', { files: withoutReadDir })).toBe('deny');
  });
});

describe('words that the shell fills in', () => {
  it.each([
    ['Read(//*/secret)', 'cat /et?/secret', 'ask'],
    ['Read(deep.env)', 'cat a/b/de?p.env', 'ask'],
    ['Read(x*/k)', 'cat xy?/k', 'ask'],
    ['Read(x*/k)', 'cat xy?/kk', 'allow'],
    ['Read(x*/k)', 'cat xy?/k/inside', 'ask'],
    ['Read(x?/k)', 'cat xa*/k', 'ask'],
    ['Read(x*/**)', 'cat xy?/f', 'ask'],
    ['Read(x*/**)', 'cat xy?', 'ask'],
    ['Read(//nowhere/x*)', 'cat {/nowhere,/b}/x*', 'ask'],
    ['Read(//nowhere/x*)', 'cat /nowhere/x*', 'ask'],
    ['Read(//nowhere)', 'cat /nowh*', 'ask'],
    ['Read(//nowhere)', 'cd pub && cat /nowh*', 'ask'],
    ['Read(secrets/key)', 'cat lost/$X', 'ask'],
    ['Read(secrets/key)', 'cat lost/k*', 'ask'],
    ['Read(secrets/key)', 'cd pub && cat $X', 'ask'],
    ['Read(secrets/key)', 'cat /proc/$X/secrets/key', 'ask'],
    ['Read(/absent/key)', 'cat */../absent/key', 'ask'],
    ['Read(/absent/key)', 'cat p*/.', 'allow'],
    ['Read(/pub/x1)', 'cat pub/../x*', 'allow'],
    ['Read(secrets/key)', 'cat pub/al*', 'ask'],
    ['Read(secrets/key)', 'cat pub/pl*', 'allow'],
    ['Read(/**)', 'cat ""', 'allow'],
    ['Read(/x/**)', `cat x/${'a'.repeat(4094)}`, 'deny'],
    ['Read(/x/**)', `cat x/${'a'.repeat(4095)}`, 'allow'],
    ['Read(secrets/key)', 'frobnicate secrets/key', 'deny'],
    ['WebFetch(domain:a.example)', "echo '", 'allow'],
    ['Read(~/x)', 'cat pub/p*', 'allow'],
  ])('%s for %j: %s', async (rule, command, kind) => {
    expect(await lineOf(command, rule)).toBe(kind);
  });

  it('a name that begins with a dot may lead upwards', async () => {
    const below = { cwd: join(cwd, 'pub'), root: cwd };
    expect(await lineOf('cat .*/secrets/key', 'Read(/secrets/key)', below)).toBe('ask');
  });

  it('of several rules the one that matches for sure decides', async () => {
    expect(await lineOf('cat $X secrets/key', ['Read(vault/x)', 'Read(secrets/key)'])).toBe('deny');
    expect(await lineOf('cat $X pub/plain', ['Read(vault/x)', 'Read(secrets/key)'])).toBe('ask');
  });

  it('a pattern of names is looked up, within a limit', async () => {
    const big = (names: number) => ({ files: withEntries(join(cwd, 'big'), names) });
    expect(await lineOf('cat big/f*', 'Read(secrets/key)', big(5_000))).toBe('allow');
    expect(await lineOf('cat big/f*', 'Read(secrets/key)', big(5_001))).toBe('ask');
    expect(await lineOf('cat pub/f*', 'Read(secrets/key)', { files: withoutReadDir })).toBe('ask');
    const atRoot = { cwd: '/', files: withEntries('/', 5_001) };
    expect(await lineOf('cat q*', 'Read(/nope/x)', atRoot)).toBe('ask');
  });

  it('a rule for a home that is not known may mean any of them', async () => {
    expect(await lineOf('cat pub/p*', 'Read(~/x)', { home: undefined })).toBe('ask');
    expect(await lineOf('grep -r x', 'Read(~/x)', { home: undefined })).not.toBe('allow');
  });
});

describe('what lies below a folder', () => {
  it.each([
    ['Read(secrets/key)', 'grep -r x', 'ask'],
    // Another name of the file is there.
    ['Read(secrets/key)', 'grep -r x pub', 'ask'],
    ['Read(/secrets/key)', 'grep -r x pub', 'allow'],
    ['Read(/pub/deep/f)', 'cd pub && tar cf - deep', 'ask'],
    ['Read(/pub/deep/f)', 'cd pub && tar cf - .', 'ask'],
    ['Read(secrets/key)', `cd pub && grep -r x ${join(cwd, 'secrets')}`, 'ask'],
    ['Read(secrets/key)', 'cd $X && grep -r x', 'ask'],
    [`Read(/${base}/**/f)`, 'grep -r x links', 'allow'],
    [`Read(/${base}/**/f)`, 'grep -R x links', 'ask'],
    ['Read(/vault/absent)', 'grep -r x vault', 'allow'],
    ['Read(/vault/absent)', 'grep -R x vault', 'ask'],
    ['Read(/pub/absent)', 'grep -r x pub', 'allow'],
    ['Read(secrets/key)', 'tar cf - lost', 'ask'],
    ['Read(secrets/key)', 'cp -r lost x', 'ask'],
    ['Edit(secrets/key)', 'mv lost x', 'ask'],
    ['Edit(secrets/key)', 'rm -r secrets', 'ask'],
    ['Edit(/secrets/key)', 'rm -r pub', 'allow'],
  ])('%s for %j: %s', async (rule, command, kind) => {
    expect(await lineOf(command, rule)).toBe(kind);
  });

  it('a folder that a rule covers may hold what is denied, also where nothing is in it', async () => {
    const inBig = { cwd: join(cwd, 'big'), root: cwd };
    expect(await lineOf('grep -r x', 'Read(/big/**)', inBig)).toBe('deny');
    expect(await lineOf('grep -r x', 'Read(/pub/**)', inBig)).toBe('allow');
    expect(await lineOf('grep -r x', 'Read(secrets/key)', { cwd: join(cwd, 'lost'), root: cwd })).toBe('ask');
  });

  it('is searched within a limit, where it can be listed', async () => {
    const big = (names: number) => ({ files: withEntries(join(cwd, 'big'), names) });
    expect(await lineOf('grep -r x big', 'Read(big/other)', big(3))).toBe('allow');
    expect(await lineOf('grep -r x big', 'Read(big/other)', big(5_001))).toBe('ask');
    expect(await lineOf('grep -r x big', 'Read(/secrets/key)', big(5_001))).toBe('allow');
    expect(await lineOf('grep -r x big', 'Read(secrets/key)', big(5_001))).toBe('ask');
    expect(await lineOf('grep -r x pub', 'Read(pub/absent)', { files: withoutReadDir })).toBe('ask');
    const all = { files: withEntries('/', 5_001) };
    expect(await lineOf('grep -r x /', 'Read(secrets/key)', all)).toBe('ask');
  });

  it('rules about paths make an edit of a folder a question', async () => {
    const edits = { mode: 'acceptEdits', allowDangerouslySkipPermissions: false } as const;
    expect(await lineOf('rm -r pub', 'Bash(curl:*)', edits)).toBe('allow');
    expect(await lineOf('rm -r pub', 'Read', edits)).toBe('allow');
    expect(await lineOf('rm -r pub', 'Read(vault/x)', edits)).toBe('ask');
    expect(await lineOf('rm -r pub', 'Edit(vault/x)', edits)).toBe('ask');
  });
});

describe('where a link leads, in a question', () => {
  const placeOf = async (path: string, more: Partial<PermissionQuestion> = {}, options: Make = {}) => {
    const permissions = createPermissions({ files: nodeFiles, ...options });
    const verdict = await permissions.decide(question(TOOLS.Edit, { path }, cwd, more));
    return 'blockedPath' in verdict ? verdict.blockedPath?.replace(base, '') : undefined;
  };

  it('is said of a link beneath the directory, not of how the directory is reached', async () => {
    expect(await placeOf('pub/plain')).toBe(undefined);
    expect(await placeOf('short/plain')).toBe('/proj/pub/plain');
    const linked = { additionalDirectories: [join(base, 'linked')], cwd: join(base, 'store') };
    expect(await placeOf(join(base, 'linked/pub/plain'), linked)).toBe(undefined);
    expect(await placeOf(join(base, 'linked/short/plain'), linked)).toBe('/proj/pub/plain');
    const asked = { ask: ['Edit'] };
    expect(await placeOf(join(base, 'linked/pub/plain'), { cwd: join(base, 'store') }, asked)).toBe(
      '/proj/pub/plain',
    );
    expect(await placeOf('lost', {}, asked)).toBe(undefined);
    expect(await placeOf(join(base, 'store/f'), {}, asked)).toBe(undefined);
  });
});
