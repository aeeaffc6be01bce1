/** What a slash command gets to work with. */
import type { CommandContext } from '../../protocol/command.ts';
import { switchModel } from '../models/switch-model.ts';
import type { EngineParts } from '../session/session-parts.ts';
import { mentionedFiles } from '../submission/mentioned-files.ts';
import { commandsOf } from './command-list.ts';
import { gatedShell } from './gated-shell.ts';

export function commandContext(parts: EngineParts, signal: AbortSignal): CommandContext {
  const { sessionId, config, journal, memory, model, ledger } = parts;
  return {
    sessionId,
    cwd: config.cwd,
    messages: journal.view.messages.slice(),
    signal,
    session: {
      get model() {
        return model.resolve(memory.modelName);
      },
      setModel: (name) => switchModel(name, 'command', parts),
      get effort() {
        const info = model.infoOf(model.resolve(memory.modelName));
        return info.supportsEffort ? (memory.effort ?? config.effort ?? info.defaultEffort) : undefined;
      },
      setEffort: (level) => {
        memory.effort = level;
      },
      commands: () => commandsOf(config, parts.mcp.commands),
      contextUsage: async () => (await import('./context-usage.ts')).contextUsageOf(parts),
      cost: () => ({ totalUsd: ledger.totalCostUsd(), models: ledger.modelUsage() }),
    },
    shell: (command, allowedTools) => gatedShell(command, allowedTools, signal, parts),
    mentionedFiles: async (text) =>
      (await mentionedFiles(text, { signal }, parts)).flatMap(({ rendered }) => rendered),
  };
}
