/** The clouds, by the official clients, against servers that check what the clouds would check. */
import { describe, it } from 'vitest';
import { modelClientChecks } from '../../../src/testing/index.ts';
import { WIRES } from './open-wires.ts';
import { TRAITS } from './traits.ts';

describe.each(['Amazon Bedrock', 'Google Vertex AI', 'Microsoft Foundry'] as const)('%s', (name) => {
  for (const check of modelClientChecks(WIRES[name], TRAITS[name])) it(check.name, check.run);
});
