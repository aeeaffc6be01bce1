/**
 * Server-sent events: bytes in, the data of each event out. The API repeats an event's name inside its data,
 * so other fields are ignored. Lines end as the standard permits: LF, CR LF or CR.
 */

/** An event larger than this many characters is not the Messages API. */
const MAX_EVENT_CHARS = 12 * 1024 * 1024;

export interface SseReader {
  /** The data of each event that these bytes complete; undefined once an event exceeds the size limit. */
  push(bytes: Buffer): readonly string[] | undefined;
}

const LF = 10;
const CR = 13;

export function createSseReader(): SseReader {
  return new Reader();
}

/** A line is decoded once it is complete, so no read splits a character. */
class Reader implements SseReader {
  /** Bytes of the incomplete line. */
  #rest: Buffer[] = [];
  #restBytes = 0;
  /** Data of the incomplete event. */
  #data: string | undefined;
  #begun = false;
  /** The last line ended with CR: a following LF belongs to it. */
  #returned = false;
  #overgrown = false;

  push(bytes: Buffer): readonly string[] | undefined {
    const events: string[] = [];
    const text = this.#lines(bytes);
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      if (end === from) {
        if (this.#data !== undefined) events.push(this.#data);
        this.#data = undefined;
      } else if (text.startsWith('data:', from))
        this.#add(text.slice(text.startsWith(' ', from + 5) ? from + 6 : from + 5, end));
      else if (end - from === 4 && text.startsWith('data', from)) this.#add('');
      from = end + 1;
    }
    this.#overgrown ||= this.#restBytes + (this.#data?.length ?? 0) > MAX_EVENT_CHARS;
    return this.#overgrown ? undefined : events;
  }

  #add(value: string): void {
    this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
  }

  /** The lines that these bytes complete, each with an LF appended. */
  #lines(bytes: Buffer): string {
    const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
    if (end === 0) {
      this.#keep(bytes);
      return '';
    }
    let text =
      this.#rest.length === 0
        ? bytes.toString('utf8', 0, end)
        : Buffer.concat([...this.#rest, bytes.subarray(0, end)]).toString('utf8');
    this.#rest = [];
    this.#restBytes = 0;
    if (end < bytes.length) this.#keep(bytes.subarray(end));
    if (!this.#begun && text.startsWith('\uFEFF')) text = text.slice(1);
    this.#begun = true;
    if (!this.#returned && !text.includes('\r')) return text;
    if (this.#returned && text.startsWith('\n')) text = text.slice(1);
    this.#returned = text.endsWith('\r');
    return text.replace(/\r\n?/g, '\n');
  }

  #keep(bytes: Buffer): void {
    this.#rest.push(bytes);
    this.#restBytes += bytes.length;
  }
}
