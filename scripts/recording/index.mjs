// `npm run recording`: records a rehearsed conversation and writes the picture at the top of the README.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { record } from './record.mjs';
import { renderSvg } from './render-svg.mjs';
import { SIZE } from './session.mjs';

const PICTURE = fileURLToPath(new URL('../../docs/assets/screen.svg', import.meta.url));

const { reads } = await record(1);
const { svg, seconds } = await renderSvg(reads, SIZE);
mkdirSync(fileURLToPath(new URL('../../docs/assets', import.meta.url)), { recursive: true });
writeFileSync(PICTURE, svg);
console.log(`docs/assets/screen.svg: ${seconds} s, ${Math.ceil(svg.length / 1024)} kB`);
