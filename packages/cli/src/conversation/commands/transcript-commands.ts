/** `/export` and `/copy`: the conversation leaves the terminal; `/diff`: what it has changed. */
import { isAbsolute, join } from 'node:path';
import { localDate } from '@turnwright/base/text/figures-and-times.ts';
import { getSessionInfo, getSessionMessages, type SessionMessage } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { counted } from '../../words/units.ts';
import { writeNew } from '../../write-new.ts';
import type { ConversationCommandContext } from '../command-context.ts';
import { CommandMistake, type ConversationCommand } from './command-type.ts';
import { copyText } from './copy-text.ts';
import { listOverlay } from './list.ts';
import { conversationMarkdown, readMessageBlocks } from './markdown-export.ts';

export const exportCommand: ConversationCommand = {
  name: 'export',
  summary: 'Writes the conversation to a file, as Markdown',
  argument: '[file]',
  async run(argument, context) {
    const { clock, cwd, env, print, state } = context;
    const messages = await messagesIn(context);
    const info = await getSessionInfo(state.session.id, { env });
    const title = state.session.title ?? info?.summary ?? `Session ${state.session.id}`;
    const name = argument === '' ? fileName(title, clock.nowMs()) : argument;
    const file = isAbsolute(name) ? name : join(cwd, name);
    if (!(await writeNew(file, conversationMarkdown({ title, cwd, messages }), 0o600)))
      throw new CommandMistake(`${file} exists already: name another file.`);
    print([oneLine(`Wrote ${counted(messages.length, 'message')} to ${file}.`)]);
  },
};

/** Of the running session; rejects with a sentence when nothing is kept of it. */
async function messagesIn({ env, state }: ConversationCommandContext): Promise<readonly SessionMessage[]> {
  const messages = await getSessionMessages(state.session.id, { env });
  if (messages.length === 0) throw new CommandMistake('Nothing was said yet, or this session is not kept.');
  return messages;
}

const NAME_CHARS = 40;

/** `2026-11-22-fix-the-failing-test.md` */
export function fileName(title: string, nowMs: number): string {
  const words = title
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .slice(0, NAME_CHARS)
    .replace(/^-+|-+$/g, '');
  return `${localDate(nowMs)}-${words === '' ? 'conversation' : words}.md`;
}

export const copyCommand: ConversationCommand = {
  name: 'copy',
  summary: 'Copies the last answer, or a code block of it',
  argument: '[all|number]',
  async run(argument, context) {
    const answer = lastAnswer(await messagesIn(context));
    if (answer === undefined) throw new CommandMistake('The model has not answered yet.');
    const blocks = codeBlocks(answer);
    const text =
      argument === '' ? await pickPart(answer, blocks, context) : partNamed(argument, answer, blocks);
    if (text === undefined) return;
    const how = await copyText(text, context);
    context.print([`Copied ${counted([...text].length, 'character')} ${how}.`]);
  },
};

/** The text of the last message of the model; undefined: it has written none. */
function lastAnswer(messages: readonly SessionMessage[]): string | undefined {
  const idOf = ({ message }: SessionMessage) => (message as { readonly id?: string } | undefined)?.id;
  const textOf = (message: SessionMessage) =>
    readMessageBlocks(message).flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const last = messages.findLast((message) => message.type === 'assistant' && textOf(message).length > 0);
  if (last === undefined) return undefined;
  return messages
    .filter((message) => message.type === 'assistant' && idOf(message) === idOf(last))
    .flatMap(textOf)
    .join('\n\n');
}

interface CodeBlock {
  readonly language: string;
  readonly text: string;
}

/** Fenced code, in order; a fence that is not closed ends with the text. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const blocks: { language: string; lines: string[]; fence: string }[] = [];
  let open: (typeof blocks)[number] | undefined;
  for (const line of markdown.split('\n')) {
    const [, fence = '', language = ''] = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(line) ?? [];
    if (open === undefined) {
      if (fence === '') continue;
      open = { language, lines: [], fence };
      blocks.push(open);
    } else if (fence.startsWith(open.fence) && line.trim() === fence) open = undefined;
    else open.lines.push(line);
  }
  return blocks.map(({ language, lines }) => ({ language, text: lines.join('\n') }));
}

async function pickPart(answer: string, blocks: readonly CodeBlock[], { open }: ConversationCommandContext) {
  if (blocks.length === 0) return answer;
  return open(
    listOverlay({
      title: 'Copy',
      items: [
        { value: answer, label: 'The whole answer', detail: counted(answer.split('\n').length, 'line') },
        ...blocks.map(({ language, text }, index) => ({
          value: text,
          label: `Code block ${index + 1}${language === '' ? '' : `: ${language}`}`,
          detail: counted(text.split('\n').length, 'line'),
          about: text.split('\n').slice(0, 2),
        })),
      ],
      empty: '',
      enter: 'copies it',
    }),
  );
}

function partNamed(argument: string, answer: string, blocks: readonly CodeBlock[]): string {
  if (argument === 'all') return answer;
  const block = blocks[Number(argument) - 1];
  if (block !== undefined) return block.text;
  throw new CommandMistake(
    blocks.length === 0
      ? 'The last answer has no code block. /copy copies all of it.'
      : `The last answer has ${counted(blocks.length, 'code block')}: /copy 1, or /copy all.`,
  );
}

export const diffCommand: ConversationCommand = {
  name: 'diff',
  summary: 'Shows what has changed since the last commit, or since what you name',
  argument: '[commit|branch|range|--staged]',
  async run(argument, context) {
    const { readChanges } = await import('../view/git-changes.ts');
    const changes = await readChanges(argument, context);
    if (changes === undefined)
      throw new CommandMistake('There is no git repository here, or git cannot read it.');
    const since = argument === '' ? 'since the last commit' : `of ${oneLine(argument)}`;
    if (changes.length === 0) return context.print([`Nothing has changed ${since}.`]);
    await context.view({ title: `Changes ${since} · ${counted(changes.length, 'file')}`, parts: changes });
  },
};
