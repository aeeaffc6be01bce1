/**
 * The command of the setting `statusLine`: it receives the state of the session as JSON on stdin, and what it
 * prints is the status line.
 */
import { spawn } from 'node:child_process';
import { standingFolder } from '@turnwright/base/files/standing-folder.ts';
import type { Env } from '../../world.ts';
import type { ConversationState } from '../conversation-state.ts';

interface StatusCommandOptions {
  readonly command: string;
  readonly env: Env;
  /** Called with each new output, in lines; `error`: why there is none. */
  onLines(lines: readonly string[] | undefined, error?: string): void;
}

interface StatusCommand {
  /** Runs the command with this input, at most three times a second, and not twice at the same time. */
  update(input: StatusInput, cwd: string): void;
  close(): void;
}

interface StatusInput {
  readonly state: ConversationState;
  readonly version: string;
  readonly transcriptPath: string | undefined;
  readonly projectDir: string;
  /** ms since the conversation began. */
  readonly durationMs: number;
}

const LIMIT_MS = 5_000;
const PAUSE_MS = 300;
const MAX_CHARS = 4_000;

export function createStatusCommand({ command, env, onLines }: StatusCommandOptions): StatusCommand {
  let next: { readonly input: StatusInput; readonly cwd: string } | undefined;
  let isBusy = false;
  let isClosed = false;
  let stop = () => {};
  const run = async () => {
    isBusy = true;
    while (next !== undefined && !isClosed) {
      const { input, cwd } = next;
      next = undefined;
      const one = printed(command, JSON.stringify(statusJson(input)), { cwd, env });
      stop = one.stop;
      const { lines, error } = await one.ended;
      if (!isClosed) onLines(lines, error);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS).unref());
    }
    isBusy = false;
  };
  return {
    update(input, cwd) {
      next = { input, cwd };
      if (!isBusy && !isClosed) void run();
    },
    close() {
      isClosed = true;
      stop();
    },
  };
}

/** The field names are those that scripts for status lines know. */
function statusJson(input: StatusInput): object {
  const { session, figures } = input.state;
  const { context, cost } = figures;
  return {
    hook_event_name: 'Status',
    session_id: session.id,
    transcript_path: input.transcriptPath ?? '',
    cwd: session.cwd,
    version: input.version,
    model: { id: session.model, display_name: session.model },
    workspace: { current_dir: session.cwd, project_dir: input.projectDir },
    cost: {
      total_cost_usd: cost?.usd ?? 0,
      total_duration_ms: input.durationMs,
      total_api_duration_ms: figures.work?.apiMs ?? 0,
      total_lines_added: figures.work?.linesAdded ?? 0,
      total_lines_removed: figures.work?.linesRemoved ?? 0,
    },
    ...(context !== undefined && {
      context_window: {
        total_input_tokens: context.usedTokens,
        context_window_size: context.windowTokens,
        used_percentage: Math.round((context.usedTokens / Math.max(1, context.windowTokens)) * 100),
        remaining_percentage: Math.round((1 - context.usedTokens / Math.max(1, context.windowTokens)) * 100),
      },
    }),
    exceeds_200k_tokens: (context?.usedTokens ?? 0) > 200_000,
    permission_mode: session.mode,
  };
}

interface Printed {
  readonly lines: readonly string[] | undefined;
  readonly error?: string;
}

function printed(
  command: string,
  input: string,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
): { readonly ended: Promise<Printed>; stop(): void } {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: standingFolder(cwd),
    env: { ...env },
    detached: true,
  });
  let out = '';
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out = (out + text).slice(0, MAX_CHARS);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, MAX_CHARS);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  let isLate = false;
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  const timer = setTimeout(() => {
    isLate = true;
    kill();
  }, LIMIT_MS);
  return {
    stop: kill,
    ended: new Promise((resolve) => {
      const settle = (end: Printed) => {
        clearTimeout(timer);
        resolve(end);
      };
      child.once('error', (error) => settle({ lines: undefined, error: error.message }));
      child.once('close', (code) => {
        if (isLate) settle({ lines: undefined, error: `it did not end within ${LIMIT_MS / 1_000} s` });
        else if (code !== 0)
          settle({
            lines: undefined,
            error: `exit code ${code}${said === '' ? '' : `: ${said.trim().split('\n')[0]}`}`,
          });
        else settle({ lines: out.trimEnd().split('\n') });
      });
    }),
  };
}
