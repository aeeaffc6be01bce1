/** Rate limits and their buckets in Postgres: one row each, which a worker locks about once per second. */
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { RunStatement, Statements } from '../database.ts';
import { notify } from '../listener.ts';
import {
  type Amount,
  type BucketState,
  EMPTY_BUCKET,
  grant,
  type Limit,
  NO_AMOUNT,
  refilled,
  sum,
  withReturned,
} from './bucket.ts';

/** All requests to a provider, or of a tenant. Name `*`: each, for figures that it has none of its own. */
export interface LimitScope {
  readonly kind: 'provider' | 'tenant';
  readonly name: string;
}

/**
 * Sets a limit of model requests, for all workers within a second; no figures: removes it.
 *
 * @example
 * ```ts
 * import { openDatabase, setLimit } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * await setLimit(database, { kind: 'tenant', name: 'trial' }, { requestsPerMinute: 10 });
 * await database.close();
 * ```
 */
export async function setLimit(database: Statements, scope: LimitScope, limit: Limit): Promise<void> {
  for (const [name, figure] of Object.entries(limit))
    if (figure !== undefined && !(Number.isInteger(figure) && figure > 0))
      throw new TurnwrightError(
        'invalid_option',
        `${name} is ${figure}; it must be a positive whole number.`,
      );
  const { requestsPerMinute = null, tokensPerMinute = null } = limit;
  const key = formatKey(scope.kind, scope.name);
  await database.transaction(async (run) => {
    if (requestsPerMinute === null && tokensPerMinute === null)
      await run('delete from turnwright.limits where key = $1', [key]);
    else
      await run(
        `insert into turnwright.limits (key, requests_per_minute, tokens_per_minute) values ($1, $2, $3)
          on conflict (key) do update set requests_per_minute = $2, tokens_per_minute = $3`,
        [key, requestsPerMinute, tokensPerMinute],
      );
    await notify(run, 'limit', '*');
  });
}

interface AskForSlice {
  readonly provider: string;
  readonly worker: string;
  /** By tenant. */
  readonly wanted: ReadonlyMap<string, Amount>;
  readonly returned: ReadonlyMap<string, Amount>;
  /** undefined: the clock of the database. */
  readonly nowMs: number | undefined;
}

interface Slice {
  /** By tenant; `unlimited`: neither the provider nor the tenants asked for have a limit. */
  readonly granted: ReadonlyMap<string, Amount> | 'unlimited';
  /** The provider takes no requests for so long, ms. */
  readonly pausedMs: number;
}

/** Takes what a worker may use within the next second. */
export async function askForSlice(run: RunStatement, ask: AskForSlice): Promise<Slice> {
  const { provider, worker, wanted, returned } = ask;
  const tenants = [...new Set([...wanted.keys(), ...returned.keys()])];
  const limits = await readLimits(run, provider, tenants);
  const buckets = await lockedBuckets(
    run,
    [formatKey('provider', provider), ...limits.tenants.keys()],
    ask.nowMs,
  );
  const { nowMs } = buckets;
  const ofProvider = buckets.get(formatKey('provider', provider));
  const pausedMs = Math.max(0, ofProvider.pausedUntilMs - nowMs);
  if (limits.provider === undefined && limits.tenants.size === 0) return { granted: 'unlimited', pausedMs };

  const within = new Map<string, Amount>();
  for (const [tenant, amount] of wanted) {
    const key = formatKey('tenant', tenant);
    const limit = limits.tenants.get(key);
    const bucket = limit && refilled(withReturned(buckets.get(key), returned.get(tenant)), limit, nowMs);
    if (bucket !== undefined) buckets.set(key, bucket);
    within.set(tenant, bucket === undefined ? amount : atMost(amount, bucket));
  }
  const total = [...returned.values()].reduce(sum, NO_AMOUNT);
  const { state, granted } = grant(ofProvider, limits.provider ?? {}, {
    ...{ worker, nowMs, wanted: within },
    returned: total,
  });
  buckets.set(formatKey('provider', provider), state);
  for (const [tenant, { requests, tokens }] of granted) {
    const key = formatKey('tenant', tenant);
    if (limits.tenants.has(key))
      buckets.set(key, withReturned(buckets.get(key), { requests: -requests, tokens: -tokens }));
  }
  await buckets.write();
  return { granted, pausedMs };
}

/** No worker sends requests to this provider for `ms`. */
export async function pauseProvider(
  { transaction }: Statements,
  provider: string,
  ms: number,
  givenNowMs: number | undefined,
): Promise<void> {
  const key = formatKey('provider', provider);
  await transaction(async (run) => {
    const buckets = await lockedBuckets(run, [key], givenNowMs);
    const bucket = buckets.get(key);
    const pausedUntilMs = Math.max(bucket.pausedUntilMs, buckets.nowMs + ms);
    buckets.set(key, { ...bucket, pausedUntilMs });
    await buckets.write();
    await notify(run, 'limit', provider);
  });
}

const formatKey = (kind: LimitScope['kind'], name: string): string => `${kind}/${name}`;

function atMost(wanted: Amount, available: Amount): Amount {
  const requests = Math.max(0, Math.min(wanted.requests, Math.floor(available.requests)));
  if (requests === 0 || available.tokens <= 0) return NO_AMOUNT;
  return { requests, tokens: (wanted.tokens / wanted.requests) * requests };
}

async function readLimits(run: RunStatement, provider: string, tenants: readonly string[]) {
  const any = (kind: LimitScope['kind']) => formatKey(kind, '*');
  const keys = [provider, '*'].map((name) => formatKey('provider', name));
  const rows = await run<{
    readonly key: string;
    readonly requests_per_minute: number | null;
    readonly tokens_per_minute: number | null;
  }>('select key, requests_per_minute, tokens_per_minute from turnwright.limits where key = any($1)', [
    [...keys, any('tenant'), ...tenants.map((tenant) => formatKey('tenant', tenant))],
  ]);
  const found = new Map<string, Limit>(
    rows.map((row) => [
      row.key,
      {
        ...(row.requests_per_minute !== null && { requestsPerMinute: row.requests_per_minute }),
        ...(row.tokens_per_minute !== null && { tokensPerMinute: row.tokens_per_minute }),
      },
    ]),
  );
  const limitOf = (kind: LimitScope['kind'], name: string): Limit | undefined => {
    const [own, ofEach] = [found.get(formatKey(kind, name)), found.get(any(kind))];
    return own === undefined && ofEach === undefined ? undefined : { ...ofEach, ...own };
  };
  const ofTenants = tenants.flatMap((tenant) => {
    const limit = limitOf('tenant', tenant);
    return limit === undefined ? [] : [[formatKey('tenant', tenant), limit] as const];
  });
  return { provider: limitOf('provider', provider), tenants: new Map(ofTenants) };
}

/** The rows, locked in one order until the transaction ends. */
async function lockedBuckets(run: RunStatement, keys: readonly string[], givenNowMs: number | undefined) {
  const rows = await run<{ readonly key: string; readonly state: string }>(
    'select key, state from turnwright.buckets where key = any($1) order by key for update',
    [keys],
  );
  const missing = keys.filter((key) => !rows.some((row) => row.key === key)).toSorted();
  if (missing.length > 0) {
    // Two processes may add the same one: the second waits for the first here.
    await run(
      `insert into turnwright.buckets (key, state)
        select key, '{}' from unnest($1::text[]) as new (key) on conflict do nothing`,
      [missing],
    );
    return lockedBuckets(run, keys, givenNowMs);
  }
  // Read when the lock is held: with the time of its beginning, a transaction that waited would go back.
  const [clock] =
    givenNowMs === undefined
      ? await run<{ readonly ms: number }>(
          'select extract(epoch from clock_timestamp())::float8 * 1000 as ms',
        )
      : [{ ms: givenNowMs }];
  const states = new Map(rows.map(({ key, state }) => [key, parseState(state)]));
  return {
    nowMs: clock?.ms ?? 0,
    get: (key: string): BucketState => states.get(key) ?? EMPTY_BUCKET,
    set: (key: string, state: BucketState) => states.set(key, state),
    write: () =>
      run(
        `update turnwright.buckets set state = new.state
          from unnest($1::text[], $2::text[]) as new (key, state) where buckets.key = new.key`,
        [[...states.keys()], [...states.values()].map((state) => JSON.stringify(state))],
      ),
  };
}

/** JSON has no infinity: a bucket without a limit is stored as null. */
function parseState(text: string): BucketState {
  const { requests, tokens, ...state } = JSON.parse(text) as Partial<Record<keyof BucketState, never>>;
  return {
    ...EMPTY_BUCKET,
    ...state,
    requests: requests ?? Number.POSITIVE_INFINITY,
    tokens: tokens ?? Number.POSITIVE_INFINITY,
  };
}
