/** Server-sent events, from bytes to the data of each event. The API repeats an event's name inside its data. */
import { createParser } from 'eventsource-parser';

/** An event larger than this many characters is not the Messages API. */
const MAX_EVENT_CHARS = 64 * 1024 * 1024;

export interface SseReader {
  /** The data of each event that these bytes complete; undefined once an event outgrows all measure. */
  push(bytes: Buffer): readonly string[] | undefined;
}

export function createSseReader(): SseReader {
  // Keeps the bytes of a character that is split between two reads.
  const decoder = new TextDecoder();
  let events: string[] = [];
  let overgrown = false;
  const parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => events.push(event.data),
    onError: (error) => {
      // Fields of no known name are passed over, as the standard wants it.
      if (error.type === 'max-buffer-size-exceeded') overgrown = true;
    },
  });
  return {
    push(bytes) {
      events = [];
      if (!overgrown) parser.feed(decoder.decode(bytes, { stream: true }));
      return overgrown ? undefined : events;
    },
  };
}
