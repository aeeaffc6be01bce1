/** Options of a session that asks the model at `url` and may do everything. `env`: more variables. */
export const unattended = (url, home, env = {}) => ({
  env: {
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'key',
    PATH: process.env.PATH,
    TURNWRIGHT_HOME: home,
    ...env,
  },
  permissionMode: 'bypassPermissions',
  allowDangerouslySkipPermissions: true,
});
