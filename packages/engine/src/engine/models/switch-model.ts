/** Another model from the next request on: hooks may refuse it, and hear of it. */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { CACHE_TTL_MS } from '../../protocol/model/cache.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { HookPort } from '../../protocol/tools/hook.ts';
import type { QueryEngineConfig } from '../config.ts';
import { toReplay } from '../output/to-sdk-user.ts';
import type { Conversation } from '../session/conversation.ts';
import type { HostChannel } from '../session/host-channel.ts';
import type { SessionModel } from './session-model.ts';

interface SwitchPorts {
  readonly model: SessionModel;
  readonly conversation: Conversation;
  readonly hooks: HookPort;
  readonly host: HostChannel;
  readonly scope: Pick<Scope, 'signal'>;
  readonly world: { readonly clock: Clock };
  readonly config: Pick<QueryEngineConfig, 'promptCacheTtl'>;
}

/**
 * undefined: the default model. Rejects with `unpriced_model` under a USD budget, and with `blocked_by_hook`
 * when a PreModelSwitch hook denies it or requires a question, because none can be asked here.
 */
export async function switchModel(
  requested: string | undefined,
  source: 'sdk' | 'command',
  ports: SwitchPorts,
): Promise<void> {
  const { hooks, model, scope } = ports;
  const [from, to] = [model.current, model.inMode(requested)];
  model.refuseUnpriced(requested);
  const hears = (event: 'PreModelSwitch' | 'PostModelSwitch') => from !== to && hooks.has(event);
  if (hears('PreModelSwitch')) {
    const call = { event: 'PreModelSwitch', ...switched(from, to, requested, ports), source } as const;
    const { permission, reason, blockingErrors } = await hooks.run(call, { signal: scope.signal });
    const [blocked = permission === 'deny' || permission === 'ask' ? (reason ?? '') : undefined] =
      blockingErrors;
    if (blocked !== undefined)
      throw new TurnwrightError(
        'blocked_by_hook',
        `Model switch blocked by a PreModelSwitch hook${blocked === '' ? '.' : `: ${blocked}`}`,
      );
  }
  model.select(requested);
  if (from !== to) {
    // A submission that runs goes on with it; the next one begins with it anyway.
    model.adopt({ model: to });
    if (source === 'sdk') announce(requested, to, ports.host);
  }
  if (hears('PostModelSwitch')) {
    const call = { event: 'PostModelSwitch', ...switched(from, to, requested, ports), source } as const;
    await hooks.run(call, { signal: scope.signal });
  }
}

/** As a local command would say it. */
function announce(requested: string | undefined, model: string, host: HostChannel): void {
  const name = requested === undefined || requested === model ? model : `${requested} (${model})`;
  const content = `<local-command-stdout>Set model to \`${name}\`</local-command-stdout>`;
  host.emit(toReplay({ ...host.timedStamp(), content }, host.sessionId));
}

/** What the switch means: another model reads nothing that this one has in its cache. */
function switched(
  from_model: string,
  to_model: string,
  requested: string | undefined,
  { config, conversation, model, world }: SwitchPorts,
) {
  const { price, source } = model.infoOf(to_model);
  const cache_ttl = config.promptCacheTtl ?? '5m';
  const usage = conversation.measured?.usage;
  const context_tokens =
    usage === undefined
      ? 0
      : usage.input_tokens +
        usage.cache_creation_input_tokens +
        usage.cache_read_input_tokens +
        usage.output_tokens;
  const { messages } = conversation;
  const last = messages.at(messages.length - 1);
  const ageMs =
    last === undefined ? Number.POSITIVE_INFINITY : world.clock.nowMs() - Date.parse(last.timestamp);
  const perMillion = cache_ttl === '1h' ? price?.cacheWrite1h : price?.cacheWrite5m;
  return {
    from_model,
    to_model,
    requested_model: requested ?? 'default',
    context_tokens,
    prompt_cache_warm: context_tokens > 0 && ageMs < CACHE_TTL_MS[cache_ttl],
    cache_ttl,
    // Dollars, to four places: an estimate.
    estimated_cache_write_usd: Math.round((context_tokens * (perMillion ?? 0)) / 100) / 10_000,
    pricing: source === 'settings' ? 'configured' : source === 'list' ? 'catalog' : 'default',
  };
}
