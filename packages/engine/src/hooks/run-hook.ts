/**
 * One run of one hook: limited in time, its answer validated, and its run emitted if the hook is announced.
 */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { SystemBody } from '../protocol/model/messages.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import type { HookCall } from '../protocol/tools/hook.ts';
import { formatHookName } from './compile-matcher.ts';
import { failedHook, type HookOutcome } from './fold-outcomes.ts';
import { readHookOutput } from './read-hook-output.ts';
import type { HookInput, HookOutputSoFar, HookRun, RegisteredHook } from './registered-hook.ts';

export interface RunPorts {
  readonly clock: Clock;
  readonly ids: Ids;
  /** Emits a message immediately. */
  readonly show: (body: SystemBody) => void;
  /** Emits runs of every announced hook, not only those of SessionStart. */
  readonly showAll: boolean;
  /** Registers a hook that continues after its event. `signal` is the session's. */
  readonly detach: (hook: RegisteredHook, rest: (signal: AbortSignal) => Promise<HookOutcome>) => void;
  /** Ends running hooks with the session. */
  readonly session: AbortSignal;
  /** Registers work that takes a moment to end: a process that is being killed. */
  readonly hold: (work: Promise<unknown>) => void;
}

export interface RunRequest {
  readonly hook: RegisteredHook;
  readonly call: HookCall;
  readonly input: () => HookInput;
  readonly signal: AbortSignal;
  readonly toolUseId: string | undefined;
  /** Value that the matchers were compared with. */
  readonly subject: string | undefined;
  /** Of its span (W3C). Absent, and undefined: it has none. */
  readonly traceparent?: string | undefined;
}

const PROGRESS_MS = 1_000;

/** Never rejects. Returns at the time limit or on abort at the latest. */
export async function runHook(request: RunRequest, ports: RunPorts): Promise<HookOutcome> {
  const { hook, signal } = request;
  const { event, name } = hook;
  if (signal.aborted) return { kind: 'aborted', name };
  const said: HookOutputSoFar = { stdout: '', stderr: '' };
  const shown = showing(request, said, ports);
  const running = new AbortController();
  const onAbort = () => running.abort(signal.reason);
  const onOver = () => running.abort(ports.session.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  ports.session.addEventListener('abort', onOver, { once: true });
  let leavesBehind = false;

  const judge = (run: HookRun): HookOutcome => {
    switch (run.kind) {
      case 'answer': {
        const reading = readHookOutput(run.answer, event);
        if (!reading.ok) return failedHook(hook, `its answer was rejected: ${reading.problem}`);
        if (reading.output.suppressOutput === true) said.stdout = '';
        return { kind: 'answered', name, output: reading.output };
      }
      case 'blocked':
        return { kind: 'blocked', name, reason: run.reason };
      case 'complained':
        return { kind: 'complained', name, problem: run.problem };
      case 'failed':
        return failedHook(hook, run.problem);
      case 'detached':
        leavesBehind = true;
        ports.detach(hook, (session) =>
          limited(run.rest.then(judge), hook, run.timeoutMs, running, session, ports.clock),
        );
        return { kind: 'answered', name, output: {} };
    }
  };
  const answered = async (): Promise<HookOutcome> => {
    try {
      // Without a tool call, a generated id: clients expect one.
      const { toolUseId = ports.ids.uuid() } = request;
      const run = await hook.run(request.input(), {
        signal: running.signal,
        toolUseId,
        said,
        traceparent: request.traceparent,
      });
      shown.exitCode = 'exitCode' in run ? run.exitCode : undefined;
      return judge(run);
    } catch (error) {
      return failedHook(hook, `it threw: ${errorText(error)}`);
    }
  };
  try {
    const work = answered();
    if (hook.announced === true) ports.hold(work);
    const outcome = await Promise.race([work, cutOff(hook, hook.timeoutMs, running.signal, ports.clock)]);
    // A hook that throws because of an abort did not fail.
    const settled: HookOutcome =
      signal.aborted && outcome.kind === 'failed' ? { kind: 'aborted', name } : outcome;
    shown.end(settled);
    return settled;
  } finally {
    signal.removeEventListener('abort', onAbort);
    ports.session.removeEventListener('abort', onOver);
    if (!leavesBehind) running.abort('settled');
  }
}

/**
 * The rest of a hook that continues in the background: it has a time limit of its own, and ends with the
 * session.
 */
async function limited(
  rest: Promise<HookOutcome>,
  hook: RegisteredHook,
  timeoutMs: number,
  running: AbortController,
  session: AbortSignal,
  clock: Clock,
): Promise<HookOutcome> {
  const onAbort = () => running.abort(session.reason);
  session.addEventListener('abort', onAbort, { once: true });
  if (session.aborted) onAbort();
  const broke = (error: unknown) => failedHook(hook, errorText(error));
  try {
    return await Promise.race([rest.catch(broke), cutOff(hook, timeoutMs, running.signal, clock)]);
  } finally {
    session.removeEventListener('abort', onAbort);
    running.abort('settled');
  }
}

/** Ends at the time limit, or with an abort that the hook ignores. */
async function cutOff(
  hook: RegisteredHook,
  timeoutMs: number,
  running: AbortSignal,
  clock: Clock,
): Promise<HookOutcome> {
  try {
    await clock.sleep(timeoutMs, running);
    return failedHook(hook, `it did not answer within ${timeoutMs / 1000} s.`);
  } catch {
    return { kind: 'aborted', name: hook.name };
  }
}

interface Shown {
  exitCode: number | undefined;
  end(outcome: HookOutcome): void;
}

/** Runs of SessionStart are always emitted: a consumer waits for them first. */
function showing({ hook, subject }: RunRequest, said: HookOutputSoFar, ports: RunPorts): Shown {
  const { event, statusMessage } = hook;
  const hook_id = ports.ids.uuid();
  if (statusMessage !== undefined)
    ports.show({ subtype: 'notification', key: `hook-${hook_id}`, text: statusMessage, priority: 'low' });
  if (hook.announced !== true || !(ports.showAll || event === 'SessionStart'))
    return { exitCode: undefined, end: () => undefined };

  const about = {
    hook_id,
    hook_name: formatHookName(event, subject),
    hook_event: event,
  };
  const output = () => ({ stdout: said.stdout, stderr: said.stderr, output: said.stdout + said.stderr });
  ports.show({ subtype: 'hook_started', ...about });
  let told = 0;
  let cancel = () => {};
  const arm = () => {
    cancel = ports.clock.timer(PROGRESS_MS, () => {
      const length = said.stdout.length + said.stderr.length;
      if (length > told) ports.show({ subtype: 'hook_progress', ...about, ...output() });
      told = length;
      arm();
    });
  };
  arm();
  const shown: Shown = {
    exitCode: undefined,
    end(outcome) {
      cancel();
      const { exitCode } = shown;
      ports.show({
        subtype: 'hook_response',
        ...about,
        ...output(),
        ...(exitCode !== undefined && { exit_code: exitCode }),
        outcome: outcome.kind === 'answered' ? 'success' : outcome.kind === 'aborted' ? 'cancelled' : 'error',
      });
    },
  };
  return shown;
}
