/**
 * JSON that is one line for every reader. Strings in JSON may hold U+2028 and U+2029, which the line reader of Node 24
 * takes for line ends: a host that uses it would read half a message.
 */
export function withoutLineSeparators(json: string): string {
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
