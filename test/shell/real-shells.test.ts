/**
 * What real shells run of hostile lines, held against what was seen of them. A line that is not seen whole may do
 * anything; of every other all programs with their arguments, and all files, were seen.
 */
import { describe, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { readCommandLine } from '../../src/shell/reading/command-line.ts';
import { everySegment, type Segment, type ShellWord } from '../../src/shell/reading/segment.ts';
import { meet } from '../../src/shell/reading/text-pattern.ts';
import { nodeFiles } from '../../src/util/files/node-files.ts';
import { inShortAndLongForm } from '../long-form.ts';
import { question, toolNamed } from '../permissions/ask-doubles.ts';
import { hostileLine, PROGRAMS, randomFrom } from './hostile-lines.ts';
import { hasShells, type Outcome, runInShell } from './real-shells.ts';

const COUNT = Number(process.env['TURNWRIGHT_SHELL_LINES'] ?? inShortAndLongForm(400, 10_000));
const SEED = Number(process.env['TURNWRIGHT_SHELL_SEED'] ?? 20_261_122);
const BATCH = 100;

/** Whether these words may have become the arguments. */
function mayBecome(words: readonly ShellWord[], args: readonly string[]): boolean {
  const [word, ...rest] = words;
  if (word === undefined) return args.length === 0;
  // A pattern that matches no file stays as it is.
  const fits = args[0] !== undefined && (meet(word.may, [args[0]]) || (word.many && args[0] === word.text));
  if (!word.many) return fits && mayBecome(rest, args.slice(1));
  return mayBecome(rest, args) || (fits && mayBecome(words, args.slice(1)));
}

const isSeen = (ran: readonly string[], segments: readonly Segment[]): boolean =>
  segments.some(({ words }) => mayBecome(words, ran));

const isFileSeen = (made: string, segments: readonly Segment[]): boolean =>
  segments.some(({ redirects }) =>
    redirects.some(({ direction, may }) => {
      const name = made.replace(/^d\//, '');
      return direction === 'write' && (meet(may, [made]) || meet(may, [name]) || meet(may, [`d/${name}`]));
    }),
  );

interface Figures {
  lines: number;
  seenWhole: number;
  ran: number;
  made: number;
  readonly unseen: string[];
}

async function compare(
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
    for (const ran of outcome.ran) if (!isSeen(ran, segments)) report(`ran ${JSON.stringify(ran)}`);
    for (const made of outcome.made) if (!isFileSeen(made, segments)) report(`made ${made}`);
  }
  await judge(language, line, outcome, report);
}

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
      await createPermissions({ files: nodeFiles, allowDangerouslySkipPermissions: true, ...options }).decide(
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

describe.skipIf(!hasShells)('hostile lines in real shells', () => {
  it.each([
    ['bash', 'bash'],
    ['dash', 'sh'],
  ] as const)(
    'nothing runs in %s that was not seen',
    async (shell, language) => {
      const random = randomFrom(SEED + (shell === 'bash' ? 0 : 1));
      const lines = Array.from({ length: COUNT }, () => hostileLine(random));
      const figures: Figures = { lines: 0, seenWhole: 0, ran: 0, made: 0, unseen: [] };
      const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, i) =>
        lines.slice(i * BATCH, (i + 1) * BATCH),
      );
      const work = async () => {
        for (let batch = batches.pop(); batch !== undefined; batch = batches.pop()) {
          const outcomes = await runInShell(shell, batch);
          for (const [i, line] of batch.entries())
            await compare(language, line, outcomes[i] ?? { ran: [], made: [] }, figures);
        }
      };
      await Promise.all([work(), work(), work()]);
      const share = Math.round((100 * figures.seenWhole) / figures.lines);
      console.info(
        `${shell}, seed ${SEED}: ${figures.lines} lines, ${share} % seen whole; ${figures.ran} programs ran and ${figures.made} files were made, ${figures.unseen.length} unseen`,
      );
      expect(figures.unseen).toEqual([]);
      expect(figures.ran).toBeGreaterThan(figures.lines / 4);
    },
    20 * 60_000,
  );
});
