/** What the engine does besides answering, one line each: retries, switches of model, compactions. */
import type { SDKMessage } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';
import { cost, duration, tokens } from '../../words/units.ts';
import type { NoteItem } from '../view/transcript-item.ts';

type SystemMessage = Extract<SDKMessage, { readonly type: 'system' }>;

/** The line for a system message; undefined for those that are not shown. */
export function systemNote(message: SystemMessage): NoteItem | undefined {
  switch (message.subtype) {
    case 'api_retry':
      return note('notice', `↻ ${retryLine(message)}`);
    case 'model_fallback':
    case 'model_refusal_fallback':
      return note('notice', `⇄ ${message.content}`);
    case 'compact_boundary': {
      const { pre_tokens, post_tokens, duration_ms } = message.compact_metadata;
      const after = post_tokens === undefined ? '' : ` → ${tokens(post_tokens)}`;
      const took = duration_ms === undefined ? '' : `, ${duration(duration_ms)}`;
      return note('notice', `⊟ context compacted: ${tokens(pre_tokens)}${after} tokens${took}`);
    }
    case 'snip_boundary':
      return note('quiet', `⊟ unneeded messages dropped: ${tokens(message.tokens_freed)} tokens`);
    case 'microcompact_boundary':
      return note(
        'quiet',
        `⊟ old tool results left out: ${tokens(message.tokens_freed)} tokens, which can be read again`,
      );
    case 'informational':
      // Said as a warning already.
      if (message.tag === 'settings_not_in_effect') return undefined;
      return note(message.level === 'warning' ? 'warning' : 'quiet', message.content);
    case 'task_started':
      return message.is_backgrounded ? note('quiet', `in the background: ${message.description}`) : undefined;
    case 'task_notification':
      // The result of the waiting call reports it.
      if (message.output_file === '') return undefined;
      return note('quiet', `background task ${message.status}: ${message.summary}${costIn(message)}`);
    case 'notification':
      return note('quiet', message.text);
    case 'session_writes_lost':
      return note('warning', 'the disk is full: what follows cannot be resumed');
    case 'model_refusal_no_fallback':
      return note('warning', message.content);
    default:
      return undefined;
  }
}

/** Why a request is retried, which retry it is, and when. */
function retryLine(message: Extract<SystemMessage, { readonly subtype: 'api_retry' }>): string {
  const of = message.is_unlimited === true ? '' : ` of ${message.max_retries}`;
  return `${retryReason(message)}: retry ${message.attempt}${of} in ${duration(message.retry_delay_ms)}`;
}

/** Why a request is retried: the kind of failure with its status, or the message if the kind says nothing. */
export function retryReason({
  error,
  error_status,
  error_message,
}: Pick<
  Extract<SystemMessage, { readonly subtype: 'api_retry' }>,
  'error' | 'error_status' | 'error_message'
>): string {
  const sentence = /^(.*?)(?:\. [A-Z].*|\.)?$/s.exec(oneLine(error_message ?? ''))?.[1];
  const unnamed = sentence === undefined || sentence === '' ? 'no whole answer came' : sentence;
  const why = error === 'unknown' ? unnamed : error.replaceAll('_', ' ');
  return error_status === null ? why : `${why} (${error_status})`;
}

/** ` · $0.0200`; '' for a command, and where nothing was paid. */
function costIn({ usage }: Extract<SystemMessage, { readonly subtype: 'task_notification' }>): string {
  if (usage === undefined || usage.cost_usd === 0) return '';
  return ` · ${cost({ usd: usage.cost_usd, isUnpriced: usage.cost_basis === 'unknown' })}`;
}

const note = (tone: NoteItem['tone'], text: string): NoteItem => ({ kind: 'note', tone, text });
