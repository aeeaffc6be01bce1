/**
 * What real shells did with a line, held against what was seen of it and what was decided about it. A line that is not
 * seen whole may do anything; of every other all programs with their arguments, and all files, have to be seen.
 */
import { createPermissions } from '../../packages/engine/src/permissions/permission-engine.ts';
import { readCommandLine } from '../../packages/engine/src/shell/reading/command-line.ts';
import {
  everySegment,
  type Segment,
  type ShellWord,
} from '../../packages/engine/src/shell/reading/segment.ts';
import { meet } from '../../packages/engine/src/shell/reading/text-pattern.ts';
import { question, toolNamed, unchangingFiles } from '../permissions/ask-doubles.ts';
import { PROGRAMS } from './hostile-lines.ts';
import type { Outcome } from './real-shells.ts';

/** Whether these words may have become the arguments. */
function mayBecome(words: readonly ShellWord[], args: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return args.length === 0;
  // A pattern that matches no file stays as it is.
  const fits = args[0] !== undefined && (meet(word.may, [args[0]]) || (word.many && args[0] === word.text));
  if (!word.many) return fits && mayBecome(rest, args.slice(1));
  return mayBecome(rest, args) || (fits && mayBecome(words, args.slice(1)));
}

/**
 * A shell looks along `PATH` for the script that it is given, as for a program, and reads it: that it runs is seen
 * behind the name of the shell.
 */
const isScriptOf = ([shell, ...rest]: readonly ShellWord[], ran: readonly string[]): boolean =>
  /^(?:.*\/)?(?:bash|dash|sh)$/.test(shell?.value ?? '') &&
  rest.some((_, at) => mayBecome(rest.slice(at), ran));

const isSeen = (ran: readonly string[], segments: readonly Segment[]): boolean =>
  segments.some(({ words }) => mayBecome(words, ran) || isScriptOf(words, ran));

const isFileSeen = (made: string, segments: readonly Segment[]): boolean =>
  segments.some(({ redirects }) =>
    redirects.some(({ direction, may }) => {
      const name = made.replace(/^d\//, '');
      return direction === 'write' && (meet(may, [made]) || meet(may, [name]) || meet(may, [`d/${name}`]));
    }),
  );

export interface Figures {
  lines: number;
  seenWhole: number;
  ran: number;
  made: number;
  /** What was not seen, and calls that were decided wrongly; each with its line. */
  readonly unseen: string[];
}

export const noFigures = (): Figures => ({ lines: 0, seenWhole: 0, ran: 0, made: 0, unseen: [] });

export async function compare(
  language: 'bash' | 'sh',
  line: string,
  outcome: Outcome,
  into: Figures,
): Promise<void> {
  const read = await readCommandLine(line, language);
  into.lines++;
  into.ran += outcome.ran.length;
  into.made += outcome.made.length;
  const report = (what: string) => into.unseen.push(`${what}: ${JSON.stringify(line)}`);
  if (read.unseen === undefined) {
    into.seenWhole++;
    const segments = everySegment(read.segments);
    const different = new Map(outcome.ran.map((ran) => [ran.join('\0'), ran]));
    for (const ran of different.values()) if (!isSeen(ran, segments)) report(`ran ${JSON.stringify(ran)}`);
    for (const made of outcome.made) if (!isFileSeen(made, segments)) report(`made ${made}`);
  }
  await judge(language, line, outcome, report);
}

/** Nothing lies where the lines are decided about. */
const files = unchangingFiles();

/** The verdicts: what is denied does not run, and without a question only what a rule names does. */
async function judge(
  language: 'bash' | 'sh',
  line: string,
  { ran }: Outcome,
  report: (what: string) => void,
): Promise<void> {
  const tool = toolNamed('Bash', {
    permissionTarget: (({ command }: { command: string }) => ({
      kind: 'command',
      command,
      language,
    })) as never,
  });
  const verdict = async (options: object) =>
    (
      await createPermissions({ files, allowDangerouslySkipPermissions: true, ...options }).decide(
        question(tool, { command: line }, '/nowhere'),
      )
    ).kind;
  const [first] = ran;
  if (first !== undefined) {
    const [program, argument] = first;
    const rule = argument !== undefined && /^[a-z0-9]+$/.test(argument) ? `${program} ${argument}` : program;
    if ((await verdict({ mode: 'bypassPermissions', deny: [`Bash(${rule}:*)`] })) === 'allow')
      report(`denied ${rule} ran`);
  }
  const allowed = PROGRAMS.slice(0, 2) as readonly string[];
  if (ran.some(([program = '']) => !allowed.includes(program))) {
    const allow = allowed.map((program) => `Bash(${program}:*)`);
    if ((await verdict({ mode: 'dontAsk', allow })) === 'allow') report('ran beside what is allowed');
  }
}
