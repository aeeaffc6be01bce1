import { setMaxListeners } from 'node:events';
import { within } from '@turnwright/base/async/promises.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { InformationalBody, SystemBody } from '../protocol/model/messages.ts';
import type { Clock, Ids } from '../protocol/ports.ts';
import {
  HOOK_EVENTS,
  type HookCall,
  type HookEvent,
  type HookInputBase,
  type HookPort,
  type HookTrace,
  type HookVerdict,
  NO_HOOK_VERDICT,
} from '../protocol/tools/hook.ts';
import type { HookCallbackMatcher } from '../protocol/tools/hook-callback.ts';
import { type HookPolicy, type HooksListing, OPEN_HOOK_POLICY } from '../protocol/tools/hook-config.ts';
import type { HookSpans } from '../protocol/tracing.ts';
import { formatHookName, readSubject } from './compile-matcher.ts';
import { failedHook, foldOutcomes, type HookNotice, type HookOutcome } from './fold-outcomes.ts';
import { callbackHooks, type HookInput, type RegisteredHook } from './registered-hook.ts';
import type { RunPorts, RunRequest } from './run-hook.ts';

/** Hooks other than callbacks. */
export interface OtherHooks {
  /** They follow the callbacks of their event. */
  readonly more?: readonly RegisteredHook[] | undefined;
  /** Hooks that are listed but do not run. */
  readonly disabled?: readonly RegisteredHook[] | undefined;
}

export interface HooksOptions extends OtherHooks {
  readonly matchers?: { readonly [E in HookEvent]?: readonly HookCallbackMatcher[] | undefined } | undefined;
  readonly policy?: HookPolicy | undefined;
  /** Base fields of every input, evaluated when a hook runs. */
  readonly base: (event: HookEvent) => HookInputBase;
  readonly clock: Clock;
  readonly ids: Ids;
  /** Emits a message to the consumer immediately. Default: messages are dropped. */
  readonly show?: ((body: SystemBody) => void) | undefined;
  /** Emits `hook_started` etc. for all events, not only SessionStart. Default false. */
  readonly showAll?: boolean | undefined;
  /** Default: hooks are not traced. */
  readonly spans?: HookSpans | undefined;
  /** Receives text for the model from hooks that run in the background. */
  readonly late?: LateWords | undefined;
}

interface LateWords {
  /** The model reads it with the next request. */
  context(event: HookEvent, texts: readonly string[]): void;
  /** The model reads it now, if necessary in a turn of its own. */
  wake(text: string): void;
}

export interface Hooks extends HookPort {
  listing(): Promise<HooksListing>;
  /** Replaces the other hooks, for later events. A hook with `once` that has run does not run again. */
  replace(others: OtherHooks): void;
  /** Ends background hooks and waits for their processes; undefined: there are none. */
  close(): Promise<unknown> | undefined;
}

/** Time that the end of the session waits for background hooks, in ms. */
const NOTIFIED_END_MS = 1_000;

/** Between two decisions of one agent; more are not kept. */
const MOST_RUNS = 100;
const inHundredths = (ms: number): number => Math.round(ms * 100) / 100;

type RunOptions = NonNullable<Parameters<HookPort['run']>[1]>;

/**
 * Hooks of one session. All that match start together and are folded in registration order (F94). Throws
 * `invalid_option` here for an unknown event or an invalid matcher; `run` never throws. Messages for the
 * user, and every failure, are emitted here or passed to `say`; verdicts do not carry them.
 */
export function createHooks(options: HooksOptions): Hooks {
  return new HookRunner(options);
}

class HookRunner implements Hooks {
  readonly #options: HooksOptions;
  #others: OtherHooks;
  #byEvent: ReadonlyMap<HookEvent, RegisteredHook[]>;
  /** Aborted at the end of the session; created on first use. */
  #session: AbortController | undefined;
  #closed = false;
  /** Work that the end waits for: background hooks, processes that are being killed. */
  readonly #open = new Set<Promise<unknown>>();
  /** Runs without a waiting caller. */
  readonly #notified = new Set<Promise<unknown>>();
  readonly #spent = new Set<RegisteredHook>();
  /** By agent; '' is the main one. */
  readonly #ran = new Map<string, HookTrace[]>();
  /** Loaded from the start, where there are hooks: what guards calls is not to be missing later. */
  readonly #running = import('./run-hook.ts');

  constructor(options: HooksOptions) {
    this.#running.catch(() => undefined); // each run says so
    this.#options = options;
    this.#others = options;
    this.#byEvent = registered(options, options);
  }

  has(event: HookEvent): boolean {
    return this.#byEvent.has(event);
  }

  run(call: HookCall, options?: RunOptions): Promise<HookVerdict> {
    if (options !== undefined) return this.#run(call, options);
    const running = this.#run(call, { signal: this.#untilEnd() });
    this.#notified.add(running);
    return running.finally(() => this.#notified.delete(running));
  }

  async #run(call: HookCall, { signal, toolUseId, say }: RunOptions): Promise<HookVerdict> {
    const known = this.#byEvent.get(call.event);
    if (known === undefined) return NO_HOOK_VERDICT;
    const subject = readSubject(call);
    const candidates = known.filter((hook) => hook.matches(subject) && !this.#spent.has(hook));
    const matching = candidates.some((hook) => hook.applies !== undefined)
      ? await thatApply(candidates, call)
      : candidates;
    if (matching.length === 0) return NO_HOOK_VERDICT;
    for (const hook of matching) if (hook.once === true) this.#spent.add(hook);
    const input = () => buildInput(call, this.#options.base(call.event));
    const outcomes = await Promise.all(
      matching.map(async (hook): Promise<HookOutcome> => {
        const request = { hook, call, input, toolUseId, subject };
        if (hook.background === undefined) return this.#runHook({ ...request, signal });
        this.#detach(hook, (end) => this.#runHook({ ...request, signal: end }));
        return { kind: 'answered', name: hook.name, output: {} };
      }),
    );
    const { verdict, notices } = foldOutcomes(call.event, outcomes);
    this.#tell(notices, formatHookName(call.event, subject), say);
    return verdict;
  }

  /** Takes the list: what ran before a decision is written with it. */
  ran(agentId = ''): readonly HookTrace[] {
    const runs = this.#ran.get(agentId) ?? [];
    this.#ran.delete(agentId);
    return runs;
  }

  async #runHook(request: RunRequest): Promise<HookOutcome> {
    const { clock } = this.#options;
    const { hook, call, toolUseId } = request;
    const { agent_id: agentId = '' } = call as { readonly agent_id?: string };
    const startMs = clock.monotonicMs();
    const outcome = await this.#traced(request);
    const runs = this.#ran.get(agentId) ?? [];
    this.#ran.set(agentId, runs);
    const about = toolUseId === undefined ? {} : { toolUseId };
    const times = { startMs: inHundredths(startMs), endMs: inHundredths(clock.monotonicMs()) };
    if (runs.length < MOST_RUNS)
      runs.push({ event: hook.event, type: hook.listing.type, ...times, outcome: outcome.kind, ...about });
    return outcome;
  }

  #traced(request: RunRequest): Promise<HookOutcome> {
    const { spans } = this.#options;
    if (spans === undefined) return this.#start(request);
    const { hook, call, toolUseId } = request;
    const { agent_id: agentId } = call as { readonly agent_id?: string };
    return spans.around({ event: hook.event, type: hook.listing.type, toolUseId, agentId }, (traceparent) =>
      this.#start({ ...request, traceparent }),
    );
  }

  async #start(request: RunRequest): Promise<HookOutcome> {
    try {
      const { runHook } = await this.#running;
      return await runHook(request, this.#ports());
    } catch (error) {
      return failedHook(request.hook, errorText(error));
    }
  }

  async listing(): Promise<HooksListing> {
    const { listHooks } = await import('./list-hooks.ts');
    const { policy = OPEN_HOOK_POLICY } = this.#options;
    return listHooks([...this.#byEvent.values()].flat(), this.#others.disabled ?? [], policy);
  }

  replace(next: OtherHooks): void {
    this.#others = next;
    this.#byEvent = registered(this.#options, next);
  }

  close(): Promise<unknown> | undefined {
    if (this.#notified.size === 0) return this.#end();
    return within(NOTIFIED_END_MS, Promise.allSettled(this.#notified)).then(() => this.#end());
  }

  #end(): Promise<unknown> | undefined {
    this.#closed = true;
    this.#session?.abort('closed');
    return this.#open.size === 0 ? undefined : Promise.allSettled(this.#open);
  }

  #untilEnd(): AbortSignal {
    if (this.#session === undefined) {
      this.#session = new AbortController();
      setMaxListeners(0, this.#session.signal);
      if (this.#closed) this.#session.abort('closed');
    }
    return this.#session.signal;
  }

  /** `label`: name of the hook; a warning contains it already and is emitted immediately. */
  #tell(notices: readonly HookNotice[], label: string, say?: (body: InformationalBody) => void): void {
    const show = (body: SystemBody) => this.#options.show?.(body);
    for (const { level, text, tag } of notices) {
      if (level === 'notice')
        (say ?? show)({ subtype: 'informational', content: `${label} says: ${text}`, level });
      else show({ subtype: 'informational', content: text, level, ...(tag !== undefined && { tag }) });
    }
  }

  #detach(...[hook, rest]: Parameters<RunPorts['detach']>): void {
    const { late } = this.#options;
    const going = rest(this.#untilEnd()).then((outcome) => {
      const { verdict, notices } = foldOutcomes(hook.event, [outcome]);
      this.#tell(notices, hook.event);
      if (verdict.additionalContext.length > 0) late?.context(hook.event, verdict.additionalContext);
      if (hook.background === 'rewake' && outcome.kind === 'blocked')
        late?.wake(`${hook.name} hook: ${outcome.reason}`);
    });
    this.#hold(going);
  }

  #hold(work: Promise<unknown>): void {
    this.#open.add(work);
    void work.finally(() => this.#open.delete(work));
  }

  #ports(): RunPorts {
    const { clock, ids, showAll = false } = this.#options;
    return {
      clock,
      ids,
      show: (body) => this.#options.show?.(body),
      showAll,
      detach: (...which) => this.#detach(...which),
      session: this.#untilEnd(),
      hold: (work) => this.#hold(work),
    };
  }
}

function registered(
  { matchers = {} }: HooksOptions,
  { more = [] }: OtherHooks,
): ReadonlyMap<HookEvent, RegisteredHook[]> {
  const byEvent = new Map<HookEvent, RegisteredHook[]>();
  const add = (hook: RegisteredHook) => {
    const known = byEvent.get(hook.event);
    if (known === undefined) byEvent.set(hook.event, [hook]);
    else known.push(hook);
  };
  for (const [name, list] of Object.entries(matchers)) {
    const event = HOOK_EVENTS.find((known) => known === name);
    if (event === undefined)
      throw new TurnwrightError(
        'invalid_option',
        `There is no hook event "${name}". There are ${HOOK_EVENTS.join(', ')}.`,
      );
    for (const hook of callbackHooks(event, list ?? [])) add(hook);
  }
  for (const hook of more) add(hook);
  return byEvent;
}

/** A condition that cannot be evaluated counts as met: the hook may be a gate. */
async function thatApply(
  hooks: readonly RegisteredHook[],
  call: HookCall,
): Promise<readonly RegisteredHook[]> {
  const met = await Promise.all(
    hooks.map(async ({ applies }) => applies === undefined || (await applies(call).catch(() => true))),
  );
  return hooks.filter((_, index) => met[index]);
}

function buildInput(call: HookCall, base: HookInputBase): HookInput {
  const { event, ...fields } = call;
  // FileChanged has an input field `event`, which is also the name of the field that distinguishes events.
  const { change, ...others } = fields as { readonly change?: unknown };
  const own = event === 'FileChanged' ? { ...others, event: change } : fields;
  return { ...base, ...own, hook_event_name: event };
}
