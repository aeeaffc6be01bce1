import type { QueryEngineConfig } from '../config.ts';
import { VERSION } from '../version.ts';

/** The `user-agent` header of requests to a model. */
export function formatUserAgent({ userAgent }: Pick<QueryEngineConfig, 'userAgent'>): string {
  return userAgent ?? `turnwright/${VERSION}`;
}
