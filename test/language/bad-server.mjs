/**
 * A language server that behaves as its first argument says. It reports an error for each line with BAD, and
 * a warning for each with ODD, in all open files whenever one changes.
 */
import { appendFileSync } from 'node:fs';

const [how = 'well', log] = process.argv.slice(2);
const note = (line) => log && appendFileSync(log, `${line}\n`);
note(`start ${process.pid}`);
const open = new Map();
const runs = { count: 0 };
let buffer = Buffer.alloc(0);

function send(message) {
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

const at = (line, character = 0) => ({ start: { line, character }, end: { line, character: character + 1 } });

function found(text) {
  return text
    .split('\n')
    .flatMap((line, number) => [
      ...(line.includes('BAD')
        ? [{ range: at(number), severity: 1, source: 'bad', message: `bad: ${line}` }]
        : []),
      ...(line.includes('ODD')
        ? [{ range: at(number), severity: 2, source: 'bad', message: `odd: ${line}` }]
        : []),
      { range: at(number), severity: 4, source: 'bad', message: 'a hint' },
    ]);
}

function publish(uri, version, diagnostics) {
  send({ method: 'textDocument/publishDiagnostics', params: { uri, version, diagnostics } });
}

function tell() {
  if (how === 'pull' || how === 'hang-later') return;
  runs.count += 1;
  if (how === 'die' && runs.count > 1) process.exit(7);
  if (how === 'flood') {
    const many = Array.from({ length: 5_000 }, (_, n) => ({
      range: at(n),
      severity: 1,
      message: `flood ${n} ${'x'.repeat(500)}`,
    }));
    for (const [uri, { version }] of open) publish(uri, version, many);
    for (let n = 0; n < 3_000; n += 1) publish(`${[...open.keys()][0]}.${n}`, 1, many.slice(0, 2));
    return;
  }
  if (how === 'endless') {
    const more = () => {
      for (let n = 0; n < 200; n += 1) publish([...open.keys()][0], undefined, []);
      setImmediate(more);
    };
    return more();
  }
  if (how === 'huge') return void process.stdout.write('Content-Length: 999999999\r\n\r\n');
  if (how === 'noise') return void process.stdout.write('no header at all '.repeat(2_000));
  for (const [uri, { text, version }] of open) {
    if (how === 'lie') {
      const wrong = { range: { start: { line: -4, character: 1e12 } }, severity: 1, message: 'nowhere' };
      publish(uri, version, [
        wrong,
        { message: 'far', severity: 1, range: at(4_000) },
        null,
        { severity: 1 },
        5,
      ]);
      publish('file:///etc/passwd', 1, [{ range: at(1), severity: 1, message: 'outside' }]);
      publish(`${uri}.absent`, 1, [{ range: at(1), severity: 1, message: 'absent' }]);
      publish('untitled:x', 1, [{ range: at(1), severity: 1, message: 'untitled' }]);
      publish(uri.replace(/[^/]*$/, 'secret.txt'), 1, [{ range: at(0), severity: 1, message: 'the secret' }]);
    } else publish(uri, version, found(text));
  }
}

function answer({ id, method, params }) {
  const reply = (result) => send({ id, result });
  note(method);
  switch (method) {
    case 'initialize':
      if (how === 'hang') return;
      if (how === 'refuse') return send({ id, error: { code: -32603, message: 'no licence' } });
      note(`process ${params.processId}`);
      return reply({
        capabilities: {
          textDocumentSync: 1,
          ...(how === 'pull' && { diagnosticProvider: { interFileDependencies: true } }),
        },
      });
    case 'textDocument/didOpen':
      open.set(params.textDocument.uri, params.textDocument);
      return tell();
    case 'textDocument/didChange':
      open.set(params.textDocument.uri, { ...params.textDocument, text: params.contentChanges[0].text });
      return how === 'slow' ? setTimeout(tell, Number(process.env.SLOW_MS ?? 400)) : tell();
    case 'textDocument/diagnostic':
      return reply({ kind: 'full', items: found(open.get(params.textDocument.uri)?.text ?? '') });
    case 'textDocument/hover':
      return reply({ contents: { kind: 'markdown', value: `hovered\u001b[31m ${process.env.GIVEN}` } });
    case 'textDocument/definition':
      return reply([
        { uri: 'file:///etc/hosts', range: at(0) },
        { targetUri: params.textDocument.uri, targetSelectionRange: at(1) },
        { uri: params.textDocument.uri.replace(/[^/]*$/, 'secret.txt'), range: at(0) },
        { uri: 7 },
        null,
      ]);
    case 'exit':
      return process.exit(0);
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: `no ${method}` } });
  }
}

process.stdin.on('data', (chunk) => {
  buffer = Buffer.concat([buffer, chunk]);
  for (;;) {
    const end = buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(buffer.subarray(0, end).toString())[1]);
    if (buffer.length < end + 4 + length) return;
    const message = JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString());
    buffer = buffer.subarray(end + 4 + length);
    if (message.method !== undefined) answer(message);
  }
});
process.stdin.on('end', () => process.exit(0));
