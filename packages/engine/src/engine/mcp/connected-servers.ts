/** The MCP servers that a session connects to: their ports, and the conversations that use them. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { createCredentialStore } from '../../mcp/oauth/credential-store.ts';
import { createMcpServers, type McpServerEntry, type McpServers } from '../../mcp/servers/mcp-servers.ts';
import { createPinStore } from '../../mcp/tools/pin-store.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import { createParser } from '../../tools/schema/from-json-schema.ts';
import type { McpClient, QueryEngineConfig } from '../config.ts';
import { connectWith } from '../connect-with.ts';
import type { SandboxSurroundings } from '../sandbox/sandbox-surroundings.ts';
import type { RecordedQuestions } from '../session/recorded-questions.ts';
import type { SessionNotices } from '../session/session-notices.ts';
import type { SessionParking } from '../session/session-parking.ts';
import { VERSION } from '../version.ts';
import type { ServerSandbox } from './server-sandbox.ts';
import { serverVariables } from './server-variables.ts';

/** ms that connecting may take, and that a call may be silent. */
export const START_MS = 30_000;
export const CALL_IDLE_MS = 5 * 60_000;

/** The session that the connections serve at the moment; another one follows when it is cleared. */
export interface ServedSession {
  readonly notices: Pick<SessionNotices, 'say' | 'elicitationComplete'>;
  readonly hooks: HookPort;
  /** Both absent for the servers of an agent, whose questions are waited for. */
  readonly questions?: RecordedQuestions | undefined;
  readonly parking?: SessionParking | undefined;
  /** Facts of the session that the sandbox of isolated servers needs. */
  readonly surroundings: SandboxSurroundings;
}

export interface McpParts {
  readonly files: PersistentFiles;
  readonly clock: Clock;
  readonly random: RandomPort;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
}

interface ConnectedRoom {
  /** Servers that the host brought along, as they are now: their names and those of their tools are taken. */
  own(): readonly McpClient[];
  readonly entries: readonly McpServerEntry[];
  session(): ServedSession;
  readonly sandbox: Pick<ServerSandbox, 'isolateFor'>;
  /** The tools are others now. */
  changed(): void;
}

export function connectedServers(
  config: QueryEngineConfig,
  { clock, env, files, random }: McpParts,
  { changed, entries, own, sandbox, session }: ConnectedRoom,
): McpServers {
  const { startMs = START_MS, callMs = CALL_IDLE_MS } = config.mcpTimeouts ?? {};
  const { onElicitation, parkAfterMs } = config;
  // Loaded by the first question, or the first call that may be parked with its question.
  const elicitations = lazily(async () => {
    const { Elicitations } = await import('./elicitations.ts');
    return new Elicitations({ askHost: onElicitation, served: session });
  });
  return createMcpServers({
    clock,
    random,
    cwd: config.cwd,
    env,
    version: VERSION,
    isolateFor: (server) => sandbox.isolateFor(server),
    elicit: async (...question) => (await elicitations()).answer(...question),
    duringCall:
      parkAfterMs === undefined ? undefined : async (...call) => (await elicitations()).during(...call),
    parserOf: createParser,
    connect: connectWith(config),
    openings: config.home === undefined ? undefined : { configHome: config.home, files },
    credentials: config.home === undefined ? undefined : createCredentialStore(config.home, files),
    startMs,
    callIdleMs: callMs,
    taken: {
      has: (name: string) => own().some(({ tools = [] }) => tools.some((tool) => tool.name === name)),
    },
    takenServers: () => own().map((client) => client.name),
    entries,
    variables: (entry) => serverVariables(entry, config),
    onChange: changed,
    warn: (line) => config.stderr?.(line),
    onElicitationComplete: (...which) => session().notices.elicitationComplete(...which),
    onHeld:
      config.mcpToolChanges === 'accept'
        ? undefined
        : (line) => {
            config.stderr?.(line);
            session().notices.say(line);
          },
    // The servers of a folder come back with it, and with them what was agreed to.
    pinStore: ({ name: server, scope, config: configuration }) => {
      const { home: configHome, projectRoot = config.cwd } = config;
      if (scope !== 'project' || configHome === undefined) return undefined;
      return createPinStore({ configHome, projectRoot, server, configuration }, files);
    },
  });
}
