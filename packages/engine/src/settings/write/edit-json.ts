import { plainJson } from '@turnwright/base/files/plain-json.ts';

/**
 * Sets one key of a JSON object and keeps every other byte, comments included. `text` must be a JSON object
 * that `parseSettingsJson` reads; if a key occurs twice, the last one, which is effective, is replaced.
 */
export function withKey(text: string, key: string, value: unknown): string {
  const plain = plainJson(text);
  const members = parseMembers(plain);
  const style = detectStyle(text, plain);
  const rendered = render(value, style);
  const member = members.findLast((each) => each.key === key);
  if (member !== undefined) return text.slice(0, member.from) + rendered + text.slice(member.to);
  const entry = `${JSON.stringify(key)}:${style.indent === '' ? '' : ' '}${rendered}`;
  const last = members.at(-1);
  const lead = style.indent === '' ? '' : style.lineBreak + style.indent;
  if (last !== undefined) return `${text.slice(0, last.to)},${lead}${entry}${text.slice(last.to)}`;
  const end = plain.lastIndexOf('}');
  const before = text.slice(0, end).trimEnd();
  return `${before}${lead}${entry}${style.indent === '' ? '' : style.lineBreak}${text.slice(end)}`;
}

interface Member {
  readonly key: string;
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

function render(value: unknown, { indent, lineBreak }: Style): string {
  const text = JSON.stringify(value, null, indent);
  return text.replaceAll('\n', lineBreak + indent);
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
    members.push({ key: JSON.parse(text.slice(at, keyEnd)) as string, from, to });
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
