/** What the model gets to read of a page that was fetched. */

import { takeStart } from '@turnwright/base/text/cut-text.ts';
import type { ToolContext, ToolOutput } from '../protocol/tools/tool.ts';
import { isFine, type Page, type PageOutcome } from './page.ts';

export interface PageQuestion {
  readonly url: string;
  readonly text: string;
  readonly prompt: string;
  readonly effectKey: string;
  readonly signal: AbortSignal;
}

interface Asked {
  readonly prompt: string;
  /** In characters of the page's text. */
  readonly offset: number;
  readonly context: Pick<ToolContext, 'effectKey' | 'signal'>;
  /** The answer of a small model; undefined if there is no usable one. */
  readonly ask: (question: PageQuestion) => Promise<string | undefined>;
}

/** Characters per request. */
const WINDOW_CHARS = 100_000;
/** A shorter text is returned unchanged. */
const SHORT_CHARS = 5_000;
/** Excerpt of a page when there is no answer about it. */
const EXCERPT_CHARS = 20_000;
const ERROR_PAGE_CHARS = 500;

/** What the model gets of a page, or the reason why it gets nothing. */
export async function pageAnswer(
  outcome: PageOutcome,
  asked: Asked,
): Promise<Pick<ToolOutput, 'isError'> & { readonly content: string }> {
  switch (outcome.kind) {
    case 'moved':
      return {
        content: `${outcome.url} has moved to another host (${outcome.code} ${outcome.codeText}), which was not asked: ${outcome.to}\nTo read it there, call WebFetch again with that address.`,
      };
    case 'refused': {
      const answered = outcome.code === undefined ? '' : ` It answered ${outcome.code} ${outcome.codeText}.`;
      return { content: `Nothing was read from ${outcome.url}. ${outcome.why}${answered}`, isError: true };
    }
    case 'page':
      return isFine(outcome) ? { content: await readOut(outcome, asked) } : errorPage(outcome);
  }
}

async function readOut(page: Page, { prompt, offset, context, ask }: Asked): Promise<string> {
  const { text, url } = page;
  if (text.trim() === '') return `${url} holds no text.`;
  if (offset >= text.length)
    throw new Error(`The text of ${url} ends before character ${offset}: it has ${text.length}.`);
  const part = takeStart(text.slice(offset), WINDOW_CHARS);
  const end = offset + part.length;
  const rest =
    end < text.length
      ? `\n\n(Characters ${offset} to ${end} of ${text.length} were read. To read on, call again with offset ${end}.)`
      : '';
  if (part.length <= SHORT_CHARS) return `${url} says:\n\n${part}${rest}`;
  const effectKey = `${context.effectKey}/page`;
  const answer = await ask({ url, text: part, prompt, effectKey, signal: context.signal });
  context.signal.throwIfAborted();
  if (answer !== undefined) return `${answer}${rest}`;
  const excerpt = takeStart(part, EXCERPT_CHARS);
  const more = excerpt.length < part.length ? ` Its first ${excerpt.length} characters follow.` : '';
  return `(The model that reads pages gave no answer, so this is the text itself.${more})\n\n${url} says:\n\n${excerpt}`;
}

function errorPage({ url, code, codeText, text }: Page): { content: string; isError: true } {
  const said = takeStart(text.trim(), ERROR_PAGE_CHARS);
  return {
    content: `${url} answered ${code} ${codeText}.${said === '' ? '' : ` It says:\n\n${said}`}`,
    isError: true,
  };
}
