/** A model that says again what was recorded, so that a case runs without a network. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { CallModel, StopReason, Usage } from '@turnwright/engine';
import type { AssistantBlock } from '@turnwright/engine/protocol/model/wire.ts';

/** A line of `answers.jsonl`. */
export interface KeptAnswer {
  /** Who asked: `main`, `agent:<type>`, `compact`, … */
  readonly source: string;
  readonly model?: string;
  readonly blocks: readonly AssistantBlock[];
  readonly stopReason?: StopReason | null;
  readonly usage?: Partial<Usage>;
}

interface ReplayedModel {
  readonly callModel: CallModel;
  /** Sentences about requests without an answer, and answers without a request. */
  gaps(): readonly string[];
}

/** Each source has its answers in their order. Throws a SyntaxError for lines that are no JSON. */
export async function replayAnswers(lines: string): Promise<ReplayedModel> {
  const { block, fail, reply, scriptedModel } = await import('@turnwright/testing');
  const answers = lines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => parseJson(line) as KeptAnswer);
  const left = new Map<string, KeptAnswer[]>();
  for (const answer of answers) left.set(answer.source, [...(left.get(answer.source) ?? []), answer]);
  const missing = new Map<string, number>();

  return {
    callModel(request, call) {
      const { querySource: source } = request;
      const answer = left.get(source)?.shift();
      if (answer === undefined) {
        missing.set(source, (missing.get(source) ?? 0) + 1);
        const message = `The recording has no further answer for ${source}.`;
        return scriptedModel([fail({ kind: 'invalid_request', status: 400, message })]).callModel(
          request,
          call,
        );
      }
      const { blocks, stopReason, usage } = answer;
      const step = reply(
        blocks.map((one) => block(one)),
        { ...(stopReason !== undefined && { stopReason }), ...(usage !== undefined && { usage }) },
      );
      return scriptedModel([step]).callModel(request, call);
    },
    gaps: () => [
      ...[...missing].map(
        ([source, count]) =>
          `${count} more ${count === 1 ? 'request' : 'requests'} of ${source} than recorded`,
      ),
      ...[...left].flatMap(([source, { length }]) =>
        length === 0
          ? []
          : [`${length} recorded ${length === 1 ? 'answer' : 'answers'} for ${source} not asked for`],
      ),
    ],
  };
}
