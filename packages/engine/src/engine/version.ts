import type { QueryEngineConfig } from './config.ts';

/** Set when the package is built; in a source tree there is none. */
export const VERSION: string = process.env.TURNWRIGHT_BUILD_VERSION ?? '0.0.0-source';

/** The generation of the de-facto protocol that this engine speaks, for clients that compare versions. */
export const PROTOCOL_VERSION = '2.1.332';

/**
 * What clients may rely on: the receipt of an interrupt names the prompts that will still run, an interrupt
 * may call these off, each prompt with a uuid is followed to its end, and plugins are not reloaded under a
 * running turn by a host that asks for that; `ui://` resources of servers are read.
 */
export const CAPABILITIES: readonly string[] = [
  'interrupt_receipt_v1',
  'interrupt_cancel_queued_v1',
  'msg_lifecycle_v1',
  'reload_plugins_refuse_if_busy_v1',
  'mcp_read_resource_v1',
  'mcp_call_soft_error_result_v1',
];

/** The `user-agent` header of requests to a model. */
export function formatUserAgent({ userAgent }: Pick<QueryEngineConfig, 'userAgent'>): string {
  return userAgent ?? `turnwright/${VERSION}`;
}
