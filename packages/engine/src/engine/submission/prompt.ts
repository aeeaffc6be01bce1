/** A prompt, on its way from the host to its submission, and prompts that waited and become one. */
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { InboxPriority } from '../../protocol/ports.ts';

export interface SubmitOptions {
  /** The prompt's own uuid; default a fresh one. */
  readonly uuid?: string | undefined;
  /** Of prompts that waited with it and are part of it, in order. */
  readonly joinedUuids?: readonly string[] | undefined;
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown } | undefined;
  /** As it is: no command, no files for `@path`. */
  readonly verbatim?: boolean | undefined;
  /** false: the prompt joins the conversation and the model is not asked. */
  readonly shouldQuery?: boolean | undefined;
}

export interface Prompt extends SubmitOptions {
  readonly content: string | readonly UserBlock[];
}

export interface QueuedPrompt extends Omit<Prompt, 'joinedUuids'> {
  /** Putting the same key twice is one prompt; default its uuid, else a fresh one. */
  readonly key?: string | undefined;
  /** `now` ends the running submission, `next` joins its turn, `later` waits for it. Default `next`. */
  readonly priority?: InboxPriority | undefined;
  /** It may be one submission with prompts beside it in the queue that may too. Default false. */
  readonly joins?: boolean | undefined;
}

export type WaitingPrompt = QueuedPrompt & { readonly key: string };

/** Of all that the prompt is made of, in order. */
export function promptUuids({ uuid, joinedUuids = [] }: SubmitOptions): readonly string[] {
  return uuid === undefined ? joinedUuids : [...joinedUuids, uuid];
}

/**
 * Whether `next` may join the turn that `first` begins: both have the same priority and origin, both query
 * the model, and neither is a command or verbatim.
 */
export function mayJoin(first: QueuedPrompt, next: QueuedPrompt): boolean {
  return (
    (first.priority ?? 'next') === (next.priority ?? 'next') &&
    JSON.stringify(first.origin) === JSON.stringify(next.origin) &&
    !isAlone(first) &&
    !isAlone(next)
  );
}

function isAlone({ content, joins, shouldQuery, verbatim }: QueuedPrompt): boolean {
  return joins !== true || shouldQuery === false || verbatim === true || beginsWithSlash(content);
}

function beginsWithSlash(content: Prompt['content']): boolean {
  if (typeof content === 'string') return content.trimStart().startsWith('/');
  const text = content.find((block) => block.type === 'text');
  return text !== undefined && beginsWithSlash(text.text);
}

/** Texts joined by newlines, or all blocks in order. */
export function joinedContent(
  prompts: readonly [Pick<Prompt, 'content'>, ...Pick<Prompt, 'content'>[]],
): Prompt['content'] {
  if (prompts.length === 1) return prompts[0].content;
  const contents = prompts.map(({ content }) => content);
  if (contents.every((content) => typeof content === 'string')) return contents.join('\n');
  return contents.flatMap((content) =>
    typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content,
  );
}
