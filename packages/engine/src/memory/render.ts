/** The text of memory files for the model. */

import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { RecalledMemory } from '../protocol/model/attachment.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { MemoryFile, MemoryType } from './memory-file.ts';

const WHOSE: Readonly<Record<MemoryType, string>> = {
  User: " (the user's own instructions, for all projects)",
  Project: '',
  Local: " (the user's own instructions for this project)",
};

/** The memory part of a session's first message; undefined if there is none. */
export function renderMemory(files: readonly MemoryFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const parts = files.map(
    ({ path, type, content }) => `Contents of ${path}${WHOSE[type]}:\n\n${content.trim()}`,
  );
  return `# Project instructions\nThe people who own this project wrote these down. Follow them.\n\n${parts.join('\n\n')}`;
}

export function renderNested(file: MemoryFile) {
  return {
    attachment: { type: 'nested_memory', path: file.path, memoryType: file.type },
    rendered: [reminder(late(file))],
  };
}

/** Relevant memory as one attachment; hosts are notified by `memory_recall`. */
export function renderRelevant(files: readonly MemoryFile[]) {
  const memories = files.map(({ path, type }): RecalledMemory => ({ path, scope: SCOPES[type] }));
  return {
    attachment: { type: 'relevant_memories', memories },
    rendered: files.map((file) => reminder(late(file))),
  };
}

const SCOPES: Readonly<Record<MemoryType, 'personal' | 'team'>> = {
  User: 'personal',
  Project: 'team',
  Local: 'personal',
};

function late(file: MemoryFile): string {
  const { path, type, content, globs, reason } = file;
  if (reason !== 'recall')
    return `Contents of ${path}${WHOSE[type]}, which holds for the files it stands with. Follow it:\n\n${content.trim()}`;
  const about = globs === undefined ? '' : `, about files like ${globs.join(', ')}`;
  return `Contents of ${path}${about}, which may bear on the request. It was written down earlier: where it speaks of how things are, look before you rely on it.\n\n${content.trim()}`;
}

export function renderChanged(file: MemoryFile) {
  const text =
    file.content.trim() === ''
      ? `${file.path} no longer says anything: what it said before does not hold any more.`
      : `${file.path} was changed. This is what it says now, in place of what it said before:\n\n${file.content.trim()}`;
  return { attachment: { type: 'edited_memory', path: file.path }, rendered: [reminder(text)] };
}

/** Files in these messages, apart from those at the start of the conversation. */
export function shownIn(messages: Iterable<ViewMessage>): ReadonlySet<string> {
  const paths = new Set<string>();
  for (const message of messages) {
    if (message.type !== 'attachment') continue;
    const { attachment } = message;
    if (attachment.type === 'relevant_memories')
      for (const { path } of attachment['memories'] as readonly RecalledMemory[]) paths.add(path);
    if (attachment.type !== 'nested_memory' && attachment.type !== 'edited_memory') continue;
    const path = 'path' in attachment ? attachment.path : undefined;
    if (typeof path === 'string') paths.add(path);
  }
  return paths;
}
