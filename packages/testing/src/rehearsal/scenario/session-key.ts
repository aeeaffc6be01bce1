import { isRecord } from '@turnwright/base/json-values.ts';

/**
 * The session of a request: the session header, else the session in `metadata.user_id`, else the API key,
 * which distinguishes clients that name no session.
 */
export function readSessionKey(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Readonly<Record<string, unknown>>,
): string {
  const header = headers['x-turnwright-session-id'] ?? headers['x-claude-code-session-id'];
  if (typeof header === 'string' && header !== '') return header;
  const metadata = isRecord(body['metadata']) ? body['metadata']['user_id'] : undefined;
  const named = typeof metadata === 'string' ? sessionInUserId(metadata) : undefined;
  return named ?? `key:${readApiKey(headers)}`;
}

export function readApiKey(headers: Readonly<Record<string, string | string[] | undefined>>): string {
  const key = headers['x-api-key'];
  if (typeof key === 'string') return key;
  return String(headers['authorization'] ?? '').replace(/^Bearer +/i, '');
}

function sessionInUserId(userId: string): string | undefined {
  if (!userId.startsWith('{')) return /_session_([0-9a-f-]{36})$/.exec(userId)?.[1];
  try {
    const parsed: unknown = JSON.parse(userId);
    const id = isRecord(parsed) ? parsed['session_id'] : undefined;
    return typeof id === 'string' && id !== '' ? id : undefined;
  } catch {
    return undefined;
  }
}
