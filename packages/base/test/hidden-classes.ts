/** The hidden classes of V8, in whatever version of Node runs the tests. */
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { createContext, runInContext } from 'node:vm';
import { transformSync } from 'esbuild';

setFlagsFromString('--allow-natives-syntax');
const isSame = new Function('a', 'b', 'return %HaveSameMap(a, b)') as (a: object, b: object) => boolean;
const isFast = new Function('a', 'return %HasFastProperties(a)') as (a: object) => boolean;
setFlagsFromString('--no-allow-natives-syntax');

/** How many of them these objects have. An object that is a dictionary counts as one by itself. */
export function hiddenClasses(objects: readonly object[]): number {
  const shapes: object[] = [];
  for (const object of objects)
    if (!isFast(object) || !shapes.some((shape) => isSame(shape, object))) shapes.push(object);
  return shapes.length;
}

/**
 * What a module without imports exports, in a context of its own, and `evaluate` there. Where many tests run in
 * one process, objects with fields of many names use up the hidden classes that follow an empty object (V8 makes
 * 1,536), and each further one has a class by itself.
 */
export function loadApart<M>(file: URL): { readonly module: M; evaluate<T>(expression: string): T } {
  const context = createContext({ exports: {} });
  const { code } = transformSync(readFileSync(file, 'utf8'), {
    loader: 'ts',
    format: 'cjs',
    target: 'node20',
  });
  runInContext(`const module = { exports };${code}`, context);
  const evaluate = <T>(expression: string) => runInContext(expression, context) as T;
  return { module: evaluate('module.exports'), evaluate };
}
