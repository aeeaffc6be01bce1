/** Keys and tokens of other programs in the home folder. */
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { lacking } from '@turnwright/test/sandbox/support.ts';
import { beforeEach, expect, it } from 'vitest';
import { type HomeFolder, homeFolder, sessionOf } from './session.ts';

const FILES = {
  ssh: '.ssh/id_ed25519',
  aws: '.aws/credentials',
  gh: '.config/gh/hosts.yml',
  netrc: '.netrc',
  npmrc: '.npmrc',
  docker: '.docker/config.json',
  git: '.git-credentials',
  turnwright: '.turnwright/credentials.json',
} as const;

let at: HomeFolder;
beforeEach(() => {
  at = homeFolder();
  for (const [name, file] of Object.entries(FILES)) {
    mkdirSync(dirname(join(at.home, file)), { recursive: true });
    writeFileSync(join(at.home, file), `CANARY-${name}`);
  }
  writeFileSync(join(at.home, '.gitconfig'), 'plain');
});

/** What a command of the model says that runs in the sandbox. */
async function said(command: string, sandbox: object = {}): Promise<string> {
  // A home of a test lies in the temporary folder, of which the sandbox shows what is worked in.
  const additionalDirectories = [at.home];
  const options = {
    additionalDirectories,
    sandbox: { enabled: true, autoAllowBashIfSandboxed: true, ...sandbox },
  };
  const { results } = await sessionOf(at, [['Bash', { command }]], options);
  return results.join();
}

const ALL = `cd ~; cat .gitconfig ${Object.values(FILES).join(' ')}; grep -r CANARY . ; cat /proc/self/root${'$HOME'}/.netrc; true`;

it.skipIf(lacking !== undefined)('are not read in the sandbox, other files of it are', async () => {
  const text = await said(ALL);
  expect(text).toContain('plain');
  expect(text).not.toContain('CANARY');
});

it.skipIf(lacking !== undefined)('are not read where a link of that name leads', async () => {
  mkdirSync(join(at.home, 'dotfiles'));
  writeFileSync(join(at.home, 'dotfiles', 'pgpass'), 'CANARY-linked');
  symlinkSync('dotfiles/pgpass', join(at.home, '.pgpass'));
  expect(await said('cat ~/.pgpass ~/dotfiles/pgpass; true')).not.toContain('CANARY');
});

it.skipIf(lacking !== undefined)('are read where the settings open them, one by one', async () => {
  const text = await said(ALL, { filesystem: { allowRead: ['~/.npmrc', '~/.config'] } });
  expect(Object.keys(FILES).filter((name) => text.includes(`CANARY-${name}`))).toEqual(['gh', 'npmrc']);
});

it.skipIf(lacking !== undefined)(
  'that are not there leave nothing behind in a home that is worked in',
  async () => {
    rmSync(join(at.home, '.aws'), { recursive: true });
    await said('ls');
    expect(readdirSync(at.home)).not.toContain('.aws');
    expect(readdirSync(at.home)).not.toContain('.kube');
  },
);
