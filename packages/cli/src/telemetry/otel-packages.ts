/**
 * The packages of OpenTelemetry, which a person installs: beside this program, or all of them as
 * `@opentelemetry/sdk-node`, of which only what is used is loaded.
 */
import { createRequire } from 'node:module';

/** A provider, a processor, a reader or an exporter. */
export interface OtelPart {
  forceFlush?(): Promise<void>;
  shutdown?(): Promise<void>;
  getTracer(name: string, version: string): unknown;
  getMeter(name: string, version: string): unknown;
  getLogger(name: string, version: string): unknown;
}

const SDK = '@opentelemetry/sdk-node';

const INSTALL = `npm install --global ${SDK}@0.223 (or, for a local install, without --global)`;

/** The package was found in no place. */
export class OtelMissing extends Error {
  override readonly name = 'OtelMissing';
}

/** Throws `OtelMissing`. */
export function loadOtel(name: string): Readonly<Record<string, unknown>> {
  const own = createRequire(import.meta.url);
  for (const from of [() => own, () => createRequire(own.resolve(SDK))]) {
    try {
      return from()(`@opentelemetry/${name}`);
    } catch (error) {
      if ((error as { readonly code?: unknown }).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  throw new OtelMissing(`the package @opentelemetry/${name} is not installed: ${INSTALL}`);
}
