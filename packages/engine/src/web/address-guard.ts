/**
 * Addresses that pages may be fetched from. A URL in a model's answer may come from an attacker: it must not
 * reach private services, such as those of this machine, the network around it, or the metadata of a cloud.
 */
import { BlockList, isIP } from 'node:net';

const IPV4: readonly (readonly [network: string, bits: number, what: string])[] = [
  ['0.0.0.0', 8, 'unspecified'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'carrier-internal'],
  ['127.0.0.0', 8, 'loopback'],
  ['168.63.129.16', 32, "the cloud's own"],
  ['169.254.0.0', 16, 'link-local'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'reserved'],
  ['192.0.2.0', 24, 'reserved'],
  ['192.88.99.0', 24, 'reserved'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'reserved'],
  ['198.51.100.0', 24, 'reserved'],
  ['203.0.113.0', 24, 'reserved'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'reserved'],
];

/** Within 2000::/3, the only public range. */
const IPV6: readonly (readonly [network: string, bits: number, what: string])[] = [
  ['2001::', 23, 'reserved'],
  ['2001:db8::', 32, 'reserved'],
  ['2002::', 16, 'a tunnel'],
  ['3fff::', 20, 'reserved'],
];

const lists = [
  ...IPV4.map(([network, bits, what]) => ({ what, list: createBlockList(network, bits, 'ipv4') })),
  ...IPV6.map(([network, bits, what]) => ({ what, list: createBlockList(network, bits, 'ipv6') })),
];

function createBlockList(network: string, bits: number, family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  list.addSubnet(network, bits, family);
  return list;
}

/** The kind of a forbidden address; undefined for an allowed one. */
export function forbiddenAddress(address: string): string | undefined {
  switch (isIP(address)) {
    case 4:
      return lists.find(({ list }) => list.check(address, 'ipv4'))?.what;
    case 6:
      return forbiddenIPv6(address);
    default:
      return 'not an address';
  }
}

function forbiddenIPv6(address: string): string | undefined {
  const groups = parseGroups(address);
  if (groups === undefined) return 'bound to one interface';
  const [first = 0, second = 0] = groups;
  const leading = groups.slice(0, 6);
  const embedded = `${high(groups[6])}.${low(groups[6])}.${high(groups[7])}.${low(groups[7])}`;
  const isMapped = leading.every((group, i) => group === (i === 5 ? 0xffff : 0));
  // 64:ff9b::/96: IPv4 addresses in an IPv6-only network.
  const isTranslated = first === 0x64 && second === 0xff9b && leading.slice(2).every((group) => group === 0);
  if (isMapped || isTranslated) return forbiddenAddress(embedded);
  if (groups.every((group, i) => group === (i === 7 ? 1 : 0))) return 'loopback';
  if (groups.every((group) => group === 0)) return 'unspecified';
  if ((first & 0xfe00) === 0xfc00) return 'private';
  if ((first & 0xffc0) === 0xfe80) return 'link-local';
  if ((first & 0xff00) === 0xff00) return 'multicast';
  if ((first & 0xe000) !== 0x2000) return 'reserved';
  return lists.find(({ list }) => list.check(address, 'ipv6'))?.what;
}

/** The eight groups; undefined for an address with a zone. */
function parseGroups(address: string): readonly number[] | undefined {
  const text = `http://[${address}]/`;
  if (!URL.canParse(text)) return undefined;
  const [head = '', tail] = new URL(text).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

const high = (group = 0): number => group >> 8;
const low = (group = 0): number => group & 0xff;
