/** Answers of a rehearsed judge of the mode `auto`. */
import { reply, type ScriptedReply } from '@turnwright/testing/rehearsal';

/** `model` of the judge in scenarios. */
export const JUDGE = 'claude-haiku-4-5';

export const judged = (text: string, more: Partial<ScriptedReply> = {}): ScriptedReply =>
  reply(text, { when: { kind: 'helper' }, ...more });
export const allows = (more: Partial<ScriptedReply> = {}): ScriptedReply =>
  judged('{"verdict": "allow", "reason": "It is what was asked for."}', more);
export const handsOn = (reason = 'It was not asked for.'): ScriptedReply =>
  judged(JSON.stringify({ verdict: 'hand_on', reason }));
