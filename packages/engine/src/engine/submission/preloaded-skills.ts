/** Skills that a conversation begins with, because its agent's definition names them. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { AttachmentMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { PreloadSkills } from '../project/session-skills.ts';

interface Beginning {
  readonly messages: readonly (UserMessage | AttachmentMessage)[];
  /** A sentence for each thing that was meant to be there and is not. */
  readonly problems: readonly string[];
}

/** The texts of the skills, then what is `missing` besides them. */
export async function beginWith(
  names: readonly string[],
  missing: readonly string[],
  preload: PreloadSkills,
  { ids, clock }: { readonly clock: Clock; readonly ids: Ids },
): Promise<Beginning> {
  const stamp = () => ({ uuid: ids.uuid(), timestamp: isoTime(clock.nowMs()) });
  const found = await preload(names);
  const problems = [...missing, ...found.problems];
  const skills = found.texts.map(
    (text): UserMessage => ({
      ...stamp(),
      type: 'user',
      kind: 'skill',
      isSynthetic: true,
      message: { role: 'user', content: [{ type: 'text', text }] },
    }),
  );
  return {
    messages: problems.length === 0 ? skills : [...skills, missingThings(problems, stamp())],
    problems,
  };
}

/** It can say so in its report, or find another way. */
function missingThings(
  problems: readonly string[],
  stamp: Pick<AttachmentMessage, 'uuid' | 'timestamp'>,
): AttachmentMessage {
  const text = `Not everything that was meant for you is there:\n${problems.map((line) => `- ${line}`).join('\n')}`;
  return {
    ...stamp,
    type: 'attachment',
    attachment: { type: 'agent_setup', problems },
    rendered: [reminder(text)],
  };
}
