/** What is known of a substitution: its text (`"$(cat <<'EOF' …)"`), or that no pattern comes out of it. */
import type { WordPart } from 'unbash';

type Substitution = Extract<WordPart, { readonly type: 'CommandExpansion' }>;

/**
 * What bash before 4 takes for a quote or a comment inside of a substitution, in a here-document too, so that
 * a bracket behind it may be one that it does not count. macOS has such a bash.
 */
const READ_OTHERWISE = /['"\\`#$]/;

/**
 * What `cat` prints of a quoted here-document, which the shell leaves as it is; undefined for any other
 * substitution.
 */
export function constantText({ text, script }: Substitution): string | undefined {
  const [statement, ...more] = script?.commands ?? [];
  if (!text.startsWith('$(') || statement === undefined || more.length > 0) return undefined;
  const { command, background } = statement;
  if (command.type !== 'Command' || background === true) return undefined;
  if (command.name?.text !== 'cat' || command.prefix.length > 0 || command.args.length > 0) return undefined;
  const [document, ...others] = command.redirects;
  if (document?.type !== 'HereDoc' || others.length > 0 || document.descriptor !== undefined)
    return undefined;
  if (document.delimiter?.quoted !== true || document.closing === undefined) return undefined;
  const written = document.body.text;
  if (process.platform === 'darwin' && written.includes(')') && READ_OTHERWISE.test(written))
    return undefined;
  const lines = document.operator === '<<-' ? written.replace(/^\t+/gm, '') : written;
  return lines.replace(/\n+$/, '');
}

/** What prints one word, or several, in which the shell finds no pattern. */
const WORDS_ALONE: Readonly<Record<string, RegExp>> = {
  date: /^(?:-u|-I\w*|\+[%\w:.-]+)$/,
  whoami: /^$/,
  nproc: /^$/,
  uname: /^-[asnrvmpio]+$/,
  wc: /^-[clmw]$/,
  id: /^-[ugGnr]+$/,
  git: /^(?:rev-parse|rev-list|describe|branch|merge-base|--short|--abbrev-ref|--show-current|--count|--tags|--always|HEAD(?:[~^]\d*)*)$/,
};

/** Whether a substitution, also one without quotes, becomes words that stand for themselves. */
export function printsWord({ text, script }: Substitution): boolean {
  const [statement, ...more] = script?.commands ?? [];
  if (!/^\$\(|^`[^`\\{}"']*`$/.test(text) || statement === undefined || more.length > 0) return false;
  const { command } = statement;
  if (command.type !== 'Command' || command.prefix.length > 0) return false;
  const name = command.name?.text ?? '';
  const known = Object.hasOwn(WORDS_ALONE, name) ? WORDS_ALONE[name] : undefined;
  return (
    known !== undefined &&
    command.redirects.every(({ type, operator }) => type === 'Redirect' && operator === '<') &&
    command.args.every((arg) => arg.type === 'Word' && arg.text === arg.value && known.test(arg.text))
  );
}
