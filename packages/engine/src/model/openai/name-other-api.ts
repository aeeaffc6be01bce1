/**
 * After a 404: asks which API the address has instead, without a model call, so that the first error names
 * it.
 */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Connections } from '@turnwright/base/http/connections.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Clock } from '../../protocol/ports.ts';
import { type HttpCall, openHttpCall } from '../http/http-call.ts';
import { type Api, otherWireSentence } from './other-wire.ts';

interface Asked {
  readonly asked: Api;
  readonly connections: Connections;
  /** Path that precedes `/v1`, with the query of the address. */
  readonly base: string;
  /** Of the request that was answered 404. */
  readonly headers: OutgoingHttpHeaders;
  readonly clock: Clock;
  readonly life: Pick<Life, 'aborted' | 'onAbort'>;
}

/** For all other APIs together: they are asked at the same time. */
const ASK_MS = 800;
const EMPTY = '{}';

const PATHS: Readonly<Record<Api, string>> = {
  messages: '/v1/messages',
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
};

/** The failure with the API that the address has; the failure itself, if it has none or does not answer. */
export async function namedOtherApi(failure: ModelFailure, asked: Asked): Promise<ModelFailure> {
  const others = (Object.keys(PATHS) as Api[]).filter((api) => api !== asked.asked);
  const known = await Promise.all(others.map((api) => knows(api, asked)));
  const api = others[known.indexOf(true)];
  if (api === undefined) return failure;
  const { retryAfterMs: _, ...rest } = failure;
  return { ...rest, kind: 'protocol', message: otherWireSentence(asked.asked, api), shouldRetry: false };
}

/** A request without content is refused as such where the path exists. */
async function knows(api: Api, { connections, base, headers, clock, life }: Asked): Promise<boolean> {
  const path = base.replace(/(?=\?|$)/, PATHS[api]);
  const call = openHttpCall(
    connections,
    {
      path,
      headers: { ...headers, accept: 'application/json', 'content-length': EMPTY.length },
      keepAlive: false,
    },
    [EMPTY],
    life,
  );
  const cancel = clock.timer(ASK_MS, () => call.stop({ kind: 'aborted' }));
  try {
    const status = await awaitStatus(call);
    return status !== undefined && status !== 404 && status !== 405 && status < 500;
  } finally {
    cancel();
    call.close();
  }
}

async function awaitStatus(call: HttpCall): Promise<number | undefined> {
  while (call.head === undefined && call.stopped === undefined) await call.changed();
  return call.head?.status;
}
