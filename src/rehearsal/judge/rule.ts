import type { ApiError } from '../api-error.ts';
import type { ModelFacts } from '../models.ts';
import type { ApiRequest } from '../request/api-request.ts';

/** What a rule may look at besides the request itself. */
export interface JudgeContext {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The key the server insists on; undefined: any that is not empty. */
  readonly requiredKey?: string;
  /** Size of the request body. */
  readonly bytes: number;
  /** Why the body did not parse as JSON. */
  readonly jsonError?: string;
  /** `/v1/messages/count_tokens`: nothing is generated. */
  readonly countOnly: boolean;
  /** Undefined: no such model. */
  readonly model: ModelFacts | undefined;
  /** Tokens this model may hold under this request's betas. */
  readonly window: number;
  readonly betas: readonly string[];
  /** Calls this server made in replies that began with thinking. */
  readonly thoughtCalls: ReadonlySet<string>;
  /** Tokens of the prompt after context edits. */
  readonly inputTokens: number;
}

export interface Rule {
  readonly name: string;
  /** Ours, not the real API's. */
  readonly house?: true;
  check(request: ApiRequest, context: JudgeContext): ApiError | undefined;
}
