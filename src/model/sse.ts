/**
 * Server-sent events, from bytes to the data of each event. The API repeats an event's name inside its data, so other
 * fields say nothing. Lines end as the standard lets them: LF, CR LF or CR.
 */

/** An event larger than this many characters is not the Messages API. */
const MAX_EVENT_CHARS = 64 * 1024 * 1024;

export interface SseReader {
  /** The data of each event that these bytes complete; undefined once an event outgrows all measure. */
  push(bytes: Buffer): readonly string[] | undefined;
}

export function createSseReader(): SseReader {
  // Keeps the bytes of a character that is split between two reads, and drops a mark of the byte order.
  const decoder = new TextDecoder();
  /** A line that is not whole yet. */
  let rest = '';
  /** Of the event that is not whole yet. */
  let data: string | undefined;
  /** The last line ended with CR: an LF behind it belongs to it. */
  let returned = false;
  let overgrown = false;

  function decoded(bytes: Buffer): string {
    const text = decoder.decode(bytes, { stream: true });
    if (text === '' || !(returned || text.includes('\r'))) return text;
    const begun = returned && text.startsWith('\n') ? text.slice(1) : text;
    returned = text.endsWith('\r');
    return begun.replace(/\r\n?/g, '\n');
  }

  return {
    push(bytes) {
      const events: string[] = [];
      const text = decoded(bytes);
      let from = 0;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        const line = rest + text.slice(from, end);
        rest = '';
        from = end + 1;
        if (line === '') {
          if (data !== undefined) events.push(data);
          data = undefined;
        } else if (line.startsWith('data:')) {
          const value = line.slice(line.startsWith(' ', 5) ? 6 : 5);
          data = data === undefined ? value : `${data}\n${value}`;
        } else if (line === 'data') data = data === undefined ? '' : `${data}\n`;
      }
      rest += text.slice(from);
      overgrown ||= rest.length + (data?.length ?? 0) > MAX_EVENT_CHARS;
      return overgrown ? undefined : events;
    },
  };
}
