/**
 * The rule that would allow a command from now on: with its further words, where these only say what, not
 * how.
 */
import { beyondName } from '../../shell/programs/beyond-name.ts';
import { plainWords } from '../../shell/reading/plain-command.ts';
import { literalWords, type Segment } from '../../shell/reading/segment.ts';
import { isSameList } from '../../util/collections/same-list.ts';

/** Subcommands whose further words do not run other programs; what is not listed gets an exact rule. */
const GIT =
  'add branch checkout cherry-pick commit fetch merge mv pull push reset restore revert rm stash switch tag';
const PACKAGES = 'add audit ci install list ls outdated remove test uninstall update upgrade view why';
const IMAGES = 'build images inspect logs ps pull push tag';
const SUBCOMMANDS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({
    git: GIT,
    npm: PACKAGES,
    pnpm: PACKAGES,
    yarn: PACKAGES,
    bun: PACKAGES,
    cargo: 'add bench build check clean clippy doc fmt remove test update',
    pip: 'check freeze install list show uninstall',
    pip3: 'check freeze install list show uninstall',
    docker: IMAGES,
    podman: IMAGES,
    kubectl: 'describe get logs top',
    gh: 'issue pr release repo',
    terraform: 'fmt plan validate',
  }).map(([program, verbs]) => [program, verbs.split(' ')]),
);
const SCRIPT_RUNNERS: readonly string[] = ['npm', 'pnpm', 'yarn', 'bun'];

/**
 * `npm test -- x` → `npm test *`, `npm run build` → `npm run build *`, any other command exactly as it is.
 * undefined for a command that no rule would match: expansions, patterns, assignments. Redirects are not
 * considered.
 */
export function ruleTextFor(segment: Segment): string | undefined {
  const words = literalWords(segment);
  if (words === undefined || segment.assigns !== undefined) return undefined;
  const [program = '', verb = '', script = ''] = words;
  const verbs = Object.hasOwn(SUBCOMMANDS, program) ? SUBCOMMANDS[program] : undefined;
  if (verbs?.includes(verb) === true && beyondName(words).length === 0) return `${program} ${verb} *`;
  if (
    SCRIPT_RUNNERS.includes(program) &&
    verb === 'run' &&
    /^[\w:.-]+$/.test(script) &&
    !script.startsWith('-')
  )
    return `${program} run ${script} *`;
  return exactly(words);
}

function exactly(words: readonly string[]): string | undefined {
  const text = words.map((word) => (/^[\w./:,@%+=-]+$/.test(word) ? word : `'${word}'`)).join(' ');
  const read = plainWords(text);
  // A rule that ends like a prefix rule would be read as one.
  if (/[ :]\*$/.test(text)) return undefined;
  return read !== undefined && isSameList(read, words) ? text : undefined;
}
