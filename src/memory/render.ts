/** How memory files are put to the model. */
import type { TextBlock } from '../protocol/wire.ts';
import type { MemoryFile, MemoryType } from './memory-file.ts';

const WHOSE: Readonly<Record<MemoryType, string>> = {
  User: " (the user's own instructions, for all projects)",
  Project: '',
  Local: " (the user's own instructions for this project)",
};

/** The part of a session's first message that is about memory; undefined when there is none. */
export function renderMemory(files: readonly MemoryFile[]): string | undefined {
  if (files.length === 0) return undefined;
  const parts = files.map(
    ({ path, type, content }) => `Contents of ${path}${WHOSE[type]}:\n\n${content.trim()}`,
  );
  return `# Project instructions\nThe people who own this project wrote these down. Follow them.\n\n${parts.join('\n\n')}`;
}

export function renderNested(file: MemoryFile) {
  return {
    attachment: { type: 'nested_memory', path: file.path },
    rendered: [
      reminder(
        `Contents of ${file.path}${WHOSE[file.type]}, which holds for the files it stands with. Follow it:\n\n${file.content.trim()}`,
      ),
    ],
  };
}

export function renderChanged(file: MemoryFile) {
  const text =
    file.content.trim() === ''
      ? `${file.path} no longer says anything: what it said before does not hold any more.`
      : `${file.path} was changed. This is what it says now, in place of what it said before:\n\n${file.content.trim()}`;
  return { attachment: { type: 'edited_memory', path: file.path }, rendered: [reminder(text)] };
}

/** What a file says cannot end the note it stands in. */
function reminder(text: string): TextBlock {
  const body = text.replace(/<(\/?)\s*system-reminder/gi, '&lt;$1system-reminder');
  return { type: 'text', text: `<system-reminder>\n${body}\n</system-reminder>` };
}
