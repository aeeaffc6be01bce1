/** What the rules say to the sandbox: paths and domains, and which folders belong to which source. */

import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';

const cwd = '/work/proj';
const permissions = () =>
  createPermissions({
    files: nodeFiles,
    home: '/home/me',
    rules: {
      session: {
        allow: [
          'Edit(/out/**)',
          'Write(//var/log/*)',
          'Read(/in/**)',
          'Edit',
          'WebFetch(domain:a.example)',
          'WebFetch(b)',
        ],
        deny: [
          'Read(~/.ssh/**)',
          'Grep(/secret)',
          'Edit(/lock)',
          'Bash(rm:*)',
          'WebFetch(domain:evil.example)',
        ],
      },
    },
  });

it('paths by what is done with them', () => {
  const texts = (source: 'allowWrite' | 'denyWrite' | 'denyRead') =>
    permissions()
      .pathPatterns(source, { cwd })
      .map((pattern) => JSON.stringify(pattern));
  expect(texts('allowWrite')).toHaveLength(1);
  expect(texts('allowWrite')[0]).toContain('out');
  expect(texts('denyWrite')).toHaveLength(1);
  expect(texts('denyWrite')[0]).toContain('lock');
  expect(texts('denyRead')).toHaveLength(2);
  expect(texts('denyRead')[0]).toContain('ssh');
});

it('domains of WebFetch', () => {
  expect(permissions().webDomains('allow')).toEqual(['a.example']);
  expect(permissions().webDomains('deny')).toEqual(['evil.example']);
});

it('a source that is read again brings its folders, and takes its earlier ones with it', () => {
  const engine = permissions();
  engine.replaceSource('projectSettings', {}, ['/a', '/b']);
  engine.replaceSource('userSettings', {}, ['/c']);
  engine.replaceSource('projectSettings', {}, ['/d']);
  expect(engine.directories()).toEqual([
    { path: '/c', source: 'userSettings' },
    { path: '/d', source: 'projectSettings' },
  ]);
});
