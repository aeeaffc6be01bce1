/** What fills the context of this session, and of one that is kept in files. */
import { contextSize } from '../../context/estimate/context-size.ts';
import { type ContextUsageInput, contextUsage } from '../../context/estimate/usage-by-category.ts';
import type { ContextSize, ContextUsage } from '../../protocol/stream/context-usage.ts';
import type { ResumedSession } from '../../session/resume/resume.ts';
import type { Skill } from '../../skills/skill.ts';
import { AGENT_TOOL, agentLine } from '../../subagents/agent-tool.ts';
import type { AgentDefinition } from '../config.ts';
import { openSession } from '../session/open-session.ts';
import { fetchContexts } from '../session/request-context.ts';
import type { Session } from '../session/session.ts';
import { agentsIn } from './session-listings.ts';

/** Opens the session when nothing has done so yet. */
export async function measureContextUsage(session: Session): Promise<ContextUsage> {
  await openSession(session);
  const { commands, config, conversation } = session;
  const { port } = session.context;
  const model = session.model.current;
  const head = await fetchContexts(session, session.scope, model);
  const tools = await session.tools.port.wireTools(model);
  const { measured, messages } = conversation;
  const isOffered = tools.some(({ name }) => name === AGENT_TOOL);
  return contextUsage({
    ...head,
    model,
    tools,
    deferredTools: await session.tools.deferred(model),
    agents: isOffered ? agentsIn(config).flatMap(agentRow) : [],
    skills: (config.skills?.catalogue.skills ?? []).map(skillRow),
    commandCount: commands.list().length,
    limits: port.limitsFor(model),
    autocompact: config.compaction?.auto !== false,
    memoryFiles: conversation.contexts?.memoryFiles ?? [],
    messages: messages.slice(),
    factor: port.measure?.({ ...head, model, view: messages, tools }).factor ?? 1,
    ...(measured !== undefined && measured.root === messages.root && { measured }),
  });
}

/** Looks only at what was appended since the last answer; before one, at everything. */
export async function measureContextSize(session: Session): Promise<ContextSize> {
  await openSession(session);
  const { config, context, conversation } = session;
  const { measured, messages } = conversation;
  if (measured === undefined || measured.root !== messages.root)
    return sizeIn(await measureContextUsage(session));
  const model = session.model.current;
  return contextSize({
    model,
    limits: context.port.limitsFor(model),
    autocompact: config.compaction?.auto !== false,
    usage: measured.usage,
    estimated: context.port.estimate(messages.slice(measured.length), model),
  });
}

function sizeIn(usage: ContextUsage): ContextSize {
  const { totalTokens, maxTokens, rawMaxTokens, percentage, model, apiUsage } = usage;
  const { autoCompactThreshold, isAutoCompactEnabled } = usage;
  return {
    ...{ totalTokens, maxTokens, rawMaxTokens, percentage, model, isAutoCompactEnabled, apiUsage },
    ...(autoCompactThreshold !== undefined && { autoCompactThreshold }),
  };
}

function agentRow(agent: AgentDefinition): NonNullable<ContextUsageInput['agents']> {
  const { source = 'sdk', path } = agent.from ?? {};
  if (source === 'built-in') return [];
  return [{ agentType: agent.name, source, ...(path !== undefined && { path }), line: agentLine(agent) }];
}

const SKILL_SOURCES = { user: 'userSettings', project: 'projectSettings', plugin: 'plugin' } as const;

function skillRow({
  name,
  source,
  plugin,
  file: path,
}: Skill): NonNullable<ContextUsageInput['skills']>[number] {
  return { name, source: SKILL_SOURCES[source], ...(plugin !== undefined && { pluginName: plugin }), path };
}

/**
 * Context usage of a session that need not be open, from its journal, which does not contain tool
 * definitions.
 */
export function contextUsageOnRecord(
  { view: { messages }, model, contextSnapshot, decisions }: ResumedSession,
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
    messages: messages.slice(),
    ...(recorded?.overhead !== undefined && { overheadTokens: recorded.overhead }),
    ...(answered?.usage !== undefined &&
      length <= messages.length && { measured: { usage: answered.usage, length } }),
  });
}
