/** The published client as a drop-in for our package: the one thing to say is which executable it starts. */
import { fileURLToPath } from 'node:url';
import * as client from '@anthropic-ai/claude-agent-sdk';

export * from '@anthropic-ai/claude-agent-sdk';

const BIN =
  process.env['TURNWRIGHT_BIN'] ?? fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));

export const query: typeof client.query = ({ prompt, options }) =>
  client.query({ prompt, options: { pathToClaudeCodeExecutable: BIN, ...options } });
