/** Which agent the main thread is. */
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { FoundSession } from '../../session/paths.ts';
import { recordedAgent } from '../../session/recorded-agent.ts';
import { findAgent } from '../../subagents/catalog.ts';
import type { QueryEngineConfig } from '../config.ts';
import { agentsIn } from '../host/session-listings.ts';
import type { MainAgentChoice } from './agent-catalog.ts';

interface AgentChoices {
  readonly options: {
    readonly agent?: string | undefined;
    readonly stderr?: ((line: string) => void) | undefined;
  };
  readonly settingsAgent: string | undefined;
  /** The session that is resumed. */
  readonly found: FoundSession | undefined;
  readonly config: QueryEngineConfig;
  readonly files: PersistentFiles;
}

/**
 * The agent that the caller names; else the one that the session is, which must be there; else that of the
 * settings, which is passed over with a warning where it is not. undefined: none.
 */
export async function chosenAgent({
  options,
  settingsAgent,
  found,
  config,
  files,
}: AgentChoices): Promise<Pick<MainAgentChoice, 'agent' | 'session'> | undefined> {
  if (options.agent !== undefined) return { agent: options.agent };
  const file = found?.file ?? '';
  const recorded = file === '' ? undefined : await recordedAgent(files, file);
  if (recorded !== undefined) return { agent: recorded, session: found?.sessionId };
  if (settingsAgent === undefined) return undefined;
  if (findAgent(settingsAgent, agentsIn(config)) !== undefined) return { agent: settingsAgent };
  options.stderr?.(`The settings name the agent "${settingsAgent}", which there is not; it was passed over.`);
  return undefined;
}
