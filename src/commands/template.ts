/** Fills arguments into the text of a command file. */
import { argumentFiller } from '../util/text/fill-arguments.ts';
import { type TemplatePart, templateParts } from '../util/text/template-parts.ts';

export function fillTemplate(body: string, args: string, names: readonly string[]): readonly TemplatePart[] {
  const filler = argumentFiller(args, names);
  const parts = templateParts(body).map(
    (part): TemplatePart =>
      part.kind === 'text'
        ? { kind: 'text', text: filler.fill(part.text) }
        : { kind: 'shell', command: filler.fill(part.command).trim() },
  );
  if (!filler.used && args.trim() !== '') parts.push({ kind: 'text', text: `\n\nARGUMENTS: ${args.trim()}` });
  return parts;
}
