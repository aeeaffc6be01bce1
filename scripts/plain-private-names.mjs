// What a class keeps as `#name` is an ordinary property, `_a`, in the engine's file: V8 looks a private name up in the
// class's scope, checks the object's brand before a private method, and adds both to each object that is made. A first
// call takes a tenth less, a turn a twentieth. Sources and types know of `#name` alone.
import { parseAst } from 'rolldown/parseAst';

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'];

/** For rolldown; `isMeant` is asked for each chunk. */
export const plainPrivateNames = (isMeant) => ({
  name: 'plain-private-names',
  renderChunk(code, chunk) {
    if (!isMeant(chunk)) return undefined;
    let plain = '';
    let from = 0;
    const found = [...plainNames(parseAst(code), new Map())].sort((a, b) => a.start - b.start);
    for (const { start, end, name } of found) {
      // As long as before, so that a source map stays true.
      plain += code.slice(from, start) + name.padEnd(end - start);
      from = end;
    }
    return { code: plain + code.slice(from), map: null };
  },
});

/** `known`: what the private names in reach are called now; undefined for those that stay. */
function* plainNames(node, known) {
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'PrivateInExpression') throw new Error('There is no plain form of `#name in object`.');
  if (node.type === 'PrivateIdentifier' && known.get(node.name) !== undefined)
    yield { start: node.start, end: node.end, name: known.get(node.name) };
  const within = /^Class(?:Declaration|Expression)$/.test(node.type)
    ? new Map([...known, ...namesOf(node)])
    : known;
  for (const child of Object.values(node)) yield* plainNames(child, within);
}

/**
 * Of a class that extends no other: an object then has one class's names, and none stands for two. They are few and
 * alike, as each is a string that V8 looks up when it reads the file.
 */
function namesOf({ superClass, body }) {
  const own = body.body.flatMap(({ key }) => (key?.type === 'PrivateIdentifier' ? [key.name] : []));
  if (own.length > LETTERS.length) throw new Error('A class has more private names than there are letters.');
  return own.map((name, index) => [name, superClass === null ? `_${LETTERS[index]}` : undefined]);
}
