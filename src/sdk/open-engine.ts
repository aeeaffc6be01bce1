/** From options to an engine: the one place of the library that looks at the process's own folder and environment. */
import { isAbsolute, resolve } from 'node:path';
import { newestSession } from '../engine/compose/sessions.ts';
import { type ConfigOptions, configFromSettings } from '../engine/compose/settings.ts';
import type { QueryEngineConfig } from '../engine/config.ts';
import { QueryEngine } from '../engine/query-engine.ts';
import { nodeFiles } from '../util/node-files.ts';
import { type Options, SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from './options.ts';
import { toolOf } from './sdk-tool.ts';

/** Throws `invalid_option`, `invalid_settings`, `unpriced_model`. */
export async function openEngine(options: Options): Promise<QueryEngine> {
  const cwd = folderOf(options.cwd);
  const env = options.env ?? process.env;
  const files = options.engine?.files ?? nodeFiles;
  const { tools } = options;
  const toolNames = tools === undefined || 'type' in tools ? undefined : tools;
  const base = await configFromSettings({ options: settingsOptions(options), env, cwd, files, toolNames, stderr: options.stderr });
  const mcpClients = await Promise.all(Object.entries(options.mcpServers ?? {}).map(connect));
  const config: QueryEngineConfig = {
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
    resume: options.resume,
    forkSession: options.forkSession,
    ...options.engine,
  };
  if (options.continue !== true) return new QueryEngine(config);
  const resume = await newestSession(config, files);
  return new QueryEngine({ ...config, resume, forkSession: resume !== undefined && options.forkSession });
}

function folderOf(cwd: string | undefined): string {
  if (cwd === undefined) return process.cwd();
  return isAbsolute(cwd) ? cwd : resolve(cwd);
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
    maxTurns: options.maxTurns,
    maxBudgetUsd: options.maxBudgetUsd,
    taskBudget: options.taskBudget,
    baseUrl: engine.baseUrl,
    apiKey: engine.apiKey,
    authToken: engine.authToken,
  };
}

/** Without a prompt none is sent; the preset is Turnwright's own (L1 phase 2). */
function promptOf(prompt: Options['systemPrompt']): Pick<QueryEngineConfig, 'customSystemPrompt' | 'appendSystemPrompt'> {
  if (prompt === undefined) return { customSystemPrompt: [] };
  if (typeof prompt === 'string') return { customSystemPrompt: prompt };
  if ('type' in prompt) return { appendSystemPrompt: prompt.append };
  return { customSystemPrompt: prompt.filter((part) => part !== SYSTEM_PROMPT_DYNAMIC_BOUNDARY) };
}

async function connect([name, server]: [string, NonNullable<Options['mcpServers']>[string]]) {
  return { name, status: 'connected' as const, tools: await Promise.all(server.tools.map((tool) => toolOf(name, tool))) };
}
