/** The published client as a drop-in for our package: what is to be said is which executable it starts, and how. */
import { fileURLToPath } from 'node:url';
import * as client from '@anthropic-ai/claude-agent-sdk';

export * from '@anthropic-ai/claude-agent-sdk';

const BIN =
  process.env['TURNWRIGHT_BIN'] ?? fileURLToPath(new URL('../../dist/bin/turnwright', import.meta.url));

const started = (options: client.Options = {}): client.Options => ({
  pathToClaudeCodeExecutable: BIN,
  // Else it warns that a later version will do so by itself.
  mcpServersDelivery: 'initialize',
  ...options,
});

export const query: typeof client.query = ({ prompt, options }) =>
  client.query({ prompt, options: started(options) });

export const startup: typeof client.startup = ({ options, ...rest } = {}) =>
  client.startup({ ...rest, options: started(options) });
