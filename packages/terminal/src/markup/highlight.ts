/** Colours of code, line by line as it streams. The grammars are loaded with the first text or code. */
import type { Row } from '../renderer/frame.ts';
import { clean } from '../text/clean.ts';
import type { Theme } from '../text/theme.ts';

export interface Highlighter {
  /**
   * Begins a piece of code. The function that it returns takes the next complete lines and gives their rows:
   * plain where the language is unknown, or while the grammars are being loaded.
   */
  begin(language: string): (lines: readonly string[]) => readonly Row[];
  /** Loads the grammars now. Never rejects: without them code is plain. */
  load(): Promise<void>;
}

/** Of highlight.js: HTML of the code, with a `span` for each scope. */
type Highlight = (code: string, language: string) => string | undefined;

/** Lines before the new ones that are read again, so that a comment of several lines is known as one. */
const MAX_LINES_AGAIN = 200;
/** Longer lines are data rather than code, and slow to read. */
const MAX_LINE_LENGTH = 1_000;

export function createHighlighter(theme: Theme): Highlighter {
  let highlight: Highlight | undefined;
  let loading: Promise<void> | undefined;
  const load = () => {
    loading ??= import('./grammars.ts').then(
      (grammars) => {
        highlight = grammars.highlight;
      },
      () => undefined,
    );
    return loading;
  };
  return {
    load,
    begin(language) {
      void load();
      const code = new CodeLines(theme, language);
      return (lines) => code.rows(lines, highlight);
    },
  };
}

class CodeLines {
  readonly #theme: Theme;
  readonly #language: string;
  /** Lines since the last one that ended outside of every scope. */
  #again: readonly string[] = [];

  constructor(theme: Theme, language: string) {
    this.#theme = theme;
    this.#language = language.toLowerCase();
  }

  rows(lines: readonly string[], highlight: Highlight | undefined): readonly Row[] {
    const shown = lines.map((line) => clean(line));
    if (highlight === undefined || shown.some((line) => line.length > MAX_LINE_LENGTH)) return shown;
    const all = [...this.#again, ...shown];
    // The last line break shows which scopes go on: at the end itself all of them are closed.
    const html = highlight(`${all.join('\n')}\n`, this.#language);
    if (html === undefined) return shown;
    const { rows, openAt } = painted(html, this.#theme);
    this.#again = all.slice(openAt).slice(-MAX_LINES_AGAIN);
    return rows.slice(-shown.length - 1, -1);
  }
}

const PART = /<span class="([^"]*)">|<\/span>|[^<]+/g;
const ENTITIES: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
};

/**
 * Rows of the HTML that highlight.js makes. `openAt`: the first line that a scope is still open in at the
 * end.
 */
function painted(html: string, theme: Theme): { readonly rows: readonly Row[]; readonly openAt: number } {
  const rows: string[] = [''];
  const scopes: string[] = [];
  let openAt = 0;
  for (const [part, scope] of html.matchAll(PART)) {
    if (scope !== undefined) scopes.push(scope.split(' ')[0] ?? '');
    else if (part === '</span>') scopes.pop();
    else
      for (const [at, text] of part.split('\n').entries()) {
        if (at > 0) rows.push('');
        if (at > 0 && scopes.length === 0) openAt = rows.length - 1;
        const plain = text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => ENTITIES[entity] ?? entity);
        rows[rows.length - 1] += plain === '' ? '' : theme.syntax(scopes.at(-1) ?? '', plain);
      }
  }
  return { rows, openAt };
}
