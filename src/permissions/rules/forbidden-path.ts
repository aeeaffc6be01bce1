/** Whether a line opens a file of which a rule that forbids speaks, or may: under any spelling the shell makes of it. */
import { descendsInto, readsHistory, startsHere } from '../../shell/descending.ts';
import { everySegment, type Segment } from '../../shell/segment.ts';
import { ANY, knownText, type TextPattern } from '../../shell/text-pattern.ts';
import { wordsRead, wordsWritten } from '../../shell/touched-words.ts';
import type { Subject } from '../decide/subject.ts';
import { type Match, onlyMaybe, strongest } from './match.ts';
import { mayLieBelow, mayMeetRule, onDisk } from './path-pattern.ts';
import { forbidsPath, type PathRuleContext } from './path-rule.ts';
import { type PermissionRule, speaksOfReading, speaksOfWriting } from './rule.ts';

/** Whether a rule with a specifier speaks of files, so that it holds for commands too. */
export function speaksOfFiles({ toolName, ruleContent }: PermissionRule['value']): boolean {
  return ruleContent !== undefined && (speaksOfReading(toolName) || speaksOfWriting(toolName));
}

/** Path rules hold for commands too, for the files that a command opens or may open. */
export async function forbidsCommandPath(
  { behavior, value }: PermissionRule,
  subject: Subject,
  context: PathRuleContext,
): Promise<Match> {
  const { toolName, ruleContent: specifier } = value;
  if (behavior === 'allow' || subject.target.kind !== 'command' || specifier === undefined) return 'no';
  if (!speaksOfFiles(value)) return 'no';
  const kinds = [
    ...(speaksOfReading(toolName) ? (['read'] as const) : []),
    ...(speaksOfWriting(toolName) ? (['write'] as const) : []),
  ];
  const { segments, unseen } = await subject.line();
  const found = await strongest(everySegment(segments), (segment) =>
    strongest(kinds, (kind) => forbidsSegment(segment, kind, { specifier, context })),
  );
  return found === 'no' && unseen !== undefined ? 'maybe' : found;
}

interface FileRule {
  readonly specifier: string;
  readonly context: PathRuleContext;
}

async function forbidsSegment(segment: Segment, kind: 'read' | 'write', rule: FileRule): Promise<Match> {
  const redirected = segment.redirects
    .filter(({ direction }) => direction === kind)
    .map(({ may }) => ({ may, certain: true }));
  const words = kind === 'read' ? wordsRead(segment) : wordsWritten(segment);
  const found = await strongest([...redirected, ...words], async ({ may, certain }) => {
    const match = await strongest(placesFor(may, segment), (place) => forbidsPlace(place, rule));
    return certain ? match : onlyMaybe(match);
  });
  return found === 'no' ? forbidsBelow(segment, kind, rule) : found;
}

/** The word as a path from every folder it may be meant from. */
function placesFor(may: TextPattern, { folders }: Segment): readonly TextPattern[] {
  const path = throughProcesses(may);
  const [first] = path;
  if (typeof first === 'string' && first.startsWith('/')) return [path];
  const gap = typeof first !== 'string' || first === '';
  const relative: TextPattern[] =
    folders === undefined
      ? [[ANY, '/', ...path]]
      : folders.map((folder): TextPattern => (folder === '' ? path : [`${folder}/`, ...path]));
  return gap ? [path, ...relative] : relative;
}

/** `/proc/self/cwd/x` and `/dev/fd/3/x` lead to where only the process that opens them knows. */
function throughProcesses(path: TextPattern): TextPattern {
  const [first, ...rest] = path;
  if (typeof first !== 'string') return path;
  const behind =
    /^(?:.*\/)?(?:proc\/+.*?\/+(?:cwd|root|fd\/+\d+)|dev\/+fd\/+(?:\d+|\.\.\/+.*?(?:cwd|root)))(\/.*)?$/s.exec(
      first,
    );
  if (behind !== null) return [ANY, behind[1] ?? '', ...rest];
  return rest.length > 0 && /^\/+(?:\.\/+)*(?:proc|dev)?\/*[^/]*$/.test(first) ? [ANY, ...rest] : path;
}

/** A path as it is written, or a pattern of paths. */
async function forbidsPlace(place: TextPattern, { specifier, context }: FileRule): Promise<Match> {
  const known = knownText(place);
  if (known !== undefined) {
    if (known === '' || known.length > 4096) return 'no';
    return (await forbidsPath(specifier, await context.resolve(known), context)) ? 'yes' : 'no';
  }
  if (await mayMeetRule(specifier, place, context)) return 'maybe';
  const found = await onDisk(place, context);
  if (found === undefined) return 'maybe';
  return strongest(found, async (path) =>
    (await forbidsPath(specifier, await context.resolve(path), context)) ? 'yes' : 'no',
  );
}

/** What is read or changed below a folder may be what the rule speaks of. */
async function forbidsBelow(
  segment: Segment,
  kind: 'read' | 'write',
  { specifier, context }: FileRule,
): Promise<Match> {
  const operands = descendsInto(segment, kind);
  if (operands === undefined) return 'no';
  const { folders } = segment;
  if (folders === undefined) return 'maybe';
  const paths = await Promise.all(
    folders.flatMap((folder) =>
      operands.map((operand) =>
        context.resolve(operand.startsWith('/') || folder === '' ? operand : `${folder}/${operand}`),
      ),
    ),
  );
  const named: string[] = [];
  for (const { real } of paths) if (real !== undefined && (await context.isFolder(real))) named.push(real);
  const here = async () => {
    const starts = await Promise.all(folders.map((folder) => context.resolve(folder === '' ? '.' : folder)));
    return starts.flatMap(({ real }) => real ?? []);
  };
  const starts = startsHere(segment) && (named.length === 0 || readsHistory(segment)) ? await here() : named;
  return strongest(starts, (start) => mayLieBelow(specifier, start, context));
}
