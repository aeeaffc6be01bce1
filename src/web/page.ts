/** What came of asking for a page. */
export type PageOutcome = Page | Moved | Refused;

export interface Page {
  readonly kind: 'page';
  /** Where it was found, after redirects on its own host. */
  readonly url: string;
  readonly code: number;
  readonly codeText: string;
  /** Of the body, unpacked. */
  readonly bytes: number;
  /** Markdown where it was HTML, else as it came. */
  readonly text: string;
}

/** To another host, which nobody allowed yet. */
export interface Moved {
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
  /** Where a server answered at all. */
  readonly code?: number;
  readonly codeText?: string;
}
