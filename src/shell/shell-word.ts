import type { Word, WordPart } from 'unbash';
import type { ShellWord } from './segment.ts';

/** A word without expansion of any kind is what it says; any other has no value here. */
export function readWord(word: Word): ShellWord {
  const literal = word.parts === undefined ? isBare(word.text) : word.parts.every(isLiteral);
  const tilde = /(?:^|[=:])~/.test(word.text);
  return { value: literal && !tilde ? word.value : undefined, text: word.text };
}

function isLiteral(part: WordPart): boolean {
  if (part.type === 'DoubleQuoted') return part.parts.every((each) => each.type === 'Literal');
  return part.type === 'SingleQuoted' || (part.type === 'Literal' && isBare(part.text));
}

/** No glob or brace that the parser let pass; `{}` and the `[` of a test stand for themselves. */
function isBare(text: string): boolean {
  const plain = text.replace(/\\[\s\S]/g, '').replaceAll('{}', '');
  return plain === '[' || plain === '[[' || !/[*?[{$`]/.test(plain);
}
