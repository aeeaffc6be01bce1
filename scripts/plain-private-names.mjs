// What a class keeps as `#name` is an ordinary property, `_name`, in the engine's file: V8 looks a private name up in the
// class's scope, checks the object's brand before a private method, and adds both to each object that is made. A first
// call takes a tenth less, a turn a twentieth. Sources and types know of `#name` alone.
import { parseAst } from 'rolldown/parseAst';

/** For rolldown; `isMeant` is asked for each chunk. */
export const plainPrivateNames = (isMeant) => ({
  name: 'plain-private-names',
  renderChunk(code, chunk) {
    if (!isMeant(chunk)) return undefined;
    const plain = code.split('');
    // As long as before: a source map stays true.
    for (const { start } of privateNames(parseAst(code))) plain[start] = '_';
    return { code: plain.join(''), map: null };
  },
});

/** Of classes that extend no other: an object then has one class's names, and none stands for two. */
function* privateNames(node, isFound = false) {
  if (node === null || typeof node !== 'object') return;
  if (node.type === 'PrivateIdentifier' && isFound) yield node;
  if (node.type === 'PrivateInExpression') throw new Error('There is no plain form of `#name in object`.');
  const within = node.type === 'ClassDeclaration' || node.type === 'ClassExpression';
  const found = within ? node.superClass === null : isFound;
  for (const child of Object.values(node)) yield* privateNames(child, found);
}
