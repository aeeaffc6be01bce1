/** Tool pins of a project's servers: one file per server in the user's home. */
import { join } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import { sha256 } from '../../util/ids/sha256.ts';
import { isRecord } from '../servers/server-config.ts';
import type { PinnedTools, PinStore } from './tool-pins.ts';

const FOLDER = 'mcp-tools';

/** `configuration`: identifies the server; another one under the same name has no pins yet. */
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
