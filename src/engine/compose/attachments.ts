import { changedFiles } from '../../attachments/changed-files.ts';
import { createAttachments } from '../../attachments/collect.ts';
import { createInputQueue } from '../../attachments/input-queue.ts';
import { type JudgePrompt, queuedCommands } from '../../attachments/queued-commands.ts';
import type { AttachmentSource } from '../../attachments/source.ts';
import { todoReminder } from '../../attachments/todo-reminder.ts';
import type { AttachmentPort } from '../../loop/deps.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Clock, Ids, Inbox } from '../../protocol/ports.ts';
import type { ReadFileCache, TodoStore } from '../../protocol/tool.ts';
import type { Scope } from '../../util/scope.ts';
import { sha256 } from '../../util/sha256.ts';
import type { PromptLine } from '../parts.ts';

export interface AttachmentParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: PersistentFiles;
  readonly readFileCache: ReadFileCache;
  readonly todos: TodoStore;
  readonly stderr: ((line: string) => void) | undefined;
  readonly sessionId: string;
  readonly scope: Scope;
  readonly inbox: Inbox | undefined;
  /** Holds prompts back that would join a running turn. */
  readonly judgePrompt?: JudgePrompt | undefined;
  /** Told of files that changed under the model. */
  readonly onFileChanged?: ((path: string, change: 'change' | 'unlink') => void) | undefined;
  /** Of other rooms. */
  readonly sources: readonly AttachmentSource[];
}

export function composeAttachments(parts: AttachmentParts): {
  readonly attachments: AttachmentPort;
  readonly queue: PromptLine;
} {
  const { clock, ids, files, readFileCache, todos, inbox, sessionId, scope } = parts;
  const queue = createInputQueue();
  const commands = queuedCommands(queue, parts.judgePrompt);
  const joinListeners = new Set<(keys: readonly string[]) => void>();
  const attachments = createAttachments({
    sources: [
      commands,
      changedFiles({ readFileCache, files, hash: sha256, onChange: parts.onFileChanged }),
      todoReminder(todos),
      ...parts.sources,
    ],
    clock,
    ids,
    onProblem: (source, error) => parts.stderr?.(`Attachment source ${source} failed: ${String(error)}`),
  });

  let cursor = 0;
  let heard: ReadonlySet<string> = new Set();
  let following: Promise<void> | undefined;
  const fetch = async () => {
    for (const item of (await inbox?.after(sessionId, cursor)) ?? []) {
      cursor = Math.max(cursor, item.n);
      if (!heard.has(item.key) && !heard.has(item.uuid ?? item.key)) queue.put(item);
    }
  };
  const follow = async () => {
    await fetch();
    void watch().catch((error: unknown) =>
      parts.stderr?.(`The inbox cannot be followed any more: ${String(error)}`),
    );
  };
  const watch = async () => {
    if (inbox === undefined) return;
    for await (const _ of inbox.wake(sessionId, scope.signal)) await fetch();
  };
  return {
    attachments: {
      collect: attachments.collect,
      acknowledge() {
        const keys = attachments.acknowledge();
        if (keys.length > 0) for (const listener of joinListeners) listener(keys);
        return keys;
      },
    },
    queue: {
      isJoining: commands.isJoining,
      onJoined(listener) {
        joinListeners.add(listener);
        return () => joinListeners.delete(listener);
      },
      peek: (priorities) => queue.peek(priorities),
      acknowledge: (keys) => queue.acknowledge(keys),
      onNow: (listener) => queue.onNow(listener),
      async put(item) {
        if (inbox === undefined) queue.put(item);
        else await inbox.put(sessionId, item).then(fetch);
      },
      follow(consumed) {
        heard = consumed ?? heard;
        following ??= follow();
        return following;
      },
    },
  };
}
