/** Forks of a kept session at one of its steps, each in a working copy with the files as they were then. */
import { basename, dirname, join } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { findGitFolder } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { CopyDifference } from '@turnwright/base/working-copies/compare-trees.ts';
import { sweepUnfinishedCopies } from '@turnwright/base/working-copies/left-copies.ts';
import { makeWorkingCopy } from '@turnwright/base/working-copies/make-working-copy.ts';
import type { WorkingCopy } from '@turnwright/base/working-copies/working-copy.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { forkLines } from '../../session/catalog/fork.ts';
import { findStep, listSteps, nameStep, type SessionStep } from '../../session/forking/fork-point.ts';
import { readCourse, type SessionCourse } from '../../session/forking/session-course.ts';
import { type FoundSession, sessionFile } from '../../session/paths.ts';
import { noProblems, recordsInOrder } from '../../session/resume/record-order.ts';
import { configHome } from '../../settings/read/config-home.ts';
import { VERSION } from '../version.ts';
import { putRecordedFiles, readWholeJournal } from './fork-files.ts';
import { foundSession, type SessionPlace } from './inspect-session.ts';

export type { CourseStep, SessionCourse } from '../../session/forking/session-course.ts';

/** What to fork, and into how many. */
export interface ForkAtRequest {
  /**
   * The step: a number that `explainSession()` prints (`3`), with its submission where there are several
   * (`2.3`), or the id of a message. What the fork asks first is the request of this step.
   */
  readonly at: string | number;
  /**
   * Name of each fork; default one, `fork`. `replacesPrompt`: its prompt comes in place of the one that the
   * step's submission began with; only for the first step of a submission.
   */
  readonly forks?: readonly { readonly name: string; readonly replacesPrompt?: boolean }[] | undefined;
  /** Folder for the working copies. Default: beside the repository, or the folder: `<its name>.forks`. */
  readonly copiesIn?: string | undefined;
  /**
   * The one fork runs in the folder itself, so that its requests begin as those of the session did and the
   * model's cache is used. The files are put there; a working copy keeps those that are there now.
   */
  readonly inPlace?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One fork, ready to be run. */
export interface SessionFork {
  readonly name: string;
  /** Of the new session. */
  readonly sessionId: string;
  /** Its working copy; absolute. */
  readonly cwd: string;
  /** Options of the `query()` that runs it; without a prompt the step is asked again. */
  readonly options: { readonly cwd: string } & ({ readonly resume: string } | { readonly sessionId: string });
  /** In place: the working copy with the files that were there before. */
  readonly keptIn?: string;
  /** What it did from the step on, so far; names of files are those of the session that was forked. */
  readCourse(): Promise<SessionCourse>;
  /** What it changed in its files. */
  compare(signal?: AbortSignal): Promise<CopyDifference>;
  /** Removes the working copy if nothing was changed in it; else `why` says what was. */
  removeUnlessUsed(): Promise<{ readonly removed: boolean; readonly why?: string }>;
  /** Removes the working copy with everything in it; the session stays. */
  discard(): Promise<void>;
}

/** What `forkAt()` made. */
export interface ForksAtStep {
  /** Of the session that was forked. */
  readonly sessionId: string;
  /** The step, as `explainSession()` numbers it. */
  readonly step: string;
  /** The model that was asked there. */
  readonly model: string;
  readonly forks: readonly SessionFork[];
  /** What the session itself did from the step on. */
  readonly original: SessionCourse;
  /** What of the files as they were then is not known or was left out, in sentences without a full stop. */
  readonly notes: readonly string[];
  /** Working copies of processes that have ended, which may hold work. */
  readonly left: readonly string[];
}

/** Throws `session_not_found`, `invalid_option`; others for a folder that cannot be copied. */
export async function forkAtStep(
  sessionId: string | undefined,
  place: SessionPlace,
  request: ForkAtRequest,
): Promise<ForksAtStep> {
  const { files, found } = await foundSession(sessionId, place);
  const raw = await readWholeJournal(files, found.file);
  const records = recordsInOrder(raw, noProblems());
  const step = findStep(records, String(request.at));
  const asked = request.forks ?? [{ name: 'fork' }];
  refuseForks(request.inPlace === true, asked, step);
  const folder = found.cwd ?? place.cwd;
  const parent = request.copiesIn ?? (await pickParent(folder, files));
  const left = await sweepUnfinishedCopies(parent, place.env);
  const label = nameStep(step, listSteps(records));
  const nameCopy = (name: string) =>
    freeName(parent, `${found.sessionId.slice(0, 8)}-${label}-${name}`, files);
  const common = { parent, env: place.env, signal: request.signal };
  const copies: WorkingCopy[] = [];
  try {
    let notes: readonly string[] = [];
    const forks: SessionFork[] = [];
    for (const { name: given, replacesPrompt = false } of asked) {
      const name = request.inPlace === true ? 'before' : given;
      const [first] = copies;
      // All begin with the same files, also if the folder changes meanwhile.
      const made = await makeCopy({ ...common, folder: first?.path ?? folder, name: await nameCopy(name) });
      copies.push(made);
      const copy = request.inPlace === true ? made.openOriginal() : made;
      if (first === undefined) {
        const recording = { records, step, folder, found, files };
        notes = [...copy.notes, ...(await putRecordedFiles(copy, recording))];
        await copy.markBeginning();
      }
      const cut = replacesPrompt ? step.beginsAt : step.at;
      const written = await writeFork(
        records.slice(0, cut),
        { found, folder, copy, label, name },
        { ...place, files },
      );
      const move = { from: copy.path, to: folder };
      const read = async (sessionId: string) => {
        const entries = await readWholeJournal(files, journalOf(sessionId, copy.path, found, place));
        const all = recordsInOrder(entries, noProblems());
        const own = all.findIndex(({ seq }) => seq > written.copied);
        return readCourse(all, own < 0 ? all.length : own, move);
      };
      forks.push(
        describeFork({
          name: given,
          id: written.id,
          copy,
          read,
          keptIn: request.inPlace === true ? made.path : undefined,
        }),
      );
    }
    return {
      sessionId: found.sessionId,
      step: label,
      model: step.model,
      forks,
      original: readCourse(records, step.at),
      notes,
      left: left.map(({ container }) => container),
    };
  } catch (error) {
    // In place, what was there before may be in a copy alone.
    for (const copy of request.inPlace === true ? [] : copies) await copy.discard().catch(() => undefined);
    throw error;
  }
}

/** Errors of git and of the disk are the caller's to mend: what they say is the whole message. */
async function makeCopy(request: Parameters<typeof makeWorkingCopy>[0]): Promise<WorkingCopy> {
  try {
    return await makeWorkingCopy(request);
  } catch (error) {
    request.signal?.throwIfAborted();
    throw new TurnwrightError('invalid_option', errorText(error), { cause: error });
  }
}

function refuseForks(inPlace: boolean, asked: NonNullable<ForkAtRequest['forks']>, step: SessionStep): void {
  const refuse = (sentence: string) => {
    throw new TurnwrightError('invalid_option', sentence);
  };
  if (asked.length === 0) refuse('Name one fork at least.');
  if (inPlace && asked.length > 1)
    refuse('Several forks cannot run in one folder: only one can be in place.');
  for (const [at, { name, replacesPrompt }] of asked.entries()) {
    if (!/^[\w][\w.-]{0,63}$/.test(name))
      refuse(`"${name}" cannot name a fork: letters, digits, "-", "_" and "." only, at most 64.`);
    if (asked.findIndex((other) => other.name === name) !== at) refuse(`Two forks are named "${name}".`);
    if (replacesPrompt === true && step.iteration !== 1)
      refuse('Only at the first step of a submission can another prompt replace its own.');
  }
}

async function pickParent(folder: string, files: PersistentFiles): Promise<string> {
  const root = (await findGitFolder(folder, files))?.root ?? folder;
  return join(dirname(root), `${basename(root)}.forks`);
}

async function freeName(parent: string, name: string, files: PersistentFiles): Promise<string> {
  for (let at = 1; ; at += 1) {
    const tried = at === 1 ? name : `${name}-${at}`;
    if (!(await files.exists(join(parent, tried)))) return tried;
  }
}

interface ForkSource {
  readonly found: FoundSession;
  /** That the session ran in. */
  readonly folder: string;
  readonly copy: WorkingCopy;
  readonly label: string;
  readonly name: string;
}

/** Writes the journal of a fork where sessions of its working copy are. No id: nothing was said before. */
async function writeFork(
  records: readonly JournalEntry[],
  { found, folder, copy, label, name }: ForkSource,
  place: SessionPlace,
): Promise<{ readonly id: string | undefined; readonly copied: number }> {
  const { files = nodeFiles } = place;
  if (!records.some(({ type }) => type === 'user')) return { id: undefined, copied: 0 };
  const to = systemIds.uuid();
  const lines = forkLines(records, {
    from: found.sessionId,
    to,
    upToMessageId: undefined,
    ...(folder !== copy.path && { move: { from: folder, to: copy.path } }),
    title: `${found.sessionId.slice(0, 8)} from step ${label}: ${name}`,
    ids: systemIds,
    clock: systemClock,
    version: VERSION,
  });
  const file = journalOf(to, copy.path, found, place);
  await files.makeDir(dirname(file), 0o700);
  await files.createExclusive(file, `${(lines ?? []).join('\n')}\n`, 0o600);
  // The last line is its name.
  return { id: to, copied: (lines ?? []).length - 1 };
}

/** Where sessions of this folder are, in the home of the session that is forked. */
const journalOf = (id: string, folder: string, found: FoundSession, { cwd, env }: SessionPlace): string =>
  sessionFile(configHome(env, cwd) ?? dirname(found.directory), folder, id);

interface ForkParts {
  readonly name: string;
  readonly id: string | undefined;
  readonly copy: WorkingCopy;
  readonly keptIn: string | undefined;
  read(sessionId: string): Promise<SessionCourse>;
}

function describeFork({ name, id, copy, keptIn, read }: ForkParts): SessionFork {
  const sessionId = id ?? systemIds.uuid();
  const cwd = copy.path;
  return {
    name,
    sessionId,
    cwd,
    options: id === undefined ? { cwd, sessionId } : { cwd, resume: id },
    ...(keptIn !== undefined && { keptIn }),
    readCourse: () => read(sessionId),
    compare: copy.compare,
    removeUnlessUsed: copy.removeUnlessUsed,
    discard: copy.discard,
  };
}
