/** A requested compaction between two submissions (`/compact`): no request of the main loop is made. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { grouped } from '@turnwright/base/text/figures-and-times.ts';
import { announce } from '../../loop/recovery/context-recovery.ts';
import { FRESH_COMPACTION } from '../../loop/state.ts';
import type { StepInput } from '../../protocol/model/context.ts';
import type { LoopMessage } from '../../protocol/model/messages.ts';
import type { SubmissionContext } from '../session/request-context.ts';
import type { ConversationPorts } from '../session/session.ts';
import { buildLoopParams } from './loop-driver.ts';
import type { Submission } from './submission.ts';

export interface ManualCompaction {
  readonly model: string;
  readonly context: SubmissionContext;
  readonly instructions?: string;
}

/** What came of it, as one sentence. */
export interface CompactionReport {
  readonly compacted: boolean;
  readonly text: string;
}

/**
 * Emits messages for the consumer. The change of the conversation is recorded as one edit before it is
 * emitted; until then the conversation is unchanged.
 */
export async function compactSession(
  { model, context, instructions }: ManualCompaction,
  { id, scope }: Submission,
  ports: ConversationPorts,
  output: Output<LoopMessage>,
): Promise<CompactionReport> {
  const { recorder } = ports.conversation;
  await ports.model.client.ready(model, scope);
  // The request for the summary has the head of the conversation's own requests, so that its prefix is
  // cached.
  ports.model.request = buildLoopParams({ submission: id, scope, model, context }, ports);
  const input = buildStepInput(`${id}/compact`, model, scope, ports);
  const work = ports.context.port.compact?.(input, {
    trigger: 'manual',
    ...(instructions !== undefined && { instructions }),
  });
  if (work === undefined) return notCompacted('This session cannot compact its conversation.');

  const { outcome, held } = await announce(work, output, (message) =>
    recorder.append([{ ...message, submission: id }]),
  );
  if (outcome.kind === 'none') return notCompacted(`The conversation was not compacted: ${outcome.why}.`);
  const { source, edits, tokensFreed } = outcome;
  const why = 'asked for by /compact';
  await recorder.append([{ type: source, id: `${id}/edit/compact`, submission: id, edits, why }]);
  if (held.length > 0) await output.emit(held);
  const freed =
    tokensFreed > 0
      ? `about ${grouped(tokensFreed)} tokens were freed`
      : `it was so short that its summary is about ${grouped(-tokensFreed)} tokens longer`;
  return { compacted: true, text: `The conversation was compacted: ${freed}.` };
}

const notCompacted = (text: string): CompactionReport => ({ compacted: false, text });

function buildStepInput(
  effectKey: string,
  model: string,
  life: StepInput['life'],
  ports: ConversationPorts,
): StepInput {
  const { messages } = ports.conversation;
  const { port } = ports.context;
  return {
    view: messages,
    fresh: [],
    estimateTokens: port.estimate(messages.slice()),
    compactedInThisPass: false,
    limits: port.limitsFor(model),
    compaction: FRESH_COMPACTION,
    turnCount: 1,
    model,
    querySource: 'main',
    effectKey,
    life,
  };
}
