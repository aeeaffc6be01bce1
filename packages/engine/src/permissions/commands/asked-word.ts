/** Which word of a command is the reason that it is asked about. */
import { beyondName } from '../../shell/programs/beyond-name.ts';
import { loadsElsewhere } from '../../shell/programs/loaded-code.ts';
import { everySegment, literalWords, type Segment, type ShellWord } from '../../shell/reading/segment.ts';
import type { Case } from '../decide/evaluation.ts';
import { namesTool, type PermissionRule } from '../rules/permission-rule.ts';
import { matchCommand } from './match-command.ts';

/** What keeps rules from allowing these commands; undefined: that nothing names the one command of a line. */
export async function whyOpen(segments: readonly Segment[], each: Case): Promise<string | undefined> {
  const [segment] = segments;
  if (segment === undefined) return undefined;
  const why = whyNotLiteral(segment) ?? whyBeyond(segment, each);
  if (why !== undefined) return why;
  const line = await each.subject.line();
  const isWhole = line.segments.length === 1 && line.segments[0] === segment;
  const [redirect] = segment.redirects;
  if (isWhole && redirect === undefined) return undefined;
  return `no rule allows ${quoted(formatSegment(segment))} in it`;
}

/** Which word of it, or variable in front of it, keeps it from being known before it runs. */
export function whyNotLiteral({ assigns, words, redirects }: Segment): string | undefined {
  if (assigns !== undefined) return `${quoted(assigns)} sets a variable that may change what runs`;
  const open = words.find(({ value }) => value === undefined);
  if (open !== undefined) return whyUnknown(open);
  return redirects.some(({ path }) => path === undefined)
    ? 'the file of a redirect is known to the shell alone'
    : undefined;
}

function whyUnknown({ text }: ShellWord): string {
  const kind = /\$\(|`|<\(|>\(/.test(text)
    ? 'holds a substitution, which'
    : text.includes('$')
      ? 'holds a variable, which'
      : /[*?[{]/.test(text)
        ? 'is a pattern, which'
        : 'is filled in by the shell, and';
  return `${quoted(text.replace(/^"([^"]*)"$/, '$1'))} ${kind} cannot be checked before it runs`;
}

/** Only where a rule speaks of the program: else it is not the option that is missing. */
function whyBeyond(segment: Segment, { state, subject }: Case): string | undefined {
  const words = literalWords(segment);
  const beyond = words === undefined ? undefined : beyondName(words)[0];
  const at = beyond ?? (words === undefined ? undefined : loadsElsewhere(words, 2)[0]);
  const does = beyond === undefined ? 'takes code from elsewhere' : 'writes a file or runs a program';
  const program = words?.[0];
  const isNamed = state.rules
    .of('allow')
    .some(
      ({ value: { toolName, ruleContent = '' } }) =>
        namesTool(toolName, subject.names) && program !== undefined && ruleContent.startsWith(program),
    );
  return at === undefined || !isNamed
    ? undefined
    : `${quoted(words?.[at] ?? '')} ${does}, so a rule would have to name it`;
}

/** Why a command may be what a rule denies. */
export async function whyFeared(rule: PermissionRule, { subject, context }: Case): Promise<string> {
  const { target } = subject;
  const command = target.kind === 'command' ? target.command : '';
  const { segments, unseen } = await subject.line();
  if (unseen !== undefined) return `what it would run cannot be told, because ${unseen}`;
  for (const segment of everySegment(segments)) {
    const alone = { ...subject, line: async () => ({ segments: [{ ...segment, inner: [] }] }) };
    if ((await matchCommand(rule, command, alone, context)) === 'no') continue;
    return (
      whyNotLiteral(segment) ?? `${quoted(formatSegment(segment))} reads or changes what lies below a folder`
    );
  }
  return 'it names what only the shell knows, or reads what lies below a folder';
}

const formatSegment = ({ text, words }: Segment): string => text ?? words.map((word) => word.text).join(' ');

const MOST_SHOWN = 80;

function quoted(text: string): string {
  return JSON.stringify(text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text);
}
