/** `turnwright sessions --db`: the sessions of a database, those that changed last first. */
import { durableClient, type SessionStatus } from '@turnwright/durable';
import { age } from '../words/units.ts';
import type { World } from '../world.ts';
import { databaseUrl } from './database-url.ts';

interface ListFlags {
  readonly db?: string | undefined;
  readonly json?: true;
  readonly limit?: number;
}

export async function listInDatabase(flags: ListFlags, world: World): Promise<string> {
  const client = durableClient(databaseUrl(flags, world));
  try {
    const found = await client.sessions({ limit: flags.limit });
    if (flags.json === true) return JSON.stringify(found, undefined, 2);
    return found.length === 0
      ? 'There are no sessions in this database.'
      : found.map(formatDurableSession).join('\n');
  } finally {
    await client.close();
  }
}

export function formatDurableSession({
  sessionId,
  state,
  tenant,
  title,
  updatedAt,
  questions,
  outcome,
  why,
}: SessionStatus): string {
  const asks = questions.map(({ askId, toolName }) => `asks ${askId} (${toolName})`);
  const error = state === 'poisoned' ? [String(outcome?.['error'] ?? 'set aside')] : [];
  const facts = [
    sessionId,
    state,
    age(Date.now() - updatedAt),
    tenant,
    title ?? '',
    ...asks,
    why ?? '',
    ...error,
  ];
  return facts.filter((fact) => fact !== '').join('  ');
}
