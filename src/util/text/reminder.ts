/**
 * A note to the model beside the prompt, as a text block. Quoted content (a file, say) cannot end it early.
 */
export function reminder(...paragraphs: readonly string[]): { readonly type: 'text'; readonly text: string } {
  const body = paragraphs.join('\n\n').replace(/<(\/?)\s*system-reminder/gi, '&lt;$1system-reminder');
  return { type: 'text', text: `<system-reminder>\n${body}\n</system-reminder>` };
}
