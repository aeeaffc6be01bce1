/** The broken project of the bundled rehearsal: an order book whose totals miss the last order. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

interface ProjectFile {
  readonly path: string;
  readonly content: string;
}

interface Order {
  readonly id: number;
  readonly date: string;
  readonly customer: string;
  readonly item: string;
  readonly cents: number;
  readonly quantity: number;
}

const CUSTOMERS = [
  'Marta Lindqvist',
  'Tomasz Zielinski',
  'Aiko Watanabe',
  'Ibrahim Diallo',
  'Petra Novak',
] as const;
const ITEMS = [
  ['teapot', 1850],
  ['tea strainer', 420],
  ['bread board', 2400],
  ['linen towel', 950],
  ['egg timer', 1199],
  ['salt mill', 3275],
] as const;

/**
 * Months of this many orders fill the context step by step when they are read (see `BUNDLED_WINDOW_TOKENS`).
 */
const JANUARY = { month: '2026-01', firstId: 1001, orders: 1120 } as const;
const FEBRUARY = { month: '2026-02', firstId: 3001, orders: 1460 } as const;

/** Writes the broken project into `folder`, which is created if missing. */
export async function layOutProject(folder: string): Promise<void> {
  for (const { path, content } of projectFiles()) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
  }
}

/** The same files every time. */
function projectFiles(): readonly ProjectFile[] {
  const january = createOrders(JANUARY);
  const february = createOrders(FEBRUARY);
  return [
    { path: 'package.json', content: PACKAGE },
    { path: 'README.md', content: README },
    { path: 'src/ledger.js', content: LEDGER },
    { path: 'test/ledger.test.js', content: tests(sumOrders(january), sumOrders(february)) },
    { path: 'data/january.csv', content: toCsv(january) },
    { path: 'data/february.csv', content: toCsv(february) },
  ];
}

const PACKAGE = `${JSON.stringify({ name: 'order-book', private: true, type: 'module', scripts: { test: 'node --test' } }, null, 2)}\n`;

const README = `# Order book

Adds up the orders of a month. \`npm test\` checks the totals of January and February against the books.
`;

const LEDGER = `/** Orders as objects. Columns: id, date, customer, item, cents, quantity. */
export function parseOrders(csv) {
  const [, ...rows] = csv.trim().split('\\n');
  return rows.map((row) => {
    const [id, date, customer, item, cents, quantity] = row.split(',');
    return { id: Number(id), date, customer, item, cents: Number(cents), quantity: Number(quantity) };
  });
}

/** What the orders come to, in cents. */
export function totalCents(orders) {
  let total = 0;
  for (let i = 0; i < orders.length - 1; i++) {
    total += orders[i].cents * orders[i].quantity;
  }
  return total;
}

/** The customers with their totals in cents, largest first. */
export function totalsByCustomer(orders) {
  const names = [...new Set(orders.map((order) => order.customer))];
  return names
    .map((name) => [name, totalCents(orders.filter((order) => order.customer === name))])
    .sort(([, a], [, b]) => b - a);
}
`;

function tests(januaryCents: number, februaryCents: number): string {
  return `import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { parseOrders, totalCents, totalsByCustomer } from '../src/ledger.js';

const month = (name) => parseOrders(readFileSync(new URL(\`../data/\${name}.csv\`, import.meta.url), 'utf8'));

test('no orders come to nothing', () => {
  assert.equal(totalCents([]), 0);
});

test('a single order counts', () => {
  assert.equal(totalCents([{ cents: 1850, quantity: 2 }]), 3700);
});

test('January agrees with the books', () => {
  assert.equal(totalCents(month('january')), ${januaryCents});
});

test('February agrees with the books', () => {
  assert.equal(totalCents(month('february')), ${februaryCents});
});

test('the customers of a month make up its total', () => {
  const sum = totalsByCustomer(month('january')).reduce((so, [, cents]) => so + cents, 0);
  assert.equal(sum, ${januaryCents});
});
`;
}

function createOrders({ month, firstId, orders }: typeof JANUARY | typeof FEBRUARY): Order[] {
  return Array.from({ length: orders }, (_, n) => {
    const [item, cents] = pick(ITEMS, n * 5 + Math.floor(n / 7));
    return {
      id: firstId + n,
      date: `${month}-${String(1 + Math.floor((n * 28) / orders)).padStart(2, '0')}`,
      customer: pick(CUSTOMERS, n * 3 + Math.floor(n / 11)),
      item,
      cents,
      quantity: 1 + ((n * 7 + Math.floor(n / 5)) % 4),
    };
  });
}

function pick<T>(list: readonly T[], n: number): T {
  return list[n % list.length] as T;
}

function sumOrders(orders: readonly Order[]): number {
  return orders.reduce((sum, order) => sum + order.cents * order.quantity, 0);
}

function toCsv(orders: readonly Order[]): string {
  const rows = orders.map((order) =>
    [order.id, order.date, order.customer, order.item, order.cents, order.quantity].join(','),
  );
  return `id,date,customer,item,cents,quantity\n${rows.join('\n')}\n`;
}
