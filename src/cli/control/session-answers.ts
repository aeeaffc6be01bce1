/** Control requests about the session itself: its name, and the files that were changed in it. */
import type { Answer } from './answer-request.ts';

const TITLE_CHARS = 60;

export const SESSION_ANSWERS: Readonly<Record<string, Answer>> = {
  async rename_session({ title, session_id: meant }, { query }) {
    await query.renameSession(String(title ?? ''), typeof meant === 'string' ? { sessionId: meant } : {});
    return {};
  },
  // A model is not asked for it: the first words of what the session is about do.
  async generate_session_title({ description, persist }, { query }) {
    const title = firstWords(String(description ?? ''));
    if (persist === true && title !== '') await query.renameSession(title);
    return { title: title === '' ? null : title };
  },
};

function firstWords(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  if (line.length <= TITLE_CHARS) return line;
  const cut = line.slice(0, TITLE_CHARS);
  return `${cut.slice(0, cut.lastIndexOf(' ') > 20 ? cut.lastIndexOf(' ') : undefined)}…`;
}
