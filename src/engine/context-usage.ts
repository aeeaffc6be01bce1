/** What fills the context of this session, and of one that is kept in files. */
import { type ContextUsageInput, contextUsage } from '../context/context-usage.ts';
import type { ContextUsage } from '../protocol/context-usage.ts';
import type { ResumedSession } from '../session/resume.ts';
import { fetchContexts } from './contexts.ts';
import { openSession } from './open-session.ts';
import type { EngineParts } from './parts.ts';

/** Opens the session when nothing has done so yet. */
export async function contextUsageOf(parts: EngineParts): Promise<ContextUsage> {
  await openSession(parts);
  const { journal, memory, context, config } = parts;
  const model = parts.model.resolve(memory.modelName);
  const head = await fetchContexts(parts, parts.scope.signal);
  const tools = await parts.tools.port.wireTools(model);
  const { messages } = journal.view;
  const { measured } = memory;
  return contextUsage({
    ...head,
    model,
    tools,
    limits: context.limitsFor(model),
    autocompact: config.compaction?.auto !== false,
    memoryFiles: memory.contexts?.memoryFiles ?? [],
    messages: messages.slice(),
    factor: context.measure?.({ ...head, model, view: messages, tools }).factor ?? 1,
    ...(measured !== undefined && measured.root === messages.root && { measured }),
  });
}

/** Of a session that nobody need have open: what its journal says. The bytes of its tools are not in it. */
export function contextUsageOnRecord(
  { view, model, contextSnapshot, decisions }: ResumedSession,
  limitsFor: (model: string) => ContextUsageInput['limits'],
): ContextUsage {
  const answered = decisions.findLast(({ usage }) => usage !== undefined);
  const length = (answered?.view.length ?? 0) + (answered?.response?.blocks.length ?? 0);
  const name = model ?? 'default';
  const limits = limitsFor(name);
  const recorded = decisions.findLast(({ context }) => context !== undefined)?.context;
  return contextUsage({
    model: name,
    limits: recorded === undefined ? limits : { ...limits, ...recorded },
    autocompact: true,
    system: contextSnapshot?.system ?? [],
    userContext: contextSnapshot?.userContext ?? [],
    memoryFiles: [],
    messages: view.slice(),
    ...(recorded?.overhead !== undefined && { overheadTokens: recorded.overhead }),
    ...(answered?.usage !== undefined &&
      length <= view.length && { measured: { usage: answered.usage, length } }),
  });
}
