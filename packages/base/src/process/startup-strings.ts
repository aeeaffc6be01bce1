/**
 * The variables and arguments that a process was started with. On Linux every process of the same user can
 * read them in `/proc/<pid>/environ` and `cmdline` for its lifetime, whatever becomes of its environment
 * later; here they are overwritten in place.
 */
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';

interface StartupSecrets {
  /** Whether the value of this variable is overwritten. */
  variable(name: string, value: string): boolean;
  /**
   * Index of the first character of an argument to overwrite; -1: none. `before` is the previous argument.
   */
  word(word: string, before: string | undefined): number;
}

/**
 * Overwrites secrets with zeros (variables) and asterisks (arguments). Values that JavaScript has read stay;
 * `process.env` reads the same memory, so the caller keeps the values and sets them again. No effect where
 * the system does not allow writing the memory.
 */
export function overwriteStartupStrings(secrets: StartupSecrets): void {
  let memory: number;
  let blocks: readonly number[];
  try {
    blocks = parseBlocks(readFileSync('/proc/self/stat', 'latin1'));
    memory = openSync('/proc/self/mem', 'r+');
  } catch {
    return;
  }
  const [argStart = 0, argEnd = 0, envStart = 0, envEnd = 0] = blocks;
  try {
    let before: string | undefined;
    for (const { text, at } of stringsIn(memory, argStart, argEnd)) {
      const from = secrets.word(text, before);
      if (from >= 0) overwrite(memory, at + from, text.length - from, '*');
      before = text;
    }
    for (const { text, at } of stringsIn(memory, envStart, envEnd)) {
      const equals = text.indexOf('=');
      const value = text.slice(equals + 1);
      if (equals > 0 && secrets.variable(text.slice(0, equals), value))
        overwrite(memory, at + equals + 1, value.length, '\0');
    }
  } catch {
    // A kernel on which a process cannot write its own memory: the strings stay.
  } finally {
    closeSync(memory);
  }
}

/**
 * `arg_start`, `arg_end`, `env_start`, `env_end`: fields 48 to 51. The command name may hold blanks and
 * brackets.
 */
function parseBlocks(stat: string): readonly number[] {
  return stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(45, 49)
    .map(Number);
}

/** Each string with its address. One character is one byte: what matters here are lengths. */
function stringsIn(memory: number, start: number, end: number): { text: string; at: number }[] {
  const bytes = Buffer.alloc(Math.max(0, end - start));
  readSync(memory, bytes, 0, bytes.length, start);
  let at = start;
  return bytes
    .toString('latin1')
    .split('\0')
    .map((text) => {
      const found = { text, at };
      at += text.length + 1;
      return found;
    });
}

function overwrite(memory: number, at: number, length: number, filler: string): void {
  if (length > 0) writeSync(memory, Buffer.alloc(length, filler), 0, length, at);
}
