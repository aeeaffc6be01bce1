/** The file that the test runner starts for every row: it bundles the row and loads it. */
import { pathToFileURL } from 'node:url';
import { afterAll } from 'vitest';
import { bundled } from './bundled.ts';
import { ORDER, type Order } from './order.ts';

const { file } = JSON.parse(process.env[ORDER] ?? '') as Order;
const row = await bundled(`${file}.ts`);
afterAll(row.remove);
await import(/* @vite-ignore */ pathToFileURL(row.file).href);
