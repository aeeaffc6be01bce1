import { verifyThinking } from '../accounting/sign-thinking.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** Altered, unsigned, or signed for another model: the API has one error text for all three. */
export const thinkingSignature: JudgeRule = {
  name: 'thinking-signature',
  check({ turns, model }) {
    for (const turn of turns) {
      if (turn.role !== 'assistant') continue;
      for (const [at, block] of turn.blocks.entries()) {
        const path = `messages.${turn.index}.content.${at}`;
        if (block.type === 'thinking') {
          if (verifyThinking(model, String(block['thinking']), String(block['signature'])) === 'valid')
            continue;
          return invalidRequest(`${path}: Invalid \`signature\` in \`thinking\` block`);
        }
        if (block.type === 'redacted_thinking') {
          if (verifyThinking(model, '', String(block['data'])) === 'valid') continue;
          return invalidRequest(`${path}: Invalid \`data\` in \`redacted_thinking\` block`);
        }
      }
    }
    return undefined;
  },
};
