// Every address on every page: a file of the site (and an anchor in it), or a page elsewhere that is only linked. What a
// page loads must be part of the site.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export function brokenLinks(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.html'),
  );
  const texts = new Map(
    files.map((name) => [name.replaceAll('\\', '/'), readFileSync(join(folder, name), 'utf8')]),
  );
  const ids = new Map(
    [...texts].map(([name, text]) => [
      name,
      new Set([...text.matchAll(/\s(?:id|name)="([^"]+)"/g)].map(([, id]) => id)),
    ]),
  );
  const broken = [];
  let links = 0;
  for (const [name, text] of texts) {
    if (!/^<!doctype html>[\s\S]*<\/html>\s*$/.test(text)) broken.push(`${name} has no frame`);
    for (const [, tag, attribute, address] of text.matchAll(/<(\w+)\b[^>]*?\s(href|src)="([^"]*)"/g)) {
      links += 1;
      const isLoaded = attribute === 'src' || tag === 'link';
      if (/^[a-z]+:/.test(address)) {
        if (isLoaded) broken.push(`${name} loads ${address}`);
        continue;
      }
      const [path, anchor] = address.split('#');
      const to = path === '' ? name : posix.normalize(posix.join(posix.dirname(name), decodeURI(path)));
      if (address.startsWith('/') || to.startsWith('..') || !existsSync(join(folder, to)))
        broken.push(`${name} leads to ${address}, which does not exist`);
      else if (anchor && !ids.get(to)?.has(decodeURIComponent(anchor)))
        broken.push(`${name} leads to ${address}: no such anchor`);
    }
  }
  return { pages: texts.size, links, broken };
}
