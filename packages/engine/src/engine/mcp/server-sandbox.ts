/** Isolation of MCP servers: they run longer than a command, and go on when a conversation is cleared. */
import type { Isolate, SandboxPort } from '../../protocol/tools/isolation.ts';
import type { QueryEngineConfig } from '../config.ts';
import { type SandboxSurroundings, sandboxFor } from '../sandbox/sandbox-surroundings.ts';

/** Opened by the first server that runs in it; it belongs to those who connect to the servers. */
export class ServerSandbox {
  readonly #config: QueryEngineConfig;
  readonly #surroundings: () => SandboxSurroundings;
  #port: SandboxPort | undefined;

  /** `surroundings`: of the session that the servers serve at the moment. */
  constructor(config: QueryEngineConfig, surroundings: () => SandboxSurroundings) {
    this.#config = config;
    this.#surroundings = surroundings;
  }

  /** undefined: the server runs as any program does. */
  isolateFor(server: string): Isolate | undefined {
    if (this.#config.sandbox?.isolatesServer(server) !== true) return undefined;
    this.#port ??= sandboxFor(this.#config, {
      permissions: () => this.#surroundings().permissions(),
      readable: () => this.#surroundings().readable(),
    });
    return this.#port?.isolate;
  }

  /** Once no server runs in it any more. Never rejects. */
  async close(): Promise<void> {
    await this.#port?.close();
  }
}
