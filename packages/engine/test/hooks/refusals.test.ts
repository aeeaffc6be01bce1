/** Every odd form in which a hook may print that it refuses: none of them lets the call run. */
import { describe, expect, it } from 'vitest';
import { readHookOutput } from '../../src/hooks/read-hook-output.ts';
import { readText } from '../../src/hooks/read-text.ts';

const DENY =
  '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"NOPE"}}';
const PRETTY = JSON.stringify(JSON.parse(DENY), null, 2);
const BLOCK = '{"decision":"block","reason":"NOPE"}';

/** What the call meets: the hook's own answer, a failure (which closes), or nothing. */
function verdict(text: string): 'refused' | 'failed' | 'open' {
  const run = readText(text, 'PreToolUse', true);
  if (run.kind !== 'answer') return 'failed';
  const reading = readHookOutput(run.answer, 'PreToolUse');
  if (!reading.ok) return 'failed';
  return JSON.stringify(reading.output).includes('NOPE') ? 'refused' : 'open';
}

describe('a hook that means to refuse', () => {
  it.each([
    ['alone', DENY, 'refused'],
    ['over several lines', PRETTY, 'refused'],
    ['with a byte order mark', `\uFEFF${DENY}`, 'refused'],
    ['after a line of text', `ready\n${DENY}`, 'refused'],
    ['after text, over several lines', `ready\n${PRETTY}\n`, 'refused'],
    ['after text with CRLF', `ready\r\n${DENY}\r\n`, 'refused'],
    ['as a decision after text', `checking\n${BLOCK}`, 'refused'],
    ['stop after text', 'x\n{"continue":false,"stopReason":"NOPE"}', 'refused'],
    ['after another object on a line of its own', `note\n{"a":1}\n${DENY}`, 'refused'],
    ['behind text on one line', `ready ${DENY}`, 'failed'],
    ['before text', `${DENY}\ndone`, 'failed'],
    ['between text', `ready\n${DENY}\ndone`, 'failed'],
    ['twice', `${DENY}\n${DENY}`, 'failed'],
    ['after another object', `{"a":1}\n${DENY}`, 'failed'],
    ['in a code fence', `\`\`\`json\n${DENY}\n\`\`\``, 'failed'],
    ['in a list', `[${DENY}]`, 'failed'],
    ['as a string of JSON', JSON.stringify(DENY), 'failed'],
    ['coloured', `\u001b[0m${DENY}\u001b[0m`, 'failed'],
    ['with a comma too many', DENY.replace('}}', ',}}'), 'failed'],
    ['in single quotes', DENY.replaceAll('"', "'"), 'failed'],
    ['cut off', DENY.slice(0, -2), 'failed'],
    ['decision "deny"', '{"decision":"deny","reason":"NOPE"}', 'failed'],
    ['with a capital', DENY.replace('"deny"', '"Deny"'), 'failed'],
    ['without the inner object', '{"permissionDecision":"deny"}', 'failed'],
    ['without the event', '{"hookSpecificOutput":{"permissionDecision":"deny"}}', 'failed'],
  ])('%s', (_, text, expected) => expect(verdict(text)).toBe(expected));

  it.each([
    ['an answer that allows after text', `ready\n${DENY.replace('deny', 'allow').replace('NOPE', 'x')}`],
    [
      'what allows after quoted words of a refusal',
      `${DENY} was it?\n{"decision":"approve","reason":"NOPE"}`.slice(1),
    ],
    ['text about other settings', 'wrote {"continue": true, "decision": "later"}'],
    ['a logger', 'checked: ls'],
    ['nothing', ''],
  ])('%s is no allowance', (_, text) => expect(verdict(text)).not.toBe('refused'));
});
