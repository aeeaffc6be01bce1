/** What real shells do with command lines: which programs they run, with which arguments, and which files they make. */
import { spawn } from 'node:child_process';
import { accessSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROGRAMS } from './hostile-lines.ts';

export interface Outcome {
  /** Each program that ran, with its arguments. */
  readonly ran: readonly (readonly string[])[];
  /** The names of the files that are there now and were not before. */
  readonly made: readonly string[];
}

const TOOLS = ['bash', 'dash', 'env', 'xargs', 'nohup', 'nice', 'timeout', 'cat', 'find', 'rm'];

const pathOf = (name: string): string | undefined =>
  ['/bin', '/usr/bin']
    .map((folder) => `${folder}/${name}`)
    .find((file) => {
      try {
        accessSync(file);
        return true;
      } catch {
        return false;
      }
    });

/** Whether the machine has the shells to compare with. */
export const hasShells = ['bash', 'dash', 'xargs', 'find'].every((name) => pathOf(name) !== undefined);

/** Each line in a shell, a folder and a log of its own. What still runs after a while is ended. */
const RUNNER = `
i=0
while [ $i -lt $N ]; do
  i=$((i+1))
  cd "$ROOT/work/$i" || exit 1
  LOG=$ROOT/logs/$i
  export LOG
  timeout -s KILL $LIMIT "$SHELL_UNDER_TEST" "$ROOT/lines/$i" </dev/null >/dev/null 2>&1
done
`;

/** What is there before. */
const FILES = ['f1', 'f2', 'd/f3'];

/** For what lines left in the background. */
const SETTLE_MS = 100;

export async function runInShell(
  shell: 'bash' | 'dash',
  lines: readonly string[],
  {
    programs = PROGRAMS,
    seconds = 1,
    files = FILES,
  }: {
    readonly programs?: readonly string[];
    /** What still runs after these is ended. */
    readonly seconds?: number;
    readonly files?: readonly string[];
  } = {},
): Promise<readonly Outcome[]> {
  const root = await mkdtemp(join(tmpdir(), 'turnwright-shells-'));
  try {
    const bin = join(root, 'bin');
    for (const folder of ['bin', 'lines', 'logs']) await mkdir(join(root, folder), { recursive: true });
    for (const name of TOOLS.filter((tool) => !programs.includes(tool)))
      await symlink(pathOf(name) ?? '/bin/false', join(bin, name));
    await symlink(pathOf('dash') ?? '/bin/sh', join(bin, 'sh'));
    const dash = pathOf('dash') ?? '/bin/sh';
    for (const name of programs) {
      const code = name === 'omega' ? 1 : 0;
      const note = `m="${name}"; for a; do m="$m␟$a"; done; printf '%s␞\\n' "$m" >> "$LOG"`;
      await writeFile(join(bin, name), `#!${dash}\n${note}\nexit ${code}\n`);
      await chmod(join(bin, name), 0o755);
    }
    await Promise.all(
      lines.map(async (line, i) => {
        await mkdir(join(root, 'work', String(i + 1), 'd'), { recursive: true });
        for (const file of files) await writeFile(join(root, 'work', String(i + 1), file), 'x\n');
        await writeFile(join(root, 'lines', String(i + 1)), line);
      }),
    );
    await writeFile(join(root, 'runner'), RUNNER);
    const env = {
      PATH: bin,
      ROOT: root,
      N: String(lines.length),
      LC_ALL: 'C.UTF-8',
      LIMIT: String(seconds),
      SHELL_UNDER_TEST: pathOf(shell) ?? shell,
    };
    await new Promise<void>((done, failed) => {
      const child = spawn(pathOf(shell) ?? shell, [join(root, 'runner')], {
        env,
        stdio: 'ignore',
        detached: true,
      });
      child.on('error', failed);
      child.on('exit', () => done());
    });
    await new Promise((done) => setTimeout(done, SETTLE_MS));
    return await Promise.all(
      lines.map(async (_, i) => ({
        ran: programsIn(await readFile(join(root, 'logs', String(i + 1)), 'utf8').catch(() => '')),
        made: (await readdir(join(root, 'work', String(i + 1)), { recursive: true })).filter(
          (name) => name !== 'd' && !files.includes(name),
        ),
      })),
    );
  } finally {
    await endLeftovers(root);
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }
}

/**
 * A loop that a line left behind would run for ever. Its words name the line's file, or, where it is a shell that reads
 * a pipe, its environment or its folder does.
 */
async function endLeftovers(root: string): Promise<void> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    const about = await Promise.all([
      ...['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8').catch(() => '')),
      readlink(`/proc/${pid}/cwd`).catch(() => ''),
    ]);
    if (!about.some((text) => text.includes(root))) continue;
    try {
      process.kill(Number(pid), 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
}

function programsIn(log: string): readonly (readonly string[])[] {
  return log
    .split('␞\n')
    .filter((note) => note !== '')
    .map((note) => note.split('␟'));
}
