/** An endpoint that says what another one says, in other words. */
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Passes requests on unchanged and answers with the rewritten body. Gone when the test is over. */
export async function rewritingProxy(
  target: string,
  rewrite: (body: string) => string,
): Promise<{ readonly url: string }> {
  const server = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const upstream = send(new URL(url ?? '/', target), { method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () => {
        outgoing.writeHead(answer.statusCode ?? 502, {
          'content-type': answer.headers['content-type'] ?? '',
        });
        outgoing.end(rewrite(Buffer.concat(chunks).toString('utf8')));
      });
    });
    incoming.pipe(upstream);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
