/**
 * JSON in one line for every reader. JSON strings may contain U+2028 and U+2029, which the line reader of
 * Node 24 treats as line ends.
 */
export function withoutLineSeparators(json: string): string {
  if (!json.includes('\u2028') && !json.includes('\u2029')) return json;
  return json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}
