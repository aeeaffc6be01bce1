/** What a person typed, of a prompt as transcripts keep it: programs put markup of their own around it. */

interface Typed {
  /** undefined: there is nothing but markup. */
  readonly words?: string;
  /** The command that was called, with its arguments. */
  readonly command?: string;
}

/** No element of HTML has such a name; a person may begin a prompt with those. */
const ELEMENT = /^\s*<([a-z]+(?:[-_][\w-]+)+|tick)(?:\s[^<>]*)?>([\s\S]*?)<\/\1>/;
const INTERRUPTED = /^\[Request interrupted by user[^\]\n]*\]$/;

export function typedWords(text: string): Typed {
  let rest = text;
  let name: string | undefined;
  let args = '';
  for (let match = ELEMENT.exec(rest); match !== null; match = ELEMENT.exec(rest)) {
    const [whole, tag, inner = ''] = match;
    if (tag === 'command-name') name = inner.trim();
    if (tag === 'command-args') args = inner.trim();
    if (tag === 'bash-input') name = `! ${inner.trim()}`;
    rest = rest.slice(whole.length);
  }
  const words = rest.trim();
  return {
    ...(words !== '' && name === undefined && !INTERRUPTED.test(words) && { words }),
    ...(name !== undefined && { command: args === '' ? name : `${name} ${args}` }),
  };
}
