/** Reads a scenario file, YAML or JSON, and reports problems: where, and what was expected. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Document, LineCounter } from 'yaml';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Scenario, ScriptedReply } from './scenario.ts';
import type { ScenarioFile } from './scenario-schema.ts';
import { wholeReply } from './scripted-block.ts';

/** Options of `loadScenario()`. */
export interface LoadOptions {
  /** Override the file's own `vars`. */
  readonly vars?: Readonly<Record<string, string>>;
}

/**
 * @throws TurnwrightError `invalid_scenario`, with one line per problem: `file:line:column: path: what was
 * expected`.
 */
export async function loadScenario(path: string, options: LoadOptions = {}): Promise<Scenario> {
  let source: string;
  try {
    source = await readFile(path, 'utf8');
  } catch (cause) {
    throw new TurnwrightError('invalid_scenario', `${path}: the scenario cannot be read.`, { cause });
  }
  return parseScenario(source, path, options);
}

/** @param file Names the source in messages. */
export async function parseScenario(
  source: string,
  file: string,
  options: LoadOptions = {},
): Promise<Scenario> {
  const [{ parseYamlDocument }, { scenarioSchema }] = await Promise.all([
    import('./read-yaml.ts'),
    import('./scenario-schema.ts'),
  ]);
  const { document, lines } = parseYamlDocument(source);
  if (document.errors.length > 0) {
    throw invalid(document.errors.map((error) => `${at(file, lines, error.pos[0])}: ${error.message}`));
  }
  const parsed = scenarioSchema.safeParse(document.toJS());
  if (!parsed.success) {
    throw invalid(
      parsed.error.issues.map((issue) => {
        const keys = issue.code === 'unrecognized_keys' ? issue.keys : [];
        const path = [...issue.path, ...keys.slice(0, 1)];
        const place = at(file, lines, findOffset(document, path));
        return `${place}: ${path.length === 0 ? 'scenario' : path.join('.')}: ${issue.message}`;
      }),
    );
  }
  const place = (path: readonly PropertyKey[]) => `line ${lines.linePos(findOffset(document, path)).line}`;
  return toScenario(parsed.data, file, place, options);
}

function toScenario(
  parsed: ScenarioFile,
  file: string,
  place: (path: readonly PropertyKey[]) => string,
  options: LoadOptions,
): Scenario {
  const replies = parsed.replies.map((reply, index): ScriptedReply => {
    const timing = reply.timing ?? parsed.timing;
    const source = place(['replies', index]);
    return wholeReply(withoutUndefined<ScriptedReply>({ ...reply, timing, source }), source);
  });
  return {
    name: parsed.name ?? basename(file),
    ...(parsed.task !== undefined && { task: parsed.task }),
    source: file,
    replies,
    vars: { ...parsed.vars, ...options.vars },
  };
}

/** The offset of the node at a path, or of the nearest existing node around it. */
function findOffset(document: Document.Parsed, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = document.getIn(path.slice(0, length), true);
    const range = findStart(node);
    if (range !== undefined) return range;
  }
  return findStart(document.contents) ?? 0;
}

function findStart(node: unknown): number | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range))
    return undefined;
  const start: unknown = node.range[0];
  return typeof start === 'number' ? start : undefined;
}

function at(file: string, lines: LineCounter, offset: number): string {
  const { line, col } = lines.linePos(offset);
  return `${file}:${line}:${col}`;
}

function invalid(problems: readonly string[]): TurnwrightError {
  return new TurnwrightError('invalid_scenario', problems.join('\n'));
}

/** The schema has checked the shape; fields that are `undefined` are dropped, at any depth. */
function withoutUndefined<T>(value: unknown): T {
  const clean = (item: unknown): unknown => {
    if (Array.isArray(item)) return item.map(clean);
    if (typeof item !== 'object' || item === null) return item;
    const entries = Object.entries(item).filter(([, inner]) => inner !== undefined);
    return Object.fromEntries(entries.map(([key, inner]) => [key, clean(inner)]));
  };
  return clean(value) as T;
}
