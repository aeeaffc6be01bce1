/** The text of a command file, with its arguments in their places. */
import { splitArguments, type TemplatePart, templateParts } from '../util/template-parts.ts';

const ARGUMENT = /\$(?:ARGUMENTS\b|([1-9])(?!\d))/g;

export function fillTemplate(body: string, args: string): readonly TemplatePart[] {
  const words = splitArguments(args);
  let used = false;
  const fill = (text: string) =>
    text.replace(ARGUMENT, (_, position: string | undefined) => {
      used = true;
      return position === undefined ? args.trim() : (words[Number(position) - 1] ?? '');
    });
  const parts = templateParts(body).map(
    (part): TemplatePart =>
      part.kind === 'text'
        ? { kind: 'text', text: fill(part.text) }
        : { kind: 'shell', command: fill(part.command).trim() },
  );
  if (!used && args.trim() !== '') parts.push({ kind: 'text', text: `\n\nARGUMENTS: ${args.trim()}` });
  return parts;
}
