/**
 * The mutants of a file: small changes of conditions, boundaries, booleans, arithmetic, calls and returns. All of them are
 * put into the code at once; `__mutant(id)` says which of them is active.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/**
 * @typedef {{
 *   id: number, file: string, line: number, text: string, change: string, isStatic: boolean, kind: string,
 *   isNoChange: boolean,
 * }} Mutant `isNoChange`: it does what the code does, which its place shows.
 */

const COMPARED = {
  '<': ['<='],
  '<=': ['<'],
  '>': ['>='],
  '>=': ['>'],
  '===': ['!=='],
  '!==': ['==='],
  '==': ['!='],
  '!=': ['=='],
};
const CALCULATED = { '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'] };
const JOINED = { '&&': ['||'], '||': ['&&'] };
const ASSIGNED = { '+=': ['-='], '-=': ['+='] };
const STEPPED = { '++': '--', '--': '++' };

const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);

const isText = (node) =>
  node.type === 'TemplateLiteral' ||
  (node.type === 'Literal' && typeof node.value === 'string') ||
  (node.type === 'BinaryExpression' && node.operator === '+' && (isText(node.left) || isText(node.right)));

const isLiteral = (node, value) => node.type === 'Literal' && node.value === value;

/** The changes of one node: what is written in its place. */
function* changesOf(node, parent, code) {
  const source = (of) => code.slice(of.start, of.end);
  const tested = [
    'IfStatement',
    'WhileStatement',
    'DoWhileStatement',
    'ConditionalExpression',
    'ForStatement',
  ];
  const { test } = node;
  if (tested.includes(node.type) && test && !isLiteral(test, true)) {
    if (!node.type.endsWith('WhileStatement') && node.type !== 'ForStatement')
      yield { at: test, to: 'true', kind: 'condition' };
    yield { at: test, to: 'false', kind: 'condition' };
  }
  switch (node.type) {
    case 'BinaryExpression': {
      const calculated = isText(node) ? undefined : CALCULATED[node.operator];
      const [left, right] = operandsOf(node, code);
      for (const other of COMPARED[node.operator] ?? calculated ?? [])
        yield {
          at: node,
          to: `${left}${other}${right}`,
          kind: COMPARED[node.operator] ? 'comparison' : 'arithmetic',
        };
      break;
    }
    case 'LogicalExpression': {
      const [left, right] = operandsOf(node, code);
      if (node.operator === '??') yield { at: node, to: left.trim(), kind: 'logic' };
      for (const other of JOINED[node.operator] ?? [])
        yield { at: node, to: `(${left.trim()}) ${other} (${right.trim()})`, kind: 'logic' };
      break;
    }
    case 'UnaryExpression':
      if (node.operator === '!')
        yield { at: node, to: code.slice(node.start + 1, node.end).trim(), kind: 'logic' };
      break;
    case 'Literal':
      if (typeof node.value === 'boolean' && parent?.type !== 'TSLiteralType')
        yield { at: node, to: String(!node.value), kind: 'boolean' };
      break;
    case 'AssignmentExpression':
      for (const other of ASSIGNED[node.operator] ?? []) {
        if (isText(node.right)) break;
        yield { at: node, to: `${source(node.left)} ${other} ${source(node.right)}`, kind: 'arithmetic' };
      }
      break;
    case 'UpdateExpression': {
      const other = STEPPED[node.operator];
      const to = node.prefix ? `${other}${source(node.argument)}` : `${source(node.argument)}${other}`;
      yield { at: node, to, kind: 'arithmetic' };
      break;
    }
    case 'ExpressionStatement':
      if (isCall(node.expression)) yield { at: node, to: ';', kind: 'call', isStatement: true };
      break;
    case 'ReturnStatement':
      yield { at: node, to: ';', kind: 'return', isStatement: true };
      break;
  }
}

/** The text on both sides of an operator, parentheses included. */
function operandsOf({ start, end, left, right, operator }, code) {
  const at = left.end + code.slice(left.end, right.start).indexOf(operator);
  return [code.slice(start, at), code.slice(at + operator.length, end)];
}

/** Statements behind which nothing follows in a function: a `return` of nothing may as well be left out there. */
function* lastStatements(statement) {
  if (statement === undefined || statement === null) return;
  yield statement;
  const { type, body, consequent, alternate, block, handler, finalizer } = statement;
  if (type === 'BlockStatement') yield* lastStatements(body.at(-1));
  if (type === 'IfStatement') {
    yield* lastStatements(consequent);
    yield* lastStatements(alternate);
  }
  if (type === 'TryStatement' && !finalizer) {
    yield* lastStatements(block);
    yield* lastStatements(handler?.body);
  }
}

const isReturnOfNothing = ({ type, argument }) =>
  type === 'ReturnStatement' &&
  (argument === null || (argument.type === 'Identifier' && argument.name === 'undefined'));

function isCall({ type, argument, callee, expression }) {
  if (type === 'AwaitExpression' || type === 'YieldExpression') return argument !== null && isCall(argument);
  if (type === 'UnaryExpression') return isCall(argument);
  if (type === 'ChainExpression') return isCall(expression);
  return type === 'CallExpression' && callee.type !== 'Super';
}

const isType = ({ type }) => type.startsWith('TS') && !VALUES.has(type);
/** Nodes of TypeScript that hold expressions. */
const VALUES = new Set(['TSAsExpression', 'TSNonNullExpression', 'TSSatisfiesExpression']);

/** Places, each with its changes in order. */
function placesOf(code) {
  const places = new Map();
  const lastReturns = new Set();
  const visit = (node, parent, depth) => {
    if (isType(node)) return;
    if (FUNCTIONS.has(node.type) && node.body?.type === 'BlockStatement')
      for (const last of lastStatements(node.body)) if (isReturnOfNothing(last)) lastReturns.add(last);
    for (const { at, to, kind, isStatement = false } of changesOf(node, parent, code)) {
      const key = `${at.start}:${at.end}:${isStatement}`;
      const place = places.get(key) ?? { start: at.start, end: at.end, isStatement, changes: [] };
      places.set(key, place);
      const original = code.slice(at.start, at.end);
      if (!place.changes.some((change) => change.to === to) && original !== to)
        place.changes.push({ to, kind, isStatic: depth === 0, isNoChange: lastReturns.has(node) });
    }
    const inner = depth + (FUNCTIONS.has(node.type) ? 1 : 0);
    for (const key of Object.keys(node)) {
      const value = node[key];
      if (key === 'typeAnnotation' && node.type !== 'TSAsExpression') continue;
      for (const child of Array.isArray(value) ? value : [value])
        if (child !== null && typeof child === 'object' && typeof child.type === 'string')
          visit(child, node, inner);
    }
  };
  visit(parseAst(code, { lang: 'ts' }), undefined, 0);
  // Outer places first, so that the inner ones lie within them.
  return [...places.values()].sort(
    (a, b) => a.start - b.start || b.end - a.end || b.isStatement - a.isStatement,
  );
}

const shown = (text) => {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 90 ? `${line.slice(0, 87)}...` : line;
};

/**
 * The mutants of a file, with ids from `firstId` on, and its code with all of them in it.
 * @returns {{ mutants: Mutant[], code: string }}
 */
export function mutantsOf(file, code, firstId = 0) {
  const mutants = [];
  const places = placesOf(code);
  let id = firstId;
  for (const place of places) {
    const line = code.slice(0, place.start).split('\n').length;
    const text = code.split('\n')[line - 1].trim();
    place.ids = place.changes.map(({ to, kind, isStatic, isNoChange }) => {
      const change = `${shown(code.slice(place.start, place.end))} → ${to === ';' ? 'removed' : shown(to)}`;
      mutants.push({ id, file, line, text, change, kind, isStatic, isNoChange });
      return id++;
    });
  }
  return { mutants, code: written(code, places) };
}

function written(code, places) {
  let at = 0;
  const part = (start, end) => {
    let out = '';
    let from = start;
    while (at < places.length && places[at].start < end) {
      const place = places[at++];
      out += code.slice(from, place.start);
      const inner = part(place.start, place.end);
      from = place.end;
      const { changes, ids } = place;
      out += place.isStatement
        ? `${ids.map((id) => `if (__mutant(${id})) ; else `).join('')}${inner}`
        : `(${changes.map(({ to }, n) => `__mutant(${ids[n]}) ? (${to}) : `).join('')}(${inner}))`;
    }
    return out + code.slice(from, end);
  };
  return part(0, code.length);
}

/** All mutants of these files, which are paths below the root. */
export function allMutants(root, files) {
  let firstId = 0;
  const codes = new Map();
  const mutants = files.toSorted().flatMap((file) => {
    const made = mutantsOf(file, readFileSync(join(root, file), 'utf8'), firstId);
    firstId += made.mutants.length;
    codes.set(file, made.code);
    return made.mutants;
  });
  return { mutants, codes };
}
