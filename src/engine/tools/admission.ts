/** What may enter the conversation: prompts and tool results pass here before they are recorded (F10). */
import { admitBlocks } from '../../context/media/admit-blocks.ts';
import { mediaLimitsFor } from '../../context/media/media-limits.ts';
import { viewMedia } from '../../context/media/view-media.ts';
import type { ToolsPort } from '../../loop/deps.ts';
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { ToolCall, ToolExecutor, ToolUpdate } from '../../protocol/tools/tool.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionModel } from '../models/session-model.ts';
import type { Conversation } from '../session/conversation.ts';
import type { ToolsRoom } from './tools-room.ts';

/** The content itself, or with a text in the place of each block that would be refused. */
export type Admit = <C extends string | readonly UserBlock[]>(content: C) => C | readonly UserBlock[];

export function composeAdmission(
  config: Pick<QueryEngineConfig, 'mediaLimits'>,
  { conversation, model }: { readonly conversation: Conversation; readonly model: SessionModel },
): Admit {
  return (content) => {
    if (typeof content === 'string') return content;
    const limits = mediaLimitsFor(model.infoOf(model.current), config.mediaLimits);
    return admitBlocks(content, limits, viewMedia(conversation.messages));
  };
}

/** The tools of a conversation, as the engine uses them. */
export function admittedTools(tools: ToolsRoom, admit: Admit): ToolsRoom {
  return {
    port: admittedResults(tools.port, admit),
    quarantine: tools.quarantine,
    names: tools.names,
    mcpOf: tools.mcpOf,
    deferred: tools.deferred,
    presetAnswer: tools.presetAnswer,
    callTool: tools.callTool,
    callGated: tools.callGated,
  };
}

/** The same tools, whose results are admitted before anyone sees them. */
function admittedResults(port: ToolsPort, admit: Admit): ToolsPort {
  return {
    wireTools: (model) => port.wireTools(model),
    backfill: (block) => port.backfill(block),
    outwardInput: (block) => port.outwardInput(block),
    open: (input) => new AdmittingExecutor(port.open(input), admit),
  };
}

class AdmittingExecutor implements ToolExecutor {
  readonly #executor: ToolExecutor;
  readonly #admit: Admit;

  constructor(executor: ToolExecutor, admit: Admit) {
    this.#executor = executor;
    this.#admit = admit;
  }

  get open(): number {
    return this.#executor.open;
  }

  add(call: ToolCall): void {
    this.#executor.add(call);
  }

  delivered(callId: string): void {
    this.#executor.delivered(callId);
  }

  take(): ToolUpdate[] {
    return this.#executor.take().map((update) => admitted(update, this.#admit));
  }

  ready(): Promise<void> {
    return this.#executor.ready();
  }

  abort(why: Parameters<ToolExecutor['abort']>[0]): Promise<void> {
    return this.#executor.abort(why);
  }
}

function admitted(update: ToolUpdate, admit: Admit): ToolUpdate {
  if (update.kind !== 'result') return update;
  const message = admittedMessage(update.message, admit);
  const extraMessages = update.extraMessages.map((extra) => admittedMessage(extra, admit));
  return { ...update, message, extraMessages };
}

function admittedMessage(message: UserMessage, admit: Admit): UserMessage {
  const content = admit(message.message.content);
  if (content === message.message.content) return message;
  return Object.freeze({ ...message, message: { ...message.message, content } });
}
