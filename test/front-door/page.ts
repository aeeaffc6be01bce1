/** A page as a reader follows it: which files it has them write, which commands they run, and what these print. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileNamed } from '../code-blocks.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export type Step =
  | { readonly kind: 'file'; readonly name: string; readonly text: string }
  | { readonly kind: 'commands'; readonly text: string; readonly prints: string | undefined };

/**
 * The steps of a page in its order. A `text` block after a `sh` block is what the commands print. Blocks of other kinds
 * without a name of a file are only shown.
 */
export function stepsOf(page: string): readonly Step[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const steps: Step[] = [];
  for (const match of text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)) {
    const [, language = '', block = ''] = match;
    const name = fileNamed(text.slice(0, match.index));
    const last = steps.at(-1);
    if (name !== undefined) steps.push({ kind: 'file', name, text: block });
    else if (language === 'sh') steps.push({ kind: 'commands', text: block, prints: undefined });
    else if (language === 'text' && last?.kind === 'commands' && last.prints === undefined)
      steps[steps.length - 1] = { ...last, prints: block };
  }
  return steps;
}

/** The lines that a page shows; `…` stands for any text within a line, and a line of it alone for any lines. */
export function shows(printed: string, shown: string): RegExp | undefined {
  const pattern = shown
    .trimEnd()
    .split('\n')
    .map((line) =>
      line === '…'
        ? '[\\s\\S]*'
        : line
            .split('…')
            .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
            .join('.*'),
    )
    .join('\\n');
  const expected = new RegExp(`^${pattern}$`, 'm');
  return expected.test(printed) ? undefined : expected;
}
