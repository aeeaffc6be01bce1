/** The clouds, by the official clients, against servers that check what the clouds would check. */
import { describe, it } from 'vitest';
import { modelClientChecks } from '../../../src/testing/index.ts';
import { everyNth } from '../../long-form.ts';
import { WIRES } from './open-wires.ts';
import { TRAITS } from './traits.ts';

/** Vertex opens a connection with TLS for each check. */
const SAMPLE = { 'Amazon Bedrock': 2, 'Google Vertex AI': 4, 'Microsoft Foundry': 2 } as const;

describe.each(['Amazon Bedrock', 'Google Vertex AI', 'Microsoft Foundry'] as const)('%s', (name) => {
  for (const check of everyNth(SAMPLE[name], modelClientChecks(WIRES[name], TRAITS[name])))
    it(check.name, check.run);
});
