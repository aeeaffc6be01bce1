/** What a slash command gets to work with. */
import type { CommandContext } from '../../protocol/tools/command.ts';
import { switchModel } from '../models/switch-model.ts';
import type { Session } from '../session/session.ts';
import { mentionedFiles } from '../submission/mentioned-files.ts';
import { gatedShell } from '../tools/gated-shell.ts';

export function commandContext(session: Session, signal: AbortSignal): CommandContext {
  const { budget, commands, config, conversation, model } = session;
  const { ledger } = budget;
  return {
    sessionId: conversation.sessionId,
    cwd: config.cwd,
    messages: conversation.messages.slice(),
    signal,
    session: {
      get model() {
        return model.current;
      },
      setModel: (name) => switchModel(name, 'command', session),
      get effort() {
        const info = model.infoOf(model.current);
        return info.supportsEffort ? (model.effort ?? info.defaultEffort) : undefined;
      },
      setEffort: (level) => {
        model.effort = level;
      },
      commands: () => commands.list(),
      contextUsage: async () => (await import('./context-usage.ts')).contextUsageOf(session),
      cost: () => ({ totalUsd: ledger.totalCostUsd(), models: ledger.modelUsage() }),
    },
    shell: (command, allowedTools) => gatedShell(command, allowedTools, signal, session),
    mentionedFiles: async (text) =>
      (await mentionedFiles(text, { signal }, session)).flatMap(({ rendered }) => rendered),
  };
}
