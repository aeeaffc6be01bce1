/** What a prompt brought along, one line each: `read src/add.ts (3 lines)`. */
import type { PromptAttachment } from '@turnwright/engine';
import { type ShownPlace, shortPath } from '../../words/tool-label.ts';
import { counted } from '../../words/units.ts';
import type { NoteItem } from './transcript-item.ts';

export function attachedNotes(attached: readonly PromptAttachment[], place: ShownPlace): readonly NoteItem[] {
  return attached.map((each) => {
    const name = describeAttachment(each, place);
    const problem = each.type === 'agent_mention' ? undefined : each.problem;
    if (problem !== undefined)
      return { kind: 'note', tone: 'warning', text: `${name} was not read: ${problem}` };
    return { kind: 'note', tone: 'quiet', text: doneWith(each, name) };
  });
}

function describeAttachment(each: PromptAttachment, place: ShownPlace): string {
  if (each.type === 'file') return shortPath(each.path, place);
  return each.type === 'agent_mention' ? `the agent ${each.agent}` : `${each.uri} of ${each.server}`;
}

function doneWith(each: PromptAttachment, name: string): string {
  if (each.type === 'agent_mention') return `asks for ${name}`;
  if (each.type === 'mcp_resource') return `read ${name}`;
  if (each.entries !== undefined)
    return `listed ${name} (${each.entries === 1 ? '1 entry' : `${each.entries} entries`})`;
  return each.lines === undefined ? `read ${name}` : `read ${name} (${counted(each.lines, 'line')})`;
}
