import { type DecodedLine, decodeLine, type ForeignRecord } from './envelope.ts';

/** Beginnings of own records, and of records of the common transcript. */
const STARTS = ['{"v":', '{"parentUuid":'];
/** Maximum number of positions that are tried in a damaged line. */
const MAX_PIECES = 64;

interface Salvaged {
  readonly records: readonly DecodedLine[];
  /** Only NULs, as a file system leaves them after a power loss. */
  readonly onlyNul: boolean;
}

/**
 * Records in a line that does not decode as a whole: before or after NULs, after a truncated record, or two
 * on one line (F70). A piece counts only if its checksum is right, or it is a complete record of a
 * transcript.
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

/** A record inside another one's content has no session id. */
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
