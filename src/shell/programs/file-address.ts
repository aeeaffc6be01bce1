/** Files that are named by an address, as `curl` and `git` take them. */

/** The path of a `file:` address within a text, escapes read (`%2e` is a dot); undefined: it holds none. */
export function pathOfAddress(text: string): string | undefined {
  const path = /(?<![a-z])file:(?:\/\/[\w.-]*(?=\/))?(.*)$/is.exec(text)?.[1];
  return path
    ?.replace(/[?#].*$/s, '')
    .replace(/%([0-9a-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
