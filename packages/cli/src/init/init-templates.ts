/** What `turnwright init` writes: JSON with comments. Without the slashes before a key, it is set. */

const KEYS = `  // Remove the slashes before what you need. Every key is explained here:
  // https://github.com/turnwright/turnwright/blob/main/docs/settings.md`;

export const PROJECT_SETTINGS = `{
  // Settings of this project, for all who work on it: commit this file. What is yours alone belongs in
  // settings.local.json beside it (turnwright init --local), or in your home, for all projects.
${KEYS}

  // Calls that run without a question, calls that are never run, and calls that are always asked about.
  // Denials hold at once; what is allowed holds once the folder is trusted.
  // "permissions": {
  //   "allow": ["Bash(npm test *)", "Bash(npm run lint *)"],
  //   "deny": ["Read(.env)", "Bash(git push *)"],
  //   "ask": ["Bash(npm publish *)"],
  //   "defaultMode": "acceptEdits"
  // },

  // The model: an id, or opus, sonnet, haiku. And how much it thinks: low, medium, high.
  // "model": "sonnet",
  // "effortLevel": "medium",

  // Commands that run at fixed points. This one formats the project after each edit.
  // "hooks": {
  //   "PostToolUse": [
  //     { "matcher": "Edit|Write", "hooks": [{ "type": "command", "command": "npm run format" }] }
  //   ]
  // },

  // Which servers of .mcp.json are used (default: all of them, in a trusted folder).
  // "enabledMcpjsonServers": ["issues"],

  // Shell commands run isolated by the operating system, where it can do so.
  // "sandbox": { "enabled": true },

  // Memory files that are left out.
  // "claudeMdExcludes": ["vendor/**/CLAUDE.md"],
}
`;

export const LOCAL_SETTINGS = `{
  // Your settings in this project: not for the repository, as .gitignore beside this file says.
${KEYS}

  // Answers that you want to hold always are added here.
  // "permissions": {
  //   "allow": ["Bash(npm test *)"],
  //   "additionalDirectories": ["../shared"]
  // },

  // The model: an id, or opus, sonnet, haiku.
  // "model": "opus",

  // The style of the answers.
  // "outputStyle": "Explanatory",
}
`;
