/** A door that writes down which kinds of messages came through it, with the names of their fields. */
import { appendFileSync } from 'node:fs';

interface Message {
  readonly type: string;
  readonly subtype?: string;
  readonly message?: { readonly content?: unknown };
}
type Session = AsyncGenerator<Message, void>;

const names = (value: object): string => Object.keys(value).sort().join();

function shapeOf(message: Message): string {
  const { content } = message.message ?? {};
  const blocks = Array.isArray(content) ? content.map((block) => `${block.type} (${names(block)})`) : [];
  return [message.type, message.subtype ?? '', `(${names(message)})`, ...blocks].join(' ');
}

export function recorded<T extends object>(query: T): T {
  const session = query as Session;
  const next = session.next.bind(session);
  session.next = async () => {
    const step = await next();
    if (step.done !== true) appendFileSync(process.env['RECORD'] ?? '', `${shapeOf(step.value)}\n`);
    return step;
  };
  session[Symbol.asyncIterator] = () => session;
  return query;
}
