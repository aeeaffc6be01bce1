/** The text of a response. */

type ContentKind = 'html' | 'text' | 'unknown' | 'other';

/** `unknown`: not declared, the bytes decide. */
export function contentKind(contentType: string | undefined): ContentKind {
  const type = mediaType(contentType);
  if (type === '') return 'unknown';
  if (type === 'text/html' || type === 'application/xhtml+xml') return 'html';
  const isText =
    /^text\/|[+/](?:json|xml|yaml)$/.test(type) ||
    /^application\/(?:json.*|jsonl|x-ndjson|(?:x-)?yaml|toml|(?:x-)?javascript|ecmascript|typescript|graphql|sql|x-sh|x-www-form-urlencoded)$/.test(
      type,
    );
  return isText ? 'text' : 'other';
}

export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** undefined: these bytes are not text. */
export function decodePage(bytes: Uint8Array, contentType: string | undefined): string | undefined {
  const decoder = decoderFor(detectEncoding(bytes) ?? charsetIn(contentType) ?? declaredCharset(bytes));
  if (contentKind(contentType) === 'unknown' && bytes.subarray(0, 1024).includes(0)) return undefined;
  return decoder.decode(bytes);
}

export function looksLikeHtml(text: string): boolean {
  return /^\s*(?:<!doctype html|<html|<head|<body|<!--)/i.test(text.slice(0, 1024));
}

function detectEncoding([a, b, c]: Uint8Array): string | undefined {
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return a === 0xff && b === 0xfe ? 'utf-16le' : undefined;
}

function charsetIn(text: string | undefined): string | undefined {
  return /charset\s*=\s*["']?\s*([\w.:-]+)/i.exec(text ?? '')?.[1];
}

/** Charset that an HTML page declares near its beginning. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, 2048)).toString('latin1');
  return charsetIn(/<meta\s[^>]{0,200}charset[^>]{0,80}/i.exec(head)?.[0]);
}

function decoderFor(label = 'utf-8'): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(label);
  } catch {
    return new TextDecoder('utf-8');
  }
}
