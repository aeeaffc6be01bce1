/** Requirements of a wire: those of a model client that speaks by it. */
import type { Credential, OwnWire } from '@turnwright/engine/protocol/model/provider-wire.ts';
import type { Check } from './check.ts';
import type { OpenedModel, WireTraits } from './model/opened-model.ts';
import { modelClientChecks } from './model-client-checks.ts';

/** A wire, and the server that it speaks to. */
export interface OpenedWire extends Omit<OpenedModel, 'client'> {
  readonly wire: OwnWire;
  /** Of its requests, at first. A renewed one is the `authToken`. Default none. */
  readonly credential?: Credential;
}

/**
 * The contract of a `Wire`, as checks for any test runner: `for (const { name, run } of wireChecks(open,
 * traits)) it(name, run)`. `open` starts a server of the API on loopback and makes a wire to it, anew for
 * each check. A session's retries, time limits and records are around the wire while it is checked.
 */
export function wireChecks(open: () => Promise<OpenedWire>, traits: WireTraits): readonly Check[] {
  return modelClientChecks(async ({ renewCredential, ...setup }) => {
    const { createOwnClient } = await import('@turnwright/engine/model/own-wire.ts');
    const { credential, wire, ...opened } = await open();
    const client = createOwnClient(wire, {
      ...setup,
      ...definedOf(credential),
      ...(renewCredential !== undefined && {
        credentials: async (why) => {
          const authToken = await renewCredential(why);
          return authToken === undefined ? undefined : { authToken };
        },
      }),
    });
    return {
      ...opened,
      client,
      async dispose() {
        await client.close();
        await opened.dispose();
      },
    };
  }, traits);
}

function definedOf({ apiKey, authToken }: Credential = {}) {
  return { ...(apiKey !== undefined && { apiKey }), ...(authToken !== undefined && { authToken }) };
}
