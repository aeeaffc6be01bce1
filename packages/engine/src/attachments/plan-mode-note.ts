/** Notifies the model once that plan mode is on, what it means, and when it ends. */

import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { TextBlock } from '../protocol/model/wire.ts';
import { toolFacts } from '../protocol/tools/builtin-tools.ts';
import {
  type AttachmentInput,
  type AttachmentSource,
  type FoundAttachment,
  NOTHING_FOUND,
} from './source.ts';

export interface PlanModeFacts {
  readonly active: boolean;
  /** A plan can be approved in this run. */
  readonly canBeLeft: boolean;
  /** Instructions for planning, instead of the default. */
  readonly instructions?: string | undefined;
}

const WORKFLOW = `1. Understand what is asked. Read the code it touches, and look for what exists already and can be used.
2. Ask about what only the user can decide; find out the rest yourself.
3. Weigh the ways it can be done, and choose one.
4. Write the plan: what changes in which files, in which order, and how it will be checked. No longer than needed to judge it.`;

/** The note in the conversation while plan mode is on. */
export function planModeNote({ canBeLeft, instructions }: PlanModeFacts): FoundAttachment {
  const rendered: TextBlock = reminder(
    'Plan mode is on: nothing may be changed. Only tools that read run; every other call is refused, whatever was allowed before.',
    instructions ?? WORKFLOW,
    canBeLeft
      ? 'When the plan is ready, call ExitPlanMode with it: the user then decides. End no turn with a question about the plan in mere text.'
      : 'When the plan is ready, give it as your answer. It cannot be approved in this run, so plan mode stays on.',
  );
  return { attachment: { type: 'plan_mode', active: true }, rendered: [rendered] };
}

interface PlanModeSource extends AttachmentSource {
  /** Attachments for a prompt. */
  withPrompt(): readonly FoundAttachment[];
}

export function planMode(facts: () => PlanModeFacts): PlanModeSource {
  return new PlanMode(facts);
}

class PlanMode implements PlanModeSource {
  readonly name = 'plan_mode';
  readonly #facts: () => PlanModeFacts;
  #told = false;

  constructor(facts: () => PlanModeFacts) {
    this.#facts = facts;
  }

  collect({ toolUses }: AttachmentInput): readonly FoundAttachment[] {
    return this.#changed(toolUses);
  }

  withPrompt(): readonly FoundAttachment[] {
    return this.#changed([]);
  }

  #changed(calls: AttachmentInput['toolUses']): readonly FoundAttachment[] {
    const now = this.#facts();
    if (now.active === this.#told) return NOTHING_FOUND;
    this.#told = now.active;
    if (now.active) return [planModeNote(now)];
    if (calls.some(({ name }) => toolFacts(name).sets === 'plan')) return NOTHING_FOUND;
    const over = reminder('Plan mode is off. Things may be changed again, as the rules allow.');
    return [{ attachment: { type: 'plan_mode', active: false }, rendered: [over] }];
  }
}
