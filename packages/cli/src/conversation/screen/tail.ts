/** The last messages of a session that is continued, as items of the transcript. */
import { getSessionMessages, type PromptAttachment, type SessionMessage } from '@turnwright/engine';
import type { Env } from '../../world.ts';
import { parseShellPrompt } from '../session/typed-command.ts';
import { attachedNotes } from '../view/attached-notes.ts';
import type { TranscriptItem } from '../view/transcript-item.ts';

/** Items that are printed; what came before is counted. */
const MOST_ITEMS = 30;

/** `onEarlier`: called with those that are only counted. */
export async function readLastItems(
  sessionId: string,
  { cwd, env }: { readonly cwd: string; readonly env: Env },
  onEarlier?: (items: readonly TranscriptItem[]) => void,
): Promise<readonly TranscriptItem[]> {
  const messages = await getSessionMessages(sessionId, { dir: cwd, env, includeAttachments: true }).catch(
    () => [],
  );
  const items = toItems(messages, cwd);
  const from = firstShown(items);
  if (from === 0) return items;
  onEarlier?.(items.slice(0, from));
  const before = items.slice(0, from).filter(({ kind }) => kind === 'prompt').length;
  const more: TranscriptItem = {
    kind: 'note',
    tone: 'quiet',
    text: `${before} earlier ${before === 1 ? 'prompt' : 'prompts'} of this conversation, ^O shows them`,
  };
  return [more, ...items.slice(from)];
}

/** The prompt from which on the items are shown: whole exchanges, as far as they fit. */
function firstShown(items: readonly TranscriptItem[]): number {
  const prompts = items.flatMap(({ kind }, at) => (kind === 'prompt' ? [at] : []));
  return prompts.find((at) => items.length - at <= MOST_ITEMS) ?? prompts.at(-1) ?? 0;
}

interface Block {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: Readonly<Record<string, unknown>>;
  readonly tool_use_id?: string;
  readonly is_error?: boolean;
  readonly content?: unknown;
}

function toItems(messages: readonly SessionMessage[], cwd: string): readonly TranscriptItem[] {
  const items: TranscriptItem[] = [];
  const calls = new Map<string, Block>();
  for (const { type, message } of messages) {
    const { content, attachment } = (message ?? {}) as {
      readonly content?: string | readonly Block[];
      readonly attachment?: PromptAttachment;
    };
    if (attachment !== undefined) items.push(...attachedNotes([attachment], { cwd }));
    const blocks: readonly Block[] =
      typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
    const call = type === 'user' ? readCall(blocks) : undefined;
    if (call !== undefined) {
      items.push({ kind: 'prompt', text: call, images: 0 });
      continue;
    }
    for (const block of blocks) {
      if (block.type === 'tool_use' && block.id !== undefined) calls.set(block.id, block);
      else if (block.type === 'tool_result') items.push(...toToolItems(block, calls));
      else if (block.type === 'thinking' && (block.thinking ?? '').trim() !== '')
        items.push({ kind: 'thought', ms: 0, text: (block.thinking ?? '').trim() });
      else if (block.type === 'text' && block.text !== undefined) items.push(...textItems(type, block.text));
    }
  }
  return items;
}

const CALL =
  /^<command-message>[^<]*<\/command-message>\s*<command-name>([^<]+)<\/command-name>\s*(?:<command-args>([\s\S]*)<\/command-args>)?/;

/** The command that a prompt was made of, as it was typed; undefined: none. */
function readCall([first]: readonly Block[]): string | undefined {
  const [, name, args = ''] = CALL.exec(first?.text ?? '') ?? [];
  return name === undefined ? undefined : `${name} ${args}`.trim();
}

/** What the engine tells the model of an interrupt. */
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]$/;
/** What the engine adds for the model, `<system-reminder>`, is not the person's. */
const FOR_THE_MODEL = /^<[a-z]+(?:-[a-z]+)+>/;

function textItems(type: string, text: string): readonly TranscriptItem[] {
  if (type === 'assistant') return [{ kind: 'delta', text }, { kind: 'textEnd' }];
  if (INTERRUPTED.test(text)) return [{ kind: 'note', tone: 'notice', text: 'stopped: interrupted' }];
  const command = parseShellPrompt(text);
  if (command !== undefined) return [{ kind: 'prompt', text: `! ${command}`, images: 0 }];
  return FOR_THE_MODEL.test(text) ? [] : [{ kind: 'prompt', text, images: 0 }];
}

function toToolItems(result: Block, calls: ReadonlyMap<string, Block>): readonly TranscriptItem[] {
  const call = calls.get(result.tool_use_id ?? '');
  if (call === undefined) return [];
  const { content } = result;
  const text =
    typeof content === 'string'
      ? content
      : ((content ?? []) as readonly Block[]).map((block) => block.text ?? `[${block.type}]`).join('\n');
  return [
    {
      kind: 'tool',
      id: call.id ?? '',
      name: call.name ?? '',
      input: call.input ?? {},
      ms: undefined,
      outcome: result.is_error === true ? 'failed' : 'done',
      text,
      result: undefined,
      agent: undefined,
    },
  ];
}
