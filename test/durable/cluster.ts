/** A Postgres of its own: a new data folder, a socket in a temporary folder, no network, fsync on. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Cluster {
  readonly socketFolder: string;
  readonly dataFolder: string;
  /** Runs a program of Postgres as the user who owns the cluster; throws with its stderr. */
  program(name: string, args: readonly string[]): void;
  stop(): void;
}

/** Throws with a sentence that says how to get Postgres where it is missing. */
export function startCluster(options: { readonly settings?: readonly string[] } = {}): Cluster {
  const programs = programFolder();
  const folder = mkdtempSync(join(tmpdir(), 'pg-'));
  const dataFolder = join(folder, 'data');
  // initdb and postgres refuse to run as root.
  const owner = process.getuid?.() === 0 ? ownerOf('postgres') : undefined;
  if (owner !== undefined) {
    chmodSync(folder, 0o755);
    chownSync(folder, owner.uid, owner.gid);
  }
  const program = (name: string, args: readonly string[]) => {
    const ran = spawnSync(join(programs, name), args, {
      cwd: folder,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      ...owner,
    });
    if (ran.status !== 0) throw new Error(`${name} failed: ${ran.stderr || ran.error}`);
  };
  program('initdb', ['-D', dataFolder, '-U', 'turnwright', '-A', 'trust', '-E', 'UTF8', '--no-sync']);
  const settings = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=on',
    'max_connections=200',
  ];
  const flags = [...settings, ...(options.settings ?? [])].map((setting) => `-c ${setting}`).join(' ');
  program('pg_ctl', ['-D', dataFolder, '-w', '-l', join(folder, 'log'), '-o', flags, 'start']);
  return {
    socketFolder: folder,
    dataFolder,
    program,
    stop() {
      program('pg_ctl', ['-D', dataFolder, '-m', 'immediate', '-w', 'stop']);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** URL of a new, empty database in the cluster of this test run. */
export function newDatabase(socketFolder = process.env['TURNWRIGHT_TEST_CLUSTER'] ?? ''): string {
  const name = `t${randomUUID().replaceAll('-', '')}`;
  execFileSync(join(programFolder(), 'createdb'), ['-h', socketFolder, '-U', 'turnwright', name]);
  return `postgresql://turnwright@localhost/${name}?host=${socketFolder}`;
}

/** Debian keeps the server's programs out of the path, in a folder for each version. */
function programFolder(): string {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number).filter(Number.isInteger) : [];
  const found = versions
    .toSorted((a, b) => b - a)
    .map((version) => join(root, String(version), 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));
  if (found === undefined)
    throw new Error(
      'These tests start a Postgres, which is not installed: sudo apt-get install -y postgresql',
    );
  return found;
}

function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
