import { createResolvable, type Resolvable } from '@turnwright/base/async/promises.ts';
import { systemClock } from '@turnwright/base/clock.ts';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { shellOn } from '@turnwright/base/process/shell-program.ts';
import type { JsonSchema } from '../../../protocol/json.ts';
import type { Tool, ToolContext, ToolOutput, ToolProgress } from '../../../protocol/tools/tool.ts';
import { createParser } from '../../schema/from-json-schema.ts';
import { goOnInBackground, movedOutput, runInBackground, shellTask } from './bash-background.ts';
import type { BashInput, BashOptions, BashSettings } from './bash-options.ts';
import { type BashOutput, renderBashOutput, report } from './bash-report.ts';
import { BoundedOutput } from './bounded-output.ts';
import { findIsolation } from './isolation-of.ts';
import { type RunningShell, startShellCommand } from './shell-command.ts';

const HEADLINE_CHARS = 500;

/** A command that does not depend on the folder in which it starts. */
const CD_TO_ABSOLUTE = /^\s*cd\s+(?:--\s+)?(?:["']?\/|"?\$(?:HOME\b|\{HOME\})|~(?:[/;&\s]|$))/;

const properties = {
  command: { type: 'string', minLength: 1, description: 'The command to run.' },
  timeout: {
    type: 'number',
    exclusiveMinimum: 0,
    description: 'Milliseconds the command may take.',
  },
  description: { type: 'string', description: 'What the command does, in five to ten words.' },
};

const schema = { type: 'object', properties, required: ['command'], additionalProperties: false };

const background = {
  run_in_background: {
    type: 'boolean',
    description: 'Return at once and let the command run on; you are told when it ends.',
  },
};

const leaving = {
  dangerouslyDisableSandbox: {
    type: 'boolean',
    description:
      'Run outside of the sandbox. Only for a command that has failed because of it; the user may be asked.',
  },
};

const schemaWith = (more: object): JsonSchema => ({
  ...schema,
  properties: { ...properties, ...more },
});

/** Sessions share them, and with them their JSON, its estimate and its parser. */
const PLAIN = schemaWith({});
const WITH_BACKGROUND = schemaWith(background);
const WITH_LEAVING = schemaWith(leaving);
const WITH_BOTH = schemaWith({ ...background, ...leaving });

/**
 * The schema for the model. Whether a call may leave the sandbox is checked later, so that the refusal says
 * why.
 */
function pickSchema(settings: BashSettings, shown: boolean): JsonSchema {
  const leaves = !shown || settings.sandbox?.mayLeave === true;
  if (settings.background) return leaves ? WITH_BOTH : WITH_BACKGROUND;
  return leaves ? WITH_LEAVING : PLAIN;
}

export function createBashTool(options: BashOptions = {}): Tool<BashInput, BashOutput> {
  const settings: BashSettings = {
    defaultTimeoutMs: options.defaultTimeoutMs ?? 120_000,
    maxTimeoutMs: options.maxTimeoutMs ?? 600_000,
    background: options.background ?? true,
    backgroundLifetimeMs: options.backgroundLifetimeMs ?? 1_800_000,
    maxBackgroundLifetimeMs: options.maxBackgroundLifetimeMs ?? 7_200_000,
    maxOutputChars: options.maxOutputChars ?? 30_000,
    maxSpillBytes: options.maxSpillBytes ?? 256 * 1024 * 1024,
    drainMs: options.drainMs ?? 250,
    killGraceMs: options.killGraceMs ?? 500,
    progressMs: options.progressMs ?? 1000,
    clock: options.clock ?? systemClock,
    path: options.path,
    sandbox: options.sandbox,
  };
  const parse = createParser<BashInput>(pickSchema(settings, false));
  /** Loaded by the first command, as what judges it is: where it cannot be, none runs beside others. */
  let readsBySight: ((command: string) => boolean) | undefined;
  const loadSight = lazily(async () => {
    const loaded = await import('../../../shell/programs/readers/reads-by-sight.ts').catch(() => undefined);
    readsBySight = loaded?.readsBySight ?? (() => false);
  });
  return {
    name: 'Bash',
    inputJsonSchema: pickSchema(settings, true),
    description: () => describe(settings),
    parse: (input) => (readsBySight === undefined ? loadSight().then(() => parse(input)) : parse(input)),
    isConcurrencySafe: ({ command, run_in_background }) =>
      run_in_background !== true && readsBySight?.(command) === true,
    isReadOnly: () => false,
    async validateInput(
      { command, run_in_background, dangerouslyDisableSandbox },
      { tasks, sandbox, lostFolder },
    ) {
      if (lostFolder !== undefined && !CD_TO_ABSOLUTE.test(command) && readsBySight?.(command) !== true)
        return {
          ok: false,
          message: `${lostFolder} The command did not run, because it was written for the former one. Call it again if it is meant for the folder of now, or let it begin with cd and an absolute path.`,
        };
      if (run_in_background === true && tasks === undefined)
        return {
          ok: false,
          message: 'Nothing can run in the background here. Call it without run_in_background.',
        };
      return dangerouslyDisableSandbox === true && sandbox?.mayLeave === false
        ? {
            ok: false,
            message:
              'Commands may not leave the sandbox here (allowUnsandboxedCommands is false). Call it without dangerouslyDisableSandbox.',
          }
        : { ok: true };
    },
    permissionTarget: ({ command, dangerouslyDisableSandbox }) => ({
      kind: 'command',
      command,
      language: settings.path === undefined ? 'bash' : shellOn(settings.path),
      ...(dangerouslyDisableSandbox === true && { leavesSandbox: true }),
    }),
    // It limits itself; a headline may precede the output.
    maxResultChars: settings.maxOutputChars + HEADLINE_CHARS,
    microcompactable: true,
    renderOutput: renderBashOutput,
    run: (input, context) =>
      input.run_in_background === true
        ? runInBackground(input, context, settings)
        : runBash(input, context, settings),
  };
}

function describe(settings: BashSettings): string {
  const { defaultTimeoutMs, maxTimeoutMs, maxOutputChars, background } = settings;
  const limit = background
    ? `- A command that takes longer than ${defaultTimeoutMs} ms goes on in the background; timeout sets another limit (at most ${maxTimeoutMs} ms).
- For servers, watchers and long jobs set run_in_background: the call returns at once with a task id. You are told when the command ends, so do not wait for it with sleep; TaskOutput shows what it has written, TaskStop ends it. It runs for at most ${settings.backgroundLifetimeMs} ms, unless timeout says otherwise, and no longer than the session.`
    : `- The command is stopped after ${defaultTimeoutMs} ms unless timeout says otherwise (at most ${maxTimeoutMs} ms).`;
  return `Runs a command in a shell (bash, else sh) and returns what it writes.

- Each call is a new shell: variables and functions do not last until the next call. The working directory does, when the command succeeded; outside the project it is set back. Absolute paths are safer than cd.
- There is no terminal and no input: commands that ask questions or open an editor fail.
${limit}
- What is started in the background with & ends when the command ends.
- Output beyond ${maxOutputChars} characters is stored in a file, of which you see the beginning and the end.
- Quote paths that contain spaces. Chain commands that depend on each other with &&; make separate calls for those that do not.
- To read, search or change files, the tools Read, Grep, Glob, Edit and Write are better than cat, grep, find and sed.${settings.sandbox === undefined ? '' : SANDBOXED}${settings.sandbox?.mayLeave === true ? LEAVING : ''}`;
}

const SANDBOXED = `
- Commands run in a sandbox: they write only in the working directories and in a temporary folder ($TMPDIR), not to settings, hooks and other files that decide what runs, and reach no network but what the user has opened.`;
const LEAVING = `
- When a command fails because of the sandbox, say what was missing, and call it again with dangerouslyDisableSandbox only if it is needed for what the user wants.`;

/** The call waits for the command until it has ended or was moved to the background. */
async function* runBash(
  input: BashInput,
  context: ToolContext,
  settings: BashSettings,
): AsyncGenerator<ToolProgress, ToolOutput<BashOutput>> {
  const { clock } = settings;
  const timeoutMs = Math.min(input.timeout ?? settings.defaultTimeoutMs, settings.maxTimeoutMs);
  const output = new BoundedOutput({
    files: context.files,
    // The id comes from the model: only characters that are safe in a file name are kept.
    spillFile: () => context.spillFile(`${context.toolUseId.replace(/[^A-Za-z0-9_-]/g, '_')}.txt`),
    maxChars: settings.maxOutputChars,
    maxSpillBytes: settings.maxSpillBytes,
  });
  const startedMs = clock.monotonicMs();
  const { command } = input;
  // A hook or host that rewrote the command wrote all of it.
  const filled = context.filled?.shown === command ? context.filled : undefined;
  const isolation = context.sandbox === undefined ? undefined : await findIsolation(input, context);
  const shell = startShellCommand({
    command: filled?.text ?? command,
    shell: shellOn(settings.path ?? context.env['PATH']),
    cwd: context.cwd,
    env: filledEnvironment(context, filled?.variables),
    ...settings,
    output,
    isolate: isolation?.isolate,
    tellFolder: context.follow !== undefined,
  });
  const onAbort = () => shell.stop('abort');
  if (context.signal.aborted) onAbort();
  context.signal.addEventListener('abort', onAbort, { once: true });
  const tasks = settings.background ? context.tasks : undefined;
  let letGo = createResolvable<'host' | 'timeout'>();
  const cancelTimeout = clock.timer(timeoutMs, () =>
    tasks === undefined ? shell.stop('timeout') : letGo.resolve('timeout'),
  );
  const task = await tasks?.register({
    ...shellTask(input, context, () => shell),
    inBackground: false,
    onDetach: () => letGo.resolve('host'),
  });
  let detached = false;
  try {
    while (true) {
      const step = await nextStep(shell, letGo, settings);
      if (step === 'ended') break;
      // A longer command must not survive a crash of this process.
      shell.guard();
      if (step !== 'tick' && task !== undefined) {
        detached = await goOnInBackground(shell, output, task, settings);
        if (detached) return movedOutput(task, output, step, timeoutMs);
        letGo = createResolvable();
        if (step === 'timeout') shell.stop('timeout');
      }
      yield {
        type: 'bash_progress',
        output: output.tail,
        totalBytes: output.totalBytes,
        totalLines: output.totalLines,
        elapsedMs: Math.round(clock.monotonicMs() - startedMs),
      };
    }
    return await report(await shell.ended, await output.finish(), {
      command,
      timeoutMs,
      context,
      isolation,
    });
  } finally {
    cancelTimeout();
    context.signal.removeEventListener('abort', onAbort);
    if (!detached) {
      shell.stop('abort');
      void task?.finish({ status: 'completed', summary: '' });
    }
  }
}

/** The next event: the command's end, a request to move it to the background, or a heartbeat. */
async function nextStep(
  shell: RunningShell,
  letGo: Resolvable<'host' | 'timeout'>,
  { clock, progressMs }: BashSettings,
): Promise<'ended' | 'tick' | 'host' | 'timeout'> {
  const tick = createResolvable<'tick'>();
  const cancel = clock.timer(progressMs, () => tick.resolve('tick'));
  try {
    return await Promise.race([shell.ended.then(() => 'ended' as const), letGo.promise, tick.promise]);
  } finally {
    cancel();
  }
}

/** The span that the command is a part of, in the variable that OpenTelemetry's programs read. */
function filledEnvironment(
  { env, traceparent }: Pick<ToolContext, 'env' | 'traceparent'>,
  variables: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const parent = traceparent?.();
  if (variables === undefined && parent === undefined) return env;
  return { ...env, ...(parent !== undefined && { TRACEPARENT: parent }), ...variables };
}
