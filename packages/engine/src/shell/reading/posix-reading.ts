/**
 * Where a shell called `sh` may read something else than bash does: dash runs `P` in `true &>/dev/null P`,
 * and has no `[[`. The tree is that of bash; a script is seen whole only where POSIX gives the same.
 */
import type { SyntaxNode } from 'unbash';

/** What the tree of a script may be made of, each in the forms that `differs` leaves. */
const COMMON: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'CompoundList',
  'CaseItem',
  'Elif',
  'Pipeline',
  'Negation',
  'AndOr',
  'Command',
  'Redirected',
  'If',
  'For',
  'While',
  'Subshell',
  'BraceGroup',
  'Case',
  'Word',
  'Literal',
  'Glob',
  'SingleQuoted',
  'DoubleQuoted',
  'SimpleExpansion',
  'ParameterExpansion',
  'Default',
  'Remove',
  'CommandExpansion',
  'ArithmeticExpansion',
  'ArithmeticBinary',
  'ArithmeticUnary',
  'ArithmeticGroup',
  'ArithmeticTernary',
  'ArithmeticWord',
  'Assignment',
  'Redirect',
  'HereDoc',
  'HereDocDelimiter',
  'HereDocBody',
  'FileDescriptor',
]);

export function differsInPosix(node: SyntaxNode, text: string): boolean {
  if (!COMMON.has(node.type)) return true;
  switch (node.type) {
    case 'Script':
      return node.shebang !== undefined;
    case 'Pipeline':
      return node.operators.includes('|&') || node.prefixes.length > 1;
    case 'CaseItem':
      return node.terminator !== undefined && node.terminator !== ';;';
    case 'For':
      return (
        !/^[A-Za-z_]\w*$/.test(node.name.text) ||
        !/[\s;]do\s*$/.test(text.slice(node.name.end, node.body.commands[0]?.pos ?? node.body.pos))
      );
    case 'Assignment':
      return node.append === true || node.index !== undefined || !/^[A-Za-z_]\w*=/.test(node.text);
    case 'ParameterExpansion':
      return (
        node.index !== undefined || !/^\$\{#?(?:\w+|[@*#?$!-])(?:[:#%+=?-][^'"\\`$}]*)?\}$/.test(node.text)
      );
    case 'SimpleExpansion':
      return !/^\$(?:[A-Za-z_]\w*|[0-9@*#?$!-])$/.test(node.text);
    case 'CommandExpansion':
      return node.text.startsWith('`') ? /['"\\]/.test(node.text) : node.text.includes('<<');
    case 'ArithmeticExpansion':
      return !/^\$\(\([\s\d+*/%()-]*\)\)$/.test(node.text);
    case 'Glob':
      return node.kind === 'bracket' && !/^\[!?[\w.-]+\]$/.test(node.text);
    case 'Redirect':
      return (
        node.operator.startsWith('&') ||
        (node.operator.endsWith('&') && !/^(?:\d|-)$/.test(node.target?.text ?? '')) ||
        (node.descriptor?.type === 'FileDescriptor' && node.descriptor.value > 9)
      );
    case 'HereDocDelimiter':
      return !/^(?:\w+|'\w+'|"\w+")$/.test(node.text);
    default:
      return false;
  }
}

/** What begins something of its own in bash alone, and that a tree need not show. */
export function looksLikeBash(text: string): boolean {
  return /\(\(|\$\[|\$['"]|[^\s\w]=\(|(?:^|[\s;&|({])(?:time|function|select|coproc|builtin|source|\[\[)(?=[\s;&|(]|$)/.test(
    text.replace(/\$\(\(/g, ''),
  );
}
