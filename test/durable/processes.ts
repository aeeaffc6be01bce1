/** Workers as processes of their own, which tests kill, stop and continue. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Database, openDatabase, prepareDatabase } from '@turnwright/durable';
import { buildSync } from 'esbuild';
import { onTestFinished } from 'vitest';
import { OTHER_PACKAGES } from '../other-packages.ts';
import { newDatabase } from './cluster.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/**
 * A program as JavaScript, below the package's folder so that its dependencies are found. `from`: the clone whose
 * sources it is made of.
 */
export function built(source: string, from = root): string {
  const outfile = join(
    root,
    'node_modules/.cache/turnwright',
    `${basename(source, '.ts')}-${basename(from)}-${process.pid}.mjs`,
  );
  if (!existsSync(outfile)) {
    buildSync({
      entryPoints: [join(from, source)],
      outfile,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'esm',
      external: OTHER_PACKAGES,
      define: { __TURNWRIGHT_VERSION__: '"0.0.0"' },
      logLevel: 'error',
    });
  }
  return outfile;
}

export interface WorkerProcess {
  readonly child: ChildProcess;
  /** Its id among the workers. */
  readonly id: string;
  readonly stderr: () => string;
  readonly stdout: () => string;
  readonly exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
}

export interface Fleet {
  readonly url: string;
  readonly database: Database;
  readonly folder: string;
  /** Resolves when the worker takes runs. `from`: the clone of which it is, if another one. */
  start(program: string, env?: Readonly<Record<string, string>>, from?: string): Promise<WorkerProcess>;
  /** Lines of the ledger: ms, pid, session, what, and details. */
  ledger(): readonly LedgerLine[];
  /** Kills all workers. */
  end(): void;
}

export interface LedgerLine {
  readonly ms: number;
  readonly pid: number;
  readonly sessionId: string;
  readonly what: string;
  readonly details: readonly string[];
}

/**
 * A new database with its tables, and the workers on it, which end with the test. `onFinished`: of the test's own
 * context, for tests that run side by side.
 */
export async function startFleet(
  url = newDatabase(),
  onFinished = onTestFinished,
  prepare: (url: string) => Promise<unknown> = prepareDatabase,
): Promise<Fleet> {
  await prepare(url);
  const database = await openDatabase({ url });
  const folder = mkdtempSync(join(tmpdir(), 'fleet-'));
  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, '');
  const workers: Pick<WorkerProcess, 'child' | 'exited'>[] = [];
  const end = () => {
    for (const { child } of workers) child.kill('SIGKILL');
  };
  onFinished(async () => {
    end();
    await Promise.all(workers.map(({ exited }) => exited));
    await database.close();
  });
  return {
    url,
    database,
    folder,
    end,
    async start(program, env = {}, from = root) {
      // The package before this one is from before the workspaces.
      const folders = ['packages/durable/test/programs', 'test/durable/programs'];
      const source = join(folders.find((each) => existsSync(join(from, each))) ?? '', program);
      const child = spawn(process.execPath, ['--expose-gc', built(source, from)], {
        env: { PATH: process.env['PATH'], DB: url, LEDGER: ledger, HOME_FOLDER: folder, ...env },
        cwd: folder,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let stderr = '';
      let stdout = '';
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
      workers.push({ child, exited });
      const id = await new Promise<string>((resolve, reject) => {
        child.stdout.on('data', (chunk) => {
          stdout += chunk;
          const ready = /^ready (\S+)$/m.exec(stdout);
          if (ready !== null) resolve(ready[1] as string);
        });
        void exited.then((code) => reject(new Error(`A worker ended with ${code}: ${stderr}`)));
      });
      const started = {
        child,
        id,
        exited,
        stderr: () => stderr,
        stdout: () => stdout,
        signal: (name: NodeJS.Signals) => void child.kill(name),
      };
      return started;
    },
    ledger: () =>
      readFileSync(ledger, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => {
          const [ms, pid, sessionId = '', what = '', ...details] = line.split(' ');
          return { ms: Number(ms), pid: Number(pid), sessionId, what, details };
        }),
  };
}

/** Looks until it is true; rejects after `limitMs` with what `describe` says. */
export async function eventually(
  holds: () => Promise<boolean> | boolean,
  { limitMs = 120_000, describe }: { limitMs?: number; describe?: () => unknown } = {},
): Promise<void> {
  const end = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`It did not happen: ${JSON.stringify(await describe?.())}`);
    await sleep(50);
  }
}

/** Figures are reported, not judged: they depend on what else the machine does. */
export const report = (figures: object): void => console.info(JSON.stringify(figures));
