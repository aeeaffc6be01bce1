/** The inspector's page: one HTML file, made when the package is built. */
import { readFile } from 'node:fs/promises';
import { brotliDecompressSync } from 'node:zlib';
import { UsageError } from '../usage-error.ts';

export interface PageFile {
  readonly html: string;
  /** Its policy for what it may load: the hashes of its own script and style. */
  readonly policy: string;
}

/** Beside the chunks of the built command line; compressed, as it is a third of the size then. */
const FILE = new URL('../inspector.html.br', import.meta.url);

export async function readPage(file: URL | string = FILE): Promise<PageFile> {
  const bytes = await readFile(file).catch(() => {
    throw new UsageError('The page of the inspector is missing in this installation: npm install turnwright');
  });
  const html = brotliDecompressSync(bytes).toString();
  return {
    html,
    policy: /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? "default-src 'none'",
  };
}

/** Where an export puts its data. */
const PLACE = '<!--data-->';

/** The page with its data in it: it makes no request, and works from a file. */
export function embedData(html: string, data: unknown): string {
  // What could end the element, or begin a comment in it, is written as an escape of JSON.
  const text = JSON.stringify(data).replaceAll(
    /[<>&\u2028\u2029]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const [before = '', after = ''] = html.split(PLACE);
  const alone = before.replace("connect-src 'self'", "connect-src 'none'");
  return `${alone}<script type="application/json" id="data">${text}</script>${after}`;
}
