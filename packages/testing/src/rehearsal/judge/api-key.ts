import type { JudgeRule } from './judge-rule.ts';

export const apiKey: JudgeRule = {
  name: 'api-key',
  check(_request, { headers, requiredKey }) {
    const refuse = (message: string) => ({ status: 401, type: 'authentication_error', message });
    const key = headers['x-api-key'];
    const authorization = headers['authorization'];
    if (typeof key === 'string' && key !== '') {
      return requiredKey === undefined || key === requiredKey ? undefined : refuse('invalid x-api-key');
    }
    if (typeof authorization === 'string') {
      const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
      if (token === undefined) return refuse('Invalid bearer token');
      return requiredKey === undefined || token === requiredKey ? undefined : refuse('Invalid bearer token');
    }
    return refuse('x-api-key header is required');
  },
};
