import { plainJson } from '@turnwright/base/files/plain-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';

/**
 * Sets one key of a JSON object, or takes it out (undefined), and keeps every other byte, comments included;
 * within an object that stays one, too. `text` must be a JSON object that `parseSettingsJson` reads; if a key
 * occurs twice, the last one, which is effective, is replaced.
 */
export function withKey(text: string, key: string, value: unknown): string {
  const plain = plainJson(text);
  return changeKey({ text, plain, style: detectStyle(text, plain), depth: 1 }, key, value);
}

/** An object of a file. */
interface ObjectText {
  readonly text: string;
  /** Without comments, of the same length. */
  readonly plain: string;
  readonly style: Style;
  /** 1 for that of the whole file. */
  readonly depth: number;
}

function changeKey(object: ObjectText, key: string, value: unknown): string {
  const { text, plain, style, depth } = object;
  const members = parseMembers(plain);
  const member = members.findLast((each) => each.key === key);
  if (value === undefined) return members.some((each) => each.key === key) ? withoutKey(object, key) : text;
  if (member !== undefined) {
    const inner = {
      ...object,
      text: text.slice(member.from, member.to),
      plain: plain.slice(member.from, member.to),
    };
    return (
      text.slice(0, member.from) + changeValue({ ...inner, depth: depth + 1 }, value) + text.slice(member.to)
    );
  }
  const isOneLine = !text.includes('\n') && (members.length > 0 || style.indent === '');
  const rendered = render(value, isOneLine ? { ...style, indent: '' } : style, depth);
  const blank = style.indent === '' ? '' : ' ';
  const entry = `${JSON.stringify(key)}:${blank}${rendered}`;
  const last = members.at(-1);
  const lead = isOneLine ? (depth > 1 ? blank : '') : style.lineBreak + style.indent.repeat(depth);
  if (last !== undefined) return `${text.slice(0, last.to)},${lead}${entry}${text.slice(last.to)}`;
  const end = plain.lastIndexOf('}');
  const before = text.slice(0, end).trimEnd();
  const close = isOneLine ? '' : style.lineBreak + style.indent.repeat(depth - 1);
  return `${before}${lead}${entry}${close}${text.slice(end)}`;
}

/** Where an object stays one, only the keys whose values differ are changed. */
function changeValue(inner: ObjectText, value: unknown): string {
  const { plain, style, depth } = inner;
  const whole = render(value, style, depth - 1);
  if (!plain.startsWith('{') || !isRecord(value)) return whole;
  const held = JSON.parse(plain) as Readonly<Record<string, unknown>>;
  const gone = Object.keys(held).filter((key) => !Object.hasOwn(value, key) || value[key] === undefined);
  const fresh = Object.entries(value).filter(
    ([key, each]) => !Object.hasOwn(held, key) || JSON.stringify(held[key]) !== JSON.stringify(each),
  );
  let text = inner.text;
  const now = (): ObjectText => ({ ...inner, text, plain: plainJson(text) });
  for (const key of gone) text = changeKey(now(), key, undefined);
  for (const [key, each] of fresh) text = changeKey(now(), key, each);
  return holds(text, value) ? text : whole;
}

function withoutKey({ text, plain, style, depth }: ObjectText, key: string): string {
  const held = JSON.parse(plain) as Record<string, unknown>;
  const { [key]: _, ...rest } = held;
  let [shorter, bare] = [text, plain];
  for (;;) {
    const member = parseMembers(bare).findLast((each) => each.key === key);
    if (member === undefined) break;
    const after = skip(bare, member.to, /\s/);
    const isFollowed = bare[after] === ',';
    // The blanks before it go with it, and a comma: the one behind it, else that of the member before.
    const from = shorter.slice(0, member.start).trimEnd().length;
    const comma = bare.slice(0, member.start).trimEnd().length - 1;
    const cut = isFollowed || bare[comma] !== ',' ? from : comma;
    shorter =
      shorter.slice(0, cut) +
      shorter.slice(cut + 1, from) +
      shorter.slice(isFollowed ? after + 1 : member.to);
    bare = plainOf(shorter) ?? '{}';
  }
  return holds(shorter, rest) ? shorter : render(rest, style, depth - 1);
}

function plainOf(text: string): string | undefined {
  try {
    const plain = plainJson(text);
    JSON.parse(plain);
    return plain;
  } catch {
    return undefined;
  }
}

/** Whether the text is exactly this value. */
function holds(text: string, value: unknown): boolean {
  const plain = plainOf(text);
  return plain !== undefined && sorted(JSON.parse(plain)) === sorted(value);
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isRecord(each) ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1))) : each,
  );

interface Member {
  readonly key: string;
  /** Where the key begins. */
  readonly start: number;
  /** Where its value begins and ends. */
  readonly from: number;
  readonly to: number;
}

interface Style {
  /** Indentation of the first level; '': the text is one line. */
  readonly indent: string;
  readonly lineBreak: string;
}

function detectStyle(text: string, plain: string): Style {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /^\s*\{\s*\n([ \t]+)["/]/.exec(text)?.[1];
  if (indent !== undefined) return { indent, lineBreak };
  const isEmpty = /^\s*\{\s*\}\s*$/.test(plain);
  return { indent: isEmpty || text.trim().includes('\n') ? '  ' : '', lineBreak };
}

function render(value: unknown, { indent, lineBreak }: Style, depth: number): string {
  const text = JSON.stringify(value, null, indent);
  return text.replaceAll('\n', lineBreak + indent.repeat(depth));
}

function parseMembers(text: string): readonly Member[] {
  const members: Member[] = [];
  let at = text.indexOf('{') + 1;
  while (true) {
    at = skip(text, at, /[\s,]/);
    if (text[at] !== '"') return members;
    const keyEnd = stringEnd(text, at);
    const from = skip(text, skip(text, keyEnd, /\s/) + 1, /\s/);
    const to = valueEnd(text, from);
    members.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, start: at, from, to });
    at = to;
  }
}

function skip(text: string, at: number, over: RegExp): number {
  let next = at;
  while (next < text.length && over.test(text.charAt(next))) next += 1;
  return next;
}

function stringEnd(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function valueEnd(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '"') {
      at = stringEnd(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') {
      // The end of the object that holds a bare value.
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && /[\s,]/.test(char)) return at;
    at += 1;
  }
  return at;
}
