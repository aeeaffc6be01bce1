/** JSON that comes from outside: servers, hooks, models, hosts, and files that others may have written. */
import { isRecord } from './json-values.ts';

/** Deeper values are refused, because what is read is walked with recursion later. */
const MAX_DEPTH = 500;

/** Throws a SyntaxError also for text that is nested too deeply. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new SyntaxError(`it is ${TOO_DEEP}`);
  return JSON.parse(text);
}

/** The value of a JSON text; undefined: it is no JSON, or nested too deeply. */
export function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The object that a JSON text holds; undefined: it holds none. */
export function readJsonObject(text: string): Record<string, unknown> | undefined {
  const value = readJson(text);
  return isRecord(value) ? value : undefined;
}

export const TOO_DEEP = `nested more than ${MAX_DEPTH} levels deep`;

/** The same of a value that a library has read. */
export function isTooDeepValue(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((each) =>
      typeof each === 'object' && each !== null ? Object.values(each).filter(isComposed) : [],
    );
  }
  return false;
}

const isComposed = (value: unknown): boolean => typeof value === 'object' && value !== null;

export function isTooDeep(text: string): boolean {
  // Each level is opened and closed.
  if (text.length <= 2 * MAX_DEPTH || !holdsMany(text)) return false;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        depth += 1;
        if (depth > MAX_DEPTH) return true;
        break;
      case 0x5d:
      case 0x7d:
        depth -= 1;
        break;
      default:
    }
  }
  return false;
}

/** Whether there are so many brackets that it may be: most texts have few, which is found out quickly. */
function holdsMany(text: string): boolean {
  let found = 0;
  for (const sign of '[{')
    for (let at = text.indexOf(sign); at >= 0; at = text.indexOf(sign, at + 1)) {
      found += 1;
      if (found > MAX_DEPTH) return true;
    }
  return false;
}

/** Of the text that begins with the quote at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x5c) at += 1;
    else if (code === 0x22) return at;
  }
  return text.length;
}
