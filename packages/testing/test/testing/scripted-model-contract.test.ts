/** The scripted model does what every model client must do: what a test scripts is what a client says. */
import { it } from 'vitest';
import { modelClientChecks, type WireTraits } from '../../src/testing/index.ts';
import { openScriptedModel } from './scripted-server.ts';

/** Nothing is sent, so nothing is rendered, cached or renewed. */
const DOUBLE: WireTraits = {
  caching: 'none',
  thinking: 'signed',
  usage: 'details',
  usageComes: 'early',
  credential: 'own',
  overload: 'status',
  tooLong: 'counted',
  body: 'estimated',
  http: 'none',
};

for (const { name, run } of modelClientChecks(openScriptedModel, DOUBLE)) it(name, run);
