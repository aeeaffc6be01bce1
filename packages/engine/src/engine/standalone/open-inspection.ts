/** A session for people who look at it: read without its lease, and read again while it grows. */

import { basename, join } from 'node:path';
import { parseJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { checkLiveness } from '@turnwright/base/process/process-identity.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { FinishedRun } from '../../protocol/session/forecast.ts';
import type { InspectionHit, IterationDetail, SessionInspection } from '../../protocol/session/inspection.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { inspectionText } from '../../session/explain.ts';
import { readRuns } from '../../session/forecast/run-history.ts';
import { inspectJournals, showRead } from '../../session/inspection/inspect-journals.ts';
import { JournalRows } from '../../session/inspection/iteration-rows.ts';
import type { AgentFacts } from '../../session/inspection/list-agents.ts';
import { readDetails, wholeText } from '../../session/inspection/read-detail.ts';
import { searchJournal } from '../../session/inspection/search-journal.ts';
import { messageOfRecord } from '../../session/journal/message-record.ts';
import { type JournalProblem, readJournal } from '../../session/journal/read-journal.ts';
import { parseLock } from '../../session/lease/lock-file.ts';
import type { FoundSession } from '../../session/paths.ts';
import { redactRecords } from '../../session/redact-records.ts';
import { redactText } from '../../session/redact-text.ts';
import { lockPath } from '../../session/session-files.ts';
import { foundSession, listPrice, type SessionPlace, toSessionCost } from './inspect-session.ts';

export { inspectionText };

/** One journal of a session. */
export interface InspectedJournal {
  /** undefined: the session's own. */
  readonly agent?: AgentFacts | undefined;
  /** Changes when something was written; undefined: not known. */
  stamp(): Promise<string | undefined>;
  /** Entries from `fromSeq` on, in order. `onDamage` is called with a sentence. */
  read(fromSeq: number, onDamage: (where: string) => void): AsyncIterable<JournalEntry>;
}

/** Where a session is read from. */
export interface InspectionSource {
  readonly sessionId: string;
  /** The session's own first. `agentIds`: of agents that its records name. */
  journals(agentIds: readonly string[]): Promise<readonly InspectedJournal[]>;
  /** Whether a process works on it. */
  isRunning(): Promise<boolean>;
  /** Runs of its folder, oldest first; absent: none are kept. */
  runs?(): Promise<readonly FinishedRun[]>;
}

export interface OpenInspection {
  readonly sessionId: string;
  /** Reads what was written since the last time; whether anything was. */
  refresh(): Promise<boolean>;
  /** As of the last reading. */
  data(): SessionInspection;
  /** In the order of `keys`; unknown ones are left out. `previewChars`: of each text, default 4,000. */
  details(keys: readonly string[], previewChars?: number): Promise<readonly IterationDetail[]>;
  /** A part of a message's text; undefined: there is no such message. */
  text(uuid: string, from: number): Promise<{ readonly text: string; readonly chars: number } | undefined>;
  search(text: string): AsyncGenerator<InspectionHit, void, void>;
}

interface Redaction {
  readonly redact?: boolean | undefined;
}

/** Throws `session_not_found`. */
export async function inspectSessionAt(
  sessionId: string | undefined,
  place: SessionPlace,
  options: Redaction = {},
): Promise<SessionInspection> {
  return (await openInspectionAt(sessionId, place, options)).data();
}

/**
 * Why each iteration of a session ended as it did, as text; undefined means the newest. Throws
 * `session_not_found`.
 */
export async function explainSessionAt(
  sessionId: string | undefined,
  place: SessionPlace,
  options: Redaction = {},
): Promise<string> {
  return inspectionText(await inspectSessionAt(sessionId, place, options));
}

/** It has been read once. Throws `session_not_found`. */
export async function openInspectionAt(
  sessionId: string | undefined,
  place: SessionPlace,
  { redact = false, source }: Redaction & { readonly source?: InspectionSource | undefined } = {},
): Promise<OpenInspection> {
  const from = source ?? (await openFileSource(sessionId, place));
  const inspection = new Inspection(from, redact);
  await inspection.refresh();
  // Its records name agents whose journals are elsewhere.
  if (source !== undefined) await inspection.refresh();
  return inspection;
}

const TEXT_CHARS = 64 * 1024;
/** Entries that are held before what is shown takes their place. */
const SHOWN_EVERY = 1000;

interface Gathered {
  journal: InspectedJournal;
  readonly rows: JournalRows;
  stamp: string | undefined;
  damage: readonly string[];
}

class Inspection implements OpenInspection {
  readonly sessionId: string;
  readonly #source: InspectionSource;
  readonly #redact: boolean;
  /** By id of the agent. */
  readonly #journals = new Map<string, Gathered>();
  #isRunning = false;
  #runs: readonly FinishedRun[] | undefined;
  #data: SessionInspection | undefined;
  #reading: Promise<boolean> | undefined;

  constructor(source: InspectionSource, redact: boolean) {
    this.#source = source;
    this.sessionId = source.sessionId;
    this.#redact = redact;
  }

  refresh(): Promise<boolean> {
    this.#reading ??= this.#refresh().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #refresh(): Promise<boolean> {
    const isRunning = await this.#source.isRunning();
    let isChanged = isRunning !== this.#isRunning || this.#data === undefined;
    this.#isRunning = isRunning;
    const agentIds = [...(this.#journals.get('')?.rows.agentIds ?? [])];
    for (const journal of await this.#source.journals(agentIds)) {
      const id = journal.agent?.id ?? '';
      const known = this.#journals.get(id) ?? {
        journal,
        rows: new JournalRows(listPrice),
        stamp: undefined,
        damage: [],
      };
      known.journal = journal;
      this.#journals.set(id, known);
      if (await this.#readMore(known)) isChanged = true;
    }
    if (isChanged) {
      this.#runs = await this.#source.runs?.();
      this.#data = undefined;
    }
    return isChanged;
  }

  async #readMore(gathered: Gathered): Promise<boolean> {
    const { journal, rows } = gathered;
    const stamp = await journal.stamp();
    if (stamp !== undefined && stamp === gathered.stamp) return false;
    const damage: string[] = [];
    const before = rows.nextSeq;
    let read = 0;
    for await (const entry of journal.read(before, (where) => damage.push(where))) {
      rows.add(this.#shown(entry));
      read += 1;
      if (read % SHOWN_EVERY === 0) showRead(rows, journal.agent?.id ?? '', this.#firstMs());
    }
    gathered.stamp = stamp;
    gathered.damage = damage;
    return rows.nextSeq !== before;
  }

  #firstMs(): number {
    return this.#journals.get('')?.rows.first ?? 0;
  }

  #shown(entry: JournalEntry): JournalEntry {
    return this.#redact ? (redactRecords([entry])[0] as JournalEntry) : entry;
  }

  data(): SessionInspection {
    this.#data ??= this.#inspect();
    return this.#data;
  }

  #inspect(): SessionInspection {
    const all = [...this.#journals.values()];
    const main = this.#journals.get('')?.rows ?? new JournalRows(listPrice);
    return inspectJournals({
      sessionId: this.sessionId,
      main,
      agents: all.flatMap(({ journal: { agent }, rows }) =>
        agent === undefined ? [] : [{ facts: this.#shownAgent(agent), rows }],
      ),
      isRunning: this.#isRunning,
      runs: this.#runs,
      isRedacted: this.#redact,
      damage: all.flatMap(({ damage }) => damage),
      toCost: (recorded, isForeign) => toSessionCost(this.sessionId, recorded, isForeign),
    });
  }

  #shownAgent(agent: AgentFacts): AgentFacts {
    return this.#redact ? { ...agent, description: redactText(agent.description ?? '') } : agent;
  }

  async details(keys: readonly string[], previewChars?: number): Promise<readonly IterationDetail[]> {
    const found = new Map<string, IterationDetail>();
    for (const [id, { journal }] of this.#journals) {
      const prefix = id === '' ? '' : `${id}:`;
      const wanted = new Set(
        keys.flatMap((key) =>
          key.startsWith(prefix) && (id !== '' || !key.includes(':')) ? [key.slice(prefix.length)] : [],
        ),
      );
      if (wanted.size === 0) continue;
      for await (const detail of readDetails(
        this.#entries(journal),
        (key) => wanted.has(key),
        previewChars,
        listPrice,
      ))
        found.set(`${prefix}${detail.key}`, { ...detail, key: `${prefix}${detail.key}` });
    }
    return keys.flatMap((key) => found.get(key) ?? []);
  }

  async *#entries(journal: InspectedJournal): AsyncGenerator<JournalEntry> {
    for await (const entry of journal.read(1, () => undefined)) yield this.#shown(entry);
  }

  async text(uuid: string, from: number) {
    for (const { journal } of this.#journals.values())
      for await (const entry of this.#entries(journal)) {
        if (!('uuid' in entry) || entry.uuid !== uuid) continue;
        const message = messageOfRecord(entry);
        if (message === undefined) continue;
        const text = wholeText(message);
        return { text: text.slice(from, from + TEXT_CHARS), chars: text.length };
      }
    return undefined;
  }

  async *search(text: string): AsyncGenerator<InspectionHit, void, void> {
    const steps = new Map(this.data().iterations.map(({ key, step }) => [key, step]));
    for (const [id, { journal }] of this.#journals) {
      const prefix = id === '' ? '' : `${id}:`;
      for await (const hit of searchJournal(this.#entries(journal), text)) {
        const key = `${prefix}${hit.key}`;
        yield { ...hit, key, step: steps.get(key) ?? hit.key };
      }
    }
  }
}

/** Journals and agents of a session that is kept in files. */
export async function openFileSource(
  sessionId: string | undefined,
  place: SessionPlace,
): Promise<InspectionSource> {
  const { files, found } = await foundSession(sessionId, place);
  await refuseLink(files, found.file);
  const folder = join(found.directory, found.sessionId, 'subagents');
  /** What a meta file says does not change. */
  const known = new Map<string, InspectedJournal>();
  return {
    sessionId: found.sessionId,
    async journals() {
      const hasAgents = (await files.stat(folder))?.kind === 'directory';
      const names = hasAgents
        ? (await files.readDir(folder)).filter((name) => name.endsWith('.jsonl')).sort()
        : [];
      for (const name of names)
        if (!known.has(name) && !(await isLink(files, join(folder, name))))
          known.set(name, fileJournal(files, join(folder, name), await readAgent(files, folder, name)));
      return [fileJournal(files, found.file, undefined), ...known.values()];
    },
    isRunning: () => isHeld(files, found),
    runs: () => readRuns(files, found.directory),
  };
}

/** A link could lead to another person's session. */
async function refuseLink(files: PersistentFiles, file: string): Promise<void> {
  if (await isLink(files, file))
    throw new TurnwrightError('session_not_found', `The journal ${file} is a link, which is not followed.`);
}

const isLink = async (files: PersistentFiles, file: string): Promise<boolean> =>
  (await files.lstat(file))?.kind === 'symlink';

function fileJournal(files: PersistentFiles, file: string, agent: AgentFacts | undefined): InspectedJournal {
  return {
    agent,
    async stamp() {
      const stat = await files.stat(file);
      return stat === undefined ? 'none' : `${stat.size}/${stat.mtimeMs}`;
    },
    async *read(fromSeq, onDamage) {
      const problems: JournalProblem[] = [];
      yield* readJournal(files, file, { fromSeq, onProblem: (problem) => problems.push(problem) });
      // A takeover fences what its predecessor still wrote: that is no damage.
      for (const { kind, offset, bytes } of problems)
        if (kind !== 'fenced')
          onDamage(
            `${basename(file)}, byte ${offset}: ${kind.replaceAll('_', ' ')} (${bytes} bytes left out).`,
          );
    },
  };
}

async function readAgent(files: PersistentFiles, folder: string, name: string): Promise<AgentFacts> {
  const id = name.replace(/^agent-/, '').replace(/\.jsonl$/, '');
  const meta = await files
    .readFile(join(folder, name.replace(/\.jsonl$/, '.meta.json')))
    .then((bytes): unknown => parseJson(new TextDecoder().decode(bytes)))
    .catch(() => undefined);
  const field = (key: string) => (isRecord(meta) && typeof meta[key] === 'string' ? meta[key] : undefined);
  return {
    id,
    type: field('agentType'),
    description: field('description'),
    parent: field('parentAgentId'),
    toolUseId: field('toolUseId'),
  };
}

async function isHeld(files: PersistentFiles, { directory, sessionId }: FoundSession): Promise<boolean> {
  const lock = await files.readFile(lockPath(directory, sessionId)).catch(() => undefined);
  if (lock === undefined) return false;
  const holder = parseLock(Buffer.from(lock));
  return holder.kind === 'held' && checkLiveness(holder.content) !== 'dead';
}
