/**
 * What was typed and not sent, on disk: nothing is lost when the process is killed. One file for each
 * conversation, in the session's folder, readable by its owner alone.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Draft } from '@turnwright/terminal/editor/buffer.ts';
import type { PendingPrompt } from '../conversation-state.ts';
import { keepImages, readImages, referenceTo, writeImages } from './draft-images.ts';

export interface KeptDraft extends Draft {
  readonly queue: readonly PendingPrompt[];
  /** Drafts that were put aside. */
  readonly stash: readonly Draft[];
}

export interface DraftFile {
  /** Replaces what is kept; removes the file when there is nothing to keep. */
  keep(draft: KeptDraft): void;
}

/** `problem`: called once, with a sentence, when nothing can be kept. */
export function draftFile(path: string, problem: (sentence: string) => void): DraftFile {
  const imageFolder = imagesBeside(path);
  let last = '';
  let isBroken = false;
  return {
    keep(draft) {
      const isEmpty = draft.text === '' && draft.queue.length === 0 && draft.stash.length === 0;
      const content = isEmpty ? '' : serialiseDraft(draft);
      if (content === last || isBroken) return;
      const images = [draft, ...draft.queue, ...draft.stash].flatMap((one) => one.images);
      try {
        writeImages(imageFolder, images);
        if (isEmpty) rmSync(path, { force: true });
        else write(path, content);
        keepImages(imageFolder, images);
        last = content;
      } catch (error) {
        isBroken = true;
        problem(
          `What you type is not kept on disk: ${error instanceof Error ? error.message : String(error)}`,
        );
      }
    },
  };
}

function serialiseDraft({ text, images, queue, stash }: KeptDraft): string {
  return JSON.stringify({
    version: 2,
    pid: process.pid,
    text,
    images: images.map(referenceTo),
    queue: queue.map((prompt) => ({ ...prompt, images: prompt.images.map(referenceTo) })),
    stash: stash.map((aside) => ({ ...aside, images: aside.images.map(referenceTo) })),
  });
}

const imagesBeside = (path: string): string => join(dirname(path), 'draft-images');

/** Whole or not at all: the file is replaced by one that is complete. */
function write(path: string, content: string): void {
  const fresh = `${path}.${process.pid}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(fresh, content, { mode: 0o600 });
  renameSync(fresh, path);
}

/** What was kept in this file; undefined: nothing, or nothing that can be read. */
export function readDraft(path: string): (KeptDraft & { readonly pid: number }) | undefined {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined;
  }
  const { pid, text, images, queue, stash } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof text !== 'string' || typeof pid !== 'number' || !Array.isArray(queue)) return undefined;
  const folder = imagesBeside(path);
  return {
    pid,
    text,
    images: readImages(folder, images),
    queue: queue.flatMap((given: Partial<PendingPrompt> | null) => readPrompt(given, folder)),
    stash: (Array.isArray(stash) ? stash : []).flatMap((given: Partial<Draft> | null) =>
      typeof given?.text === 'string' ? [{ text: given.text, images: readImages(folder, given.images) }] : [],
    ),
  };
}

function readPrompt(given: Partial<PendingPrompt> | null, folder: string): PendingPrompt[] {
  if (typeof given?.text !== 'string' || typeof given.uuid !== 'string') return [];
  const images = readImages(folder, given.images);
  return [{ uuid: given.uuid, text: given.text, images, place: 'here' }];
}

/** Where the draft of a session is kept, in the folder of the project's sessions. */
export function draftPath(sessionsFolder: string, sessionId: string): string {
  return join(sessionsFolder, sessionId, 'draft.json');
}

/**
 * The draft of a conversation that was killed before its first prompt, so that no session leads to it. Takes
 * it: the file is gone afterwards.
 */
export function takeOrphanedDraft(sessionsFolder: string): KeptDraft | undefined {
  const names = listed(sessionsFolder);
  const sessions = new Set(names.filter((name) => name.endsWith('.jsonl')));
  for (const name of names) {
    const records = `${name}.jsonl`;
    if (name.endsWith('.jsonl')) continue;
    if (sessions.has(records) && hasBegun(join(sessionsFolder, records))) continue;
    const path = draftPath(sessionsFolder, name);
    const draft = readDraft(path);
    if (draft === undefined || isAlive(draft.pid)) continue;
    rmSync(path, { force: true });
    rmSync(imagesBeside(path), { recursive: true, force: true });
    return draft;
  }
  return undefined;
}

/** A session that was only opened has one record, of who has it. */
function hasBegun(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').trimEnd().includes('\n');
  } catch {
    return true;
  }
}

function listed(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
