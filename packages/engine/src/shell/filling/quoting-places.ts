/** Where in a shell command a marked word stands, as far as the shell that reads it is concerned. */

import type { ParsedScript, SyntaxNode } from 'unbash';
import type { Span } from '../reading/parser-guard.ts';

/**
 * `bare`: without quotes, where several words may stand. `word`: the same, where the shell takes one word (a
 * redirect, an assignment). `double`, `single`, `ansi`: within such quotes. `document`: in a here-document.
 * `unknown`: where a shell does more than fill in a variable, or not even that.
 */
export type QuotingPlace = 'bare' | 'word' | 'double' | 'single' | 'ansi' | 'document' | 'unknown';

interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** Nodes in which a word is only what it is, with whatever is around it. */
const AROUND: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'CompoundList',
  'Pipeline',
  'AndOr',
  'Command',
  'Redirected',
  'If',
  'Elif',
  'For',
  'While',
  'Subshell',
  'BraceGroup',
  'Case',
  'CaseItem',
  'Function',
  'Word',
  'Literal',
  'DoubleQuoted',
  'SingleQuoted',
  'AnsiCQuoted',
  'CommandExpansion',
  'ProcessSubstitution',
  'Assignment',
  'Redirect',
  'HereString',
  'HereDoc',
  'HereDocBody',
]);

/** One for each span, in order. Never throws: what cannot be parsed is `unknown`. */
export function placesIn(
  text: string,
  spans: readonly Span[],
  { parse, forEachChild }: Parser,
): readonly QuotingPlace[] {
  let script: ParsedScript;
  try {
    script = parse(text);
  } catch {
    return spans.map(() => 'unknown');
  }
  if (script.errors !== undefined && script.errors.length > 0) return spans.map(() => 'unknown');
  // Their text is behind the command that they belong to, and so outside of it.
  const documents: SyntaxNode[] = [];
  const collect = (node: SyntaxNode): void => {
    if (node.type === 'HereDoc') documents.push(node);
    forEachChild(node, collect);
  };
  collect(script);
  return spans.map((span) => {
    // What is escaped or begins a variable is no word of its own.
    if (/[\\$]$/.test(text.slice(0, span.pos))) return 'unknown';
    const around: SyntaxNode[] = [];
    const descend = (node: SyntaxNode): void => {
      around.push(node);
      let next: SyntaxNode | undefined;
      forEachChild(node, (child) => {
        if (child.pos <= span.pos && span.end <= child.end) next = child;
      });
      if (next !== undefined) descend(next);
    };
    const isIn = (node: SyntaxNode) =>
      node.type === 'HereDoc' && node.body.pos <= span.pos && span.end <= node.body.end;
    const document = documents.find(isIn);
    if (document?.type === 'HereDoc') around.push(document);
    descend(document?.type === 'HereDoc' ? document.body : script);
    return classifyPlace(around);
  });
}

function classifyPlace(around: readonly SyntaxNode[]): QuotingPlace {
  for (const [at, node] of around.entries()) {
    const next = around[at + 1];
    if (!AROUND.has(node.type)) return 'unknown';
    if (node.type === 'CommandExpansion' && node.text.startsWith('`')) return 'unknown';
    if ((node.type === 'For' || node.type === 'Function') && next === node.name) return 'unknown';
    if (node.type === 'HereDoc' && (node.delimiter?.quoted === true || next?.type !== 'HereDocBody'))
      return 'unknown';
    if (node.type === 'Assignment' && (next?.type !== 'Word' || next === node.index)) return 'unknown';
  }
  const last = around.at(-1);
  const holder = last?.type === 'Literal' ? around.at(-2) : last;
  switch (holder?.type) {
    case 'Word': {
      const parent = around[around.indexOf(holder) - 1]?.type;
      const single = parent !== 'Command' && parent !== 'For';
      return single ? 'word' : 'bare';
    }
    case 'DoubleQuoted':
      return 'double';
    case 'SingleQuoted':
      return 'single';
    case 'AnsiCQuoted':
      return 'ansi';
    case 'HereDocBody':
      return 'document';
    default:
      return 'unknown';
  }
}
