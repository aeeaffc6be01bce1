/**
 * Whether a script of sed does no more than print what it was given, changed: it opens no file and runs
 * nothing.
 */
export function onlyEditsText(script: string): boolean {
  let rest = script;
  const take = (pattern: RegExp): boolean => {
    const found = pattern.exec(rest);
    if (found === null) return false;
    rest = rest.slice(found[0].length);
    return true;
  };
  while (rest !== '') {
    if (take(/^[\s;{}]+/) || take(/^#[^\n]*/)) continue;
    // Up to two addresses: numbers, `$`, steps, or expressions between slashes without brackets that hold
    // one.
    take(ADDRESS);
    if (take(/^\s*,\s*/) && !take(/^(?:[+~]\d+|\d+|\$|0)/) && !take(EXPRESSION)) return false;
    take(/^[\s!]+/);
    if (take(/^\}/) || take(/^\{/)) continue;
    if (take(/^[=dDgGhHnNpPxzF]/) || take(/^[lqQ]\s*\d*/)) {
      if (!/^(?:$|[\s;}#])/.test(rest)) return false;
      continue;
    }
    if (take(/^[btT:]\s*[\w.-]*/) || take(/^[aic](?:\\\n|[ \t])[^\n\\]*/)) {
      if (!/^(?:$|[\s;}])/.test(rest)) return false;
      continue;
    }
    const flags = /^s([^\w\s\\])/.exec(rest);
    const mark = (flags ?? /^y([^\w\s\\])/.exec(rest))?.[1];
    if (mark === undefined) return false;
    const sign = mark.replace(/[\\\]^/-]/g, '\\$&');
    const part = `(?:\\\\[\\s\\S]|[^\\\\\\n${sign}])*`;
    const shape = new RegExp(
      `^[sy](?:[^\\w\\s])(${part})[${sign}]${part}[${sign}]([gpiImM\\d]*)(?=$|[\\s;}])`,
    );
    const found = shape.exec(rest);
    // In brackets a delimiter may be one or not.
    if (
      found === null ||
      (found[1] ?? '').replace(/\\[\s\S]/g, '').split('[').length !==
        (found[1] ?? '').replace(/\\[\s\S]/g, '').split(']').length
    )
      return false;
    rest = rest.slice(found[0].length);
  }
  return true;
}

const EXPRESSION = /^\/(?:\\[^\n]|[^\\/[\n]|\[\^?[\w.:-]+\])+\/[IM]*/;
const ADDRESS = new RegExp(`^(?:\\d+(?:~\\d+)?|\\$|${EXPRESSION.source.slice(1)})`);

/** awk runs and writes by few words of its language. */
export const awkDoesMore = (script: string): boolean =>
  /system|getline|@|\|(?!\|)|\\\n|\bclose\b/.test(script.replaceAll('||', '')) ||
  /print[\s\S]*>/.test(script);

/** Whether it does no more than show what it is given: no environment, and no files of its own choice. */
export const onlyShowsText = (script: string): boolean =>
  !awkDoesMore(script) && !/ENVIRON|PROCINFO|SYMTAB|FUNCTAB|ARG[VC]/.test(script);
