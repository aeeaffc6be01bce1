/** Which files of large tool results a store holds, and under which keys: it may have no list of its own. */
import { parseJson } from '@turnwright/base/bounded-json.ts';

export interface KeptFile {
  readonly path: string;
  readonly bytes: number;
}

/** Of the folder of the files, and before each key. */
export const RESULTS_FOLDER = 'tool-results';
/** Bytes that are in memory at once. */
export const PART_BYTES = 8 * 1024 * 1024;

export const partKey = (path: string, part: number): string => `${RESULTS_FOLDER}${path}#${part}`;

const filesIn = (index: Uint8Array): readonly KeptFile[] =>
  parseJson(Buffer.from(index).toString()) as readonly KeptFile[];

/** The index of the files in a store. */
export interface KeptResultsFormat {
  /** Its key. */
  readonly index: string;
  paths(index: Uint8Array): readonly string[];
  /** The index without some files, and the keys of these. */
  without(
    index: Uint8Array,
    isGone: (path: string) => boolean,
  ): { readonly kept: Uint8Array; readonly parts: readonly string[] };
}

export const keptResults: KeptResultsFormat & {
  readonly files: (index: Uint8Array) => readonly KeptFile[];
  readonly written: (files: readonly KeptFile[]) => Uint8Array;
} = {
  index: `${RESULTS_FOLDER}/index`,
  files: filesIn,
  written: (files) => Buffer.from(JSON.stringify(files)),
  paths: (index) => filesIn(index).map(({ path }) => path),
  without(index, isGone) {
    const files = filesIn(index);
    return {
      kept: Buffer.from(JSON.stringify(files.filter(({ path }) => !isGone(path)))),
      parts: files.flatMap(({ path, bytes }) =>
        isGone(path)
          ? Array.from({ length: Math.ceil(bytes / PART_BYTES) }, (_, part) => partKey(path, part))
          : [],
      ),
    };
  },
};
