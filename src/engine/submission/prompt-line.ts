import { changedFiles } from '../../attachments/changed-files.ts';
import { type Attachments, createAttachments } from '../../attachments/collect.ts';
import { createInputQueue } from '../../attachments/input-queue.ts';
import { type JudgePrompt, type QueuedCommands, queuedCommands } from '../../attachments/queued-commands.ts';
import type { AttachmentSource } from '../../attachments/source.ts';
import { todoReminder } from '../../attachments/todo-reminder.ts';
import type { AttachmentPort } from '../../loop/deps.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { Clock, Ids, Inbox } from '../../protocol/ports.ts';
import type { ReadFileCache, TodoStore } from '../../protocol/tools/tool.ts';
import type { Scope } from '../../util/async/scope.ts';
import { sha256 } from '../../util/ids/sha256.ts';
import type { PromptLine } from '../session/session.ts';

interface AttachmentParts {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly files: Pick<PersistentFiles, 'stat' | 'readFile'>;
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
  const line = new Line(parts);
  return { attachments: new Joining(parts, line), queue: line };
}

const NOBODY: ReadonlySet<string> = new Set();

/** Prompts in line. */
class Line implements PromptLine {
  readonly #parts: AttachmentParts;
  readonly #queue = createInputQueue();
  readonly commands: QueuedCommands;
  #listeners: readonly ((keys: readonly string[]) => void)[] = [];
  #cursor = 0;
  #heard = NOBODY;
  #following: Promise<void> | undefined;

  constructor(parts: AttachmentParts) {
    this.#parts = parts;
    this.commands = queuedCommands(this.#queue, parts.judgePrompt);
  }

  isJoining(key: string): boolean {
    return this.commands.isJoining(key);
  }

  onJoined(listener: (keys: readonly string[]) => void): () => void {
    // A running submission repeats what joined it before its host is told what became of it.
    this.#listeners = [listener, ...this.#listeners];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** Tells that the running turn took these. */
  joined(keys: readonly string[]): void {
    if (keys.length > 0) for (const listener of this.#listeners) listener(keys);
  }

  peek(priorities?: Parameters<PromptLine['peek']>[0]): ReturnType<PromptLine['peek']> {
    return this.#queue.peek(priorities);
  }

  acknowledge(keys: readonly string[]): readonly string[] {
    return this.#queue.acknowledge(keys);
  }

  onArrival(listener: Parameters<PromptLine['onArrival']>[0]): () => void {
    return this.#queue.onArrival(listener);
  }

  onNow(listener: Parameters<PromptLine['onNow']>[0]): () => void {
    return this.#queue.onNow(listener);
  }

  async put(item: Parameters<PromptLine['put']>[0]): Promise<void> {
    const { inbox, sessionId } = this.#parts;
    if (inbox === undefined) this.#queue.put(item);
    else await inbox.put(sessionId, item).then(() => this.#fetch());
  }

  follow(consumed?: ReadonlySet<string>): Promise<void> {
    this.#heard = consumed ?? this.#heard;
    this.#following ??= this.#follow();
    return this.#following;
  }

  async #follow(): Promise<void> {
    if (this.#parts.inbox === undefined) return;
    await this.#fetch();
    void this.#watch(this.#parts.inbox).catch((error: unknown) =>
      this.#parts.stderr?.(`The inbox cannot be followed any more: ${String(error)}`),
    );
  }

  async #watch(inbox: Inbox): Promise<void> {
    const { scope, sessionId } = this.#parts;
    for await (const _ of inbox.wake(sessionId, scope.signal)) await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { inbox, sessionId } = this.#parts;
    for (const item of (await inbox?.after(sessionId, this.#cursor)) ?? []) {
      this.#cursor = Math.max(this.#cursor, item.n);
      if (!this.#heard.has(item.key) && !this.#heard.has(item.uuid ?? item.key)) this.#queue.put(item);
    }
  }
}

/** What joins the conversation between two requests, prompts in line before all else. */
class Joining implements AttachmentPort {
  readonly #attachments: Attachments;
  readonly #line: Line;

  constructor({ onFileChanged, stderr, todos, ...parts }: AttachmentParts, line: Line) {
    const { clock, files, ids, readFileCache } = parts;
    this.#line = line;
    this.#attachments = createAttachments({
      sources: [
        line.commands,
        changedFiles({ readFileCache, files, hash: sha256, onChange: onFileChanged }),
        todoReminder(todos),
        ...parts.sources,
      ],
      clock,
      ids,
      onProblem: (source, error) => stderr?.(`Attachment source ${source} failed: ${String(error)}`),
    });
  }

  collect(...[input, signal]: Parameters<Attachments['collect']>): ReturnType<Attachments['collect']> {
    return this.#attachments.collect(input, signal);
  }

  acknowledge(): readonly string[] {
    const keys = this.#attachments.acknowledge();
    this.#line.joined(keys);
    return keys;
  }
}
