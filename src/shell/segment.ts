/** One word of a command: what it is once the shell has read it, unless that depends on what only the shell knows. */
export interface ShellWord {
  readonly value: string | undefined;
  readonly text: string;
}

export interface RedirectTarget {
  readonly direction: 'read' | 'write';
  readonly path: string | undefined;
}

/** A simple command: one program that the line may start. */
export interface Segment {
  /** Empty for a line of assignments or redirects alone. */
  readonly words: readonly ShellWord[];
  /** Variables are set in front of it, or instead of it. */
  readonly assigns: boolean;
  readonly redirects: readonly RedirectTarget[];
  /** What here-documents and here-strings give it to read; absent or empty: nothing. */
  readonly fed?: string;
  /** Where it may run, relative to where the line starts (`''`): every place an earlier `cd` may have led to. */
  readonly folders: readonly string[] | undefined;
  /** What it starts in turn, where that can be read off its words (`sudo x`, `bash -c '…'`, `find -exec x`). */
  readonly inner: readonly Segment[];
  /** It does nothing but start `inner` (`timeout 5 x`). */
  readonly transparent: boolean;
}

export interface CommandLine {
  readonly segments: readonly Segment[];
  /** Why more may happen than the segments say; absent: they are all there is. */
  readonly unseen?: string;
}

/** Segments with everything they start in turn. */
export function everySegment(segments: readonly Segment[]): readonly Segment[] {
  return segments.flatMap((segment) => [segment, ...everySegment(segment.inner)]);
}

/** The words, when all of them are known. */
export function literalWords({ words }: Segment): readonly string[] | undefined {
  const values = words.flatMap(({ value }) => (value === undefined ? [] : [value]));
  return values.length === words.length ? values : undefined;
}

export function programOf({ words }: Segment): string {
  return baseName(words[0]?.value ?? '');
}

export function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
