/** A Postgres of its own: a new data folder, a socket in a temporary folder, no network, fsync on. */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Cluster {
  readonly socketFolder: string;
  readonly dataFolder: string;
  /** Runs a program of Postgres as the user who owns the cluster; throws with its stderr. */
  program(name: string, args: readonly string[]): void;
  /** Ends the server without a goodbye to anyone, as a crash does. Its data stay. */
  crash(): void;
  /** Starts it again after a crash; returns when it accepts connections. */
  restart(): void;
  /** Ends the server, and removes its data. */
  stop(): void;
}

/** A copy of a cluster that has every commit before the primary reports it. */
export interface Standby extends Cluster {
  /** Makes it the primary; returns when it accepts writes. */
  promote(): void;
}

/** Throws with a sentence that says how to get Postgres where it is missing. */
export function startCluster(options: { readonly settings?: readonly string[] } = {}): Cluster {
  const { cluster, dataFolder } = newCluster(options.settings ?? []);
  cluster.program('initdb', [
    ...['-D', dataFolder, '-U', 'turnwright', '-A', 'trust'],
    ...['-E', 'UTF8', '--no-sync'],
  ]);
  cluster.restart();
  return cluster;
}

/** From now on the primary waits with each commit until the standby has written it. */
export function startStandby(primary: Cluster): Standby {
  const { cluster, dataFolder } = newCluster([]);
  const { socketFolder } = primary;
  cluster.program('pg_basebackup', [
    ...['-h', socketFolder, '-U', 'turnwright', '-D', dataFolder],
    ...['--write-recovery-conf', '--checkpoint=fast', '--no-sync'],
  ]);
  cluster.restart();
  const query = (text: string) =>
    cluster.program('psql', ['-h', socketFolder, '-U', 'turnwright', '-d', 'postgres', '-c', text]);
  query("alter system set synchronous_standby_names = '*'");
  query('select pg_reload_conf()');
  return {
    ...cluster,
    promote: () => cluster.program('pg_ctl', ['-D', dataFolder, '-w', 'promote']),
  };
}

/** An address that can be moved from one cluster to another: what a name in the DNS is in a network. */
export interface MovableAddress {
  /** In place of a socket folder. */
  readonly socketFolder: string;
  pointTo(cluster: Cluster): void;
  remove(): void;
}

export function movableAddress(cluster: Cluster): MovableAddress {
  const folder = mkdtempSync(join(tmpdir(), 'pg-at-'));
  const socketFolder = join(folder, 'current');
  const pointTo = ({ socketFolder: target }: Cluster) => {
    symlinkSync(target, `${socketFolder}.new`);
    renameSync(`${socketFolder}.new`, socketFolder);
  };
  pointTo(cluster);
  return { socketFolder, pointTo, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Folders of a cluster, without data. */
function newCluster(settings: readonly string[]): { cluster: Cluster; dataFolder: string } {
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
      // A server that pg_ctl starts keeps what it inherits.
      stdio: ['ignore', 'ignore', 'pipe'],
      ...owner,
    });
    if (ran.status !== 0) throw new Error(`${name} failed: ${ran.stderr || ran.error}`);
  };
  const flags = [
    'listen_addresses=',
    `unix_socket_directories=${folder}`,
    'fsync=on',
    'max_connections=200',
    ...settings,
  ];
  const options = flags.map((setting) => `-c ${setting}`).join(' ');
  const crash = () => program('pg_ctl', ['-D', dataFolder, '-m', 'immediate', '-w', 'stop']);
  const cluster: Cluster = {
    socketFolder: folder,
    dataFolder,
    program,
    crash,
    restart: () =>
      program('pg_ctl', ['-D', dataFolder, '-w', '-l', join(folder, 'log'), '-o', options, 'start']),
    stop() {
      if (existsSync(join(dataFolder, 'postmaster.pid'))) crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return { cluster, dataFolder };
}

/** URL of a new, empty database in the cluster of this test run. */
export function newDatabase(socketFolder = process.env['TURNWRIGHT_TEST_CLUSTER'] ?? ''): string {
  const name = `t${randomUUID().replaceAll('-', '')}`;
  execFileSync(join(programFolder(), 'createdb'), ['-h', socketFolder, '-U', 'turnwright', name]);
  return `postgresql://turnwright@localhost/${name}?host=${socketFolder}`;
}

/** Debian keeps the server's programs out of the path, in a folder for each version. */
export function programFolder(): string {
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

export function ownerOf(user: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, user], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
