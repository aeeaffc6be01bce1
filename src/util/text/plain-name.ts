const CHARS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

/** Letters, digits, "_" and "-": at least one and at most so many. An expression of its own would have to be compiled. */
export function isPlainName(text: string, mostChars: number): boolean {
  if (typeof text !== 'string' || text.length === 0 || text.length > mostChars) return false;
  for (const char of text) if (!CHARS.includes(char)) return false;
  return true;
}
