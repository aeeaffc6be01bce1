/** What a slash command gets to work with. */
import type { CommandContext } from '../protocol/command.ts';
import type { ToolResultContent } from '../protocol/tool.ts';
import { commandsOf } from './command-list.ts';
import { contextUsageOf } from './context-usage.ts';
import { mentionedFiles } from './mentioned-files.ts';
import { refuseUnpriced } from './model-choice.ts';
import type { EngineParts } from './parts.ts';

/** How long a shell command in a command file may take, in ms. */
const SHELL_MS = 60_000;

export function commandContext(parts: EngineParts, signal: AbortSignal): CommandContext {
  const { sessionId, config, journal, memory, model, ledger, tools, permissions } = parts;
  return {
    sessionId,
    cwd: config.cwd,
    messages: journal.view.messages.slice(),
    signal,
    session: {
      get model() {
        return model.resolve(memory.modelName);
      },
      setModel(name) {
        refuseUnpriced(model.resolve(name), parts);
        memory.modelName = name;
      },
      commands: () => commandsOf(config, parts.mcp.commands),
      contextUsage: () => contextUsageOf(parts),
      cost: () => ({ totalUsd: ledger.totalCostUsd(), models: ledger.modelUsage() }),
    },
    async shell(command, allowedTools) {
      let undo = () => {};
      try {
        undo = permissions.lend(allowedTools);
        const answer = await tools.callGated('Bash', { command, timeout: SHELL_MS }, signal);
        return answer.ok ? { ok: true, output: textOf(answer.content) } : answer;
      } catch (error) {
        return { ok: false, why: error instanceof Error ? error.message : String(error) };
      } finally {
        undo();
      }
    },
    mentionedFiles: async (text) =>
      (await mentionedFiles(text, signal, parts)).flatMap(({ rendered }) => rendered),
  };
}

function textOf(content: ToolResultContent): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
