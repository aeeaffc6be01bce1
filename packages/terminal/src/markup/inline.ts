/** What is inside a paragraph: emphasis, code, links. */
import { Lexer, type Token, type Tokens } from 'marked';
import { clean } from '../text/clean.ts';
import type { Theme } from '../text/theme.ts';

/** The text with its styles; hard line breaks are line feeds, soft ones blanks. */
export function inlineText(source: string, theme: Theme): string {
  return tokensText(Lexer.lexInline(source.trimEnd()), theme);
}

export function tokensText(tokens: readonly Token[], theme: Theme): string {
  return tokens.map((token) => tokenText(token as Tokens.Generic, theme)).join('');
}

function tokenText(token: Tokens.Generic, theme: Theme): string {
  const inner = () => tokensText(token.tokens ?? [], theme);
  switch (token.type) {
    case 'strong':
      return theme.bold(inner());
    case 'em':
      return theme.italic(inner());
    case 'del':
      return theme.struck(inner());
    case 'codespan':
      return theme.code(plain(token['text']));
    case 'br':
      return '\n';
    case 'link':
      return linkText(inner(), String(token['href']), theme);
    case 'image':
      return linkText(`[image: ${plain(token['text'])}]`, String(token['href']), theme);
    case 'text':
    case 'escape':
      return token.tokens === undefined ? plain(token['text']) : inner();
    default:
      return plain(token.raw);
  }
}

/** The address is shown too, so that a link cannot say one thing and lead to another. */
function linkText(text: string, href: string, theme: Theme): string {
  const address = plain(href);
  const isSame = text === address || `mailto:${text}` === address;
  return isSame ? theme.link(text) : `${text} (${theme.link(address)})`;
}

function plain(text: unknown): string {
  return clean(String(text)).replaceAll('\n', ' ');
}
