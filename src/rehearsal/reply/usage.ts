import type { Usage } from '../../protocol/model/wire.ts';
import type { CacheAccount } from '../accounting/prompt-cache.ts';
import type { ComposedMessage } from './compose-message.ts';

/** What the API would bill: counted, overridden by the reply's own figures. */
export function usageOf(
  account: CacheAccount,
  message: ComposedMessage,
  override: Partial<Usage> | undefined,
): Usage {
  return {
    input_tokens: account.freshTokens,
    cache_creation_input_tokens: account.written5mTokens + account.written1hTokens,
    cache_read_input_tokens: account.readTokens,
    cache_creation: {
      ephemeral_5m_input_tokens: account.written5mTokens,
      ephemeral_1h_input_tokens: account.written1hTokens,
    },
    output_tokens: message.outputTokens,
    ...(message.thinkingTokens > 0
      ? { output_tokens_details: { thinking_tokens: message.thinkingTokens } }
      : {}),
    service_tier: 'standard',
    ...override,
  };
}
