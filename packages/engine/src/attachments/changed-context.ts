/**
 * The head of a resumed session's requests: as it was, byte for byte, where only what is read from outside
 * has changed since (memory files, the working copy, the date). What changed is said in the conversation, so
 * the cached prompt stays (L3).
 */
import { crc32 } from 'node:zlib';
import { changesBetween } from '@turnwright/base/collections/map-diff.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { FoundAttachment } from './source.ts';

/** What of a head comes from outside, so that a later process can tell whether only that has changed. */
export interface HeadParts {
  /** Hash of the head without these texts. */
  readonly frame: string;
  /** Hashes of the texts, by name. */
  readonly texts: Readonly<Record<string, string>>;
}

const TYPE = 'changed_context';
const GIT = 'the working copy';
const DATE = 'the date';
const NOTES = 'your notes';

/** What a process reads when it begins. */
interface Outside {
  readonly memoryFiles: readonly { readonly path: string; readonly content: string }[];
  readonly gitStatus: string;
  readonly ownMemory: string | undefined;
  readonly date: string;
}

/** By name; memory files by their path. */
type OutsideTexts = ReadonlyMap<string, string>;

export function outsideTexts({ date, gitStatus, memoryFiles, ownMemory }: Outside): OutsideTexts {
  return new Map([
    ...memoryFiles.map(({ path, content }) => [path, content.trim()] as const),
    ...(gitStatus === '' ? [] : [[GIT, gitStatus] as const]),
    ...(ownMemory === undefined ? [] : [[NOTES, ownMemory] as const]),
    [DATE, date],
  ]);
}

/** The contexts without them. */
export function withoutTexts<T extends Outside>(contexts: T): T {
  return { ...contexts, memoryFiles: [], gitStatus: '', ownMemory: undefined, date: '' };
}

export function hashValue(value: unknown): string {
  return crc32(JSON.stringify(value)).toString(16);
}

export function hashTexts(texts: OutsideTexts): Record<string, string> {
  return Object.fromEntries([...texts].map(([name, text]) => [name, hashValue(text)]));
}

/** What differs from the head, and from what the view says of it already; undefined: nothing does. */
export function changedContext(
  head: HeadParts,
  now: OutsideTexts,
  view: Iterable<ViewMessage>,
): FoundAttachment | undefined {
  const told = new Map(Object.entries(head.texts));
  for (const message of view) {
    if (message.type !== 'attachment' || message.attachment.type !== TYPE) continue;
    const { texts = {}, removed = [] } = message.attachment as Partial<Changed>;
    for (const [name, hash] of Object.entries(texts)) told.set(name, hash);
    for (const name of removed) told.delete(name);
  }
  const changes = changesBetween(told, new Map(Object.entries(hashTexts(now))));
  if (changes === undefined) return undefined;
  const { fresh, removed } = changes;
  const attachment: Changed = { type: TYPE, texts: Object.fromEntries(fresh), removed };
  const said = [
    ...fresh.map(([name]) => sentence(name, now.get(name) ?? '')),
    ...removed.map((name) => `${name} is gone: what it said does not hold any more.`),
  ];
  return { attachment: { ...attachment }, rendered: [reminder('Since the last request:', ...said)] };
}

interface Changed {
  readonly type: typeof TYPE;
  readonly texts: Readonly<Record<string, string>>;
  readonly removed: readonly string[];
}

function sentence(name: string, text: string): string {
  if (name === DATE) return `Today is ${text}.`;
  if (name === GIT || name === NOTES) return `${name}, as it is now:\n\n${text}`;
  return `${name} says this now, in place of what it said before:\n\n${text}`;
}
