const CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

/**
 * Letters, digits, "_" and "-": from one to this many. Without a regular expression, which would have to be
 * compiled per length.
 */
export function isPlainName(text: string, mostChars: number): boolean {
  if (typeof text !== 'string' || text.length === 0 || text.length > mostChars) return false;
  for (const char of text) if (!CHARS.includes(char)) return false;
  return true;
}
