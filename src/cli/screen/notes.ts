/** Actions of the engine, one line each: retries, switches of model, compactions, notices. */
import type { SDKMessage } from '../../index.ts';
import type { Style } from '../../terminal/text/style.ts';
import { oneLine } from '../../terminal/text/visible.ts';
import { duration, tokens } from './units.ts';

type SystemMessage = Extract<SDKMessage, { readonly type: 'system' }>;

/** The line for a system message; undefined for those that are not shown. */
export function noteFor(message: SystemMessage, style: Style): string | undefined {
  switch (message.subtype) {
    case 'api_retry': {
      return style.yellow(`↻ ${retryLine(message)}`);
    }
    case 'model_fallback':
    case 'model_refusal_fallback':
      return style.yellow(`⇄ ${oneLine(message.content)}`);
    case 'compact_boundary': {
      const { pre_tokens, post_tokens, duration_ms } = message.compact_metadata;
      const after = post_tokens === undefined ? '' : ` → ${tokens(post_tokens)}`;
      const took = duration_ms === undefined ? '' : `, ${duration(duration_ms)}`;
      return style.yellow(`⊟ context compacted: ${tokens(pre_tokens)}${after} tokens${took}`);
    }
    case 'snip_boundary':
      return style.dim(`⊟ dead weight dropped: ${tokens(message.tokens_freed)} tokens`);
    case 'microcompact_boundary':
      return style.dim(`⊟ old tool results cleared: ${tokens(message.tokens_freed)} tokens`);
    case 'informational':
      // Said on stderr already.
      if (message.tag === 'settings_not_in_effect') return undefined;
      return message.level === 'warning'
        ? style.yellow(`! ${oneLine(message.content)}`)
        : style.dim(`· ${oneLine(message.content)}`);
    case 'task_started':
      return message.is_backgrounded
        ? style.dim(`· in the background: ${oneLine(message.description)}`)
        : undefined;
    case 'task_notification':
      // The result of the waiting call reports it.
      if (message.output_file === '') return undefined;
      return style.dim(`· background task ${message.status}: ${oneLine(message.summary)}`);
    case 'notification':
      return style.dim(`· ${oneLine(message.text)}`);
    default:
      return undefined;
  }
}

/** Why a request is retried, which retry it is, and when. */
export function retryLine(message: Extract<SystemMessage, { readonly subtype: 'api_retry' }>): string {
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
