/** Random faults from a seed: the same seed, session order and request order give the same faults. */
import type { Fault, FaultName } from './fault.ts';

/** Random faults, determined by a seed. */
export interface ChaosOptions {
  readonly seed: number;
  /** Share of requests that get a fault, from 0 to 1. */
  readonly rate: number;
  /** Default: the faults that a client with retries survives without a change of the conversation. */
  readonly faults?: readonly FaultName[];
}

/** Without stalls, which only cost time, and without faults that change the model's answer. */
export const SURVIVABLE_FAULTS: readonly FaultName[] = [
  'http-status',
  'html-error-page',
  'reset-before-headers',
  'reset-after-bytes',
  'reset-after-events',
  'reset-after-stop',
  'cut',
  'crlf',
  'split-utf8',
  'sse-error',
  'truncated-json',
  'duplicate-event',
  'unknown-event',
  'delta-without-usage',
];

const STATUSES = [429, 500, 502, 503, 529];
const MAX_WHOLE_EVENTS = 12;

/** The fault, if any, of the n-th request of the s-th session (both from 1). */
export function drawFault(chaos: ChaosOptions, session: number, request: number): Fault | undefined {
  const random = mulberry32(mix(chaos.seed, session, request));
  if (random() >= chaos.rate) return undefined;
  const names = chaos.faults ?? SURVIVABLE_FAULTS;
  const name = names[Math.floor(random() * names.length)];
  if (name === undefined) return undefined;
  const after = 1 + Math.floor(random() * MAX_WHOLE_EVENTS);
  switch (name) {
    case 'http-status':
      return { name, status: STATUSES[Math.floor(random() * STATUSES.length)] ?? 529, retryAfter: '0' };
    case 'reset-after-bytes':
      return { name, after: Math.floor(random() * 2000) };
    case 'cut':
    case 'stall':
    case 'sse-error':
    case 'truncated-json':
    case 'invalid-json':
    case 'out-of-order':
    case 'duplicate-event':
    case 'unknown-event':
    case 'reset-after-events':
      return { name, after };
    default:
      return { name };
  }
}

function mix(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ (number >>> 0), 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  }
  return hash >>> 0;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
