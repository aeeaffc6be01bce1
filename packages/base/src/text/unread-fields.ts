/**
 * Fields of files that have no effect: counted while files are read, and reported in one line. Collections of
 * files from elsewhere hold hundreds of them, in which a warning that matters would be lost.
 */
export interface UnreadFields {
  /** `what`: the field in double quotes, and what is the matter with it, as a sentence without its end. */
  note(file: string, what: string): void;
  /** One line about what was noted since the last call; undefined: nothing was. */
  summary(): string | undefined;
  /** One sentence for each field of each file, all that was ever noted. */
  details(): readonly string[];
}

/** Fields that describe a file to people and collections; nothing is expected of them. */
const DESCRIPTIVE: ReadonlySet<string> = new Set([
  'name',
  'description',
  'license',
  'compatibility',
  'metadata',
]);

/** Notes the fields that are not among these. */
export function noteUnread(
  file: string,
  fields: Readonly<Record<string, unknown>>,
  {
    read,
    kind,
    unread,
  }: {
    readonly read: ReadonlySet<string>;
    readonly kind: string;
    readonly unread: Pick<UnreadFields, 'note'>;
  },
): void {
  for (const field of Object.keys(fields))
    if (!read.has(field) && !DESCRIPTIVE.has(field))
      unread.note(file, `"${field}" has no effect in a ${kind}`);
}

/** Fields that the summary names, the most frequent first. */
const NAMED = 5;

export function createUnreadFields(): UnreadFields {
  const noted: { readonly file: string; readonly field: string; readonly what: string }[] = [];
  let told = 0;
  return {
    note(file, what) {
      noted.push({ file, what, field: /^"([^"]+)"/.exec(what)?.[1] ?? what });
    },
    summary() {
      const fresh = noted.slice(told);
      told = noted.length;
      if (fresh.length === 0) return undefined;
      const counts = new Map<string, number>();
      for (const { field } of fresh) counts.set(field, (counts.get(field) ?? 0) + 1);
      const rows = [...counts].sort(([, a], [, b]) => b - a);
      const named = rows
        .slice(0, NAMED)
        .map(([field, times]) => (times === 1 ? field : `${field} ${times}×`));
      const files = new Set(fresh.map(({ file }) => file)).size;
      return `${plural(fresh.length, 'field')} in ${plural(files, 'file')} had no effect (${named.join(', ')}${rows.length > NAMED ? ', …' : ''}). turnwright doctor lists them.`;
    },
    details: () => noted.map(({ file, what }) => `${file}: ${what}.`),
  };
}

const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
