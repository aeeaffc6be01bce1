/**
 * Changes of lists, for a server without sessions: they are said on the response of one request that stays
 * open. It is opened again when it ends, and what changed meanwhile is asked for.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { Clock } from '../../protocol/ports.ts';
import { type Connection, changedList, type ListKind, type RpcResult } from '../connect/connection.ts';
import { classifyFailure } from '../connect/connection-failure.ts';

interface ListenPorts {
  readonly ask: Connection['ask'];
  readonly clock: Pick<Clock, 'monotonicMs' | 'sleep'>;
  onListChanged(kind: ListKind): void;
}

interface Listening {
  /** The server sends a notification. */
  hear(method: string, params: RpcResult): void;
  end(): void;
}

/** Before it is opened again; doubled up to a limit, ms. */
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 60_000;
/** One that lived this long resets the number of attempts, ms. */
const STABLE_MS = 30_000;
const MAX_ATTEMPTS = 8;

/** What the server says about lists that it does not announce changes of is ignored. */
export function listenForChanges(capabilities: RpcResult, ports: ListenPorts): Listening {
  const { ask, clock, onListChanged } = ports;
  const kinds = (['tools', 'prompts', 'resources'] as const).filter((kind) => {
    const capability = capabilities[kind];
    return isRecord(capability) && capability['listChanged'] === true;
  });
  const lifetime = new AbortController();
  const { signal } = lifetime;
  let streams = 0;
  /** The present one is given up. */
  let drop = new AbortController();

  const listen = async (): Promise<void> => {
    const notifications = Object.fromEntries(kinds.map((kind) => [`${kind}ListChanged`, true]));
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const sinceMs = clock.monotonicMs();
      streams += 1;
      drop = new AbortController();
      try {
        const over = AbortSignal.any([signal, drop.signal]);
        await ask('subscriptions/listen', { notifications }, { signal: over });
      } catch (error) {
        // A server that refuses it would do so again.
        if (classifyFailure(error).kind === 'answered') return;
      }
      if (clock.monotonicMs() - sinceMs >= STABLE_MS) attempt = 0;
      await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** Math.max(0, attempt - 1), MAX_PAUSE_MS), signal);
    }
  };
  if (kinds.length > 0) void listen().catch(() => {});

  return {
    hear(method, params) {
      const changed = changedList(method);
      if (changed !== undefined && kinds.includes(changed)) onListChanged(changed);
      // Over a pipe, its end is said.
      if (method === 'notifications/cancelled') drop.abort('The server ended it.');
      if (method !== 'notifications/subscriptions/acknowledged' || streams <= 1) return;
      const honoured = isRecord(params['notifications']) ? params['notifications'] : {};
      for (const kind of kinds) if (honoured[`${kind}ListChanged`] === true) onListChanged(kind);
    },
    end: () => lifetime.abort('The connection is closed.'),
  };
}
