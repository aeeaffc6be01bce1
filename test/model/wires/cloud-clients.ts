/** Clients of the clouds for tests: as the variables and settings of a session would make them. */

import type { CloudName } from '@turnwright/engine/protocol/model/provider.ts';
import { bedrockAccess } from '../../../packages/engine/src/model/cloud/bedrock.ts';
import { foundryAccess } from '../../../packages/engine/src/model/cloud/foundry.ts';
import { vertexAccess } from '../../../packages/engine/src/model/cloud/vertex.ts';
import {
  createModelClient,
  type ModelClientOptions,
} from '../../../packages/engine/src/model/create-model-client.ts';
import type { WireAccess, WireSetup } from '../../../packages/engine/src/model/wire-setup.ts';

const ACCESS = { bedrock: bedrockAccess, vertex: vertexAccess, foundry: foundryAccess };

export const KEYS = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG',
  sessionToken: 'session-token-1',
};
export const AWS_ENV = {
  AWS_REGION: 'us-west-2',
  AWS_ACCESS_KEY_ID: KEYS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: KEYS.secretAccessKey,
  AWS_SESSION_TOKEN: KEYS.sessionToken,
};

export function cloud(name: CloudName, env: WireSetup['env'], more: Partial<WireSetup> = {}): WireAccess {
  return ACCESS[name]({
    provider: { type: name },
    env,
    userAgent: 'turnwright/test',
    headers: {},
    caching: true,
    cacheTtl: '5m',
    extraBody: undefined,
    commands: {},
    runCommand: () => Promise.reject(new Error('There is no command to run.')),
    ...more,
  });
}

/** The first party's address is one where nothing listens: no request may go there. */
export function cloudClient(
  access: WireAccess,
  options: Pick<ModelClientOptions, 'clock' | 'random'> & Partial<ModelClientOptions>,
) {
  if ('problem' in access) throw new Error(access.problem);
  return createModelClient({ baseUrl: 'http://127.0.0.1:9', wire: access.open, ...options });
}
