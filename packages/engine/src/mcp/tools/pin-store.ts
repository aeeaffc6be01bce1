import { join } from 'node:path';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';

/** Tools of one server seen before, by name, as listed. */
type PinnedTools = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Storage of pins beyond the session. */
export interface PinStore {
  /** undefined for a missing or unreadable file. */
  read(): Promise<PinnedTools | undefined>;
  write(tools: PinnedTools): Promise<void>;
}

const FOLDER = 'mcp-tools';

/**
 * Pins of a project's servers: one file per server in the user's home. `configuration`: identifies the
 * server; another one under the same name has no pins yet.
 */
export function createPinStore(
  place: {
    readonly configHome: string;
    readonly projectRoot: string;
    readonly server: string;
    readonly configuration: unknown;
  },
  files: Pick<PersistentFiles, 'readFile' | 'makeDir' | 'writeAtomic'>,
): PinStore {
  const { configHome, projectRoot, server, configuration } = place;
  const key = sha256(JSON.stringify([projectRoot, server, configuration]));
  const file = join(configHome, FOLDER, `${key.slice(0, 32)}.json`);
  return {
    async read() {
      try {
        const held: unknown = JSON.parse(new TextDecoder().decode(await files.readFile(file)));
        const tools = isRecord(held) ? held['tools'] : undefined;
        return isRecord(tools) && Object.values(tools).every(isRecord) ? (tools as PinnedTools) : undefined;
      } catch {
        return undefined;
      }
    },
    async write(tools) {
      await files.makeDir(join(configHome, FOLDER), 0o700);
      await files.writeAtomic(file, `${JSON.stringify({ version: 1, projectRoot, server, tools })}\n`, {
        mode: 0o600,
      });
    },
  };
}
