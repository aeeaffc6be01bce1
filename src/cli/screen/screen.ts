/**
 * The live view: streamed text, one line per tool and per action of the engine, a status line while waiting.
 */
import type { Query, SDKMessage } from '../../index.ts';
import type { Style } from '../../terminal/text/style.ts';
import { visible } from '../../terminal/text/visible.ts';
import type { FormattedText } from './formatted-text.ts';
import { createModelSilence } from './model-silence.ts';
import { noteFor } from './notes.ts';
import { createOpenTools, resultsOf } from './open-tools.ts';
import { createAwaitedServers, lateServers, serverProblems } from './server-problems.ts';
import { createStreamedAnswer } from './streamed-answer.ts';
import type { Terminal } from './terminal.ts';
import { duration, tokens } from './units.ts';

export interface Screen {
  /** A session was opened: `ask` returns the status of its servers. */
  begin(ask: Query['mcpServerStatus']): void;
  show(message: SDKMessage): Promise<void>;
  /** A line that is not a message of the run. */
  warn(line: string): void;
  /**
   * `agent`: the subagent that asks. While a question is open, further output waits. Its time is not the
   * tool's.
   */
  asking<T>(toolUseId: string, ask: (agent: string | undefined) => Promise<T>): Promise<T>;
  /** The user denied this call. */
  denied(toolUseId: string): void;
  /** Wipes the status line and stops its timer. */
  close(): Promise<void>;
}

interface ScreenOptions {
  readonly terminal: Terminal;
  readonly style: Style;
  readonly cwd: string;
  /** Monotonic ms. */
  nowMs(): number;
  /** Includes the start of the session, and messages of the engine for the model. */
  readonly verbose: boolean;
  /** Loads what formats the answer. Default: it is shown as it is. */
  readonly format?: (() => Promise<FormattedText>) | undefined;
}

const STATUS_EVERY_MS = 120;
/** Time that a question waits for its call to be shown. */
const BLOCK_LIMIT_MS = 250;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

export function createScreen(options: ScreenOptions): Screen {
  const { terminal, style, nowMs } = options;
  const startedMs = nowMs();
  let cwd = options.cwd;
  let header = '';
  let asking = 0;
  let inputTokens = 0;
  let compacting = false;
  let frame = 0;
  const tools = createOpenTools(style, () => cwd);
  const answer = createStreamedAnswer(
    terminal,
    {
      takenBack: style.yellow('↶ retracted: the answer above was truncated and is given again'),
      paintError: style.red,
    },
    options.format,
  );

  const silence = createModelSilence(nowMs);
  const servers = createAwaitedServers();

  const drawStatus = () => {
    if (asking > 0) return;
    frame = (frame + 1) % SPINNER.length;
    const doing = compacting
      ? 'compacting the context'
      : (tools.running() ?? servers.look() ?? [answer.phase, silence.line() ?? []].flat().join(': '));
    const counts = `↑ ${tokens(inputTokens)} ↓ ${tokens(answer.outputTokens)} tokens`;
    terminal.status(`${SPINNER[frame]} ${duration(nowMs() - startedMs)} · ${counts} · ${doing}`);
  };
  const timer = terminal.live ? setInterval(drawStatus, STATUS_EVERY_MS) : undefined;
  timer?.unref();

  const showUser = async (message: Extract<SDKMessage, { readonly type: 'user' }>, atMs: number) => {
    if (message.retracted_message_uuids !== undefined)
      await answer.retracted(message.retracted_message_uuids);
    answer.settled();
    for (const { id, outcome } of resultsOf(message)) {
      for (const line of tools.closed(id, outcome, terminal.columns, atMs)) await terminal.line(line);
    }
    if (options.verbose && message.isSynthetic === true)
      await terminal.line(style.dim('· the engine nudged the model to go on'));
  };

  const showSystem = async (message: Extract<SDKMessage, { readonly type: 'system' }>) => {
    if (message.subtype === 'init') {
      cwd = message.cwd;
      servers.done();
      for (const line of [...serverProblems(message), ...lateServers(message)])
        await terminal.prose(style.yellow(`! ${line}`));
      const said = `· ${message.model}, ${message.permissionMode}, session ${message.session_id}`;
      if (options.verbose && said !== header) await terminal.prose(style.dim(said));
      header = said;
      return;
    }
    if (message.subtype === 'permission_denied') tools.denied(message.tool_use_id);
    if (message.subtype === 'status') compacting = message.status === 'compacting';
    if (message.subtype === 'informational' && message.retracted_message_uuids !== undefined)
      return answer.retracted(message.retracted_message_uuids);
    const note = noteFor(message, style);
    if (note !== undefined) await terminal.prose(note);
  };

  const show = async (message: SDKMessage, atMs: number): Promise<void> => {
    switch (message.type) {
      case 'stream_event':
        if (message.parent_tool_use_id !== null) return;
        if (message.event.type === 'message_start') inputTokens = promptTokens(message.event.message.usage);
        return answer.event(message);
      case 'assistant': {
        const parent = message.parent_tool_use_id;
        if (parent === null) await answer.block(message);
        for (const block of message.message.content) {
          if (block.type === 'tool_use') tools.opened({ ...block, parent }, atMs);
        }
        return;
      }
      case 'user':
        return showUser(message, atMs);
      case 'system':
        return showSystem(message);
      case 'result':
        tools.clear();
        await answer.flush();
        return terminal.endLine();
      default:
        // Message types of later versions are ignored.
        return;
    }
  };

  /** Output that arrived during a question: it would mix with the user's input. */
  const held: (() => Promise<void>)[] = [];
  let showing: Promise<void> = Promise.resolve();
  const showHeld = (): Promise<void> => {
    const next = async () => {
      while (asking === 0) {
        const first = held.shift();
        if (first === undefined) return;
        await first();
      }
    };
    showing = showing.then(next, next);
    return showing;
  };

  return {
    begin(ask) {
      servers.ask = ask;
    },
    show(message) {
      const atMs = nowMs();
      silence.observe(message);
      held.push(() => show(message, atMs));
      return showHeld();
    },
    warn(line) {
      held.push(() => terminal.prose(style.yellow(`! ${visible(line)}`)));
      // A closed screen is reported by the next message.
      showHeld().catch(() => undefined);
    },
    async asking(toolUseId, ask) {
      // A tool starts before its block is shown; the question follows the text before the call.
      await within(BLOCK_LIMIT_MS, tools.seen(toolUseId));
      asking += 1;
      await showing.catch(() => undefined);
      terminal.status(undefined);
      await terminal.endLine();
      const sinceMs = nowMs();
      try {
        return await ask(tools.agentOf(toolUseId));
      } finally {
        asking -= 1;
        tools.asked(toolUseId, nowMs() - sinceMs);
        await showHeld();
      }
    },
    denied: (toolUseId) => tools.denied(toolUseId),
    async close() {
      clearInterval(timer);
      asking = 0;
      await showHeld();
      terminal.status(undefined);
      await answer.flush();
      await terminal.endLine();
    },
  };
}

/** Waits for `event`, at most `ms`: a call of a previous process is never shown. */
function within(ms: number, event: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void event.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function promptTokens(usage: {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}
