/**
 * A refusal is an answer (L7.1); this says so to programs that would rather not look for it in the result.
 */
import type { SDKModelRefusal } from '../../protocol/stream/session-messages.ts';
import type { HostChannel } from '../session/host-channel.ts';
import type { Submission } from '../submission/submission.ts';
import type { Outcome } from './result.ts';

export function refusalNotice(
  outcome: Pick<Outcome, 'last'>,
  { prompt }: Pick<Submission, 'prompt'>,
  host: HostChannel,
): readonly SDKModelRefusal[] {
  const last = outcome.last({ byModel: true });
  if (last?.stopReason !== 'refusal') return [];
  return [
    {
      type: 'system',
      subtype: 'model_refusal_no_fallback',
      original_model: last.model ?? '',
      request_id: last.requestId ?? null,
      refused_user_message_uuid: prompt.uuid ?? null,
      content: `${last.model ?? 'The model'} refused to answer.`,
      ...host.stamp(),
    },
  ];
}
