import type { UserBlock } from '../../protocol/model/wire.ts';

export interface SubmitOptions {
  /** The prompt's own uuid; default a fresh one. */
  readonly uuid?: string | undefined;
  /** Of prompts that waited with it and are part of it, in order. */
  readonly joinedUuids?: readonly string[] | undefined;
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown } | undefined;
  /** As it is: no command, no files for `@path`. */
  readonly verbatim?: boolean | undefined;
  /** false: the prompt joins the conversation and the model is not asked. */
  readonly shouldQuery?: boolean | undefined;
}

/** Of all that the prompt is made of, in order. */
export function promptUuids({ uuid, joinedUuids = [] }: SubmitOptions): readonly string[] {
  return uuid === undefined ? joinedUuids : [...joinedUuids, uuid];
}

export interface Prompt {
  readonly content: string | readonly UserBlock[];
  readonly options: SubmitOptions;
}
