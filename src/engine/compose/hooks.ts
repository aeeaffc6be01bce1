import { createHooks } from '../../hooks/hook-runner.ts';
import type { HookInputBase, HookPort } from '../../protocol/hook.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { QueryEngineConfig } from '../config.ts';

export function composeHooks(config: QueryEngineConfig, base: () => HookInputBase, clock: Clock): HookPort {
  return createHooks({ matchers: config.hooks, base, clock });
}
