/** The live view: streamed text, one line per tool and per thing the engine did, a status line while waiting. */
import type { SDKMessage } from '../../index.ts';
import { noteFor } from './notes.ts';
import { createOpenTools, resultsOf } from './open-tools.ts';
import { createStreamedAnswer } from './streamed-answer.ts';
import type { Style } from './style.ts';
import type { Terminal } from './terminal.ts';
import { duration, tokens } from './units.ts';

export interface Screen {
  show(message: SDKMessage): Promise<void>;
  /** A question to the person stands instead of the status line; its time is not counted as the tool's. */
  asking<T>(toolUseId: string, ask: () => Promise<T>): Promise<T>;
  /** Wipes the status line and stops its timer. */
  close(): Promise<void>;
}

export interface ScreenOptions {
  readonly terminal: Terminal;
  readonly style: Style;
  readonly cwd: string;
  /** Monotonic ms. */
  nowMs(): number;
  /** Also what is normally left out: the start of the session, messages the engine wrote for the model. */
  readonly verbose: boolean;
}

const STATUS_EVERY_MS = 120;
const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

export function createScreen(options: ScreenOptions): Screen {
  const { terminal, style, nowMs } = options;
  const startedMs = nowMs();
  let cwd = options.cwd;
  let asking = 0;
  let inputTokens = 0;
  let compacting = false;
  let frame = 0;
  const tools = createOpenTools(style, () => cwd, nowMs);
  const answer = createStreamedAnswer(terminal, {
    takenBack: style.yellow('↶ taken back: the answer above was cut off and is given anew'),
    paintError: style.red,
  });

  const drawStatus = () => {
    if (asking > 0) return;
    frame = (frame + 1) % SPINNER.length;
    const doing = compacting ? 'compacting the context' : (tools.running() ?? answer.phase);
    const counts = `↑ ${tokens(inputTokens)} ↓ ${tokens(answer.outputTokens)} tokens`;
    terminal.status(`${SPINNER[frame]} ${duration(nowMs() - startedMs)} · ${counts} · ${doing}`);
  };
  const timer = terminal.live ? setInterval(drawStatus, STATUS_EVERY_MS) : undefined;
  timer?.unref();

  const showUser = async (message: Extract<SDKMessage, { readonly type: 'user' }>) => {
    answer.settled();
    if (message.retracted_message_uuids !== undefined)
      await answer.retracted(message.retracted_message_uuids);
    for (const { id, outcome } of resultsOf(message)) {
      const line = tools.closed(id, outcome, terminal.columns);
      if (line !== undefined) await terminal.line(line);
    }
    if (options.verbose && message.isSynthetic === true)
      await terminal.line(style.dim('· the engine nudged the model to go on'));
  };

  const showSystem = async (message: Extract<SDKMessage, { readonly type: 'system' }>) => {
    if (message.subtype === 'init') {
      cwd = message.cwd;
      if (options.verbose)
        await terminal.line(
          style.dim(`· ${message.model}, ${message.permissionMode}, session ${message.session_id}`),
        );
      return;
    }
    if (message.subtype === 'permission_denied') tools.denied(message.tool_use_id);
    if (message.subtype === 'status') compacting = message.status === 'compacting';
    if (message.subtype === 'retraction') await answer.retracted(message.retracted_message_uuids);
    const note = noteFor(message, style);
    if (note !== undefined) await terminal.line(note);
  };

  return {
    async show(message) {
      switch (message.type) {
        case 'stream_event':
          if (message.parent_tool_use_id !== null) return;
          if (message.event.type === 'message_start') inputTokens = promptTokens(message.event.message.usage);
          return answer.event(message);
        case 'assistant': {
          const nested = message.parent_tool_use_id !== null;
          if (!nested) await answer.block(message);
          for (const block of message.message.content) {
            if (block.type === 'tool_use') tools.opened(block.id, block.name, block.input, nested);
          }
          return;
        }
        case 'user':
          return showUser(message);
        case 'system':
          return showSystem(message);
        case 'result':
          tools.clear();
          return terminal.endLine();
        default:
          // Kinds of messages that a later version adds are passed over.
          return;
      }
    },
    async asking(toolUseId, ask) {
      asking += 1;
      terminal.status(undefined);
      await terminal.endLine();
      const sinceMs = nowMs();
      try {
        return await ask();
      } finally {
        asking -= 1;
        tools.asked(toolUseId, nowMs() - sinceMs);
      }
    },
    async close() {
      clearInterval(timer);
      terminal.status(undefined);
      await terminal.endLine();
    },
  };
}

function promptTokens(usage: {
  readonly input_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}): number {
  return usage.input_tokens + usage.cache_creation_input_tokens + usage.cache_read_input_tokens;
}
