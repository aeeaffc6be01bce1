/** The part of a text that Read shows: whole lines, numbered, within bounds. */
import { takeStart } from '@turnwright/base/text/cut-text.ts';

interface WindowLimits {
  /** First line, from 1. */
  readonly from: number;
  readonly maxLines: number;
  readonly maxLineChars: number;
  readonly maxChars: number;
}

interface LineWindow {
  /** `N\tline`, one a line. */
  readonly numbered: string;
  /** The lines themselves; with the last line break only if the file has it. */
  readonly content: string;
  readonly lines: number;
  readonly totalLines: number;
}

/** Reads the text line by line; only what is shown is copied. A last line break starts no new line. */
export function lineWindow(text: string, limits: WindowLimits): LineWindow {
  const numbered: string[] = [];
  let chars = 0;
  let totalLines = 0;
  let start = -1;
  let end = 0;
  let full = false;
  for (let at = 0; at < text.length; ) {
    const newline = text.indexOf('\n', at);
    const next = newline < 0 ? text.length : newline + 1;
    totalLines += 1;
    if (totalLines >= limits.from && !full) {
      const line = shown(text, at, newline < 0 ? text.length : newline, limits.maxLineChars);
      const entry = `${totalLines}\t${line}`;
      full =
        numbered.length >= limits.maxLines || (numbered.length > 0 && chars + entry.length > limits.maxChars);
      if (!full) {
        numbered.push(entry);
        chars += entry.length + 1;
        if (start < 0) start = at;
        end = next;
      }
    }
    at = next;
  }
  return {
    numbered: numbered.join('\n'),
    content: start < 0 ? '' : text.slice(start, end < text.length ? beforeBreak(text, end) : end),
    lines: numbered.length,
    totalLines,
  };
}

/** `N\tline` for each line of a text that begins with the line `from`. */
export function numberedLines(text: string, from: number): string {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/);
  return lines.map((line, at) => `${from + at}\t${line}`).join('\n');
}

function beforeBreak(text: string, end: number): number {
  const at = end - 1;
  return text.charCodeAt(at - 1) === 0x0d ? at - 1 : at;
}

function shown(text: string, start: number, end: number, max: number): string {
  const stop = end > start && text.charCodeAt(end - 1) === 0x0d ? end - 1 : end;
  const length = stop - start;
  if (length <= max) return text.slice(start, stop);
  return `${takeStart(text.slice(start, start + max + 1), max)}… (line cut: ${length} characters in all)`;
}
