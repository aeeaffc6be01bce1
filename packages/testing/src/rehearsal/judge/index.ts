/** The strict judge. The order of the list is the order in which a request is refused. */
import type { ApiError } from '../api-errors.ts';
import type { ApiRequest } from '../request/api-request.ts';
import { apiKey } from './api-key.ts';
import { apiVersion } from './api-version.ts';
import { betaFields } from './beta-fields.ts';
import { blankText } from './blank-text.ts';
import { cacheBreakpoints } from './cache-breakpoints.ts';
import { cacheControl } from './cache-control.ts';
import { cacheTtlOrder } from './cache-ttl-order.ts';
import { contentBlocks } from './content-blocks.ts';
import { deferredTools } from './deferred-tools.ts';
import { emptyContent } from './empty-content.ts';
import { emptyFinalAssistant } from './empty-final-assistant.ts';
import { emptyText } from './empty-text.ts';
import { firstMessageUser } from './first-message-user.ts';
import { imageCount } from './image-count.ts';
import { imageData } from './image-data.ts';
import { imageSize } from './image-size.ts';
import { jsonBody } from './json-body.ts';
import type { JudgeContext, JudgeRule } from './judge-rule.ts';
import { knownModel } from './known-model.ts';
import { maxTokens } from './max-tokens.ts';
import { messageThread } from './message-thread.ts';
import { outputOverWindow } from './output-over-window.ts';
import { prefill } from './prefill.ts';
import { promptSize } from './prompt-size.ts';
import { requestShape } from './request-shape.ts';
import { requestSize } from './request-size.ts';
import { strictAlternation } from './strict-alternation.ts';
import { systemMessages } from './system-messages.ts';
import { taskBudget } from './task-budget-field.ts';
import { thinkingConfig } from './thinking-config.ts';
import { thinkingFirst } from './thinking-first.ts';
import { thinkingLast } from './thinking-last.ts';
import { thinkingSampling } from './thinking-sampling.ts';
import { thinkingSignature } from './thinking-signature.ts';
import { toolChoice } from './tool-choice.ts';
import { toolName } from './tool-name.ts';
import { toolNameUnique } from './tool-name-unique.ts';
import { toolResultDuplicate } from './tool-result-duplicate.ts';
import { toolResultFirst } from './tool-result-first.ts';
import { toolResultMissing } from './tool-result-missing.ts';
import { toolResultOrphan } from './tool-result-orphan.ts';
import { toolSchema } from './tool-schema.ts';
import { toolUseId } from './tool-use-id.ts';
import { trailingWhitespace } from './trailing-whitespace.ts';
import { unknownFields } from './unknown-fields.ts';

export const JUDGE_RULES: readonly JudgeRule[] = [
  // authentication, and whether the body can be read
  requestSize,
  apiKey,
  apiVersion,
  jsonBody,
  // what it continues, which every later rule sees as a part of it
  messageThread,
  // the shape, which every later rule relies on
  requestShape,
  contentBlocks,
  unknownFields,
  betaFields,
  knownModel,
  maxTokens,
  taskBudget,
  // tools
  toolName,
  toolNameUnique,
  toolSchema,
  toolChoice,
  deferredTools,
  // the conversation
  firstMessageUser,
  systemMessages,
  strictAlternation,
  emptyContent,
  emptyFinalAssistant,
  emptyText,
  blankText,
  toolUseId,
  toolResultDuplicate,
  toolResultOrphan,
  toolResultMissing,
  toolResultFirst,
  trailingWhitespace,
  prefill,
  // cache breakpoints
  cacheControl,
  cacheBreakpoints,
  cacheTtlOrder,
  // thinking
  thinkingConfig,
  thinkingSampling,
  thinkingSignature,
  thinkingFirst,
  thinkingLast,
  // size
  imageCount,
  imageData,
  imageSize,
  promptSize,
  outputOverWindow,
];

/** Names of the judge's rules, in the order in which they are applied. */
export const RULE_NAMES: readonly string[] = JUDGE_RULES.map((rule) => rule.name);

interface Refusal {
  readonly rule: JudgeRule;
  readonly error: ApiError;
}

/** The first rule that refuses the request; undefined: the real API would accept it. */
export function judge(
  rules: readonly JudgeRule[],
  request: ApiRequest,
  context: JudgeContext,
): Refusal | undefined {
  for (const rule of rules) {
    const error = rule.check(request, context);
    if (error !== undefined) return { rule, error };
  }
  return undefined;
}
