/**
 * A token bucket that tenants share: what may be granted now, as a pure function. It keeps a limit in every
 * window of 60 s, with grants that may be used for one second, and gives each tenant that waits its turn.
 */

/** A limit; an absent figure is none. */
export interface Limit {
  readonly requestsPerMinute?: number | undefined;
  /** Input that is not read from the cache, and output. */
  readonly tokensPerMinute?: number | undefined;
}

/** Requests of a tenant, and how many tokens they are expected to use. */
export interface Amount {
  readonly requests: number;
  readonly tokens: number;
}

/** What is stored of a bucket. Times are ms since 1970. */
export interface BucketState {
  readonly atMs: number;
  readonly requests: number;
  readonly tokens: number;
  /** Until then the provider takes no requests. */
  readonly pausedUntilMs: number;
  /** Share of its limit that each tenant has had, among those that wait: the smallest is next. */
  readonly served: Readonly<Record<string, number>>;
  /** What workers wait for. */
  readonly waiting: readonly Wait[];
}

interface Wait extends Amount {
  readonly tenant: string;
  readonly worker: string;
  /** The worker asks again before; otherwise it is gone. */
  readonly untilMs: number;
}

interface Ask {
  readonly worker: string;
  readonly nowMs: number;
  /** By tenant. */
  readonly wanted: ReadonlyMap<string, Amount>;
  /** Granted before and not used, or used beyond what was expected (then negative). */
  readonly returned?: Amount | undefined;
}

interface Grant {
  readonly state: BucketState;
  /** By tenant. */
  readonly granted: ReadonlyMap<string, Amount>;
}

/** A grant may be used for so long after it was made. */
export const LEASE_MS = 1_000;
/** A worker that waits asks so often. */
export const ASK_EACH_MS = 1_000;
/** A worker that has not asked again within this time waits no more. */
const IS_GONE_MS = 3_000;
/** Share of a limit that may be used at once. */
const BURST = 1 / 20;

export const EMPTY_BUCKET: BucketState = {
  atMs: 0,
  requests: Number.POSITIVE_INFINITY,
  tokens: Number.POSITIVE_INFINITY,
  pausedUntilMs: 0,
  served: {},
  waiting: [],
};

/** What may be used at once. */
const burstOf = (perMinute: number): number => Math.max(1, Math.floor(perMinute * BURST));

/**
 * What is available now: at most the burst, and what flows in until a worker asks. A window of 60 s sees at
 * most that, and what flows in during it and in the second before, in which its first grants may have been
 * made: together the limit.
 */
export function refilled(state: BucketState, limit: Limit, nowMs: number): BucketState {
  const passedMs = Math.max(0, nowMs - state.atMs);
  const level = (available: number, perMinute: number | undefined): number => {
    if (perMinute === undefined) return Number.POSITIVE_INFINITY;
    const burst = burstOf(perMinute);
    const flow = (perMinute - burst) / (60_000 + LEASE_MS + ASK_EACH_MS);
    return Math.min(burst + flow * ASK_EACH_MS, available + passedMs * flow);
  };
  return {
    ...state,
    atMs: Math.max(state.atMs, nowMs),
    requests: level(state.requests, limit.requestsPerMinute),
    tokens: level(state.tokens, limit.tokensPerMinute),
  };
}

/**
 * Grants a worker what it wants, as far as there is some left when every tenant that waits has its turn: the
 * turns of other workers' tenants are kept for them.
 */
export function grant(state: BucketState, limit: Limit, ask: Ask): Grant {
  const { worker, nowMs, wanted } = ask;
  const { pausedUntilMs, ...bucket } = refilled(withReturned(state, ask.returned), limit, nowMs);
  const others = state.waiting.filter((wait) => wait.untilMs > nowMs && wait.worker !== worker);
  const mine = [...wanted].map(([tenant, amount]) => ({ ...amount, tenant, worker }));
  const left = [...mine, ...others].map((wait) => ({
    ...wait,
    each: wait.tokens / Math.max(1, wait.requests),
  }));
  const turns = listTurns(state.served, new Set(left.map(({ tenant }) => tenant)));
  const served = Object.fromEntries(turns);
  const granted = new Map<string, Amount>();
  let { requests, tokens } = bucket;
  const available = { requests, tokens };
  while (pausedUntilMs <= nowMs) {
    const open = left.filter((wait) => wait.requests >= 1);
    const next = open.reduce<(typeof open)[number] | undefined>(
      (best, wait) =>
        best === undefined || (turns.get(wait.tenant) ?? 0) < (turns.get(best.tenant) ?? 0) ? wait : best,
      undefined,
    );
    if (next === undefined || !suffices(available, next.each, limit)) break;
    const share = shareOf(next.each, limit);
    turns.set(next.tenant, (turns.get(next.tenant) ?? 0) + share);
    available.requests -= 1;
    available.tokens -= next.each;
    next.requests -= 1;
    next.tokens -= next.each;
    if (next.worker !== worker) continue;
    requests -= 1;
    tokens -= next.each;
    served[next.tenant] = (served[next.tenant] ?? 0) + share;
    const before = granted.get(next.tenant) ?? NO_AMOUNT;
    granted.set(next.tenant, sum(before, { requests: 1, tokens: next.each }));
  }
  const unmet = left.filter((wait) => wait.worker === worker && wait.requests >= 1);
  const waiting = [
    ...others,
    ...unmet.map(({ each: _, ...wait }) => ({ ...wait, untilMs: nowMs + IS_GONE_MS })),
  ];
  const stillWaiting = new Set(waiting.map(({ tenant }) => tenant));
  return {
    state: {
      ...bucket,
      requests,
      tokens,
      pausedUntilMs,
      served: Object.fromEntries(Object.entries(served).filter(([tenant]) => stillWaiting.has(tenant))),
      waiting,
    },
    granted,
  };
}

export const NO_AMOUNT: Amount = { requests: 0, tokens: 0 };

export const sum = (a: Amount, b: Amount): Amount => ({
  requests: a.requests + b.requests,
  tokens: a.tokens + b.tokens,
});

/** Adds what came back; a negative amount is taken. */
export const withReturned = (state: BucketState, returned: Amount = NO_AMOUNT): BucketState => ({
  ...state,
  ...sum(state, returned),
});

/** A tenant that comes is behind none that waits, and before none. */
function listTurns(served: BucketState['served'], tenants: ReadonlySet<string>): Map<string, number> {
  const known = Object.values(served);
  const start = known.length === 0 ? 0 : Math.min(...known);
  return new Map([...tenants].sort().map((tenant) => [tenant, served[tenant] ?? start]));
}

/** A request that is larger than the burst of tokens is granted from a full bucket, which then owes them. */
function suffices(available: Amount, tokens: number, { tokensPerMinute }: Limit): boolean {
  const most = tokensPerMinute === undefined ? 0 : burstOf(tokensPerMinute);
  return available.requests >= 1 && available.tokens >= Math.min(tokens, most);
}

/** Of the limit, what one request uses. */
const shareOf = (tokens: number, { requestsPerMinute, tokensPerMinute }: Limit): number =>
  Math.max(
    requestsPerMinute === undefined ? 0 : 1 / requestsPerMinute,
    tokensPerMinute === undefined ? 0 : tokens / tokensPerMinute,
  );
