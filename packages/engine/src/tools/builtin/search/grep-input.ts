/** Parameters of Grep. */
export type GrepMode = 'content' | 'files_with_matches' | 'count';

export interface GrepInput {
  readonly pattern: string;
  readonly path?: string;
  readonly glob?: string;
  readonly output_mode?: GrepMode;
  readonly '-A'?: number;
  readonly '-B'?: number;
  readonly '-C'?: number;
  readonly context?: number;
  readonly '-n'?: boolean;
  readonly '-i'?: boolean;
  readonly '-o'?: boolean;
  readonly type?: string;
  readonly head_limit?: number;
  readonly offset?: number;
  readonly multiline?: boolean;
}

/** Lines or entries of one answer, unless the call says otherwise. */
export const DEFAULT_HEAD_LIMIT = 250;

const lines = (description: string) => ({ type: 'integer', minimum: 0, description });
export const grepSchema = {
  type: 'object',
  properties: {
    pattern: { type: 'string', minLength: 1, description: 'A regular expression (Rust syntax).' },
    path: {
      type: 'string',
      minLength: 1,
      description: 'The file or folder to search. Default: the working directory.',
    },
    glob: { type: 'string', minLength: 1, description: 'Only files that match: "*.js", "*.{ts,tsx}".' },
    output_mode: {
      type: 'string',
      enum: ['content', 'files_with_matches', 'count'],
      description: 'content: matching lines; files_with_matches (default): paths; count: matches per file.',
    },
    '-A': lines('Lines to show after each match (content only).'),
    '-B': lines('Lines to show before each match (content only).'),
    '-C': lines('Lines to show before and after each match (content only).'),
    context: lines('The same as -C.'),
    '-n': { type: 'boolean', description: 'Show line numbers (content only). Default true.' },
    '-i': { type: 'boolean', description: 'Ignore case.' },
    '-o': { type: 'boolean', description: 'Show only what matched, not the whole line (content only).' },
    type: { type: 'string', minLength: 1, description: 'Only files of this type: js, py, rust, go, java …' },
    head_limit: lines(
      `Return only the first N lines or entries. Default ${DEFAULT_HEAD_LIMIT}; 0: no limit.`,
    ),
    offset: lines('Skip the first N lines or entries. Default 0.'),
    multiline: {
      type: 'boolean',
      description: 'Let a match span lines, and . match line breaks. Default false.',
    },
  },
  required: ['pattern'],
  additionalProperties: false,
};
