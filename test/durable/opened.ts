/** Databases for one test, which are closed when it ends. */

import { type Database, type DurableClient, durableClient, openDatabase } from '@turnwright/durable';
import { onTestFinished } from 'vitest';
import type { DatabaseOptions } from '../../packages/durable/src/postgres/database.ts';
import { createListener, type Listener } from '../../packages/durable/src/postgres/listener.ts';
import { migrate } from '../../packages/durable/src/postgres/tables/migrations.ts';
import { newDatabase } from './cluster.ts';

/** A new database without tables. */
export async function openedEmpty(
  url = newDatabase(),
  options: Omit<DatabaseOptions, 'url'> = {},
): Promise<Database> {
  const database = await openDatabase({ url, ...options });
  onTestFinished(() => database.close());
  return database;
}

/** A new database with its tables. */
export async function openedDatabase(
  url?: string,
  options?: Omit<DatabaseOptions, 'url'>,
): Promise<Database> {
  const database = await openedEmpty(url, options);
  await migrate(database);
  return database;
}

export function openedClient({ url }: { readonly url: string }): DurableClient {
  const client = durableClient(url);
  onTestFinished(() => client.close());
  return client;
}

export function openedListener(database: Database, options?: Parameters<typeof createListener>[1]): Listener {
  const listener = createListener(database, options);
  onTestFinished(() => listener.close());
  return listener;
}
