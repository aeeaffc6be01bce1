/** The data of the server that serves this page, with the token that came in the address. */
import type {
  InspectedIteration,
  InspectionHit,
  IterationDetail,
  SessionInspection,
} from '@turnwright/engine';
import type { ListedSession, PageSource } from './page-source.ts';

type Head = Omit<SessionInspection, 'iterations'>;

interface LiveEvent {
  readonly head: Head;
  readonly order?: readonly string[];
  readonly changed: readonly InspectedIteration[];
}

const AGAIN_MS = [200, 500, 1000, 2000, 5000];
const MOST_TEXT = 1e6;

export function remoteSource(token: string): PageSource {
  const ask = (path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal) =>
    fetch(`/api/${path}?${new URLSearchParams(query)}`, {
      headers: { authorization: `Bearer ${token}` },
      cache: 'no-store',
      ...(signal !== undefined && { signal }),
    });
  async function askJson<T>(path: string, query: Readonly<Record<string, string>>): Promise<T | undefined> {
    const response = await ask(path, query);
    return response.ok ? ((await response.json()) as T) : undefined;
  }
  return {
    isFile: false,
    follow(session, onData, onLink) {
      const leaving = new AbortController();
      void followLive((signal) => ask('live', { session }, signal), onData, onLink, leaving.signal);
      return () => leaving.abort();
    },
    detail: (session, key) => askJson<IterationDetail>('iteration', { session, key }),
    async text(session, uuid) {
      let text = '';
      for (;;) {
        const part = await askJson<{ text: string; chars: number }>('text', {
          session,
          uuid,
          from: `${text.length}`,
        });
        if (part === undefined) return text === '' ? undefined : text;
        text += part.text;
        if (part.text === '' || text.length >= part.chars || text.length >= MOST_TEXT) return text;
      }
    },
    async search(session, q, onHit, signal) {
      const response = await ask('search', { session, q }, signal);
      for await (const line of linesOf(response, '\n'))
        if (line !== '') onHit(JSON.parse(line) as InspectionHit);
    },
    sessions: async () => (await askJson<ListedSession[]>('sessions', {})) ?? [],
    async exported(session, kind, redact) {
      const response = await ask('export', { session, kind, redact: redact ? '1' : '0' });
      if (!response.ok) throw new Error(await response.text());
      return response.blob();
    },
  };
}

/** Connects again and again until `signal` fires: each connection begins with everything. */
async function followLive(
  connect: (signal: AbortSignal) => Promise<Response>,
  onData: (data: SessionInspection) => void,
  onLink: (isConnected: boolean, why?: string) => void,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const response = await connect(signal);
      if (!response.ok) {
        onLink(false, (await response.text()).trim());
        if (response.status < 500) return;
      } else {
        const rows = new Map<string, InspectedIteration>();
        for await (const block of linesOf(response, '\n\n')) {
          if (!block.startsWith('data: ')) continue;
          const event = JSON.parse(block.slice('data: '.length)) as LiveEvent;
          for (const row of event.changed) rows.set(row.key, row);
          const order = event.order ?? [...rows.keys()];
          const iterations = order.flatMap((key) => rows.get(key) ?? []);
          if (event.order !== undefined) {
            rows.clear();
            for (const row of iterations) rows.set(row.key, row);
          }
          failures = 0;
          onLink(true);
          onData({ ...event.head, iterations });
        }
      }
    } catch {
      // Cut off: it is tried again.
    }
    if (signal.aborted) return;
    onLink(false);
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS[Math.min(failures, AGAIN_MS.length - 1)]));
  }
}

/** What is between two `end`s; a part is put together once, however many pieces it comes in. */
async function* linesOf(response: Response, end: string): AsyncGenerator<string> {
  if (!response.ok || response.body === null) throw new Error(`The server answered with ${response.status}.`);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let pieces: string[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    // An end may itself be in two pieces.
    const last = (pieces.pop() ?? '') + value;
    if (!last.includes(end)) {
      const from = last.length - end.length + 1;
      pieces.push(last.slice(0, from), last.slice(from));
      continue;
    }
    const [first = '', ...more] = last.split(end);
    yield pieces.join('') + first;
    pieces = [more.pop() ?? ''];
    yield* more;
  }
  const rest = pieces.join('');
  if (rest !== '') yield rest;
}
