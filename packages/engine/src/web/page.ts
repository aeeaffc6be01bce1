/** Outcome of fetching a page. */
export type PageOutcome = Page | Moved | Refused;

export interface Page {
  readonly kind: 'page';
  /** Final URL, after redirects on its own host. */
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  /** Bytes of the decompressed body. */
  readonly bytes: number;
  /** Markdown for HTML, else unchanged. */
  readonly text: string;
}

/** Its server answered with the page that was requested. */
export const isFine = ({ code }: Page): boolean => code >= 200 && code < 300;

/** Redirected to another host, which is not allowed yet. */
interface Moved {
  readonly kind: 'moved';
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  readonly to: string;
}

/** There is nothing to read; `why` is a sentence for the model. */
export interface Refused {
  readonly kind: 'refused';
  readonly url: string;
  readonly why: string;
  /** Status, if a server answered. */
  readonly code?: number;
  readonly codeText?: string;
}
