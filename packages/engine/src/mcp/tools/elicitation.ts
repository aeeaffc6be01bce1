/** A question of a server to the user of the host. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { JsonSchema } from '../../protocol/json.ts';

interface ElicitationQuestion {
  readonly serverName: string;
  readonly message: string;
  readonly mode: 'form' | 'url';
  readonly url?: string;
  readonly elicitationId?: string;
  readonly requestedSchema?: JsonSchema;
}

interface ElicitationReply {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Record<string, unknown>;
}

/** Absent: every question is declined. */
export type ElicitPort = (
  question: ElicitationQuestion,
  options: { readonly signal: AbortSignal },
) => Promise<ElicitationReply>;

const MAX_MESSAGE_CHARS = 4_000;

/** Never rejects: what cannot be asked is declined. */
export async function answerElicitation(
  serverName: string,
  params: Readonly<Record<string, unknown>>,
  elicit: ElicitPort | undefined,
  signal: AbortSignal,
): Promise<ElicitationReply> {
  const { url, elicitationId, requestedSchema } = params;
  const mode = params['mode'] === 'url' ? 'url' : 'form';
  if (elicit === undefined) return { action: 'decline' };
  // Users are sent to web pages only, never to a program or a file (T116).
  if (mode === 'url' && !isWebAddress(url)) return { action: 'decline' };
  try {
    return await elicit(
      {
        serverName,
        message: cleanText(String(params['message'] ?? ''), MAX_MESSAGE_CHARS),
        mode,
        ...(mode === 'url' && { url: String(url) }),
        ...(typeof elicitationId === 'string' && { elicitationId }),
        ...(isRecord(requestedSchema) && { requestedSchema: requestedSchema as JsonSchema }),
      },
      { signal },
    );
  } catch {
    return { action: 'cancel' };
  }
}

function isWebAddress(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  return ['http:', 'https:'].includes(new URL(url).protocol);
}
