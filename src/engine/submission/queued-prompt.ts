import type { UserBlock } from '../../protocol/model/wire.ts';
import type { InboxPriority } from '../../protocol/ports.ts';

export interface QueuedPrompt {
  /** Putting the same key twice is one prompt; default its uuid, else a fresh one. */
  readonly key?: string | undefined;
  readonly content: string | readonly UserBlock[];
  readonly uuid?: string | undefined;
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown } | undefined;
  /** `now` ends the running submission, `next` joins its turn, `later` waits for it. Default `next`. */
  readonly priority?: InboxPriority | undefined;
}
