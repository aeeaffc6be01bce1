import type { SyntaxNode } from 'unbash';
import { steersPrograms } from './variables.ts';

const BRACE_IN_BACKQUOTES = 'a brace inside backquotes may be expanded before them';

/**
 * Why more may happen than the simple commands of a script say, as far as a single node of its tree tells.
 */
export function whyUnseen(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case 'Script':
      if (node.errors !== undefined && node.errors.length > 0) return 'it does not parse';
      return node.source === undefined ? undefined : 'it holds escaped backticks';
    case 'Function':
    case 'Coproc':
      return 'it defines functions or coprocesses';
    case 'CommandExpansion':
      // Quotes inside backquotes end those around them, and a brace between them doubles the whole word.
      if (/^`.*\{/s.test(node.text) && /["']/.test(node.text)) return BRACE_IN_BACKQUOTES;
      return node.script === undefined ? 'a substitution does not parse' : undefined;
    case 'ProcessSubstitution':
      return node.script === undefined ? 'a substitution does not parse' : undefined;
    case 'ArithmeticExpansion':
      return /^[\s\d+\-*/%()<>=!&|^?:$]*$/.test(node.text) ? undefined : 'arithmetic may evaluate variables';
    case 'ArithmeticCommand':
    case 'ArithmeticFor':
    case 'ArithmeticCommandExpansion':
    case 'ArrayValue':
      return 'arithmetic and arrays may evaluate variables';
    case 'Assignment':
      return node.index === undefined ? undefined : 'arithmetic and arrays may evaluate variables';
    case 'ParameterExpansion':
      if (
        node.prefix === '!' ||
        node.index !== undefined ||
        /^(?:Slice|Transform|Names|Unknown)$/.test(node.operation?.type ?? '')
      )
        return 'an expansion may evaluate what a variable holds';
      return node.text.includes('`') && node.text.indexOf('{', 2) > 0 ? BRACE_IN_BACKQUOTES : undefined;
    case 'ExtendedGlob':
      return 'whether a shell reads extended patterns depends on its options';
    case 'TestUnary':
    case 'TestBinary':
      return /^-(?:[vR]|eq|ne|[lg][te])$/.test(node.operator)
        ? 'a test may evaluate what a variable holds'
        : undefined;
    case 'FileDescriptorVariable':
      return 'a redirect sets a variable';
    case 'Redirect':
      // bash expands this word twice, also where it is quoted.
      return /^[<>]&$/.test(node.operator) && !/^(["']?)[\w./:@%+,=-]+\1$/.test(node.target?.text ?? '')
        ? 'what a redirect duplicates is not written out'
        : undefined;
    case 'HereDoc':
      return node.closing === undefined ? 'a here-document does not end' : undefined;
    case 'For':
    case 'Select':
      return !/^[a-z_][a-z0-9_]*$/i.test(node.name.text) || steersPrograms(node.name.text, false)
        ? 'a loop may set a variable that steers programs'
        : undefined;
    case 'Command': {
      const inFront = node.name !== undefined;
      const steering = node.prefix.find(
        (each) => each.type === 'Assignment' && steersPrograms(each.name, inFront),
      );
      if (steering?.type === 'Assignment')
        return `it sets ${steering.name}, by which something else may be made to run`;
      return /\$['"]/.test(node.name?.text ?? '') ? 'the name of a program is written in escapes' : undefined;
    }
    default:
      return undefined;
  }
}
