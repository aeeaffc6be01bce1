import type { Page } from './page.ts';

interface PageCache {
  get(url: string, nowMs: number): Page | undefined;
  set(url: string, page: Page, nowMs: number): void;
}

interface PageCacheLimits {
  /** Default 15 minutes. */
  readonly ttlMs?: number;
  /** Default 16 MiB; the least recently used page is dropped first. */
  readonly maxBytes?: number;
}

const TTL_MS = 15 * 60_000;
const MAX_BYTES = 16 * 1024 * 1024;

/** Pages of the last minutes, so that a second question about one does not fetch it again. */
export function createPageCache({ ttlMs = TTL_MS, maxBytes = MAX_BYTES }: PageCacheLimits = {}): PageCache {
  const pages = new Map<string, { readonly page: Page; readonly atMs: number }>();
  let held = 0;
  const forget = (url: string) => {
    const known = pages.get(url);
    if (known === undefined) return;
    pages.delete(url);
    held -= sizeOf(known.page);
  };
  return {
    get(url, nowMs) {
      const known = pages.get(url);
      if (known === undefined) return undefined;
      forget(url);
      if (nowMs - known.atMs >= ttlMs) return undefined;
      pages.set(url, known);
      held += sizeOf(known.page);
      return known.page;
    },
    set(url, page, atMs) {
      forget(url);
      if (sizeOf(page) > maxBytes) return;
      pages.set(url, { page, atMs });
      held += sizeOf(page);
      for (const oldest of pages.keys()) {
        if (held <= maxBytes) return;
        forget(oldest);
      }
    },
  };
}

/** A character may take two bytes. */
const sizeOf = ({ text, url }: Page): number => 2 * (text.length + url.length);
