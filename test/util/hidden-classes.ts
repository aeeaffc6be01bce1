/** The hidden classes of V8, in whatever version of Node runs the tests. */
import { setFlagsFromString } from 'node:v8';

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
