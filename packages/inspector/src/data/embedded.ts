/** The data of an exported page. */
import type { IterationDetail, SessionInspection } from '@turnwright/engine';
import type { PageSource } from './page-source.ts';

interface Embedded {
  readonly data: SessionInspection;
  readonly details: Readonly<Record<string, IterationDetail>>;
}

export function embeddedSource(text: string): { readonly source: PageSource; readonly session: string } {
  const { data, details } = JSON.parse(text) as Embedded;
  const source: PageSource = {
    isFile: true,
    follow(_, onData) {
      onData(data);
      return () => undefined;
    },
    detail: async (_, key) => (Object.hasOwn(details, key) ? details[key] : undefined),
    text: async () => undefined,
    async search(_, text, onHit) {
      const wanted = text.toLowerCase();
      const steps = new Map(data.iterations.map(({ key, step }) => [key, step]));
      for (const detail of Object.values(details)) {
        const step = steps.get(detail.key) ?? detail.key;
        const places = [
          ...detail.sent.entries.map(({ kind, text: body, uuid }) => [kind, `${body} ${uuid}`]),
          ...detail.answer.map(({ kind, text: body }) => [kind, body]),
          ...detail.calls.map(({ name, input, output }) => [name, `${input} ${output?.text ?? ''}`]),
        ];
        for (const [where = '', body = ''] of places) {
          const at = body.toLowerCase().indexOf(wanted);
          if (at < 0) continue;
          onHit({
            key: detail.key,
            step,
            where,
            text: body.slice(Math.max(0, at - 80), at + wanted.length + 80),
          });
          break;
        }
      }
    },
    sessions: async () => [],
  };
  return { source, session: data.sessionId };
}
