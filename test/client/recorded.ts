/** A door that writes down which kinds of messages came through it, with the names of their fields, and what results say. */
import { appendFileSync } from 'node:fs';

interface Message {
  readonly [field: string]: unknown;
  readonly type: string;
  readonly message?: { readonly content?: unknown };
  readonly modelUsage?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}
type Session = AsyncGenerator<Message, void>;

const names = (value: object): string => Object.keys(value).sort().join();

/** What does not depend on the clock: how far an answer had come when it was interrupted, what a cache held by then. */
function figuresOf({ type, terminal_reason, is_error, stop_reason, num_turns, modelUsage = {} }: Message) {
  if (type !== 'result') return [];
  const whole = terminal_reason === 'completed' ? Object.entries(modelUsage) : [];
  const tokens = whole.map(([model, usage]) => {
    const { inputTokens = 0, cacheReadInputTokens = 0, cacheCreationInputTokens = 0, outputTokens } = usage;
    return `${model}: ${inputTokens + cacheReadInputTokens + cacheCreationInputTokens} in, ${outputTokens} out`;
  });
  return [terminal_reason, is_error, stop_reason, num_turns, ...tokens];
}

function shapeOf(message: Message): string {
  const { type, subtype = '', message: { content } = {} } = message;
  const blocks = Array.isArray(content) ? content.map((block) => `${block.type} (${names(block)})`) : [];
  return [type, subtype, `(${names(message)})`, ...blocks, ...figuresOf(message)].join(' ');
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
