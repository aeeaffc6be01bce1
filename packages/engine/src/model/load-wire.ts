/** The wire of a client, loaded with its first call unless its code is there already. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { OpenWire, Wire, WirePorts } from '../protocol/model/provider-wire.ts';
import type { ClientWire } from './retry/request-attempt.ts';

export function loadWire(open: OpenWire, ports: WirePorts): ClientWire {
  return new LoadedWire(open, ports);
}

/** One whose code is loaded with the client's. */
export function loadedWire(wire: Wire): ClientWire {
  return { loaded: wire, load: async () => wire };
}

class LoadedWire implements ClientWire {
  loaded: Wire | undefined;
  #loading: Promise<Wire | ModelFailure> | undefined;
  readonly #open: OpenWire;
  readonly #ports: WirePorts;

  constructor(open: OpenWire, ports: WirePorts) {
    this.#open = open;
    this.#ports = ports;
  }

  load(): Promise<Wire | ModelFailure> {
    this.#loading ??= this.#load();
    return this.#loading;
  }

  async #load(): Promise<Wire | ModelFailure> {
    try {
      this.loaded = await this.#open(this.#ports);
      return this.loaded;
    } catch (error) {
      // The next call tries again: a package may be installed in the meantime.
      this.#loading = undefined;
      return { kind: 'invalid_request', message: errorText(error), shouldRetry: false, cause: error };
    }
  }
}
