/** Short requests to one endpoint, each sent once: one answer often describes many models. */
import type { OutgoingHttpHeaders } from 'node:http';
import type { Connections } from '@turnwright/base/http/connections.ts';
import type { Life } from '../../protocol/life.ts';
import { requestJson } from './request-json.ts';

export interface AskedPlace {
  readonly connections: Connections;
  /** Its query is that of each request. */
  readonly baseUrl: URL;
  /** The path that `/models` is below, such as `/v1`. */
  readonly root: string;
  /** With the credentials. */
  readonly headers: OutgoingHttpHeaders;
  readonly life: Pick<Life, 'aborted' | 'onAbort'>;
}

export interface Asked {
  readonly baseUrl: URL;
  /** The JSON of an answer 200; undefined: there is none. `path`: below the address of the server. */
  json(path: string, body?: string): Promise<unknown>;
  /** The same, below the path of the list. */
  listJson(path: string): Promise<unknown>;
  /** Whether there was any answer. */
  reached(): boolean;
}

export function createAsked({ connections, baseUrl, root, headers, life }: AskedPlace): Asked {
  const sent = new Map<string, Promise<unknown>>();
  let reached = false;
  const ask = async (path: string, body?: string): Promise<unknown> => {
    if (life.aborted) return undefined;
    const whole = `${path}${path.includes('?') ? baseUrl.search.replace('?', '&') : baseUrl.search}`;
    const answer = await requestJson({
      connections,
      path: whole,
      headers,
      life,
      body,
      keepAlive: true,
    });
    if (answer.head === undefined) return undefined;
    reached = true;
    return answer.head.status === 200 ? answer.json : undefined;
  };
  const once = (path: string, body?: string) => {
    const key = `${path} ${body ?? ''}`;
    const answer = sent.get(key) ?? ask(path, body);
    sent.set(key, answer);
    return answer;
  };
  const server = root.replace(/\/v1$/, '');
  return {
    baseUrl,
    json: (path, body) => once(`${server}${path}`, body),
    listJson: (path) => once(`${root}${path}`),
    reached: () => reached,
  };
}
