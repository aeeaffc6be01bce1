import { type DecodedLine, decodeLine, type ForeignRecord } from './envelope.ts';

/** How a record of ours, and one of the de-facto transcript, begins. */
const STARTS = ['{"v":', '{"parentUuid":'];
/** A damaged line is tried at this many places at most. */
const MAX_PIECES = 64;

export interface Salvaged {
  readonly records: readonly DecodedLine[];
  /** It held nothing but NULs, as a file system leaves after a power loss. */
  readonly onlyNul: boolean;
}

/**
 * What is left in a line that does not decode as a whole: records behind or before NULs, behind a torn one, or two on
 * one line (F70). A piece counts only when its checksum is right, or when it is a whole record of a transcript.
 */
export function salvageLine(line: Buffer): Salvaged {
  const text = trimNul(line);
  if (text.length === 0) return { records: [], onlyNul: line.length > 0 };
  const starts = pieceStarts(text);
  const records: DecodedLine[] = [];
  for (let i = 0; i < starts.length; i++) {
    for (let j = i + 1; j <= starts.length; j++) {
      const decoded = decodeLine(trimNul(text.subarray(starts[i], starts[j] ?? text.length)));
      if (!isWhole(decoded)) continue;
      records.push(decoded);
      i = j - 1;
      break;
    }
  }
  return { records, onlyNul: false };
}

function pieceStarts(text: Buffer): number[] {
  const starts: number[] = [];
  for (const start of STARTS) {
    for (
      let at = text.indexOf(start);
      at >= 0 && starts.length < MAX_PIECES;
      at = text.indexOf(start, at + 1)
    ) {
      starts.push(at);
    }
  }
  return starts.sort((a, b) => a - b);
}

/** A record that lies inside another one's content has no session of its own. */
function isWhole(decoded: DecodedLine): boolean {
  if (decoded.kind === 'foreign') return isTranscriptRecord(decoded.record);
  return decoded.kind === 'ok' || decoded.kind === 'takeover' || decoded.kind === 'newer';
}

function isTranscriptRecord(record: ForeignRecord): boolean {
  return typeof record['uuid'] === 'string' && typeof record['sessionId'] === 'string';
}

function trimNul(line: Buffer): Buffer {
  let start = 0;
  let end = line.length;
  while (start < end && line[start] === 0) start++;
  while (end > start && line[end - 1] === 0) end--;
  return line.subarray(start, end);
}
