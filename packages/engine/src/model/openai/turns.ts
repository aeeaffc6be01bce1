/**
 * The turns of a view as another API's messages, made once while the view only grows: what precedes the
 * newest exchange is rendered once (L3, L10.10).
 */
import type { AssistantMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { ConversationTurn } from '../../protocol/model/provider-wire.ts';
import type { View } from '../../protocol/model/view.ts';
import type { ContentBlock } from '../../protocol/model/wire.ts';
import { createNormaliser, type Normaliser, type WireTurn } from '../request/normalise.ts';

interface TurnsRequest {
  readonly view: View;
  readonly userContext: readonly string[];
  /** A key of everything that rendering depends on. */
  readonly key: string;
  /** Kept with what was rendered, so it must not reference this request. */
  readonly keepsThinking: (message: AssistantMessage) => boolean;
}

/** Renders the turns of one exchange: an answer of the model and what the user side replied. */
type RenderTurns<T> = (turns: readonly ConversationTurn[]) => readonly T[];

export interface RenderedTurns<T> {
  messages(request: TurnsRequest, render: RenderTurns<T>): readonly T[];
}

/** Variants kept per view: the main request and one more. */
const MAX_VARIANTS = 2;

export function createRenderedTurns<T>(): RenderedTurns<T> {
  const kept = new WeakMap<object, Growing<T>[]>();
  return {
    messages(request, render) {
      const variants = kept.get(request.view.root) ?? [];
      const known = variants.find((variant) => variant.isFor(request));
      if (known !== undefined && known.length <= request.view.length) return known.extend(request.view);
      const growing = new Growing(request, render);
      if (known === undefined) kept.set(request.view.root, [...variants.slice(1 - MAX_VARIANTS), growing]);
      return growing.extend(request.view);
    },
  };
}

class Growing<T> {
  length = 0;
  readonly #key: string;
  readonly #userContext: readonly string[];
  readonly #normaliser: Normaliser;
  readonly #render: RenderTurns<T>;
  #sealed: T[] = [];

  constructor({ key, userContext, keepsThinking }: TurnsRequest, render: RenderTurns<T>) {
    this.#key = key;
    this.#userContext = userContext;
    this.#render = render;
    this.#normaliser = createNormaliser({ userContext, keepsThinking });
  }

  isFor({ key, userContext }: TurnsRequest): boolean {
    return (
      this.#key === key &&
      this.#userContext.length === userContext.length &&
      this.#userContext.every((text, at) => text === userContext[at])
    );
  }

  extend(view: View): readonly T[] {
    for (const message of view.slice(this.length) as ViewMessage[])
      for (const exchange of this.#normaliser.add(message)) this.#sealed.push(...this.#rendered(exchange));
    this.length = view.length;
    return [...this.#sealed, ...this.#rendered(this.#normaliser.open())];
  }

  #rendered(turns: readonly WireTurn[]): readonly T[] {
    return this.#render(
      turns.map(({ role, blocks }) => ({
        role: role === 'assistant' ? role : 'user',
        blocks: blocks.map((json) => JSON.parse(json) as ContentBlock),
      })),
    );
  }
}
