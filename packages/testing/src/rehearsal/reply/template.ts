/**
 * `{{…}}` in scripted text and tool inputs:
 *   {{lastResult}}                     text of the last tool result
 *   {{results.toolu_1}}                text of the result of one call
 *   {{vars.root}}                      a variable of the scenario
 *   {{results.toolu_1 | /at (\d+)/}}   the first group of a match (the whole match without a group)
 */
import type { RehearsalRequest } from '../scenario/rehearsal-request.ts';

/** A template that names something that does not exist. */
export class TemplateError extends Error {}

const PLACEHOLDER =
  /\{\{\s*(lastResult|(?:results|vars)\.[\w-]+)\s*(?:\|\s*\/((?:\\.|[^/\\])+)\/([a-z]*)\s*)?\}\}/g;

type Source = Pick<RehearsalRequest, 'results' | 'lastResult'>;

export function fillTemplate<T>(value: T, request: Source, vars: Readonly<Record<string, string>>): T {
  return fill(value, request, vars) as T;
}

function fill(value: unknown, request: Source, vars: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string') return value.includes('{{') ? fillText(value, request, vars) : value;
  if (Array.isArray(value)) return value.map((item) => fill(item, request, vars));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, fill(item, request, vars)]));
}

function fillText(template: string, request: Source, vars: Readonly<Record<string, string>>): string {
  return template.replace(
    PLACEHOLDER,
    (whole, name: string, pattern: string | undefined, flags: string | undefined) => {
      const found = lookUp(name, request, vars);
      if (found === undefined) throw new TemplateError(`${whole} names nothing in this conversation`);
      if (pattern === undefined) return found;
      const match = new RegExp(pattern, flags).exec(found);
      if (match === null) throw new TemplateError(`${whole} matches nothing in "${found.slice(0, 200)}"`);
      return match[1] ?? match[0];
    },
  );
}

function lookUp(name: string, request: Source, vars: Readonly<Record<string, string>>): string | undefined {
  if (name === 'lastResult') return request.lastResult;
  if (name.startsWith('results.')) return request.results.get(name.slice('results.'.length));
  return vars[name.slice('vars.'.length)];
}
