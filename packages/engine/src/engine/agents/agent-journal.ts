/**
 * Where an agent's conversation is kept: `<session>/subagents/agent-<id>.jsonl` beside the session's own
 * journal, with a `.meta.json` that says what it was for; in the host's store under `agent-<id>`; else in
 * memory, for its lifetime.
 */
import { join } from 'node:path';
import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Clock, JournalStore } from '../../protocol/ports.ts';
import type { JournalBody, Recorder } from '../../protocol/session/journal.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import { createFileJournalStore } from '../../session/journal/file-store.ts';
import { createJournalWriter } from '../../session/journal/journal-writer.ts';
import { createMemoryJournalStore } from '../../session/journal/memory-store.ts';
import { readEntries } from '../../session/journal/read-journal.ts';
import { resumeSession } from '../../session/resume/resume.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { SessionMirror } from '../storage/mirror.ts';
import { createSessionJournal, type SessionJournal } from '../storage/session-journal.ts';
import { VERSION } from '../version.ts';

interface AgentJournalParts {
  readonly sessionId: string;
  /** Folder of the session files; undefined: there are none. */
  readonly directory: string | undefined;
  readonly files: PersistentFiles;
  readonly clock: Clock;
  /** Who else gets what is written; undefined: no one. */
  readonly mirror: SessionMirror | undefined;
  readonly model: string;
}

export interface AgentJournal {
  readonly journal: SessionJournal;
  /** Names it in its store. */
  readonly name: string;
  /** undefined: it is in no file. */
  readonly transcriptPath: string | undefined;
}

export function composeAgentJournal(
  request: SpawnRequest,
  config: QueryEngineConfig,
  parts: AgentJournalParts,
): AgentJournal {
  const { directory, sessionId, files, mirror, model } = parts;
  const name = `agent-${request.agentId}`;
  const folder = directory && join(directory, sessionId, 'subagents');
  const store = config.store ?? storeIn(folder, config, parts, request.agentId);
  const { durability } = config;
  const transcriptPath = folder && join(folder, `${name}.jsonl`);
  const announce = (more: { readonly finished?: true } = {}) => {
    if (transcriptPath === undefined) return;
    mirror?.tell(transcriptPath, [{ type: 'agent_metadata', ...toMetadata(request), ...more, model }]);
  };
  const journal = createSessionJournal(async () => {
    announce();
    const goesOn = (request.run ?? 1) > 1;
    if (goesOn && !(await store.exists(name)))
      throw new TurnwrightError(
        'session_not_found',
        `Nothing is kept of the conversation of the agent ${request.agentId}. Start another one.`,
      );
    const writer = await createJournalWriter({
      store,
      sessionId: name,
      durability,
      ...(goesOn ? { toResume: true } : { lastUuid: null }),
    });
    const recovered = goesOn
      ? resumeSession(writer.takeEarlier() ?? (await readEntries(store, name)), { sidechain: true })
      : undefined;
    if (folder !== undefined)
      await files.writeAtomic(join(folder, `${name}.meta.json`), JSON.stringify(toMetadata(request)), {
        mode: 0o600,
      });
    return {
      recorder: sidechain(writer, request.agentId),
      earlierOwners: writer.epoch - 1,
      recovered,
      lost: [writer.fenced],
      async close() {
        await writer.close();
        announce({ finished: true });
      },
    };
  });
  return { journal, name, transcriptPath };
}

/** Agents of a session that is not kept whose conversations are: those that began last. */
const MOST_IN_MEMORY = 20;
const inMemory = oncePer((_config: QueryEngineConfig) => new Map<string, JournalStore>());

function storeInMemory(config: QueryEngineConfig, agentId: string, clock: Clock): JournalStore {
  const stores = inMemory(config);
  const store = stores.get(agentId) ?? createMemoryJournalStore({ cwd: config.cwd, clock, version: VERSION });
  stores.delete(agentId);
  stores.set(agentId, store);
  const [oldest] = stores.keys();
  if (stores.size > MOST_IN_MEMORY && oldest !== undefined) stores.delete(oldest);
  return store;
}

function storeIn(
  folder: string | undefined,
  config: QueryEngineConfig,
  { sessionId, files, clock, mirror }: AgentJournalParts,
  agentId: string,
): JournalStore {
  const { cwd, durability } = config;
  if (folder === undefined) return storeInMemory(config, agentId, clock);
  const stampedAs = sessionId;
  return createFileJournalStore({
    files,
    directory: folder,
    cwd,
    clock,
    durability,
    version: VERSION,
    stampedAs,
    onWritten: mirror?.onWritten,
  });
}

/** Every record says whose it is, as readers of the de-facto transcript expect. */
function sidechain(recorder: Recorder, agentId: string): Recorder {
  const marked = (body: JournalBody): JournalBody =>
    Object.assign({ ...body }, { isSidechain: true, agentId });
  return {
    append: (entries) => recorder.append(entries.map(marked)),
    later: (entries) => recorder.later(entries.map(marked)),
    commit: () => recorder.commit(),
  };
}

function toMetadata({ definition, description, toolUseId, depth, parentAgentId }: SpawnRequest) {
  return {
    agentType: definition.name,
    description,
    toolUseId,
    spawnDepth: depth,
    ...(parentAgentId !== undefined && { parentAgentId }),
  };
}
