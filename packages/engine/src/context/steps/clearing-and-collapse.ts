/** Steps 3 to 5, their shared state, and their effect on estimates: created once per conversation. */

import { lazily } from '@turnwright/base/collections/made-once.ts';
import type { ContextPort, ContextStep } from '../../protocol/model/context.ts';
import type { CallModel } from '../../protocol/model/model.ts';
import type { Ledger } from '../../protocol/ports.ts';
import { type ApiClearing, createApiClearing } from '../clearing/api-clearing.ts';
import { alsoCleared, withoutCleared } from '../clearing/cleared-estimates.ts';
import { createResultIndex } from '../clearing/result-index.ts';
import { createSnipMarks, type SnipMarks } from '../clearing/snip-marks.ts';
import { type Collapses, createCollapses } from '../collapse/staged-collapses.ts';
import { createCondense } from '../collapse/summarise-span.ts';
import type { RequestBase } from '../compact/summarise.ts';
import type { Estimates } from '../estimate/estimates.ts';
import { limitsFor, type ModelSize } from '../estimate/thresholds.ts';
import type { Stamp } from '../notices.ts';
import { contextCollapse } from './context-collapse.ts';
import { microcompact } from './microcompact.ts';
import { snip } from './remove-snipped.ts';

export interface MiddleRungOptions {
  /** Default true. */
  readonly snip?: boolean;
  /** Shared with the sources of marks: the Snip tool, a command, the host. */
  readonly snipMarks?: SnipMarks;
  /** The API clears old results where it can; otherwise they are cleared in the view. Default true. */
  readonly cachedMicrocompact?: boolean;
  /** Whether the API supports `context_management` for this model. Default: for none. */
  readonly servesContextEdits?: (model: string) => boolean;
  /** Whether a tool's calls can be repeated (`Tool.microcompactable`). Default: none can. */
  readonly microcompactable?: (toolName: string) => boolean;
  /** Number of newest results of such calls that are kept. Default 5. */
  readonly keepResults?: number;
  /** Minimum tokens for which clearing is worth a new prefix. Default 20,000. */
  readonly microcompactTokens?: number;
  /** Lifetime of a cached prompt in ms. Default 5 min. */
  readonly cacheTtlMs?: number;
  /** Default true, unless autocompact is off; `reactiveCompact: true` then keeps it on. */
  readonly collapse?: boolean;
  /** The small model that condenses spans for this one. Default: the model itself. */
  readonly collapseModel?: (model: string) => string;
  /** Aborts background work. Default: nothing does. */
  readonly session?: { readonly signal: AbortSignal };
}

interface MiddleRungParts extends Stamp {
  readonly callModel: CallModel;
  readonly ledger: Ledger;
  readonly modelSize: (model: string) => ModelSize;
  readonly mainRequest: (model: string) => RequestBase | Promise<RequestBase>;
  readonly autocompact: boolean;
  readonly reactiveCompact: boolean;
  readonly transcriptPath?: string;
}

export interface MiddleRungs {
  /** Undefined: switched off. */
  readonly snip: ContextStep | undefined;
  readonly microcompact: ContextStep;
  readonly contextCollapse: ContextStep | undefined;
  readonly collapses: (() => Collapses) | undefined;
  /** Like the main model port; a compaction's request also has cleared what the main request has. */
  readonly callModel: CallModel;
  readonly appliedEdits: NonNullable<ContextPort['appliedEdits']>;
  /** Estimates that omit what the API clears. */
  counting(estimates: Estimates): Estimates;
}

const KEEP_RESULTS = 5;
const MICROCOMPACT_TOKENS = 20_000;
const CACHE_TTL_MS = 5 * 60_000;
/** Share of the small model's window for the text: the estimate may be off, and a request has overhead. */
const READABLE_SHARE = 0.7;

export function createMiddleRungs(options: MiddleRungOptions, parts: MiddleRungParts): MiddleRungs {
  const indexOf = createResultIndex(options.microcompactable ?? (() => false));
  const minTokens = options.microcompactTokens ?? MICROCOMPACT_TOKENS;
  const clearing = createApiClearing(minTokens);
  const cacheTtlMs = options.cacheTtlMs ?? CACHE_TTL_MS;
  const cached = (model: string) =>
    options.cachedMicrocompact !== false && options.servesContextEdits?.(model) === true;
  const collapses = collapseIsOn(options, parts)
    ? lazily(() => composeCollapses(options, parts, clearing))
    : undefined;
  return {
    snip: options.snip === false ? undefined : snip(options.snipMarks ?? createSnipMarks(), parts),
    microcompact: microcompact({
      clock: parts.clock,
      ids: parts.ids,
      indexOf,
      clearing,
      cached,
      minTokens,
      keepResults: options.keepResults ?? KEEP_RESULTS,
      cacheTtlMs,
      autocompact: parts.autocompact,
    }),
    contextCollapse:
      collapses &&
      contextCollapse({ collapses, autocompact: parts.autocompact, clock: parts.clock, cacheTtlMs }),
    collapses,
    callModel: (request, call) => parts.callModel(alsoCleared(request, cached, clearing, indexOf), call),
    appliedEdits: (applied) => clearing.announce(applied),
    counting: (estimates) => withoutCleared(estimates, clearing, indexOf),
  };
}

/** L2: autocompact's switch includes collapse, unless reactive compaction was switched on explicitly. */
function collapseIsOn({ collapse }: MiddleRungOptions, parts: MiddleRungParts): boolean {
  return collapse !== false && (parts.autocompact || parts.reactiveCompact);
}

function composeCollapses(
  options: MiddleRungOptions,
  parts: MiddleRungParts,
  clearing: ApiClearing,
): Collapses {
  const small = options.collapseModel ?? ((model: string) => model);
  return createCollapses({
    clock: parts.clock,
    ids: parts.ids,
    condense: createCondense(parts),
    condenser(working) {
      const model = small(working);
      const { effective } = limitsFor(parts.modelSize(model));
      return { model, atMostTokens: Math.floor(effective * READABLE_SHARE) };
    },
    asCounted: (messages) => clearing.asCounted(messages),
    sessionId: async (model) => (await parts.mainRequest(model)).sessionId,
    session: options.session ?? new AbortController(),
    ...(parts.transcriptPath !== undefined && { transcriptPath: parts.transcriptPath }),
  });
}
