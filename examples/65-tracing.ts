// A run as spans in the trace of your program: requests to the model, tool calls and hooks, below a span of yours.
import assert from 'node:assert/strict';
import { context, trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { createSdkMcpServer, query, tool } from 'turnwright';
import { callTool, say, scriptedModel } from 'turnwright/testing';

// In your program the SDK is set up once, with the exporter of your backend.
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const tracer = provider.getTracer('my-app');

const order = tool('find_order', 'Finds an order.', {}, async () => ({
  content: [{ type: 'text', text: 'Order 7 is on its way.' }],
}));
const model = scriptedModel([callTool('mcp__shop__find_order'), say('It is on its way.')]);

const request = tracer.startSpan('GET /orders/7');
for await (const message of query({
  prompt: 'Where is my order?',
  options: {
    tools: [],
    persistSession: false,
    mcpServers: { shop: createSdkMcpServer({ name: 'shop', tools: [order] }) },
    allowedTools: ['mcp__shop'],
    tracing: { tracer, context: trace.setSpan(context.active(), request) },
    engine: { callModel: model.callModel },
  },
})) {
  if (message.type === 'result') assert.equal(message.subtype, 'success');
}
request.end();

const spans = exporter.getFinishedSpans();
const { traceId } = request.spanContext();
assert.ok(spans.every((span) => span.spanContext().traceId === traceId));
const names = spans.map(({ name }) => name.replace(/^chat .*/, 'chat'));
assert.deepEqual(names.sort(), [
  'GET /orders/7',
  'chat',
  'chat',
  'execute_tool mcp__shop__find_order',
  'invoke_agent',
  'turnwright.iteration',
  'turnwright.iteration',
]);
console.log(names.join(', '));
