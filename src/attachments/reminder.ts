import type { TextBlock } from '../protocol/wire.ts';

/** A note from the engine to the model. What it quotes (a file, say) cannot end it early. */
export function reminder(...paragraphs: readonly string[]): TextBlock {
  const body = paragraphs.join('\n\n').replace(/<(\/?)\s*system-reminder/gi, '&lt;$1system-reminder');
  return { type: 'text', text: `<system-reminder>\n${body}\n</system-reminder>` };
}
