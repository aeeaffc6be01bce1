/** Options and messages show in their docstrings how they are used, and a run accepts what is shown. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runInThisContext } from 'node:vm';
import { InMemorySessionStore, type Options } from '@turnwright/engine';
import { checkOptions } from '@turnwright/engine/options/check-options.ts';
import { say, scriptedModel } from '@turnwright/testing';
import { transformSync } from 'esbuild';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { withExtraArgs } from '../packages/engine/src/sdk/extra-args.ts';
import { examplesIn } from './docstring-examples.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Names and types of what a pattern finds with its comment in front, where the comment has no example. */
const without = (files: readonly string[], declaration: RegExp): readonly string[] =>
  files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(declaration)].flatMap(
      ([, comment = '', name = '']) => (comment.includes('@example') ? [] : [name]),
    ),
  );

const COMMENT = String.raw`\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n`;
const OPTION_FILES = ['packages/engine/src/options/options.ts', 'packages/engine/src/sdk/query-options.ts'];

it('every option that takes more than true or false shows a value', () => {
  const option = new RegExp(`${COMMENT} {2}(\\w+)\\?:(?! boolean \\| undefined;)`, 'g');
  expect(without(OPTION_FILES, option)).toEqual([]);
});

it('every message that query() yields shows how it is read', () => {
  const files = ['sdk-messages', 'session-messages', 'result-message', 'init-message'];
  const message = new RegExp(`${COMMENT}export (?:interface|type) (SDK\\w+)`, 'g');
  expect(
    without(
      files.map((name) => `packages/engine/src/protocol/stream/${name}.ts`),
      message,
    ),
  ).toEqual([]);
});

it('a run accepts the options of examples', () => {
  const examples = OPTION_FILES.flatMap(examplesIn).filter(({ code }) => !/\bquery\(|\bawait\b/.test(code));
  expect(examples.length).toBeGreaterThan(40);
  const given = { z, sessionId: crypto.randomUUID(), InMemorySessionStore, scriptedModel, say };
  for (const { place, code } of examples) {
    const names = [...code.matchAll(/const (\w+): Options\b/g)].map(([, name]) => name);
    const { code: script } = transformSync(code, { loader: 'ts' });
    const body = `({ ${Object.keys(given)} }) => { ${script}; return [${names}]; }`;
    for (const options of runInThisContext(body)(given) as readonly Options[])
      expect(() => withExtraArgs(checkedOptions(options)), place).not.toThrow();
  }
});

function checkedOptions(options: Options): Options {
  checkOptions(options);
  return options;
}
