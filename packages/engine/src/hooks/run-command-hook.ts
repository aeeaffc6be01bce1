/** Command hooks: the event on stdin, the answer on stdout; exit code 2 blocks with the text on stderr. */

import { type ProcessGroup, spawnGroup } from '@turnwright/base/process/process-tree.ts';
import type { Clock } from '../protocol/ports.ts';
import type { CommandHookConfig } from '../protocol/tools/hook-config.ts';
import type { Isolate, Launch } from '../protocol/tools/isolation.ts';
import { boundHookText, detaches, readText, refusalIn, seemsToRefuse } from './read-text.ts';
import type { HookKindRunner, HookOutputSoFar, HookRun } from './registered-hook.ts';

interface CommandPorts {
  readonly cwd: string;
  /** The complete environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Isolation; default: it runs without. */
  readonly isolate?: Isolate | undefined;
}

/** Characters of each stream that are kept; further output is read and dropped. */
const MAX_OUTPUT_CHARS = 512 * 1024;
/** After its exit: ms for which its pipes are read while other processes hold them open. */
const DRAIN_MS = 250;
/** Between SIGTERM and SIGKILL, ms. */
const KILL_GRACE_MS = 500;
/** Default time limit of a hook that continues in the background, ms. */
const DETACHED_MS = 15_000;

/** Its whole process group ends with it, at its time limit and on abort (F99). */
export function runCommandHook(config: CommandHookConfig, given: CommandPorts): HookKindRunner {
  return async (input, { signal, said, traceparent }) => {
    const ports =
      traceparent === undefined ? given : { ...given, env: { ...given.env, TRACEPARENT: traceparent } };
    const text = `${JSON.stringify(input)}\n`;
    const first = follow(buildLaunch(config, config.shell ?? 'bash', ports), text, said, signal, ports);
    const started = await Promise.race([first.detached, first.end]);
    if (started.kind === 'detaching') {
      const rest = first.end.then((end) => outcome(end, said, input.hook_event_name));
      return { kind: 'detached', rest, timeoutMs: started.timeoutMs };
    }
    const noBash =
      config.args === undefined &&
      config.shell === undefined &&
      started.kind === 'not_started' &&
      started.code === 'ENOENT';
    if (!noBash) return outcome(started, said, input.hook_event_name);
    const second = follow(buildLaunch(config, 'sh', ports), text, said, signal, ports);
    return outcome(await second.end, said, input.hook_event_name);
  };
}

type End =
  | {
      readonly kind: 'exited';
      readonly code: number | null;
      readonly signal: string | null;
      complete: boolean;
    }
  | { readonly kind: 'not_started'; readonly code: string | undefined; readonly message: string };

function buildLaunch(config: CommandHookConfig, shell: string, { cwd, env }: CommandPorts): Launch {
  if (config.args !== undefined) {
    const [program = '', ...args] = [config.command, ...config.args].map((word) => withFolders(word, env));
    return { program, args, cwd, env };
  }
  return shell === 'powershell'
    ? { program: 'pwsh', args: ['-NoProfile', '-NonInteractive', '-Command', config.command], cwd, env }
    : // A pipe as stdin makes bash think that it was started over a network, and read ~/.bashrc.
      { program: shell, args: [...(shell === 'bash' ? ['--norc'] : []), '-c', config.command], cwd, env };
}

/** Without a shell, the two folder variables are substituted here. */
function withFolders(word: string, env: Readonly<Record<string, string>>): string {
  return word.replace(
    /\$\{?(CLAUDE_PLUGIN_ROOT|CLAUDE_PROJECT_DIR|TURNWRIGHT_PROJECT_DIR)\b\}?/g,
    (whole, name: string) => env[name] ?? whole,
  );
}

function follow(
  outside: Launch,
  input: string,
  said: HookOutputSoFar,
  signal: AbortSignal,
  { clock, isolate }: CommandPorts,
): { readonly end: Promise<End>; readonly detached: Promise<{ kind: 'detaching'; timeoutMs: number }> } {
  let complete = true;
  let detach = (_: { kind: 'detaching'; timeoutMs: number }) => {};
  const detached = new Promise<{ kind: 'detaching'; timeoutMs: number }>((resolve) => {
    detach = resolve;
  });
  const keep = (stream: 'stdout' | 'stderr') => (chunk: string) => {
    const room = MAX_OUTPUT_CHARS - said[stream].length;
    if (chunk.length > room) complete = false;
    if (room > 0) said[stream] += chunk.slice(0, room);
    const leave = stream === 'stdout' ? detaches(said.stdout) : undefined;
    if (leave !== undefined) detach({ kind: 'detaching', timeoutMs: leave.timeoutMs ?? DETACHED_MS });
  };
  const runToEnd = async ({ program, args, cwd, env, descriptors }: Launch): Promise<End> => {
    const group = spawnGroup(program, args, { cwd, env, stdin: 'pipe', descriptors });
    group.stdout?.setEncoding('utf8').on('data', keep('stdout'));
    group.stderr?.setEncoding('utf8').on('data', keep('stderr'));
    // A hook that does not read its input closes the pipe.
    group.stdin?.on('error', () => undefined);
    group.stdin?.end(input);
    const onAbort = () => void group.end(KILL_GRACE_MS);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    try {
      const ended = await group.ended;
      await drained(group, clock);
      await group.end(KILL_GRACE_MS);
      return ended.kind === 'exited'
        ? { kind: 'exited', code: ended.code, signal: ended.signal, complete }
        : { kind: 'not_started', code: ended.error.code, message: ended.error.message };
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  };
  const runIsolated = async (into: Isolate): Promise<End> => {
    let launch: Launch;
    try {
      launch = await into(outside);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      return { kind: 'not_started', code, message };
    }
    return runToEnd(launch).finally(launch.release);
  };
  return { end: isolate === undefined ? runToEnd(outside) : runIsolated(isolate), detached };
}

/** Background processes of the hook may keep the pipes open: these are not waited for. */
async function drained({ stdout, stderr }: ProcessGroup, clock: Clock): Promise<void> {
  const open = [stdout, stderr].filter((stream) => stream !== undefined && !stream.closed);
  if (open.length === 0) return;
  const closed = Promise.all(open.map((stream) => new Promise((resolve) => stream?.once('close', resolve))));
  let cancel = () => {};
  const late = new Promise<void>((resolve) => {
    cancel = clock.timer(DRAIN_MS, resolve);
  });
  await Promise.race([closed, late]);
  cancel();
  for (const stream of open) stream?.destroy();
}

/**
 * A shell reports 126 and 127 for a command that could not be started, 128 and above for one that was killed
 * by a signal.
 */
function outcome(end: End, { stdout, stderr }: HookOutputSoFar, event: HookInputEvent): HookRun {
  if (end.kind === 'not_started')
    return { kind: 'failed', problem: `it could not be started: ${end.message}` };
  const { code } = end;
  if (code === null) return { kind: 'failed', problem: `it was killed by ${end.signal ?? 'a signal'}.` };
  const complaint = boundHookText(stderr.trim());
  const because = complaint === '' ? '' : `: ${complaint}`;
  if (code === 0) {
    const rest = detaches(stdout) === undefined ? stdout : stdout.slice(stdout.indexOf('\n') + 1);
    return { ...readText(rest, event, end.complete), exitCode: 0 } as HookRun;
  }
  // A refusal that is printed is meant, whatever the exit code.
  const refusal = code < 126 && code !== 2 ? refusalIn(stdout) : undefined;
  if (refusal !== undefined) return { kind: 'answer', answer: refusal, exitCode: code };
  if (code === 2) return { kind: 'blocked', reason: complaint, exitCode: 2 };
  if (code === 126 || code === 127)
    return { kind: 'failed', problem: `it could not be run (exit code ${code})${because}`, exitCode: code };
  if (code > 128)
    return { kind: 'failed', problem: `it was killed by signal ${code - 128}${because}`, exitCode: code };
  if (seemsToRefuse(stdout))
    return {
      kind: 'failed',
      problem: `its output seems to refuse, and cannot be read (exit code ${code})${because}`,
      exitCode: code,
    };
  return { kind: 'complained', problem: `exit code ${code}${because}`, exitCode: code };
}

type HookInputEvent = Parameters<HookKindRunner>[0]['hook_event_name'];
