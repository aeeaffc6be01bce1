/** Tool names that the API accepts: distinct and stable (F154). */
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';

/** The API's limit for a tool's name. */
const MAX_TOOL_NAME = 128;
/** Leaves space for the tool's part. */
const MAX_SERVER_SLUG = 48;

/** Names that are in use. */
export type TakenNames = Pick<ReadonlySet<string>, 'has'>;

/**
 * The server's part of tool names. It never contains `__` and never begins or ends with `_`, so `mcp__a__b`
 * is unambiguous, and a rule `mcp__a` covers the tools of one server.
 */
export function serverSlug(name: string, taken: ReadonlySet<string>): string {
  const plain = name
    .replace(/[^a-zA-Z0-9_-]/g, '_')
    .replace(/_{2,}/g, '_')
    .replace(/^_+|_+$/g, '');
  const slug = fitted(plain === '' ? 'server' : plain, name, MAX_SERVER_SLUG);
  return taken.has(slug) ? marked(slug, name, MAX_SERVER_SLUG) : slug;
}

/**
 * `mcp__<slug>__<tool>` by original name, for all tools of one server. Independent of their order: of several
 * names that become equal, only one that is unchanged keeps it; the others get a suffix.
 */
export function toolNames(
  slug: string,
  raw: readonly string[],
  taken: TakenNames = new Set(),
): ReadonlyMap<string, string> {
  const prefix = `mcp__${slug}__`;
  const room = MAX_TOOL_NAME - prefix.length;
  const plain = new Map([...new Set(raw)].map((name) => [name, name.replace(/[^a-zA-Z0-9_-]/g, '_')]));
  const claims = new Map<string, number>();
  for (const name of plain.values()) claims.set(name, (claims.get(name) ?? 0) + 1);
  return new Map(
    [...plain].map(([name, form]) => {
      const contested = ((claims.get(form) ?? 0) > 1 && form !== name) || taken.has(prefix + form);
      const tool = form === '' || contested ? marked(form, name, room) : fitted(form, name, room);
      return [name, prefix + tool];
    }),
  );
}

function fitted(name: string, raw: string, room: number): string {
  return name.length <= room ? name : marked(name, raw, room);
}

function marked(name: string, raw: string, room: number): string {
  const mark = sha256(raw).slice(0, 8);
  return `${name.slice(0, room - mark.length - 1)}_${mark}`;
}
