/** The files of a kept session as they were when a prompt of it was sent, in a working copy. */
import { join } from 'node:path';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { makeWorkingCopy } from '@turnwright/base/working-copies/make-working-copy.ts';
import { runGitHere } from '@turnwright/base/working-copies/run-git-here.ts';
import type { WorkingCopy } from '@turnwright/base/working-copies/working-copy.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { findStep } from '../../session/forking/fork-point.ts';
import { noProblems, recordsInOrder } from '../../session/resume/record-order.ts';
import { putRecordedFiles, readWholeJournal } from './fork-files.ts';
import { foundSession, type SessionPlace } from './inspect-session.ts';

interface SessionBeginning {
  readonly sessionId: string;
  /** That the session ran in. */
  readonly folder: string;
  readonly copy: WorkingCopy;
  /** The last commit before the prompt; undefined: there is no repository, or none with a commit. */
  readonly commit: string | undefined;
  /** What of the files as they were then is not known or was left out, in sentences without a full stop. */
  readonly notes: readonly string[];
}

interface Wanted {
  /** Id of the prompt. */
  readonly prompt: string;
  /** ISO time of the prompt. */
  readonly sentAt: string;
  /** Folder for the working copy; absolute. */
  readonly parent: string;
  /** Of a folder without a repository. */
  readonly maxBytes: number;
}

/** Throws `session_not_found`, and `invalid_option` for a folder that cannot be copied. */
export async function copySessionBeginning(
  sessionId: string,
  place: SessionPlace,
  { prompt, sentAt, parent, maxBytes }: Wanted,
): Promise<SessionBeginning> {
  const { files, found } = await foundSession(sessionId, place);
  const records = recordsInOrder(await readWholeJournal(files, found.file), noProblems());
  const step = findStep(records, prompt);
  const folder = found.cwd ?? place.cwd;
  const at = { cwd: folder, env: place.env };
  const head = await runGitHere(['rev-parse', '--verify', '-q', 'HEAD^{commit}'], at).catch(() => undefined);
  const before = head && (await runGitHere(['rev-list', '-1', `--before=${sentAt}`, 'HEAD'], at)).trim();
  // A repository whose first commit came later is taken as it is now.
  const commit = before === '' ? head?.trim() : before;
  const isOlder = commit !== undefined && commit !== head?.trim();
  const copy = await makeWorkingCopy({
    folder,
    parent,
    name: 'beginning',
    env: place.env,
    ignored: 'none',
    maxBytes,
    ...(isOlder && { commit }),
  }).catch((error: unknown) => {
    throw new TurnwrightError('invalid_option', errorText(error), { cause: error });
  });
  try {
    const recorded = await putRecordedFiles(copy, { records, step, folder, found, files });
    const older = isOlder
      ? [
          'commits were made since: what was not committed at that time is known only of files that tools wrote',
        ]
      : [];
    return {
      sessionId: found.sessionId,
      folder,
      copy,
      commit,
      notes: [...copy.notes, ...older, ...recorded],
    };
  } catch (error) {
    await copy.discard();
    throw error;
  }
}

/**
 * What has to be applied to the commit, without the files at `leftOut`, paths from the root of the
 * repository.
 */
export async function readPatch(
  { copy, commit = 'HEAD' }: Pick<SessionBeginning, 'copy' | 'commit'>,
  env: SessionPlace['env'],
  leftOut: readonly string[] = [],
): Promise<string> {
  const at = { cwd: join(copy.container, 'files'), env };
  // Writes no objects into the repository.
  await runGitHere(['add', '--all', '--intent-to-add', '.'], at);
  const without = leftOut.map((path) => `:(exclude,literal)${path}`);
  return runGitHere(
    ['diff', '--binary', '--no-color', '--no-ext-diff', '--no-textconv', commit, '--', '.', ...without],
    at,
  );
}
