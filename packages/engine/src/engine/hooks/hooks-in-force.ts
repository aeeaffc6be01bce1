/** Hooks of settings as they can run, and what of them is not in force: said once, when a session starts. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import { compileMatcher, matchesNothing } from '../../hooks/compile-matcher.ts';
import { ruleTest } from '../../permissions/rules/rule-test.ts';
import type { HookEvent } from '../../protocol/tools/hook.ts';
import type { ConfiguredHook } from '../../protocol/tools/hook-config.ts';
import type { QueryEngineConfig } from '../config.ts';

interface HookSources {
  /** Of settings. */
  readonly configured: readonly ConfiguredHook[];
  readonly ofPlugins: readonly ConfiguredHook[];
  readonly callbacks: QueryEngineConfig['hooks'];
  /** Names of the tools that there can be, without those of MCP servers. */
  readonly tools: () => readonly string[];
  readonly rules: Parameters<typeof ruleTest>[1];
}

interface HooksInForce {
  readonly hooks: readonly ConfiguredHook[];
  readonly ofPlugins: readonly ConfiguredHook[];
  /** One sentence for each hook that does not run as it is written. */
  readonly notices: readonly string[];
}

/** What was given for this run stays as it is: a mistake in it is an error when the session is made. */
export function hooksInForce({
  configured,
  ofPlugins: brought,
  callbacks = {},
  tools,
  rules,
}: HookSources): HooksInForce {
  const notices = new Set<string>();
  const say = (notice: string) => void notices.add(notice);
  const hooks = configured.flatMap((hook) =>
    hook.source === 'flagSettings' ? [hook] : readable(hook, rules, say),
  );
  const ofPlugins = brought.flatMap((hook) => readable(hook, rules, say));
  const disabled = hooks.filter((hook) => hook.disabled === true);
  if (disabled.length > 0)
    notices.add(
      `Hooks are switched off by settings (disableAllHooks or allowManagedHooksOnly): ${disabled.length} of them do not run, such as that of ${disabled[0]?.place}.`,
    );
  const look = (matcher: string | undefined, event: HookEvent, whose: string) => {
    if (isVain(matcher, event, tools))
      notices.add(
        `${whose} never runs: its matcher ${JSON.stringify(matcher)} matches nothing that a ${event} hook can be called for.`,
      );
  };
  for (const { matcher, event, place, disabled: off } of [...hooks, ...ofPlugins])
    if (off !== true) look(matcher, event, `The hook of ${place}`);
  for (const [event, groups] of Object.entries(callbacks))
    for (const { matcher } of groups ?? [])
      look(matcher ?? undefined, event as HookEvent, `A ${event} hook of the host`);
  return { hooks, ofPlugins, notices: [...notices] };
}

/** Without what cannot be read of it; [] if that is its matcher: what it guards is then unknown. */
function readable(
  hook: ConfiguredHook,
  rules: HookSources['rules'],
  say: (notice: string) => void,
): readonly ConfiguredHook[] {
  const { matcher, event, config, place } = hook;
  try {
    compileMatcher(matcher, event);
  } catch (error) {
    say(`A hook does not run (${place}): ${errorText(error)}`);
    return [];
  }
  const { if: condition, ...unconditional } = config;
  try {
    if (condition !== undefined) ruleTest(condition, rules);
    return [hook];
  } catch (error) {
    say(
      `A hook runs for every call of its matcher (${place}), because its "if" cannot be read: ${errorText(error)}`,
    );
    return [{ ...hook, config: unconditional }];
  }
}

/** One that cannot be read is an error elsewhere. */
function isVain(...[matcher, event, tools]: Parameters<typeof matchesNothing>): boolean {
  try {
    return matchesNothing(matcher, event, tools);
  } catch {
    return false;
  }
}
