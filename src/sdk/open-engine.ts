/** From options to an engine. */
import { resolve } from 'node:path';
import {
  configurationHome,
  type FoundSession,
  findSession,
  newestSession,
} from '../engine/compose/session-files.ts';
import { type ConfigOptions, configFromSettings } from '../engine/compose/settings.ts';
import type { QueryEngineConfig } from '../engine/config.ts';
import { compileJsonSchema } from '../engine/json-schema-check.ts';
import { QueryEngine } from '../engine/query-engine.ts';
import type { PersistentFiles } from '../protocol/files.ts';
import { nodeFiles } from '../util/node-files.ts';
import { type Options, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from './options.ts';
import { placeOf } from './process-place.ts';
import { toolOf } from './sdk-tool.ts';

/** Throws `invalid_option`, `invalid_settings`, `unpriced_model`. */
export async function openEngine(options: Options): Promise<QueryEngine> {
  const { env } = placeOf(options);
  const files = options.engine?.files ?? nodeFiles;
  const found = await earlierSession(options, env, files);
  const cwd = folderOf(options.cwd ?? found?.cwd);
  if (options.outputFormat !== undefined) await compileJsonSchema(options.outputFormat.schema);
  const { tools } = options;
  const toolNames = tools === undefined || 'type' in tools ? undefined : tools;
  const base = await configFromSettings({
    options: settingsOptions(options),
    env,
    cwd,
    files,
    toolNames,
    stderr: options.stderr,
  });
  const mcpClients = await Promise.all(Object.entries(options.mcpServers ?? {}).map(connect));
  const resume = options.resume ?? found?.sessionId;
  return new QueryEngine({
    ...base,
    mcpClients,
    canUseTool: options.canUseTool,
    hooks: options.hooks,
    ...promptOf(options.systemPrompt),
    jsonSchema: options.outputFormat?.schema,
    includePartialMessages: options.includePartialMessages,
    abortController: options.abortController,
    persistSession: options.persistSession,
    sessionId: options.sessionId,
    resume,
    sessionsDirectory: found?.directory,
    // Without a session to continue there is nothing to fork either.
    forkSession: resume === undefined ? undefined : options.forkSession,
    ...options.engine,
  });
}

/**
 * The session to go on with, wherever under the home its file is. It runs in its own folder unless the caller
 * names one (F74). undefined: a new session, or one of the host's own store.
 */
async function earlierSession(
  options: Options,
  env: Readonly<Record<string, string | undefined>>,
  files: PersistentFiles,
): Promise<FoundSession | undefined> {
  const cwd = folderOf(options.cwd);
  const home = options.engine?.home ?? configurationHome(env, cwd);
  if (home === undefined || options.engine?.store !== undefined || options.persistSession === false)
    return undefined;
  if (options.resume !== undefined) {
    return findSession({ files, home, sessionId: options.resume, ...(options.cwd !== undefined && { cwd }) });
  }
  return options.continue === true ? newestSession({ files, home, cwd }) : undefined;
}

function folderOf(cwd: string | undefined): string {
  return resolve(placeOf({ cwd }).cwd);
}

function settingsOptions(options: Options): ConfigOptions {
  const { engine = {} } = options;
  return {
    model: options.model,
    fallbackModel: options.fallbackModel,
    thinking: options.thinking,
    effort: options.effort,
    betas: options.betas,
    permissionMode: options.permissionMode,
    allowDangerouslySkipPermissions: options.allowDangerouslySkipPermissions,
    allowedTools: options.allowedTools,
    disallowedTools: options.disallowedTools,
    additionalDirectories: options.additionalDirectories,
    settings: options.settings,
    settingSources: options.settingSources,
    projectTrusted: options.projectTrusted,
    maxTurns: options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    taskBudget: options.taskBudget,
    baseUrl: engine.baseUrl,
    apiKey: engine.apiKey,
    authToken: engine.authToken,
  };
}

/** Without a prompt none is sent; the preset is Turnwright's own (L1 phase 2). */
function promptOf(
  prompt: Options['systemPrompt'],
): Pick<QueryEngineConfig, 'customSystemPrompt' | 'appendSystemPrompt'> {
  if (prompt === undefined) return { customSystemPrompt: [] };
  if (typeof prompt === 'string') return { customSystemPrompt: prompt };
  if ('type' in prompt) return { appendSystemPrompt: prompt.append };
  return { customSystemPrompt: prompt.filter((part) => part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY) };
}

async function connect([name, server]: [string, NonNullable<Options['mcpServers']>[string]]) {
  return {
    name,
    status: 'connected' as const,
    tools: await Promise.all(server.tools.map((tool) => toolOf(name, tool))),
  };
}
