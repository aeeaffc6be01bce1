/**
 * An answer as it was meant: the Markdown that models write, as elements of ours. HTML in it stays text, and
 * no image is loaded. A library for it is half as large as the whole page.
 */
import type { ComponentChildren } from 'preact';
import { showText } from '../format.ts';

export function Prose({ text }: { readonly text: string }) {
  return <div class="prose">{blocks(showText(text).split('\n'))}</div>;
}

const FENCE = /^ {0,3}(```+|~~~+)/;
const ITEM = /^ {0,3}(?:([-*+])|(\d{1,9})[.)]) +/;
const HEADING = /^ {0,3}#{1,6} +/;
const QUOTE = /^ {0,3}> ?/;
const ROW = /^ *\|.*\| *$/;

/** Lines from the first one on, as long as each is one of its kind. */
function takeWhile(
  lines: readonly string[],
  from: number,
  holds: (line: string) => boolean,
): readonly string[] {
  let to = from;
  while (to < lines.length && holds(lines[to] as string)) to += 1;
  return lines.slice(from, to);
}

function blocks(lines: readonly string[]): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  for (let at = 0; at < lines.length; ) {
    const [taken, block] = blockAt(lines, at);
    at += Math.max(1, taken);
    if (block !== null) shown.push(block);
  }
  return shown;
}

/** How many lines it takes, and what they are. */
function blockAt(lines: readonly string[], at: number): readonly [number, ComponentChildren] {
  const line = lines[at] as string;
  if (line.trim() === '') return [1, null];
  const fence = FENCE.exec(line)?.[1];
  if (fence !== undefined) {
    const inside = takeWhile(lines, at + 1, (each) => !each.trimStart().startsWith(fence));
    return [inside.length + 2, <pre key={at}>{inside.join('\n')}</pre>];
  }
  if (HEADING.test(line)) return [1, <h4 key={at}>{inline(line.replace(HEADING, ''))}</h4>];
  if (QUOTE.test(line)) {
    const quoted = takeWhile(lines, at, (each) => QUOTE.test(each));
    return [
      quoted.length,
      <blockquote key={at}>{blocks(quoted.map((each) => each.replace(QUOTE, '')))}</blockquote>,
    ];
  }
  if (ROW.test(line)) {
    const rows = takeWhile(lines, at, (each) => ROW.test(each));
    return [rows.length, <pre key={at}>{rows.join('\n')}</pre>];
  }
  if (ITEM.test(line)) return listAt(lines, at);
  const own = takeWhile(
    lines,
    at,
    (each) => each.trim() !== '' && ![FENCE, ITEM, HEADING, QUOTE].some((begin) => begin.test(each)),
  );
  return [own.length, <p key={at}>{inline(own.join('\n'))}</p>];
}

/** Its items; what is indented below one belongs to it. */
function listAt(lines: readonly string[], at: number): readonly [number, ComponentChildren] {
  const isNumbered = ITEM.exec(lines[at] as string)?.[2] !== undefined;
  const items: string[][] = [];
  const own = takeWhile(lines, at, (line) => ITEM.test(line) || /^ {2,}\S/.test(line));
  for (const line of own)
    if (ITEM.test(line) || items.length === 0) items.push([line.replace(ITEM, '')]);
    else items.at(-1)?.push(line.replace(/^ {2,4}/, ''));
  const rows = items.map((item, nth) => <li key={nth}>{blocks(item)}</li>);
  return [own.length, isNumbered ? <ol key={at}>{rows}</ol> : <ul key={at}>{rows}</ul>];
}

const INLINE =
  /(`+)([^`]+?)\1(?!`)|\*\*(?=\S)([^\n]+?)\*\*|(?<![\w*])\*(?=\S)([^*\n]+?)\*(?!\w)|\[([^\]\n]+)\]\((https?:\/\/[^\s()<>]+)\)|(https?:\/\/[^\s<>"'`)\]]+)/;

/** Links are followed over http alone, and say where they lead. */
function inline(text: string): ComponentChildren[] {
  const shown: ComponentChildren[] = [];
  let rest = text;
  for (let found = INLINE.exec(rest); found !== null; found = INLINE.exec(rest)) {
    const [whole, , code, bold, slanted, words, target, bare] = found;
    shown.push(rest.slice(0, found.index));
    rest = rest.slice(found.index + whole.length);
    if (code !== undefined) shown.push(<code>{code}</code>);
    else if (bold !== undefined) shown.push(<b>{inline(bold)}</b>);
    else if (slanted !== undefined) shown.push(<em>{inline(slanted)}</em>);
    else
      shown.push(
        <a href={target ?? bare} target="_blank" rel="noopener noreferrer nofollow">
          {words === undefined ? bare : `${words} (${target})`}
        </a>,
      );
  }
  return [...shown, rest];
}
