/** Whether requests reach Anthropic's own API, possibly through a gateway. */
import { isClaudeModel } from './model-info.ts';

/** Decided by the URL, else by the model: a gateway that offers a Claude model forwards requests. */
export function asksAnthropic(baseUrl: string, model: string): boolean {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === 'anthropic.com' || host.endsWith('.anthropic.com') || isClaudeModel(model);
}
