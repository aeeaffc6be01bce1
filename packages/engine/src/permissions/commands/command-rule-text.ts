/** The rule that would allow a command from now on, as narrow as what was seen. */

import { isSameList } from '@turnwright/base/collections/made-once.ts';
import { beyondName } from '../../shell/programs/beyond-name.ts';
import { loadsElsewhere } from '../../shell/programs/loaded-code.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import { literalWords, type Segment } from '../../shell/reading/segment.ts';

/**
 * Subcommands that stay as harmless as they are with any further word: none of them deletes, overwrites,
 * publishes, installs, or reads secrets by another operand or option. What is not listed gets an exact rule
 * (`git push`: with `--force` it overwrites; `pip install`: another package runs other code).
 */
const PACKAGES = 'list ls outdated test view why';
const IMAGES = 'images inspect logs ps';
const SUBCOMMANDS = parseVerbs({
  git: 'add commit',
  npm: PACKAGES,
  pnpm: PACKAGES,
  yarn: PACKAGES,
  bun: PACKAGES,
  cargo: 'bench build check doc fmt test',
  pip: 'check freeze list show',
  pip3: 'check freeze list show',
  docker: IMAGES,
  podman: IMAGES,
  kubectl: 'logs top',
  terraform: 'fmt plan validate',
});
/** The same of two words: of these the second says what it is about, or what is done. */
const PAIRS = parseVerbs({
  gh: 'issue:list,status,view pr:checks,diff,list,status,view release:list,view repo:list,view run:list,view',
  docker: 'compose:images,logs,ps,top',
});
/** Of these the second word is any, and stays as it is: `kubectl get pods *` does not reach secrets. */
const KINDS = parseVerbs({ kubectl: 'describe get' });
const SCRIPT_RUNNERS: readonly string[] = ['npm', 'pnpm', 'yarn', 'bun'];
/** Scripts that by their name build or check something; others may do more with another argument. */
const CHECKS =
  /^(?:build|check|compile|coverage|dev|docs?|e2e|format|lint|start|test|tsc|typecheck|types|unit|watch)(?:[:.-][\w:.-]*)?$/;

function parseVerbs(table: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(table).map(([program, verbs]): [string, readonly string[]] => [
      program,
      verbs.split(' ').flatMap((verb) => {
        const [first = '', seconds] = verb.split(':');
        return seconds === undefined ? [first] : seconds.split(',').map((second) => `${first} ${second}`);
      }),
    ]),
  );
}

/**
 * `npm test -- x` → `npm test *`, `npm run build` → `npm run build *`, any other command exactly as it is.
 * undefined for a command that no rule would match: expansions, patterns, assignments. Redirects are not
 * considered.
 */
export function ruleTextFor(segment: Segment): string | undefined {
  const words = literalWords(segment);
  if (words === undefined || segment.assigns !== undefined) return undefined;
  const start = harmlessStart(words);
  const isPrefix = start !== undefined && goesBeyond(words, start).length === 0;
  return isPrefix ? `${start.join(' ')} *` : exactly(words);
}

const goesBeyond = (words: readonly string[], { length }: readonly string[]): readonly number[] => [
  ...beyondName(words),
  ...loadsElsewhere(words, length),
];

/** The words behind which any others may follow. */
function harmlessStart(words: readonly string[]): readonly string[] | undefined {
  const [program = '', verb = '', second = ''] = words;
  // Without such a word it does more.
  if (words.some((word) => /^--?(?:check|dry-run)(?:=|$)/.test(word))) return undefined;
  const holds = (table: Readonly<Record<string, readonly string[]>>, text: string) =>
    Object.hasOwn(table, program) && table[program]?.includes(text) === true;
  if (holds(SUBCOMMANDS, verb)) return [program, verb];
  const isScript = SCRIPT_RUNNERS.includes(program) && verb === 'run' && CHECKS.test(second);
  const isKind =
    holds(KINDS, verb) && /^[a-z][a-z.]*$/.test(second) && !/^(?:all|secrets?)(?:\.|$)/.test(second);
  return isScript || isKind || holds(PAIRS, `${verb} ${second}`) ? [program, verb, second] : undefined;
}

function exactly(words: readonly string[]): string | undefined {
  const text = words.map((word) => (/^[\w./:,@%+=-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  const read = plainWords(text);
  // A rule that ends like a prefix rule would be read as one.
  if (/[ :]\*$/.test(text)) return undefined;
  return read !== undefined && isSameList(read, words) ? text : undefined;
}
