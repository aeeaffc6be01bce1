/**
 * The commands among the words of `find` and `fd`: `-exec …`, and what a word that is not known may make one.
 */
import { knownWord, type ShellWord, wordsFromElsewhere } from '../reading/segment.ts';
import { meet } from '../reading/text-pattern.ts';
import { filledIn } from './placed-words.ts';

type Certainty = 'no' | 'maybe' | 'yes';

interface Grammar {
  /** Whether the command begins behind this word. */
  readonly starts: (word: ShellWord) => Certainty;
  /** Whether it ends in front of this one. */
  readonly ends: (word: ShellWord, previous: ShellWord | undefined) => Certainty;
}

/** No person writes more; words that are not known may each begin and end one. */
const MOST_ACTIONS = 200;

interface Action {
  /** The word before the command. */
  readonly start: ShellWord | undefined;
  readonly words: readonly ShellWord[];
  /** Absent: nothing ends it. */
  readonly end?: ShellWord;
}

/**
 * Every command that there may be. A word that is not known may begin or end one, so they may overlap.
 * undefined: a word may become several, among them the whole of a command.
 */
function actionsIn(words: readonly ShellWord[], { starts, ends }: Grammar): readonly Action[] | undefined {
  const actions: Action[] = [];
  const action = (from: number, to: number, end?: ShellWord): Action => ({
    start: words[from - 1],
    words: words.slice(from, to),
    ...(end && { end }),
  });
  let outside = true;
  let open = new Set<number>();
  for (const [at, word] of words.entries()) {
    if (at === 0) continue;
    const start: Certainty = outside ? starts(word) : 'no';
    const end: Certainty = open.size > 0 ? ends(word, words[at - 1]) : 'no';
    if (word.many && !isGlob(word) && (start !== 'no' || end !== 'no')) return undefined;
    for (const from of open) if (end !== 'no' && from < at) actions.push(action(from, at, word));
    if (actions.length > MOST_ACTIONS) return undefined;
    outside = start !== 'yes' && (outside || end !== 'no');
    if (end === 'yes') open = new Set();
    if (start !== 'no') open.add(at + 1);
    // The files that a pattern matches come in alphabetical order, in which no program is between `-exec` and
    // `;`.
    if (start !== 'no' && word.many) open.add(at);
  }
  for (const from of open) actions.push(action(from, words.length));
  return actions.filter(({ words: { length } }) => length > 0);
}

/** It becomes names of files, and nothing else. */
const isGlob = ({ may }: ShellWord): boolean =>
  may.every(
    (piece) => typeof piece === 'string' || ('gap' in piece && /^(?:name|part|char)$/.test(piece.gap)),
  );

const certainty = ({ value, may }: ShellWord, known: RegExp, all: readonly string[]): Certainty => {
  if (value !== undefined) return known.test(value) ? 'yes' : 'no';
  return meet(may, [{ oneOf: all }]) ? 'maybe' : 'no';
};

export interface FoundCommands {
  readonly commands: readonly (readonly ShellWord[])[];
  /** They run in a folder that the words do not tell. */
  readonly elsewhere: boolean;
}

const ACTIONS = ['-exec', '-execdir', '-ok', '-okdir'];

/** Each `-exec` up to its `;`, or to the `+` behind `{}`. */
export function executedByFind(words: readonly ShellWord[]): FoundCommands | undefined {
  const starts = (word: ShellWord) => certainty(word, /^-(?:exec|ok)(?:dir)?$/, ACTIONS);
  const actions = actionsIn(words, {
    starts,
    ends: (word, previous) => {
      const closing = previous === undefined ? 'no' : certainty(previous, /^\{\}$/, ['{}']);
      if (word.value !== undefined) return word.value === ';' ? 'yes' : word.value === '+' ? closing : 'no';
      return certainty(word, /^$/, closing === 'no' ? [';'] : [';', '+']);
    },
  })?.filter(({ start, end }) => end !== undefined || start === undefined || starts(start) === 'yes');
  return (
    actions && {
      commands: actions.map(({ words: command, end }) => {
        const many = end?.value !== ';' && end !== undefined;
        return command.map((word) => filledIn(word, '{}', { many }));
      }),
      elsewhere: actions.some(({ start }) => !/^-(?:exec|ok)$/.test(start?.value ?? '')),
    }
  );
}

const FD_MARKS = ['{}', '{/}', '{//}', '{.}', '{/.}'];
/** Behind the letters of options that take no value. */
const FD_EXEC = /^(?:-[HIusgFiLpal0q1]*[xX]|--exec(?:-batch)?(?:=|$))(.*)$/s;

/**
 * Each `-x` up to its `;` or the end of the line. Where no word holds a placeholder, the path is the last
 * word.
 */
export function executedByFd(words: readonly ShellWord[]): FoundCommands | undefined {
  const apart = words.flatMap((word): readonly ShellWord[] => splitOption(word));
  const actions = actionsIn(apart, {
    starts: (word) => certainty(word, FD_EXEC, ['-x', '-X', '--exec', '--exec-batch']),
    ends: (word) => certainty(word, /^;$/, [';']),
  });
  const unknown = wordsFromElsewhere('{}');
  return (
    actions && {
      commands: actions.map(({ words: command }) => {
        const filled = command.map((word) =>
          FD_MARKS.reduce((each, mark) => filledIn(each, mark, { many: true }), word),
        );
        return filled.every((word, i) => word === command[i]) ? [...filled, unknown] : filled;
      }),
      elsewhere: words.some(({ value }) => value === undefined || /^-\w*C|^--b/.test(value)),
    }
  );
}

/** `-xrm` and `--exec=rm` as two words. */
function splitOption(word: ShellWord): readonly ShellWord[] {
  const joined = FD_EXEC.exec(word.value ?? '')?.[1];
  if (joined === undefined || joined === '') return [word];
  return [knownWord('--exec'), knownWord(joined)];
}
