/** What may enter the conversation: prompts and tool results pass here before they are recorded (F10). */
import { admitBlocks } from '../../context/admission/admit-blocks.ts';
import { mediaLimitsFor } from '../../context/admission/media-limits.ts';
import { viewMedia } from '../../context/admission/view-media.ts';
import type { ToolsPort } from '../../loop/deps.ts';
import type { UserMessage } from '../../protocol/messages.ts';
import type { ToolUpdate } from '../../protocol/tool.ts';
import type { UserBlock } from '../../protocol/wire.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ModelPort, SessionMemory, ToolsRoom } from '../parts.ts';
import type { SessionJournal } from '../session-journal.ts';
import type { ComposedTools } from './tools.ts';

/** The content itself, or with a text in the place of each block that would be refused. */
export type Admit = <C extends string | readonly UserBlock[]>(content: C) => C | readonly UserBlock[];

export function composeAdmission(
  config: Pick<QueryEngineConfig, 'mediaLimits'>,
  parts: { readonly model: ModelPort; readonly memory: SessionMemory; readonly journal: SessionJournal },
): Admit {
  return (content) => {
    if (typeof content === 'string') return content;
    const { model, memory, journal } = parts;
    const info = model.infoOf(model.resolve(memory.modelName));
    return admitBlocks(content, mediaLimitsFor(info, config.mediaLimits), viewMedia(journal.view.messages));
  };
}

/** The tools of a conversation, as the engine uses them. */
export function admittedTools(tools: ComposedTools, admit: Admit): ToolsRoom {
  return {
    port: admittedResults(tools.port, admit),
    get names() {
      return tools.names;
    },
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
    open(input) {
      const executor = port.open(input);
      return {
        add: (call) => executor.add(call),
        delivered: (id) => executor.delivered(id),
        take: () => executor.take().map((update) => admitted(update, admit)),
        get open() {
          return executor.open;
        },
        ready: () => executor.ready(),
        abort: (why) => executor.abort(why),
      };
    },
  };
}

function admitted(update: ToolUpdate, admit: Admit): ToolUpdate {
  if (update.kind !== 'result') return update;
  const message = admittedMessage(update.message, admit);
  const extraMessages = update.extraMessages.map((extra) => admittedMessage(extra, admit));
  return { ...update, message, extraMessages };
}

export function admittedMessage(message: UserMessage, admit: Admit): UserMessage {
  const content = admit(message.message.content);
  if (content === message.message.content) return message;
  return Object.freeze({ ...message, message: { ...message.message, content } });
}
