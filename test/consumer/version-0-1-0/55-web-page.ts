// The model reads a page, of a host that a rule names.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { query } from 'turnwright';
import { reply, startRehearsal, toolUse } from 'turnwright/rehearsal';

const pages = createServer((_, response) =>
  response.writeHead(200, { 'content-type': 'text/html' }).end('<p>The word is <b>larch</b>.</p>'),
);
await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
const host = `127.0.0.1:${(pages.address() as AddressInfo).port}`;

const server = await startRehearsal({
  scenario: {
    name: 'a page',
    replies: [
      reply(toolUse('WebFetch', { url: `http://${host}/`, prompt: 'Which word?' }, 'toolu_1')),
      reply('It says: {{results.toolu_1 | /(The word is .*?\\.)/}}'),
    ],
  },
});
let answer = '';
for await (const message of query({
  prompt: 'Which word is on the page?',
  options: {
    env: { ...process.env, ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'rehearsal' },
    allowedTools: [`WebFetch(domain:${host})`],
    persistSession: false,
  },
})) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
await server.close();
pages.close();

assert.equal(answer, 'It says: The word is **larch**.');
console.log(answer);
