/**
 * The agents of a session, from its options and from files; and what the main thread becomes when it is one
 * of them.
 */

import { join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import type { LookedAtFiles } from '@turnwright/base/files/confined-files.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import { stricterMode } from '../../permissions/decide/stricter-mode.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { AgentDefinition } from '../../protocol/tools/agent.ts';
import { type AgentDirectory, readAgentFiles } from '../../subagents/agent-files.ts';
import { readAgentMemory } from '../../subagents/agent-memory.ts';
import { agentCatalog, definedAgents, findAgent } from '../../subagents/catalog.ts';
import { refuseWithoutTools } from '../../subagents/select-tools.ts';
import type { QueryEngineConfig } from '../config.ts';
import { agentsIn } from '../host/session-listings.ts';
import { buildMainAgentPrompt, readSystemPrompt } from '../session/system-prompt.ts';
import { locateAgentMemory, ownServerEntries } from './agent-resources.ts';

interface AgentSources {
  /** By name, as a caller defines them. */
  readonly agents?: Readonly<Record<string, unknown>> | undefined;
  readonly settingSources: readonly ('user' | 'project' | 'local')[];
  /** false: agents of the project stand in for no other's, and bring nothing along but words. */
  readonly projectTrusted: boolean;
  /** Absolute: where the project's own files are. */
  readonly projectRoot: string;
  /** Where the user's own files are; undefined: nowhere. */
  readonly configHome: string | undefined;
  readonly files: LookedAtFiles;
  warn(line: string): void;
  readonly unread?: UnreadFields | undefined;
  /** Of these names, those of no built-in tool. */
  unknownTools(names: readonly string[]): readonly string[];
}

/**
 * Options beat the project's files, those the user's, and all beat the built-in agents; a project that is not
 * trusted beats none.
 */
export async function loadAgents(sources: AgentSources): Promise<readonly AgentDefinition[]> {
  const { settingSources, projectRoot, configHome } = sources;
  const defined = definedAgents(sources.agents ?? {}, sources.warn);
  const trusted = sources.projectTrusted;
  const ofProject: readonly AgentDirectory[] = settingSources.includes('project')
    ? ['.turnwright', '.claude'].map((name) => ({
        path: join(projectRoot, name, 'agents'),
        source: 'projectSettings',
        trusted,
      }))
    : [];
  const ofUser: readonly AgentDirectory[] =
    settingSources.includes('user') && configHome !== undefined
      ? [{ path: join(configHome, 'agents'), source: 'userSettings' }]
      : [];
  const [project, user] = await Promise.all([
    readAgentFiles(ofProject, sources),
    readAgentFiles(ofUser, sources),
  ]);
  if (trusted) return agentCatalog(defined, project, user);
  const known = agentCatalog(defined, user);
  return [...known, ...project.filter(({ name }) => findAgent(name, known) === undefined)];
}

/** The caller's own words; they beat what the agent says. */
export interface MainAgentChoice {
  /** Throws `invalid_option` when there is no such agent. */
  readonly agent: string;
  /** Id of the session that is one of this agent, where the caller did not name it. */
  readonly session?: string | undefined;
  /** Of these names, those of no built-in tool. */
  unknownTools(names: readonly string[]): readonly string[];
  readonly model?: string | undefined;
  readonly effort?: QueryEngineConfig['effort'];
  readonly maxTurns?: number | undefined;
  /** Whether the caller named a permission mode: the configured one then holds as it is. */
  readonly hasMode?: boolean | undefined;
}

/** What is different in a session whose main thread is this agent. */
export async function asMainAgent(
  choice: MainAgentChoice,
  config: QueryEngineConfig,
  files: Pick<PersistentFiles, 'readRange' | 'realpath' | 'stat'>,
): Promise<Partial<QueryEngineConfig>> {
  const agents = agentsIn(config);
  const definition = findAgent(choice.agent, agents);
  if (definition === undefined) {
    const names = agents.map(({ name }) => name).join(', ');
    if (choice.session !== undefined)
      throw new TurnwrightError(
        'invalid_option',
        `The session ${choice.session} is one of the agent "${choice.agent}", which there is no more. Define it again, or name another one (agent, --agent). There are: ${names}.`,
      );
    throw new TurnwrightError('invalid_option', `There is no agent "${choice.agent}". There are: ${names}.`);
  }
  refuseWithoutTools(definition, (tool) => choice.unknownTools([tool]).length === 0);
  const { model, skills } = definition;
  const memory = await readAgentMemory(definition, locateAgentMemory(config), files);
  if (memory?.ok === false) config.stderr?.(memory.problem);
  const { custom = [], append = [] } = readSystemPrompt(config.systemPrompt);
  return {
    mainAgent: definition.name,
    systemPrompt: [
      ...buildMainAgentPrompt(definition, {
        cwd: config.cwd,
        additionalDirectories: config.additionalDirectories ?? [],
      }),
      ...(memory?.ok === true ? [memory.prompt] : []),
      ...[custom, append].flat(),
    ],
    ownDirectories: memory?.ok === true ? [memory.folder] : undefined,
    preloadedSkills: skills,
    model: choice.model ?? (model === 'inherit' ? undefined : model) ?? config.model,
    mcpServers: [...(config.mcpServers ?? []), ...ownServerEntries(definition)],
    effort: choice.effort ?? definition.effort ?? config.effort,
    maxTurns: choice.maxTurns ?? definition.maxTurns ?? config.maxTurns,
    ...(choice.hasMode !== true && {
      permissionMode: stricterMode(config.permissionMode ?? 'default', definition.permissionMode),
    }),
    ...(config.resume === undefined && initialPrompt(definition)),
  };
}

/** It is part of the conversation from its first request on. */
function initialPrompt({ initialPrompt: content }: AgentDefinition): Partial<QueryEngineConfig> {
  if (content === undefined) return {};
  const stamp = { uuid: systemIds.uuid(), timestamp: isoTime(systemClock.nowMs()) };
  return {
    initialMessages: [{ ...stamp, type: 'user', kind: 'prompt', message: { role: 'user', content } }],
  };
}
