/** Whether requests end up at Anthropic's own API, be it behind a gateway. */
import { isClaudeModel } from './model-info.ts';

/** By its address, else by the model: a gateway that offers a Claude model passes on what it is asked. */
export function asksAnthropic(baseUrl: string, model: string): boolean {
  const host = URL.canParse(baseUrl) ? new URL(baseUrl).hostname : '';
  return host === 'anthropic.com' || host.endsWith('.anthropic.com') || isClaudeModel(model);
}
