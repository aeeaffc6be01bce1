import { expect, it } from 'vitest';
import { forbiddenAddress } from '../../src/web/address-guard.ts';

it.each([
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['0.0.0.0', 'unspecified'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'carrier-internal'],
  ['100.100.100.200', 'carrier-internal'],
  ['169.254.169.254', 'link-local'],
  ['168.63.129.16', "the cloud's own"],
  ['198.18.0.1', 'reserved'],
  ['224.0.0.1', 'multicast'],
  ['255.255.255.255', 'reserved'],
  ['::1', 'loopback'],
  ['::', 'unspecified'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'bound to one interface'],
  ['fd00:ec2::254', 'private'],
  ['ff02::1', 'multicast'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:a9fe:a9fe', 'link-local'],
  ['::127.0.0.1', 'reserved'],
  ['64:ff9b::a00:1', 'private'],
  ['64:ff9b:1::a00:1', 'reserved'],
  ['2001:db8::1', 'reserved'],
  ['2001:0:1::1', 'reserved'],
  ['2002:7f00:1::', 'a tunnel'],
  ['fec0::1', 'reserved'],
  ['example.com', 'not an address'],
])('no page comes from %s: it is %s', (address, kind) => {
  expect(forbiddenAddress(address)).toBe(kind);
});

it.each([
  '93.184.215.14',
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '::ffff:8.8.8.8',
  '64:ff9b::808:808',
  '2606:4700::6810:84e5',
  '2a00:1450:4001::1',
])('%s is public', (address) => {
  expect(forbiddenAddress(address)).toBeUndefined();
});
