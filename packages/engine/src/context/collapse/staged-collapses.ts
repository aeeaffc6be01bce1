/**
 * Collapses of one conversation: staged ahead of time in the background, and kept in memory until they are
 * committed (L2.5). A commit is a recorded edit of the view; what is only staged is lost with the process.
 */
import type { StepInput } from '../../protocol/model/context.ts';
import type { UserMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ViewEdit } from '../../protocol/model/view.ts';
import { estimateMessage, estimateTokens } from '../estimate/token-estimate.ts';
import { type Stamp, syntheticMessage } from '../notices.ts';
import { collapsibleSpans, findSpan, type MessageSpan, pinnedMessages } from './collapse-spans.ts';
import { collapsedText } from './collapse-transcript.ts';
import type { Condense } from './summarise-span.ts';

interface CollapseOptions extends Stamp {
  readonly condense: Condense;
  /** The small model that condenses for this one, and its input limit in tokens. */
  readonly condenser: (model: string) => { readonly model: string; readonly atMostTokens: number };
  /** The messages as estimates count them (`ApiClearing.asCounted`). */
  readonly asCounted: (messages: readonly ViewMessage[]) => readonly ViewMessage[];
  readonly sessionId: (model: string) => Promise<string>;
  /** Aborts background work; staging outlives the submission that began it. */
  readonly session: { readonly signal: AbortSignal };
  /** Named in the text that replaces a span. */
  readonly transcriptPath?: string;
}

interface Commit {
  readonly edits: readonly ViewEdit[];
  /** As estimated. */
  readonly tokensFreed: number;
}

export interface Collapses {
  /**
   * Starts condensing what may be needed soon; returns synchronously, with a sentence about the state of
   * staging.
   */
  stage(input: StepInput): string;
  /** All that is staged; undefined: nothing is. */
  commit(input: StepInput): Commit | undefined;
  /** The first message that a commit would replace. */
  firstStaged(input: StepInput): string | undefined;
  /** Real tokens that committing everything would free. */
  stagedTokens(input: StepInput): number;
}

interface Staged {
  readonly uuids: readonly string[];
  readonly item: UserMessage;
}

interface Committable {
  readonly collapse: Staged;
  /** Place of its first message in the view. */
  readonly from: number;
  /** Tokens, as estimated. */
  readonly freed: number;
}

/** Large enough to be worth a call, and small enough that one commit does not replace the whole past. */
const SPAN_TOKENS = 20_000;
const SPAN_SHARE = 0.2;
/** Of the threshold: as much as makes a commit worth the prefix that it writes again. */
const STAGED_SHARE = 0.6;
/** Failed calls in a row after which staging stops until the next submission. */
const MAX_FAILURES = 3;

export function createCollapses(options: CollapseOptions): Collapses {
  return new StagedCollapses(options);
}

class StagedCollapses implements Collapses {
  readonly #options: CollapseOptions;
  #staged: Staged[] = [];
  #isRunning = false;
  #failures = 0;
  #submission: string | undefined;
  /** Up to here the view was planned already. */
  #planned: { readonly root: object; readonly untilTokens: number } | undefined;

  constructor(options: CollapseOptions) {
    this.#options = options;
  }

  stage(input: StepInput): string {
    const { limits, view, estimateTokens: tokens } = input;
    const [current] = input.effectKey.split('/');
    if (current !== this.#submission) this.#failures = 0;
    this.#submission = current;
    const said = counted(this.#staged.length);
    if (this.#isRunning) return `${said} staged, one is being condensed`;
    if (this.#failures >= MAX_FAILURES) return `staging rests: it failed ${MAX_FAILURES} times in a row`;
    if (this.#planned?.root === view.root && tokens < this.#planned.untilTokens)
      return `${said} staged, and nothing more is to be`;

    const fromTokens = Math.min(SPAN_TOKENS, limits.autocompactAt * SPAN_SHARE);
    const missing = limits.autocompactAt * STAGED_SHARE - this.stagedTokens(input);
    const spans = missing > 0 ? this.#plan(input, fromTokens) : [];
    if (spans.length === 0) {
      this.#planned = { root: view.root, untilTokens: tokens + fromTokens };
      return `${counted(this.#staged.length)} staged, and nothing more is to be`;
    }
    this.#isRunning = true;
    void this.#condenseAll(spans, input, missing / factorOf(input)).finally(() => {
      this.#isRunning = false;
    });
    return `${counted(this.#staged.length)} staged, condensing goes on`;
  }

  commit(input: StepInput): Commit | undefined {
    const edits: ViewEdit[] = [];
    const done = new Set<Staged>();
    let tokensFreed = 0;
    for (const { collapse, freed } of this.#committable(input)) {
      edits.push({ kind: 'splice', uuids: collapse.uuids, items: [collapse.item] });
      tokensFreed += freed;
      done.add(collapse);
    }
    if (edits.length === 0) return undefined;
    this.#staged = this.#staged.filter((collapse) => !done.has(collapse));
    return { edits, tokensFreed };
  }

  firstStaged(input: StepInput): string | undefined {
    return this.#committable(input)[0]?.collapse.uuids[0];
  }

  stagedTokens(input: StepInput): number {
    const freed = this.#committable(input).reduce((sum, each) => sum + each.freed, 0);
    return Math.round(freed * factorOf(input));
  }

  async #condenseAll(spans: readonly MessageSpan[], input: StepInput, missing: number): Promise<void> {
    const { session, transcriptPath, asCounted, condenser } = this.#options;
    const { model } = condenser(input.model);
    let freed = 0;
    for (const [n, span] of spans.entries()) {
      if (session.signal.aborted || freed >= missing || this.#failures >= MAX_FAILURES) return;
      const text = await this.#condense(span, model, `${input.effectKey}/collapse/${n + 1}`);
      if (session.signal.aborted) return;
      const item = text && syntheticMessage(this.#options, 'collapse', collapsedText(text, transcriptPath));
      const gain = item ? estimateTokens(asCounted(span.messages)) - estimateMessage(item) : 0;
      if (item && gain > 0) {
        this.#failures = 0;
        freed += gain;
        this.#staged.push({ uuids: span.uuids, item });
      } else this.#failures += 1;
    }
  }

  async #condense(span: MessageSpan, model: string, effectKey: string): Promise<string | undefined> {
    const { condense, session, sessionId } = this.#options;
    try {
      return await condense({
        messages: span.messages,
        model,
        sessionId: await sessionId(model),
        effectKey,
        signal: session.signal,
      });
    } catch {
      // Failures are ignored: no caller depends on the result.
      return undefined;
    }
  }

  /**
   * Staged collapses that can be committed to this view, oldest first. Those that left the view are dropped.
   */
  #committable(input: StepInput): readonly Committable[] {
    if (this.#staged.length === 0) return [];
    const messages = input.view.slice();
    const positions = new Map(messages.map((message, i) => [message.uuid, i]));
    const pinned = pinnedMessages(messages, input.limits);
    this.#staged = this.#staged.filter(({ uuids }) => uuids.every((uuid) => positions.has(uuid)));
    return this.#staged
      .flatMap((collapse) => {
        const place = findSpan(collapse.uuids, messages, positions);
        if (place === undefined || place.messages.some((message) => pinned.has(message))) return [];
        const before = estimateTokens(this.#options.asCounted(place.messages));
        return [{ collapse, from: place.from, freed: before - estimateMessage(collapse.item) }];
      })
      .filter(({ freed }) => freed > 0)
      .sort((a, b) => a.from - b.from);
  }

  /** Sized as estimates count the messages; the messages themselves as they are in the view. */
  #plan({ view, limits, model }: StepInput, fromTokens: number): MessageSpan[] {
    const messages = view.slice();
    const { atMostTokens } = this.#options.condenser(model);
    const taken = new Set(this.#staged.flatMap(({ uuids }) => uuids));
    const original = new Map(messages.map((message) => [message.uuid, message]));
    const counted = this.#options.asCounted(messages);
    return collapsibleSpans(counted, limits, { fromTokens, atMostTokens }, taken).map((span) => ({
      uuids: span.uuids,
      messages: span.messages.map((message) => original.get(message.uuid) ?? message),
    }));
  }
}

function counted(spans: number): string {
  return spans === 1 ? '1 span is' : `${spans} spans are`;
}

function factorOf({ tokenFactor = 1 }: StepInput): number {
  return tokenFactor;
}
