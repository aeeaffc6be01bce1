/** Keeps what was typed and not sent: which file, what of the state, and when it is written. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { configurationHome, sessionsDirectory } from '@turnwright/engine';
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import type { Env } from '../../world.ts';
import type { ReopenTarget } from '../command-context.ts';
import type { ConversationClock } from '../conversation-clock.ts';
import type { ConversationState, PendingPrompt } from '../conversation-state.ts';
import {
  type DraftFile,
  draftFile,
  draftPath,
  type KeptDraft,
  readDraft,
  takeOrphanedDraft,
} from './drafts.ts';

interface Keeper {
  /** What an earlier process left for this conversation. */
  begin(target: ReopenTarget): KeptDraft;
  /** A changed queue is written at once, a changed draft soon. */
  keep(state: ConversationState, draft: Draft): void;
  /** Writes what is still to be written. */
  end(): void;
  /** The session has records, so it can be resumed. */
  hasSession(id: string): boolean;
}

interface KeeperOptions {
  readonly cwd: string;
  readonly env: Env;
  readonly clock: ConversationClock;
  /** False: sessions are not written to disk, and neither are drafts. */
  readonly isKept: boolean;
  warn(sentence: string): void;
}

/** After a key; what is typed in this time is lost with a kill. */
const WRITE_AFTER_MS = 200;
const NOTHING: KeptDraft = { text: '', images: [], queue: [], stash: [] };

export function createKeeper({ cwd, env, clock, isKept, warn }: KeeperOptions): Keeper {
  const home = configurationHome(env, cwd);
  const folder = isKept && home !== undefined ? sessionsDirectory(home, cwd) : undefined;
  let file: { readonly id: string; readonly draft: DraftFile } | undefined;
  let waiting: (() => void) | undefined;
  let cancel: (() => void) | undefined;
  let lastQueue: readonly PendingPrompt[] = [];

  const fileOf = (id: string): DraftFile | undefined => {
    if (folder === undefined || id === '') return undefined;
    if (file?.id !== id) {
      file?.draft.keep(NOTHING);
      file = { id, draft: draftFile(draftPath(folder, id), warn) };
    }
    return file.draft;
  };
  const write = () => {
    cancel?.();
    cancel = undefined;
    waiting?.();
    waiting = undefined;
  };
  return {
    begin({ resume }) {
      if (folder === undefined) return NOTHING;
      if (resume === undefined) return takeOrphanedDraft(folder) ?? NOTHING;
      return readDraft(draftPath(folder, resume)) ?? NOTHING;
    },
    keep(state, { text, images }) {
      const opener = state.submission?.opener;
      const queue = opener === undefined ? state.queue : [opener, ...state.queue];
      waiting = () => fileOf(state.session.id)?.keep({ text, images, queue, stash: state.stash });
      const isSame =
        queue.length === lastQueue.length && queue.every((prompt, at) => prompt === lastQueue[at]);
      lastQueue = queue;
      if (!isSame) write();
      else cancel ??= clock.timer(WRITE_AFTER_MS, write);
    },
    end: write,
    hasSession: (id) => folder !== undefined && id !== '' && existsSync(join(folder, `${id}.jsonl`)),
  };
}
