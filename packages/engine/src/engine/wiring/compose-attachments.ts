/**
 * What joins a conversation between two requests: changed files, reminders, and the sources of other rooms.
 */

import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { changedFiles } from '../../attachments/changed-files.ts';
import { createAttachments } from '../../attachments/collect.ts';
import { hookedFiles, type WatchedHooks } from '../../attachments/hooked-files.ts';
import type { AttachmentSource } from '../../attachments/source.ts';
import { todoReminder } from '../../attachments/todo-reminder.ts';
import type { AttachmentPort } from '../../loop/deps.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { ReadFileCache, TodoStore } from '../../protocol/tools/tool.ts';

interface AttachmentParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
  readonly readFileCache: ReadFileCache;
  readonly todos: TodoStore;
  /** Of this agent. */
  readonly hooks: WatchedHooks;
  readonly stderr: ((line: string) => void) | undefined;
  /** Called for files that changed on disk since the model read or wrote them. */
  readonly onFileChanged?: ((path: string, change: 'change' | 'unlink') => void) | undefined;
  /** Of other rooms. */
  readonly sources: readonly AttachmentSource[];
}

export function composeAttachments({
  clock,
  files,
  hooks,
  ids,
  onFileChanged,
  readFileCache,
  sources,
  stderr,
  todos,
}: AttachmentParts): AttachmentPort {
  hooks.watch(hookedFiles({ readFileCache, files }));
  return createAttachments({
    sources: [
      changedFiles({ readFileCache, files, hash: sha256, onChange: onFileChanged }),
      todoReminder(todos),
      ...sources,
    ],
    clock,
    ids,
    onProblem: (source, error) => stderr?.(`Attachment source ${source} failed: ${String(error)}`),
  });
}
