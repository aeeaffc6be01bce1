/**
 * The journal as a file: `<directory>/<id>.jsonl`, 0600, opened for appending, one write per batch of
 * appends. The fence is in the file itself (a takeover line), so it holds between processes.
 */
import type { JournalStore } from '../../protocol/ports.ts';
import { DIGEST_FROM_BYTES, keepDigest } from '../resume/resume-cache.ts';
import { takeOverFile } from '../resume/take-over.ts';
import { journalPath } from '../session-files.ts';
import type { FileJournal } from './file-journal.ts';
import type { FileJournalStoreOptions } from './file-store-options.ts';
import { readJournal } from './read-journal.ts';
import { storageError } from './storage-error.ts';

export type { FileJournalStoreOptions } from './file-store-options.ts';

export function createFileJournalStore(options: FileJournalStoreOptions): JournalStore {
  const { files, directory } = options;
  const open = new Map<string, FileJournal>();

  return {
    async takeOver(sessionId, { toResume = false } = {}) {
      const path = journalPath(directory, sessionId);
      const before = open.get(sessionId);
      open.delete(sessionId);
      await before?.close();
      const { journal, toResume: earlier } = await takeOverFile(path, sessionId, options, toResume);
      const meanwhile = open.get(sessionId);
      if (meanwhile !== undefined && meanwhile.epoch > journal.epoch) await journal.close();
      else {
        open.set(sessionId, journal);
        await meanwhile?.close();
      }
      const { epoch, head } = journal;
      return earlier === undefined ? { epoch, head } : { epoch, head, toResume: earlier };
    },

    append(sessionId, epoch, afterSeq, entries) {
      const journal = open.get(sessionId);
      if (journal === undefined) {
        throw storageError(`Session ${sessionId} is not open for writing; take it over first.`);
      }
      if (epoch !== journal.epoch) return { fenced: true };
      return journal.append(afterSeq, entries);
    },

    async *read(sessionId, fromSeq) {
      const path = journalPath(directory, sessionId);
      const { onProblem } = options;
      yield* readJournal(files, path, {
        ...(fromSeq === undefined ? {} : { fromSeq }),
        ...(onProblem === undefined ? {} : { onProblem: (problem) => onProblem(sessionId, problem) }),
      });
    },

    async sync(sessionId) {
      if (options.durability === 'power') await open.get(sessionId)?.sync();
    },

    async exists(sessionId) {
      return (await files.stat(journalPath(directory, sessionId)))?.kind === 'file';
    },

    async close(sessionId) {
      const journal = open.get(sessionId);
      open.delete(sessionId);
      await journal?.close();
      if (journal === undefined || journal.length < DIGEST_FROM_BYTES) return;
      // Best effort: resume works without this cache.
      await keepDigest(files, journalPath(directory, sessionId), options.version).catch(() => undefined);
    },
  };
}
