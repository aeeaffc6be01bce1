/** Commands that outlive their call: started in the background, or moved there (L6). */

import { shellOn } from '@turnwright/base/process/shell-program.ts';
import { terminalText } from '@turnwright/base/process/terminal-text.ts';
import { takeEnd } from '@turnwright/base/text/cut-text.ts';
import type { TaskEnd, TaskHandle, TaskStart } from '../../../protocol/tools/task.ts';
import type { ToolContext, ToolOutput } from '../../../protocol/tools/tool.ts';
import type { BashInput, BashSettings } from './bash-options.ts';
import { type BashOutput, trimmed } from './bash-report.ts';
import { BoundedOutput, type CollectedOutput } from './bounded-output.ts';
import { findIsolation } from './isolation-of.ts';
import { type RunningShell, type ShellEnd, startShellCommand } from './shell-command.ts';

/** Characters of the end of its output in the notification of its end. */
const RESULT_CHARS = 1500;
/** Between SIGTERM and SIGKILL when the model or the user stops it. At the session's end it is less (L1). */
const STOP_GRACE_MS = 500;

/** The entry of a command in the task table. */
export function shellTask(
  { command, description }: BashInput,
  { toolUseId, agentId }: ToolContext,
  shell: () => RunningShell | undefined,
): Omit<TaskStart, 'inBackground'> {
  return {
    kind: 'shell',
    description: description ?? command,
    command,
    toolUseId,
    parentTaskId: agentId,
    async stop(by) {
      shell()?.stop('abort', by === 'session' ? undefined : STOP_GRACE_MS);
      await shell()?.ended;
    },
  };
}

export async function runInBackground(
  input: BashInput,
  context: ToolContext,
  settings: BashSettings,
): Promise<ToolOutput<BashOutput>> {
  const { tasks, files, cwd, env } = context;
  if (tasks === undefined) throw new Error('Nothing can run in the background here.');
  await context.delivered?.();
  const { backgroundLifetimeMs, maxBackgroundLifetimeMs, maxOutputChars: maxChars, maxSpillBytes } = settings;
  let shell: RunningShell | undefined;
  const task = await tasks.register({
    ...shellTask(input, context, () => shell),
    inBackground: true,
    lifetimeMs: Math.min(input.timeout ?? backgroundLifetimeMs, maxBackgroundLifetimeMs),
  });
  const output = new BoundedOutput({
    files,
    spillFile: async () => task.outputFile,
    maxChars,
    maxSpillBytes,
  });
  await output.toFile(task.outputFile);
  const isolation = await findIsolation(input, context);
  // It was not stopped before it began.
  if (tasks.get(task.taskId)?.status === 'running') {
    shell = startShellCommand({
      command: input.command,
      shell: shellOn(settings.path ?? env['PATH']),
      cwd,
      env,
      ...settings,
      output,
      isolate: isolation?.isolate,
    });
    shell.guard();
    void follow(shell, output, task);
  }
  return {
    data: { ...NOTHING_YET, backgroundTaskId: task.taskId },
    isError: false,
    ...(isolation !== undefined && { ranIn: isolation.place }),
    content: `The command runs in the background as task ${task.taskId}. Its output goes to ${task.outputFile}. You will be told when it ends.`,
  };
}

/** False when it must stay in the foreground: the change could not be recorded, or too much is there. */
export async function goOnInBackground(
  shell: RunningShell,
  output: BoundedOutput,
  task: TaskHandle,
  { backgroundLifetimeMs }: BashSettings,
): Promise<boolean> {
  try {
    await task.background({ lifetimeMs: backgroundLifetimeMs, outputFile: output.path });
  } catch {
    return false;
  }
  await output.toFile(task.outputFile);
  void follow(shell, output, task);
  return true;
}

export function movedOutput(
  task: TaskHandle,
  output: BoundedOutput,
  why: 'host' | 'timeout',
  timeoutMs: number,
): ToolOutput<BashOutput> {
  const sentence =
    why === 'timeout'
      ? `The command has not ended within its time limit of ${timeoutMs} ms. It goes on`
      : 'The user moved the command to the background. It goes on';
  const soFar = trimmed(output.tail);
  const text = trimmed(terminalText(output.tail));
  return {
    data: {
      ...NOTHING_YET,
      stdout: soFar,
      backgroundTaskId: task.taskId,
      ...(why === 'timeout' ? { timedOutAfterMs: timeoutMs } : { backgroundedByUser: true }),
    },
    isError: false,
    content: [
      `${sentence} in the background as task ${task.taskId}; its output goes to ${task.outputFile}. You will be told when it ends.`,
      ...(text === '' ? [] : ['The end of its output so far:', text]),
    ].join('\n'),
  };
}

const NOTHING_YET: BashOutput = {
  stdout: '',
  stderr: '',
  interrupted: false,
  isImage: false,
  noOutputExpected: false,
};

/** Neither call nor turn waits for this; it never rejects. */
async function follow(shell: RunningShell, output: BoundedOutput, task: TaskHandle): Promise<void> {
  const end = await shell.ended;
  await task.finish(toTaskEnd(task, end, await output.finish()));
}

function toTaskEnd(
  { description }: TaskHandle,
  { end, leftovers }: ShellEnd,
  { tail }: CollectedOutput,
): TaskEnd {
  const which = `Background command "${description}"`;
  if (end.kind === 'not_started')
    return { status: 'failed', summary: `${which} could not be started: ${end.error.message}` };
  const how =
    end.code === null
      ? `was ended by ${end.signal}`
      : end.code === 0
        ? 'completed (exit code 0)'
        : `failed with exit code ${end.code}`;
  const note = leftovers ? '; processes it had left behind were stopped' : '';
  return {
    status: end.code === 0 ? 'completed' : 'failed',
    summary: `${which} ${how}${note}`,
    result: trimmed(takeEnd(terminalText(tail), RESULT_CHARS)),
  };
}
