/** The names of the published client, each either here or named in the guide as what it is instead. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as client from '@anthropic-ai/claude-agent-sdk';
import * as own from '@turnwright/engine';
import { expect, it } from 'vitest';
// @ts-expect-error a program without declarations
import { missingNames } from '../../scripts/surface.mjs';
import { ROOT, sourceFiles } from '../sources.ts';

const at = (path: string) => readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8');
const types = at('node_modules/@anthropic-ai/claude-agent-sdk/sdk.d.ts').replaceAll(/\/\*[\s\S]*?\*\//g, '');
const guide = at('../../docs/compatibility.md');

/** What stands in braces behind `head`. */
function body(head: string): string {
  const start = types.indexOf('{', types.indexOf(head));
  let depth = 0;
  for (let index = start; index < types.length; index += 1) {
    if (types[index] === '{') depth += 1;
    if (types[index] === '}') depth -= 1;
    if (depth === 0) return types.slice(start + 1, index);
  }
  throw new Error(`There is no ${head}`);
}

/** Members of the outermost level. */
function members(head: string): readonly string[] {
  let depth = 0;
  const names: string[] = [];
  for (const line of body(head).split('\n')) {
    const name = depth === 0 ? /^\s+(\w+)\??\s*[:(]/.exec(line)?.[1] : undefined;
    if (name !== undefined) names.push(name);
    for (const sign of line) depth += '{(['.includes(sign) ? 1 : '})]'.includes(sign) ? -1 : 0;
  }
  return names;
}

/** The words in code marks of a section of the guide. */
function named(title: string): ReadonlySet<string> {
  const section = guide.split(/^## /m).find((part) => part.startsWith(title)) ?? '';
  return new Set([...section.matchAll(/`(\w+)[^`]*`/g)].flatMap(([, word]) => word ?? []));
}

/** Nothing is opened before there is a prompt. */
const NO_PROMPTS = (async function* () {})();

const isKnown = (option: string): boolean => {
  try {
    own.query({ prompt: NO_PROMPTS, options: { [option]: NaN } as own.Options });
    return true;
  } catch (error) {
    return !String(error).includes('is not supported');
  }
};

it('each option is accepted, or refused and named as such', () => {
  const options = members('export declare type Options =');
  expect(options.length).toBeGreaterThan(60);
  const refused = options.filter((option) => !isKnown(option));
  expect(refused.filter((option) => !named('Options that are refused').has(option))).toEqual([]);
  expect([...named('Options that are refused')].filter((name) => isKnown(name))).toEqual([]);
});

it('each method of a query is there, or named as missing', async () => {
  const methods = members('export declare interface Query extends');
  expect(methods.length).toBeGreaterThan(25);
  const running = own.query({ prompt: NO_PROMPTS });
  const missing = methods.filter((method) => !(method in running));
  await running.close();
  expect(missing.filter((method) => !named('Methods that are missing').has(method))).toEqual([]);
  expect([...named('Methods that are missing')].filter((method) => method in running)).toEqual([]);
});

it('each type and subtype of message is described in the guide', () => {
  const union = /export declare type SDKMessage = ([^;]*);/.exec(types)?.[1]?.split('|') ?? [];
  expect(union.length).toBeGreaterThan(35);
  const words = union.flatMap((name) => {
    const text = types.includes(`type ${name.trim()} = {`) ? body(`type ${name.trim()} = {`) : '';
    const [, type] = /^ {4}type: '(\w+)'/m.exec(text) ?? [];
    const [, subtype] = /^ {4}subtype: '(\w+)'/m.exec(text) ?? [];
    return subtype ?? type ?? [];
  });
  expect(new Set(words).size).toBeGreaterThan(30);
  expect(words.filter((word) => !named('Messages').has(word))).toEqual([]);
});

it('every name is in the sources or in the guide', () => {
  const ours = sourceFiles().map((path) => readFileSync(join(ROOT, path), 'utf8'));
  expect(missingNames({ theirs: types, ours, guide })).toEqual([]);
});

it('constants that hosts look up', () => {
  expect(own.EXIT_REASONS).toEqual(client.EXIT_REASONS);
  expect(client.HOOK_EVENTS.filter((event) => !own.HOOK_EVENTS.includes(event as never))).toEqual([]);
  expect(own.unknownBuiltinTools(own.BUILTIN_TOOL_NAMES).unknown).toEqual([]);
  const known: readonly string[] = own.BUILTIN_TOOL_NAMES;
  expect(own.unknownBuiltinTools([]).known.filter((name) => !known.includes(name))).toEqual([]);
  for (const name of Object.values(own.LEGACY_TOOL_NAME_ALIASES)) expect(known).toContain(name);
});
