/**
 * Where an agent's conversation is kept: `<session>/subagents/agent-<id>.jsonl` beside the session's own
 * journal, with a `.meta.json` that says what it was for; in the host's store under `agent-<id>`; else in
 * memory, for its lifetime.
 */
import { join } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { Clock, JournalStore } from '../../protocol/ports.ts';
import type { JournalBody, Recorder } from '../../protocol/session/journal.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import { createFileJournalStore } from '../../session/journal/file-store.ts';
import { createJournalWriter } from '../../session/journal/journal-writer.ts';
import { createMemoryJournalStore } from '../../session/journal/memory-store.ts';
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
  const store = config.store ?? storeIn(folder, config, parts);
  const { durability } = config;
  const transcriptPath = folder && join(folder, `${name}.jsonl`);
  const announce = (more: { readonly finished?: true } = {}) => {
    if (transcriptPath === undefined) return;
    mirror?.tell(transcriptPath, [{ type: 'agent_metadata', ...toMetadata(request), ...more, model }]);
  };
  const journal = createSessionJournal(async () => {
    announce();
    const writer = await createJournalWriter({ store, sessionId: name, durability, lastUuid: null });
    if (folder !== undefined)
      await files.writeAtomic(join(folder, `${name}.meta.json`), JSON.stringify(toMetadata(request)), {
        mode: 0o600,
      });
    return {
      recorder: sidechain(writer, request.agentId),
      earlierOwners: writer.epoch - 1,
      lost: [writer.fenced],
      async close() {
        await writer.close();
        announce({ finished: true });
      },
    };
  });
  return { journal, name, transcriptPath };
}

function storeIn(
  folder: string | undefined,
  { cwd, durability }: QueryEngineConfig,
  { sessionId, files, clock, mirror }: AgentJournalParts,
): JournalStore {
  if (folder === undefined) return createMemoryJournalStore({ cwd, clock, version: VERSION });
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
