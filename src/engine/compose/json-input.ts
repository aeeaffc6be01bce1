/** Tools that come with a JSON schema of their own: how their input is checked. */
export { parserOf } from '../../tools/from-json-schema.ts';
