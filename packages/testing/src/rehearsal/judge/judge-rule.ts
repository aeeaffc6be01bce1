import type { ApiError } from '../api-errors.ts';
import type { ModelFacts } from '../models.ts';
import type { ApiRequest } from '../request/api-request.ts';
import type { AskedThread } from '../request/held-threads.ts';

/** What a rule may use besides the request itself. */
export interface JudgeContext {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The only accepted key; undefined: any that is not empty. */
  readonly requiredKey?: string;
  /** Size of the request body. */
  readonly bytes: number;
  /** The body as it was sent: without what a thread holds. */
  readonly sentBody: Readonly<Record<string, unknown>>;
  readonly thread: AskedThread;
  /** Why the body did not parse as JSON. */
  readonly jsonError?: string;
  /** `/v1/messages/count_tokens`: nothing is generated. */
  readonly countOnly: boolean;
  /** Undefined: no such model. */
  readonly model: ModelFacts | undefined;
  /** Window of this model with the betas of this request, in tokens. */
  readonly window: number;
  readonly betas: readonly string[];
  /** Calls in replies of this server that began with thinking. */
  readonly thoughtCalls: ReadonlySet<string>;
  /** Tokens of the prompt after context edits. */
  readonly inputTokens: number;
}

export interface JudgeRule {
  readonly name: string;
  /** A rule of this server, not of the real API. */
  readonly house?: true;
  check(request: ApiRequest, context: JudgeContext): ApiError | undefined;
}

/** The API's error text for calls without a result in the next message. */
export function unanswered(message: number, ids: readonly unknown[]): string {
  return `messages.${message}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
}
