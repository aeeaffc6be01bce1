/** Compaction and its switches (L2): one part of the engine's configuration. */
import type { SnipMarks } from '../context/clearing/snip-marks.ts';
import type { LimitOptions } from '../context/estimate/thresholds.ts';
import type { CompactionSource } from '../protocol/model/context.ts';

export interface CompactionOptions {
  /**
   * Default true. Off: collapse, reactive compact and the mechanical trim are off too, unless `reactive` is
   * true.
   */
  readonly auto?: boolean | undefined;
  /** Default true: what is marked as dead weight leaves the context. */
  readonly snip?: boolean | undefined;
  /** Offers the model a Snip tool, to mark calls that turned out useless. Default false. */
  readonly snipTool?: boolean | undefined;
  /**
   * Takes the marks of the host and its commands: an object of the host's own; default the engine's, for the
   * tool alone.
   */
  readonly snipMarks?: SnipMarks | undefined;
  /**
   * Old results of calls that can be made again are cleared by the API, so that the cached prompt survives.
   * Default true for Claude models; others, and all when false, have them cleared in the context itself.
   */
  readonly cachedMicrocompact?: boolean | undefined;
  /** The newest so many results of such calls are never cleared. Default 5. */
  readonly keepToolResults?: number | undefined;
  /** Default true: earlier parts are condensed ahead of time, by a small model. */
  readonly collapse?: boolean | undefined;
  /** The small model, id or alias; default `haiku` for Claude models, else the model itself. */
  readonly collapseModel?: string | undefined;
  /** Default as `auto`: a request that was refused as too long is made again with less. */
  readonly reactive?: boolean | undefined;
  /** Lowers the model's window, in tokens. */
  readonly window?: number | undefined;
  /**
   * When to compact: up to 1 a share of what the view may fill, above that tokens. Default 13 000 tokens
   * below it.
   */
  readonly threshold?: number | undefined;
  /**
   * Room kept free for the answer, in tokens. Default the model's output limit, at most 20 000 and a quarter
   * of the window.
   */
  readonly reserve?: number | undefined;
  /** Where the one warning of a nearly full context comes, in tokens. Default 20 000 below the threshold. */
  readonly warnAt?: number | undefined;
  /** Where a run without any recovery stops, in tokens. Default 3 000 below what the view may fill. */
  readonly blockingAt?: number | undefined;
  /** What the results of one response may come to together, in characters. Default 200 000. */
  readonly maxJointResultChars?: number | undefined;
  /** Added to every request for a summary. */
  readonly instructions?: string | undefined;
  /** Takes the place of the whole request for a summary. */
  readonly prompt?: string | undefined;
  /**
   * Anthropic's own API makes the summaries, by its own words: there `prompt` and `instructions` are not
   * used. A summary that it does not make is asked for as ever. Default false.
   */
  readonly byProvider?: boolean | undefined;
  /**
   * Model for the summaries, id or alias; if it fails, the working model is used. Default: the working model.
   */
  readonly model?: string | undefined;
  /**
   * What else is put back behind a summary (skills, the plan, running tasks), after the todos and before
   * recent files.
   */
  readonly sources?: readonly CompactionSource[] | undefined;
  /**
   * Offers the model a History tool that finds what was dropped. Default: when the session is kept,
   * compaction is on and other tools are offered. From the first request on, because a tool that came with
   * the first compaction would make the API read the whole prompt anew (L3).
   */
  readonly history?: boolean | undefined;
}

/** When the context counts as full. */
export function limitOptions({ window, threshold, ...others }: CompactionOptions): LimitOptions {
  const { reserve, warnAt, blockingAt } = others;
  return {
    ...(window !== undefined && { window }),
    ...(reserve !== undefined && { reserve }),
    ...(warnAt !== undefined && { warnAt }),
    ...(blockingAt !== undefined && { blockingAt }),
    ...(threshold !== undefined &&
      (threshold <= 1 ? { autocompactRatio: threshold } : { autocompactTokens: threshold })),
  };
}
