/** Reads a scenario file, YAML or JSON, and reports problems: where, and what was expected. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
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
  const [{ readCheckedYaml }, { scenarioSchema }] = await Promise.all([
    import('@turnwright/base/yaml/checked-yaml.ts'),
    import('./scenario-schema.ts'),
  ]);
  const read = readCheckedYaml(source, scenarioSchema, { file, whole: 'scenario' });
  if (read.kind === 'refused') throw new TurnwrightError('invalid_scenario', read.problems.join('\n'));
  return toScenario(read.value, file, (path) => `line ${read.lineAt(path)}`, options);
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
