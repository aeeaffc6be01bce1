/** The clouds, by the official clients, against servers that check what the clouds would check. */

import { everyNth } from '@turnwright/test/long-form.ts';
import { WIRES } from '@turnwright/test/model/wires/open-wires.ts';
import { TRAITS } from '@turnwright/test/model/wires/traits.ts';
import { modelClientChecks } from '@turnwright/testing';
import { describe, it } from 'vitest';

/** Vertex opens a connection with TLS for each check. */
const SAMPLE = { 'Amazon Bedrock': 2, 'Google Vertex AI': 4, 'Microsoft Foundry': 2 } as const;

describe.each(['Amazon Bedrock', 'Google Vertex AI', 'Microsoft Foundry'] as const)('%s', (name) => {
  for (const check of everyNth(SAMPLE[name], modelClientChecks(WIRES[name], TRAITS[name])))
    it(check.name, check.run);
});
