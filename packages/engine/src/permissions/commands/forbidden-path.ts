/**
 * Whether a line opens a file of which a rule that forbids speaks, or may: under any spelling the shell makes
 * of it.
 */
import { dirname } from 'node:path';
import { keepAll } from '@turnwright/base/collections/keep-all.ts';
import { mayRunAnything } from '../../shell/programs/beyond-name.ts';
import { findDescent } from '../../shell/programs/descending.ts';
import { type TouchedWord, wordsRead, wordsWritten } from '../../shell/programs/touched-words.ts';
import { everySegment, type Segment } from '../../shell/reading/segment.ts';
import { ANY, knownText, type TextPattern } from '../../shell/reading/text-pattern.ts';
import type { Subject } from '../decide/subject.ts';
import { type Match, onlyMaybe, stronger, strongest } from '../rules/match.ts';
import { forbidsPath, type PathRuleContext } from '../rules/path-rule.ts';
import { type PermissionRule, speaksOfReading, speaksOfWriting } from '../rules/permission-rule.ts';
import { mayLieBelow, mayMeetRule, onDisk } from './path-pattern.ts';

/** Path rules hold for commands too, for the files that a command opens or may open. */
export async function forbidsCommandPath(
  { behavior, value }: PermissionRule,
  subject: Subject,
  context: PathRuleContext,
): Promise<Match> {
  const { toolName, ruleContent: specifier } = value;
  const kinds = [
    ...(speaksOfReading(toolName) ? (['read'] as const) : []),
    ...(speaksOfWriting(toolName) ? (['write'] as const) : []),
  ];
  if (behavior === 'allow' || specifier === undefined || kinds.length === 0) return 'no';
  const { segments, unseen } = await subject.line();
  const found = await strongest(everySegment(segments), (segment) =>
    strongest(kinds, (kind) => forbidsSegment(segment, kind, { specifier, context })),
  );
  return unseen === undefined ? found : stronger(found, 'maybe');
}

interface FileRule {
  readonly specifier: string;
  readonly context: PathRuleContext;
}

async function forbidsSegment(segment: Segment, kind: 'read' | 'write', rule: FileRule): Promise<Match> {
  const { steps } = rule.context;
  const found = await strongest(touchedBy(segment, kind), async ({ may, certain }) => {
    const match = await strongest(placesFor(may, segment), async (place) => {
      await steps.pause();
      steps.take(2);
      return forbidsPlace(place, rule);
    });
    return certain ? match : onlyMaybe(match);
  });
  if (found !== 'no') return found;
  return mayRunAnything(segment) ? 'maybe' : forbidsBelow(segment, kind, rule);
}

type Touched = Iterable<TouchedWord>;
const touched = { read: new WeakMap<Segment, Touched>(), write: new WeakMap<Segment, Touched>() };

/** What its words may open: found once for all rules, and each only once. */
function touchedBy(segment: Segment, kind: 'read' | 'write'): Touched {
  const found = touched[kind].get(segment) ?? keepAll(eachOnce(segment, kind));
  touched[kind].set(segment, found);
  return found;
}

function* eachOnce(segment: Segment, kind: 'read' | 'write'): Touched {
  const seen = new Set<string>();
  const isNew = (word: TouchedWord) => seen.size < seen.add(toKey(word)).size;
  for (const { direction, may } of segment.redirects) {
    const word = { may, certain: true };
    if (direction === kind && isNew(word)) yield word;
  }
  for (const word of kind === 'read' ? wordsRead(segment) : wordsWritten(segment))
    if (isNew(word)) yield word;
}

function toKey({ may, certain }: TouchedWord): string {
  const known = knownText(may);
  return known === undefined ? `${certain} ${JSON.stringify(may)}` : `${certain}=${known}`;
}

const places = new WeakMap<Segment, Map<TextPattern, readonly TextPattern[]>>();

/** The word as a path from every folder it may be meant from. */
function placesFor(may: TextPattern, segment: Segment): readonly TextPattern[] {
  const known = places.get(segment) ?? new Map<TextPattern, readonly TextPattern[]>();
  places.set(segment, known);
  const found = known.get(may) ?? placesOfWord(may, segment);
  known.set(may, found);
  return found;
}

function placesOfWord(may: TextPattern, { folders }: Segment): readonly TextPattern[] {
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

/** A pattern that may begin with `/proc` or `/dev` may lead to where only the process that opens it knows. */
function throughProcesses(path: TextPattern): TextPattern {
  const [first, ...rest] = path;
  if (typeof first !== 'string' || rest.length === 0) return path;
  return /^\/+(?:\.\/+)*(?:proc|dev)?\/*[^/]*$/.test(first) ? [ANY, ...rest] : path;
}

/** A path as it is written, or a pattern of paths. */
async function forbidsPlace(place: TextPattern, { specifier, context }: FileRule): Promise<Match> {
  const known = knownText(place);
  if (known !== undefined) {
    if (known === '' || known.length > 4096) return 'no';
    return forbidsKnown(known, { specifier, context });
  }
  if (await mayMeetRule(specifier, place, context)) return 'maybe';
  const found = await onDisk(place, context);
  if (found === undefined) return 'maybe';
  return strongest(found, (path) => forbidsKnown(path, { specifier, context }));
}

async function forbidsKnown(text: string, { specifier, context }: FileRule): Promise<Match> {
  await context.steps.pause();
  const path = await context.resolve(text);
  if (await forbidsPath(specifier, path, context)) return 'yes';
  return path.lost === true ? 'maybe' : 'no';
}

const descents = {
  read: new WeakMap<Segment, { readonly of: ReturnType<typeof findDescent> }>(),
  write: new WeakMap<Segment, { readonly of: ReturnType<typeof findDescent> }>(),
};

function descentBy(segment: Segment, kind: 'read' | 'write'): ReturnType<typeof findDescent> {
  const known = descents[kind].get(segment) ?? { of: findDescent(segment, kind) };
  descents[kind].set(segment, known);
  return known.of;
}

/** What is read or changed below a folder may be what the rule speaks of. */
async function forbidsBelow(
  segment: Segment,
  kind: 'read' | 'write',
  { specifier, context }: FileRule,
): Promise<Match> {
  const descent = descentBy(segment, kind);
  if (descent === undefined || (kind === 'read' && segment.leavesOut === true)) return 'no';
  const { folders } = segment;
  if (folders === undefined) return 'maybe';
  const from = (path: string): readonly string[] =>
    path.startsWith('/') ? [path] : folders.map((folder) => (folder === '' ? path : `${folder}/${path}`));
  const found = await Promise.all(
    descent.open.flatMap((may) => placesFor(may, segment)).map((place) => onDisk(place, context)),
  );
  if (found.includes(undefined)) return 'maybe';
  const named: string[] = [];
  for (const path of [...descent.paths.flatMap(from), ...found.flatMap((each) => each ?? [])]) {
    const { spelled, real, lost } = await context.resolve(path);
    if (lost === true) return 'maybe';
    if (descent.movesLinks && (await context.stat(spelled))?.kind === 'symlink') return 'maybe';
    if (real === undefined) continue;
    if (await context.isFolder(real)) named.push(real);
    else if (
      (await context.isFolder(dirname(real))) &&
      (await forbidsPath(specifier, { spelled, real }, context))
    )
      return 'maybe';
  }
  const here = descent.here === 'yes' || (descent.here === 'unlessNamed' && named.length === 0);
  if (here)
    for (const path of from('.')) {
      const { real } = await context.resolve(path);
      if (real !== undefined) named.push(real);
    }
  if (named.length > 0 && (await context.standing?.hasMoved(specifier, context)) === true) return 'maybe';
  return strongest(named, (start) => mayLieBelow(specifier, start, context, descent));
}
