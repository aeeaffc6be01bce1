/** What is protected stays so under every name: no folder above it can be renamed, exchanged or removed. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { lacking, runIn, sandboxWith } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { SandboxPolicy } from '../../src/sandbox/policy.ts';

let base: string;
let cwd: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'turnwright-renamed-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  cwd = join(base, 'work');
  mkdirSync(cwd);
});

const write = (path: string, text = 'CANARY') => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};
const denied = (root: string, path: string) => ({ root, segments: path.split('/') });

/** How a place is protected, where it is, and the folders above it that have to stay. */
const PLACES: readonly (readonly [way: string, file: string, above: readonly string[]])[] = [
  ['a Read rule for a file', 'conf/.env', ['conf']],
  ['a Read rule for a file, deeper', 'a/b/c/.env', ['a', 'a/b', 'a/b/c']],
  ['a Read rule for a folder', 's/secrets/key', ['s', 's/secrets']],
  ['a Read rule for what is not there', 'none/yet/.keep', ['none', 'none/yet']],
  ['a Read rule with wildcards', 'wild/keys/x.pem', ['wild', 'wild/keys']],
  ['a Read rule in an additional directory', '../more/conf/.env', ['../more/conf']],
  ['an Edit rule for a folder', 'p/locked/file', ['p', 'p/locked']],
  ['an Edit rule for a file', 'q/locked.txt', ['q']],
  ['settings', 'pkg/.claude/settings.json', ['pkg', 'pkg/.claude']],
  ['servers', 'srv/deep/.mcp.json', ['srv', 'srv/deep']],
  ['behind a link in what grants', 'docs/agents/one/SKILL.md', ['docs', 'docs/agents']],
  ['behind a link in what grants, within what an Edit rule locks', 'r/locked/agents/a.md', ['r', 'r/locked']],
  ['credentials of the home folder', '.config/gh/hosts.yml', ['.config', '.config/gh']],
  ['what the home folder protects', '.config/fish/config.fish', ['.config/fish']],
  ['a plugin', 'plugins/one/plugin.json', ['plugins', 'plugins/one']],
  ['a working folder within another', 'in/ner/.env', ['in', 'in/ner']],
  ['hooks of a repository', '.git/hooks/x', ['.git', '.git/hooks', '.git/info']],
  ['hooks of a repository below', 'nested/repo/.git/hooks/x', ['nested', 'nested/repo', 'nested/repo/.git']],
  [
    'a submodule',
    '.git/modules/lib/hooks/x',
    ['lib', '.git/modules', '.git/modules/lib', '.git/modules/lib/info'],
  ],
  [
    'a working tree',
    '.git/worktrees/tree/x',
    ['.git/worktrees', '.git/worktrees/tree', 'trees', 'trees/tree'],
  ],
];

/** System calls, since programs fall back to copies. `$1` is moved to `$2`; 316 and 276 are renameat2. */
const PROGRAM = `
use POSIX (); chomp(my $m = \`uname -m\`); my $renameat2 = $m eq 'aarch64' ? 276 : 316;
sub try { my ($form, $path, $done) = @_; print "$form $path\\n" if $done; }
for my $path (@ARGV) {
  (my $name = $path) =~ s{.*/}{}; (my $up = $path) =~ s{/?[^/]*$}{}; $up ||= '.';
  my $to = "$up/$name.away"; my $other = "$up/other.$name"; mkdir $other; mkdir 'into';
  try('renamed', $path, rename($path, $to)) and next;
  try('moved', $path, rename($path, "into/$name"));
  try('renamed from the process table', $path, rename("/proc/self/cwd/$path", $to));
  symlink('.', 'self'); try('renamed behind a link', $path, rename("self/$path", $to));
  my ($a, $b) = ("$path\\0", "$other\\0");
  try('exchanged', $path, syscall($renameat2, -100, $a, -100, $b, 2) == 0);
  try('replaced', $path, rename($other, $path));
  opendir(my $d, $path); my @in = grep { !/^\\.\\.?$/ } readdir $d;
  try('emptied', $path, !@in && rmdir($path));
  rmdir $other;
}
print "ran\\n"; mkdir 'free'; print "free\\n" if rename('free', 'freed');
`;

/** Everything at once: each rule speaks of one of the places. */
function world(): Partial<SandboxPolicy> {
  for (const folder of ['.git', 'nested/repo/.git', '.git/modules/lib', '.git/worktrees/tree']) {
    write(join(cwd, folder, 'HEAD'), 'ref: refs/heads/main\n');
    write(join(cwd, folder, 'info/exclude'), '');
  }
  write(join(cwd, 'lib/.git'), 'gitdir: ../.git/modules/lib\n');
  write(join(cwd, 'trees/tree/.git'), 'gitdir: ../../.git/worktrees/tree\n');
  for (const [, file] of PLACES) write(join(cwd, file));
  rmSync(join(cwd, 'none/yet/.keep'));
  mkdirSync(join(cwd, '.claude'));
  symlinkSync('../docs/agents', join(cwd, '.claude/agents'));
  symlinkSync('../r/locked/agents', join(cwd, '.claude/skills'));
  const more = join(base, 'more');
  return {
    writable: [cwd, more, join(cwd, 'in/ner')],
    home: cwd,
    credentialPaths: [join(cwd, '.config/gh')],
    protectedPaths: [join(cwd, 'plugins/one')],
    deniedReads: [
      ...['conf/.env', 'a/b/c/.env', 's/secrets/**', 'none/yet/.env', '**/*.pem'].map((path) =>
        denied(cwd, path),
      ),
      denied(join(cwd, 'in/ner'), '.env'),
      denied(more, 'conf/.env'),
    ],
    deniedWrites: ['p/locked/**', 'q/locked.txt', 'r/locked/**'].map((path) => denied(cwd, path)),
  };
}

describe.skipIf(lacking !== undefined)('a folder above what is protected', () => {
  it('stays where it is, whatever protects what is in it', async () => {
    const policy = world();
    writeFileSync(join(cwd, 'program.pl'), PROGRAM);
    const folders = PLACES.flatMap(([, , above]) => above);
    const before = readdirSync(cwd);
    const said = await runIn(cwd, `perl program.pl ${folders.join(' ')}`, policy);
    expect(said).toBe('ran\nfree\n');
    expect(readdirSync(cwd).filter((name) => !['into', 'self', 'freed'].includes(name))).toEqual(before);
    // What lies in it is protected as before.
    const each = PLACES.filter(([, file]) => !file.includes('worktrees') && !file.endsWith('.keep'));
    const again = `for f in ${each.map(([, file]) => file).join(' ')}; do (echo x >> $f) 2>/dev/null && echo WROTE $f; done; echo ran`;
    expect(await runIn(cwd, again, policy)).toBe('ran\n');
    for (const [way, file] of each)
      expect([way, readFileSync(join(cwd, file), 'utf8')]).toEqual([way, 'CANARY']);
  });

  it('what a program outside moved or linked is kept from commands there too', async () => {
    for (const file of ['conf/.env', 'two.txt', 'three.txt', 'dir/key', 'locked.txt']) write(join(cwd, file));
    mkdirSync(join(cwd, 'deep/er'), { recursive: true });
    const sandbox = sandboxWith({
      writable: [cwd],
      deniedReads: ['conf/.env', 'two.txt', 'three.txt', 'dir/**'].map((path) => denied(cwd, path)),
      deniedWrites: [denied(cwd, 'locked.txt')],
    });
    const say = (command: string) => runIn(cwd, command, {}, { ...sandbox, close: async () => {} });
    const grep = 'grep -rls CANARY . | sort';
    expect(await say(grep)).toBe('./locked.txt\n');
    renameSync(join(cwd, 'conf'), join(cwd, 'c2'));
    linkSync(join(cwd, 'two.txt'), join(cwd, 'deep/er/linked'));
    renameSync(join(cwd, 'three.txt'), join(cwd, 'deep/3'));
    renameSync(join(cwd, 'dir'), join(cwd, 'deep/dir'));
    renameSync(join(cwd, 'locked.txt'), join(cwd, 'open.txt'));
    // A file of the old name is another one, and its rule holds for it as before.
    write(join(cwd, 'three.txt'));
    for (const _ of ['at once', 'and later']) {
      expect(await say(`(echo x > open.txt) 2>/dev/null && echo WROTE; ${grep}`)).toBe('./open.txt\n');
    }
    await sandbox.close();
  });
});
