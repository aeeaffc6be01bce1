/** Opens an engine from options. */

import { turnToStart } from '@turnwright/base/async/event-loop-turns.ts';
import { andThen } from '@turnwright/base/async/promises.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { heardLines } from '@turnwright/base/process/heard-lines.ts';
import { createUnreadFields, type UnreadFields } from '@turnwright/base/text/unread-fields.ts';
import { asMainAgent, loadAgents } from '../engine/agents/agent-catalog.ts';
import { chosenAgent } from '../engine/agents/chosen-agent.ts';
import type { QueryEngineConfig } from '../engine/config.ts';
import { agentsIn } from '../engine/host/session-listings.ts';
import { hooksOfAgents } from '../engine/project/agent-hooks.ts';
import { pluginServers } from '../engine/project/plugins.ts';
import { underOwnNames } from '../engine/published-names.ts';
import { QueryEngine } from '../engine/query-engine.ts';
import type { SessionSpans } from '../engine/session/open-spans.ts';
import { configFromSettings } from '../engine/wiring/config-from-settings.ts';
import { unknownTools } from '../engine/wiring/tools/tool-fields.ts';
import type { TurnwrightError } from '../protocol/errors.ts';
import type { SessionStore } from '../protocol/session/session-store.ts';
import { type FoundSession, findSession, newestSession } from '../session/paths.ts';
import { configHome } from '../settings/read/config-home.ts';
import { configuredServers, splitServers } from './mcp/configured-servers.ts';
import { ownClient } from './mcp/own-client.ts';
import { resolveFolder, resolvePlace } from './process-place.ts';
import { startFailed } from './query/stop-errors.ts';
import type { Options } from './query-options.ts';

/** The engine's configuration; if its model cannot be used, why; and if no session may start, why. */
interface Configured {
  readonly config: QueryEngineConfig;
  readonly unreachable: TurnwrightError | undefined;
  readonly refused: TurnwrightError | undefined;
}

export interface EngineOpening {
  /** Rejects with `invalid_option`, `invalid_settings` or `StartFailed`. Without MCP servers. */
  readonly config: Promise<QueryEngineConfig>;
  /** Rejects like `config`, and with `unpriced_model`. Waits for the host's in-process MCP servers. */
  readonly engine: Promise<QueryEngine>;
  /** Rejects with `not_configured` when no prompt can be answered because no model is configured. */
  readonly configured: Promise<void>;
}

interface Starting {
  /** More prompts may arrive during a turn. */
  readonly promptsCome: boolean;
  readonly spans: Promise<SessionSpans> | undefined;
}

export function startEngine(options: Options, { promptsCome, spans }: Starting): EngineOpening {
  const turn = turnToStart();
  const configured = (async () => {
    if (turn !== undefined) await turn;
    const done = await configure(options);
    if (done.refused !== undefined) throw startFailed(done.refused, options);
    return spans === undefined ? done : { ...done, config: { ...done.config, spans: await spans } };
  })();
  const config = configured.then((done) => done.config);
  const { own } = splitServers(options.mcpServers ?? {});
  const clients = andThen(turn, () => Promise.all(own.map(([name, server]) => ownClient(name, server))));
  return {
    config,
    engine: (async () => {
      const mcpClients = await clients;
      const { config: given, unreachable } = await configured;
      if (unreachable?.code === 'invalid_settings') throw unreachable;
      const engine = new QueryEngine(
        extended(given, {
          mcpClients: given.mcpClients ?? mcpClients,
          promptsWhileWorking: given.promptsWhileWorking ?? (promptsCome || given.inbox !== undefined),
        }),
      );
      await engine.mcp.connectHostServers();
      return engine;
    })(),
    configured: configured.then(({ unreachable }) => {
      if (unreachable !== undefined) throw unreachable;
    }),
  };
}

/** Rejects with `invalid_option` or `invalid_settings`. Opens nothing. */
export async function loadConfig(options: Options, unread?: UnreadFields): Promise<QueryEngineConfig> {
  return (await configure(options, unread)).config;
}

async function configure(given: Options, unread = createUnreadFields()): Promise<Configured> {
  const options: Options =
    given.stderr === undefined ? given : { ...given, stderr: heardLines('stderr', given.stderr) };
  if (wantsLog(options)) return configureLogged(options);
  const { env } = resolvePlace(options);
  const files = options.engine?.files ?? nodeFiles;
  const found = await earlierSession(options, env, files);
  const cwd = resolveFolder(options.cwd ?? found?.cwd);
  if (options.outputFormat !== undefined) {
    const { openOutputSchema } = await import('../engine/output/output-schema.ts');
    await openOutputSchema(options.outputFormat);
  }
  const {
    config: base,
    project,
    projectServers,
    userServers,
    projectFiles,
    settingsAgent,
    unreachable,
    refused,
  } = await configFromSettings({ options, engine: options.engine, env, cwd, files, unread });
  const resume = found?.sessionId ?? options.resume;
  const plugins = base.plugins?.plugins ?? [];
  const agents = await loadAgents({
    agents: options.agents,
    settingSources: base.settingSources ?? [],
    projectTrusted: project.trusted,
    projectRoot: base.projectRoot ?? cwd,
    configHome: base.home,
    files: projectFiles,
    unread,
    warn: (line) => options.stderr?.(line),
    unknownTools,
  });
  const withoutEffect = unread.summary();
  if (withoutEffect !== undefined) options.stderr?.(withoutEffect);
  const config: QueryEngineConfig = extended(base, {
    mcpServers: [
      ...configuredServers(options, extended(userServers, { project: project.mcpServers }), projectServers),
      ...pluginServers(plugins),
    ],
    systemPrompt: options.systemPrompt ?? [],
    resume,
    sessionsDirectory: found?.directory,
    // Without a session to continue there is nothing to fork.
    forkSession: resume === undefined ? undefined : options.forkSession,
    agents,
  });
  const { model, effort, maxTurns } = options;
  const hasMode = options.permissionMode !== undefined;
  const choice = await chosenAgent({ options, settingsAgent, found, config, files });
  const main =
    choice === undefined
      ? {}
      : await asMainAgent({ ...choice, model, effort, maxTurns, hasMode, unknownTools }, config, files);
  const warn = (line: string) => options.stderr?.(line);
  const ofPlugins =
    main.mainAgent === undefined
      ? []
      : agentsIn(config).filter(({ name, from }) => from?.source === 'plugin' && name === main.mainAgent);
  const agentHooks = await hooksOfAgents([...agents, ...ofPlugins], {
    policy: base.hookPolicy,
    main: main.mainAgent,
    warn,
  });
  const hooks = agentHooks.length > 0 && {
    configuredHooks: [...(base.configuredHooks ?? []), ...agentHooks],
  };
  return {
    config: { ...config, ...main, ...hooks, ...underOwnNames(options.engine ?? {}) },
    unreachable: bringsModel(options, unreachable) ? undefined : unreachable,
    refused,
  };
}

/** The caller supplies a model port, or the credentials that alone are missing. */
const bringsModel = ({ engine = {} }: Options, unreachable: TurnwrightError | undefined): boolean =>
  engine.callModel !== undefined ||
  (unreachable?.code === 'not_configured' &&
    (engine.credentials !== undefined || engine.headers !== undefined));

const wantsLog = ({ debug, debugFile, engine }: Options): boolean =>
  engine?.debug === undefined && ((debug !== undefined && debug !== false) || debugFile !== undefined);

/** Like `configure`, with a log that receives its warnings too. */
async function configureLogged(options: Options): Promise<Configured> {
  const { openDebugLog } = await import('./debug-sink.ts');
  const log = await openDebugLog(options, options.engine?.files ?? nodeFiles);
  const stderr = (line: string) => {
    log.warned(line);
    options.stderr?.(line);
  };
  return configure({ ...options, stderr, engine: { ...options.engine, debug: log } });
}

/**
 * The session to continue, wherever its file is under the configuration home. It runs in its recorded folder
 * unless the caller names one (F74). undefined: a new session, one of the host's own store, or one that does
 * not exist, which its submission then reports in its result.
 */
async function earlierSession(
  options: Options,
  env: Readonly<Record<string, string | undefined>>,
  files: PersistentFiles,
): Promise<FoundSession | undefined> {
  const cwd = resolveFolder(options.cwd);
  const home = options.engine?.home ?? configHome(env, cwd);
  if (home === undefined || options.engine?.store !== undefined || options.persistSession === false)
    return undefined;
  const { resume: sessionId, sessionStore } = options;
  if (sessionStore !== undefined) return storedSession(sessionStore, options, cwd);
  if (sessionId !== undefined)
    return findSession({ files, home, sessionId, ...(options.cwd !== undefined && { cwd }) });
  return options.continue === true ? newestSession({ files, home, cwd }) : undefined;
}

/** The store loads the session itself; only the id of the newest one must be determined before. */
async function storedSession(
  sessionStore: SessionStore,
  options: Options,
  cwd: string,
): Promise<FoundSession | undefined> {
  if (options.continue !== true) return undefined;
  const { listSessionsAt } = await import('../engine/standalone/kept-sessions.ts');
  const [newest] = await listSessionsAt({ dir: cwd, cwd, env: {}, sessionStore }, { limit: 1 });
  return newest && { sessionId: newest.sessionId, file: '', directory: '', cwd: newest.cwd };
}
